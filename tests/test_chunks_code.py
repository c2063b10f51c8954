"""How code is cut into chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clew.chunks.code import LIMIT_LINES
from clew.chunks.parse import parse
from support.snippets import BY_FILE

if TYPE_CHECKING:
    from clew.types import Chunk


def chunks(path: str, text: str) -> tuple[Chunk, ...]:
    return parse(path, text).chunks


def lines_of(path: str, text: str) -> list[tuple[int, int, str, str]]:
    return [(c.start_line, c.end_line, c.kind, c.qualname) for c in chunks(path, text)]


def numbered(count: int, indent: str = "    ") -> str:
    return "".join(f"{indent}value_{i} = {i}\n" for i in range(count))


EXPECTED = {
    "a.py": [
        (1, 14, "module", ""),
        (15, 26, "function", "fetch"),
        (27, 37, "class", "Box"),
    ],
    "a.js": [
        (1, 5, "module", ""),
        (6, 13, "function", "Card"),
        (14, 20, "class", "Store"),
        (21, 22, "function", "walk"),
        (23, 23, "function", "Store.clear"),
        (24, 24, "function", "helper"),
        (25, 28, "module", "table"),
    ],
    "a.ts": [
        (1, 2, "module", ""),
        (3, 7, "class", "Shape"),
        (8, 9, "module", "Result"),
        (10, 11, "class", "Color"),
        (12, 19, "module", ""),
        (20, 27, "class", "Service"),
        (28, 32, "function", "parse"),
    ],
    "a.tsx": [
        (1, 4, "module", "Props"),
        (5, 8, "function", "Page"),
        (9, 9, "function", "Row"),
    ],
    "a.go": [
        (1, 15, "module", ""),
        (16, 21, "class", "Server"),
        (22, 25, "class", "Handler"),
        (26, 30, "module", ""),
        (31, 35, "function", "Server.Start"),
        (36, 36, "function", "List.Len"),
        (37, 38, "function", "List.Less"),
        (39, 41, "function", "New"),
    ],
    "A.java": [
        (1, 5, "module", ""),
        (6, 24, "class", "Shop"),
        (25, 26, "class", "Pricing"),
        (27, 28, "class", "Level"),
        (29, 29, "class", "Point"),
    ],
    "a.rs": [
        (1, 3, "module", ""),
        (4, 10, "class", "Cache"),
        (11, 12, "class", "Event"),
        (13, 18, "class", "Store"),
        (19, 28, "class", "Cache"),
        (29, 39, "module", ""),
    ],
}


@pytest.mark.parametrize("path", EXPECTED)
def test_a_file_of_every_language_is_cut_at_its_definitions(path):
    assert lines_of(path, BY_FILE[path]) == EXPECTED[path]


def test_a_chunk_carries_its_signature_doc_and_the_signatures_around_it():
    text = "class Outer(Base):\n    x = 1\n\n" + "".join(
        f'    def m{i}(self, a: int = {i}) -> str:\n        """Does {i}."""\n        return a\n\n'
        + "        # more\n" * 5
        for i in range(5)
    )
    last = chunks("a.py", text)[-1]
    assert (last.name, last.qualname, last.kind) == ("m4", "Outer.m4", "function")
    assert last.signature == "def m4(self, a: int = 4) -> str"
    assert last.doc == "Does 4."
    assert last.parents == ("class Outer(Base)",)


def test_a_large_class_is_a_header_and_its_methods():
    fields = "".join(f"    field_{i}: int = 0\n" for i in range(5))
    methods = "".join(f"    def m{i}(self):\n{numbered(9, '        ')}\n" for i in range(3))
    text = f'class Big:\n    """Is big."""\n{fields}\n{methods}'
    assert lines_of("a.py", text) == [
        (1, 8, "class", "Big"),
        (9, 19, "function", "Big.m0"),
        (20, 30, "function", "Big.m1"),
        (31, 41, "function", "Big.m2"),
    ]
    assert chunks("a.py", text)[0].doc == "Is big."


def test_a_class_stays_with_its_long_docstring():
    text = 'class Told:\n    """\n' + "    words\n" * 90 + '    """\n\n    x = 1\n'
    first = chunks("a.py", text)[0]
    assert (first.start_line, first.kind, first.name) == (1, "class", "Told")
    assert first.end_line >= 93


def test_fields_between_methods_keep_the_name_of_the_class():
    body = numbered(14, "        ")
    text = f"class Big:\n    def a(self):\n{body}\n    size = 1\n\n    def b(self):\n{body}"
    assert [(c.kind, c.qualname) for c in chunks("a.py", text)] == [
        ("class", "Big"),
        ("function", "Big.a"),
        ("class", "Big"),
        ("function", "Big.b"),
    ]


def test_a_closing_brace_joins_the_method_before_it():
    body = "".join(f"        call({i});\n" for i in range(15))
    text = f"class A {{\n    void a() {{\n{body}    }}\n\n    void b() {{\n{body}    }}\n}}\n"
    assert lines_of("A.java", text)[-1] == (20, 37, "function", "A.b")


def test_comments_and_decorators_belong_to_what_they_stand_above():
    text = "x = 1\n\n# floating\n\n# attached\n@wraps\n# between\n@more\ndef f():\n    pass\n"
    assert lines_of("a.py", text) == [(1, 4, "module", "x"), (5, 10, "function", "f")]


def test_a_trailing_comment_belongs_to_its_own_line():
    text = "x = 1  # not of f\ndef f():\n    pass\n"
    assert lines_of("a.py", text) == [(1, 1, "module", "x"), (2, 3, "function", "f")]


def test_rust_attributes_and_doc_comments_belong_to_the_function():
    text = "use a;\n/// Runs.\n#[test]\n#[ignore]\nfn run() {}\n"
    assert lines_of("a.rs", text) == [(1, 1, "module", ""), (2, 5, "function", "run")]
    assert chunks("a.rs", text)[1].doc == "Runs."


def test_a_function_over_the_limit_is_cut_between_statements_and_keeps_its_name():
    loops = "".join(
        f"    for i in range({n}):\n        use(i)\n        more(i)\n" for n in range(60)
    )
    text = f'def long(a, b):\n    """Is long."""\n{loops}'
    parts = chunks("a.py", text)
    assert len(parts) == 2
    assert {(c.qualname, c.signature, c.kind) for c in parts} == {
        ("long", "def long(a, b)", "function")
    }
    assert [c.doc for c in parts] == ["Is long.", ""]
    starts = [text.split("\n")[c.start_line - 1] for c in parts]
    assert starts[1].startswith("    for i in range(")
    assert all(c.end_line - c.start_line < LIMIT_LINES for c in parts)


def test_a_function_over_the_limit_gives_its_nested_functions_chunks_of_their_own():
    inner = "".join(f"    def inner{n}():\n{numbered(50, '        ')}" for n in range(3))
    found = lines_of("a.py", f"def outer():\n{inner}    return inner1\n")
    assert [name for *_, name in found] == [
        "outer",
        "outer.inner0",
        "outer.inner1",
        "outer.inner2",
        "outer",
    ]


def test_a_nested_function_stays_inside_a_parent_of_normal_size():
    text = f"def outer():\n    def inner():\n{numbered(20, '        ')}    return inner\n"
    assert lines_of("a.py", text) == [(1, 23, "function", "outer")]


def test_one_statement_of_many_lines_without_statements_inside_is_cut_by_lines():
    text = 'TEXT = """\n' + "words and words\n" * 400 + '"""\n'
    parts = chunks("a.py", text)
    assert len(parts) > 3
    assert all(c.end_line - c.start_line < LIMIT_LINES for c in parts)
    assert {c.name for c in parts} == {"TEXT"}


def test_a_long_table_is_cut_between_its_entries():
    entries = "".join(
        f"    {{\n        'id': {i},\n        'n': 'x',\n    }},\n" for i in range(80)
    )
    text = f"TABLE = [\n{entries}]\n"
    parts = chunks("a.py", text)
    rows = text.split("\n")
    assert len(parts) == 3
    assert all(rows[c.start_line - 1].strip() == "{" for c in parts[1:])


def test_module_statements_are_grouped_below_the_limit():
    found = chunks("a.py", numbered(200, ""))
    assert [c.kind for c in found] == ["module"] * 4
    assert {c.end_line - c.start_line + 1 for c in found} == {50}


def test_a_large_constant_gets_a_chunk_of_its_own():
    text = "import os\n\nWORDS = [\n" + "    'w',\n" * 10 + "]\n\nSMALL = 1\nTINY = 2\n"
    assert lines_of("a.py", text) == [
        (1, 2, "module", ""),
        (3, 15, "block", "WORDS"),
        (16, 17, "module", ""),
    ]


def test_a_group_with_one_definition_is_called_by_it():
    found = chunks("a.ts", "/** Says who. */\ntype Who = string;\n\nexport function f() {}\n")
    assert (found[0].kind, found[0].name) == ("module", "Who")
    assert found[0].signature == "type Who = string"
    assert found[0].doc == "Says who."


def test_overloads_are_one_chunk_with_their_implementation():
    text = (
        "@overload\ndef f(x: int) -> int: ...\n@overload\ndef f(x: str) -> str: ...\n"
        "def f(x):\n    return x\n"
    )
    assert lines_of("a.py", text) == [(1, 6, "function", "f")]
    assert lines_of("a.pyi", text[: text.index("def f(x):")]) == [(1, 4, "function", "f")]


def test_two_definitions_on_one_line_share_its_chunk_and_keep_their_symbols():
    parsed = parse("a.js", "function a() {} function b() {\n}\nfunction c() {}\n")
    assert [(c.start_line, c.end_line, c.name) for c in parsed.chunks] == [
        (1, 1, "a"),
        (2, 2, "b"),
        (3, 3, "c"),
    ]
    assert [s.name for s in parsed.symbols] == ["a", "b", "c"]


def test_a_wrapper_around_definitions_is_opened():
    inner = "".join(
        f"  function f{i}() {{\n{'    x();' + chr(10)}" * 1 + "  }\n" for i in range(20)
    )
    found = lines_of("a.js", f"(function () {{\n  'use strict';\n{inner}}})();\n")
    assert len(found) == 21
    assert found[1][3] == "f0"


def test_a_test_block_is_not_torn_by_the_helpers_inside_it():
    body = "".join(f"    expect({i}).toBe({i});\n" for i in range(30))
    text = f"it('works', () => {{\n    const helper = () => {{\n    }};\n{body}}});\n"
    assert lines_of("a.test.js", text) == [(1, 34, "block", "")]


def test_an_empty_impl_block_has_no_chunk_of_its_own():
    text = "struct A;\nunsafe impl Send for A {}\nunsafe impl Sync for A {}\nfn f() {}\n"
    assert [name for *_, name in lines_of("a.rs", text)] == ["A", "f"]


def test_the_first_line_of_an_impl_block_joins_its_first_method():
    methods = "".join(f"    fn m{i}() {{\n{'        go();' + chr(10)}    }}\n" for i in range(15))
    found = lines_of("a.rs", f"impl A {{\n{methods}}}\n")
    assert found[0] == (1, 4, "function", "A.m0")
    assert len(found) == 15


@pytest.mark.parametrize(
    ("path", "text", "signature"),
    [
        ("a.py", "def f(\n    a,\n    b: int = 2,\n) -> dict[str, int]:\n    pass\n",
         "def f( a, b: int = 2, ) -> dict[str, int]"),
        ("a.py", "@app.get('/x', tags=['a'])\nasync def g(x): pass\n", "async def g(x)"),
        ("a.go", "func (s *Server[T]) Do() (int, error) {\n}\n",
         "func (s *Server[T]) Do() (int, error)"),
        ("a.rs", "pub(crate) async fn go<T>(x: T) -> Vec<T>\nwhere\n    T: Copy,\n{\n}\n",
         "pub(crate) async fn go<T>(x: T) -> Vec<T> where T: Copy,"),
        ("A.java", '@Override\n@Ann(value = "x(")\npublic int f(int a) throws E {\n}\n',
         "public int f(int a) throws E"),
        ("a.ts", "export const f = async <T,>(x: T): Promise<T> => {\n};\n",
         "export const f = async <T,>(x: T): Promise<T>"),
        ("a.ts", "@Component({a: 1})\nexport class A extends B<C> {}\n",
         "export class A extends B<C>"),
    ],
)  # fmt: skip
def test_a_signature_is_the_head_on_one_line(path, text, signature):
    assert parse(path, text).symbols[0].signature == signature


def test_a_signature_has_a_limit():
    arguments = ", ".join(f"argument_{i}" for i in range(100))
    signature = parse("a.py", f"def f({arguments}):\n    pass\n").symbols[0].signature
    assert len(signature) <= 200
    assert signature.endswith("…")
