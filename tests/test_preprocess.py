"""What is hidden from the parser of C, C++ and C#, and what is still found."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.chunks.parse import parse
from clew.chunks.preprocess import hide


def shown(text: str, dialect: str = "cpp") -> list[str]:
    """The words that are left, line by line."""
    return [
        " ".join(line.split()) for line in hide(text.encode(), dialect).data.decode().split("\n")
    ]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        # Branches that stand beside each other stay.
        ("#ifdef A\nint a;\n#else\nint b;\n#endif", ["", "int a;", "", "int b;", ""]),
        # Of others, the first one.
        ("#ifdef A\nif (x) {\n#else\nif (y) {\n#endif\n}", ["", "if (x) {", "", "", "", "}"]),
        ("#if 0\nint f(\n#else\nint g(\n#endif\nint a);", ["", "", "", "int g(", "", "int a);"]),
        ("int f(int a\n#ifdef A\n, int b\n#endif\n);", ["int f(int a", "", ", int b", "", ");"]),
        ('#ifdef __cplusplus\nextern "C" {\n#endif\nint a;', ["", 'extern "C" {', "", "int a;"]),
        ("#if A && \\\n  B\nint a;\n#endif", ["", "", "int a;", ""]),
        ("// #ifdef A\nint a;", ["// #ifdef A", "int a;"]),
        # Annotations.
        ("class LIB_EXPORT A {};", ["class A {};"]),
        ("struct ALIGNED(8) A {};", ["struct A {};"]),
        ("class EXPORT A;", ["class A;"]),
        ("namespace a {\nNAMESPACE_BEGIN\nint b;", ["namespace a {", "", "int b;"]),
        ("int size_ GUARDED_BY(mu_);", ["int size_ ;"]),
        ("void f() const LIFETIME_BOUND {", ["void f() const {"]),
        ("void f(const T& a LIFETIME_BOUND, int b);", ["void f(const T& a , int b);"]),
        ("LIB_EXTERN int *f(void);", ["int *f(void);"]),
        ("static LIB_INLINE int f(void) {", ["static int f(void) {"]),
        ("EXPORT int f(void);", ["int f(void);"]),
        ("char* _Nonnull text;", ["char* text;"]),
        ("DEFINE_FLAG(int, a, 3);\nint b;", ["", "int b;"]),
        ("f() {\n  LIB_TRY {\n    a();\n  }\n}", ["f() {", "{", "a();", "}", "}"]),
        # What looks like one and isn't.
        ("auto a = LIB_MAP {\n 1\n};", ["auto a = LIB_MAP {", "1", "};"]),
        ("int a[] =\n  LIB_MAP {\n 1\n};", ["int a[] =", "LIB_MAP {", "1", "};"]),
        ("enum { ONE_ENTRY\n};", ["enum { ONE_ENTRY", "};"]),
        ("return FIRST_CODE;", ["return FIRST_CODE;"]),
        ("if (x) LOG_IT(y);", ["if (x) LOG_IT(y);"]),
        ("int MAX_SIZE = 3;", ["int MAX_SIZE = 3;"]),
        ("MY_TYPE a = 3;", ["MY_TYPE a = 3;"]),
        ("f(a,\n  SOME_FLAG,\n  b);", ["f(a,", "SOME_FLAG,", "b);"]),
        ("TEST_F(Suite, Case) {", ["TEST_F(Suite, Case) {"]),
        ("#define A_B int FOO_BAR x y", ["#define A_B int FOO_BAR x y"]),
    ],
)
def test_only_what_the_grammar_cannot_follow_is_hidden(text, left):
    assert shown(text) == left


def test_a_variable_of_a_struct_in_capitals_is_none_of_it_in_c():
    assert shown("struct LIB_NODE variable;", "c") == ["struct LIB_NODE variable;"]


def test_regions_and_conditions_of_c_sharp_are_hidden():
    text = "#region A\nint a = b(1,\n#if X\n2);\n#else\n3);\n#endif\n#endregion"
    assert shown(text, "csharp") == ["", "int a = b(1,", "", "2);", "", "", "", ""]


def test_a_name_that_is_hidden_is_still_a_use():
    text = "#if defined(USE_TLS)\nint a GUARDED_BY(mu_);\n#else\nint b(\n#endif\n"
    uses = {(r.name, r.line) for r in parse("a.cc", text).references}
    assert {("USE_TLS", 1), ("GUARDED_BY", 2), ("mu_", 2)} <= uses


def test_names_in_the_text_of_a_macro_are_uses():
    assert {
        (r.name, r.line) for r in parse("a.c", "#define A(x) \\\n  run_it(x)\n").references
    } == {("run_it", 2)}


def test_both_branches_of_a_condition_define():
    text = "#ifdef A\nint one(void) {\n  f();\n}\n#else\nint two(void) {\n  f();\n}\n#endif\n"
    parsed = parse("a.c", text)
    assert [s.name for s in parsed.symbols] == ["one", "two"]
    assert [(c.start_line, c.end_line, c.name) for c in parsed.chunks] == [
        (1, 4, "one"),
        (5, 9, "two"),
    ]


def test_a_macro_that_no_grammar_can_follow_costs_no_other_function():
    text = (
        "int a(void) {\n  return 1;\n}\n\nSTRANGE(x, y, {) stuff\n\nint b(void) {\n  return 2;\n}\n"
    )
    assert {"a", "b"} <= {s.name for s in parse("a.c", text).symbols}


@given(
    st.lists(
        st.sampled_from(
            ["#if A\n", "#else\n", "#endif\n", "#elif B\n", "{", "}", "(", ")", "int a;\n", "\n",
             "A_B ", "A_B(x) ", "class ", "/*", "*/", '"', "'", "\\\n", "\r\n", "\u00e9",
             "#region\n"]
        ),
        max_size=40,
    ),
    st.sampled_from(["c", "cpp", "csharp"]),
)  # fmt: skip
def test_lines_and_offsets_stay(pieces, dialect):
    data = "".join(pieces).encode()
    found = hide(data, dialect)
    assert len(found.data) == len(data)
    assert [i for i, b in enumerate(found.data) if b in b"\r\n"] == [
        i for i, b in enumerate(data) if b in b"\r\n"
    ]
    assert all(old == new or new == 32 for old, new in zip(data, found.data, strict=True))
    rows = data.count(b"\n") + 1
    assert all(1 <= line <= rows for line in found.lines)
    assert found.opening <= found.lines


@pytest.mark.parametrize(
    "text",
    [
        "#if A\nint x;\n#else\n" * 5_000 + "#endif\n" * 5_000,
        "#if A\n{\n#else\n" * 5_000 + "#endif\n" * 5_000,
        "#if A\n" * 50_000,
        "FOO_BAR " * 60_000,
        "FOO_BAR(" * 60_000,
        "FOO_BAR(x\n" * 50_000,
        "class FOO_BAR " * 40_000,
        '"' * 200_001,
        "/*" * 100_000,
        "int f(a\n" * 50_000,
        "int f(a) int b; " * 20_000,
    ],
)
@pytest.mark.parametrize("dialect", ["c", "cpp", "csharp"])
def test_hiding_takes_bounded_time(text, dialect):
    before = time.thread_time()
    hide(text.encode(), dialect)
    assert time.thread_time() - before < 3.0
