"""Which definitions are found in each language, and what they are called."""

from __future__ import annotations

import pytest

from clew.chunks.parse import parse
from support.parsed import defined, definitions, docs
from support.snippets import BY_FILE

# Qualified name, kind, line of the name, first and last line.
EXPECTED = {
    "a.py": [
        ("LIMIT", "constant", 11, 11, 11),
        ("names", "variable", 12, 12, 12),
        ("fetch", "function", 17, 15, 24),
        ("fetch.again", "function", 22, 22, 23),
        ("Box", "class", 29, 29, 37),
        ("Box.size", "field", 30, 30, 30),
        ("Box.__init__", "method", 32, 32, 33),
        ("Box.width", "field", 33, 33, 33),
        ("Box.area", "method", 36, 35, 37),
    ],
    "a.js": [
        ("path", "variable", 2, 2, 2),
        ("MAX_ITEMS", "constant", 4, 4, 4),
        ("other", "variable", 4, 4, 4),
        ("Card", "function", 9, 9, 12),
        ("Store", "class", 14, 14, 19),
        ("Store.#secret", "field", 15, 15, 15),
        ("Store.handle", "method", 16, 16, 16),
        ("Store.create", "method", 17, 17, 17),
        ("Store.size", "method", 18, 18, 18),
        ("walk", "function", 21, 21, 21),
        ("two", "function", 21, 21, 21),
        ("Store.clear", "method", 23, 23, 23),
        ("helper", "function", 24, 24, 24),
        ("table", "variable", 25, 25, 28),
        ("table.run", "method", 26, 26, 26),
        ("table.stop", "method", 27, 27, 27),
    ],
    "a.ts": [
        ("Shape", "interface", 3, 3, 6),
        ("Shape.name", "field", 4, 4, 4),
        ("Shape.area", "method", 5, 5, 5),
        ("Result", "type", 8, 8, 8),
        ("Color", "enum", 10, 10, 10),
        ("Color.Red", "constant", 10, 10, 10),
        ("Color.Green", "constant", 10, 10, 10),
        ("plugin", "module", 12, 12, 14),
        ("plugin.load", "function", 13, 13, 13),
        ("Inner.Deep", "module", 16, 16, 18),
        ("Inner.Deep.depth", "variable", 17, 17, 17),
        ("Service", "class", 20, 20, 26),
        ("Service.cache", "field", 21, 21, 21),
        ("Service.constructor", "method", 22, 22, 22),
        ("Service.config", "field", 22, 22, 22),
        ("Service.area", "method", 23, 23, 23),
        ("Service.find", "method", 25, 25, 25),
        ("parse", "function", 28, 28, 28),
        ("parse", "function", 29, 29, 29),
        ("parse", "function", 30, 30, 32),
    ],
    "a.tsx": [
        ("Props", "type", 3, 3, 3),
        ("Props.label", "field", 3, 3, 3),
        ("Page", "function", 5, 5, 7),
        ("Row", "function", 9, 9, 9),
    ],
    "a.go": [
        ("First", "constant", 10, 10, 10),
        ("Second", "constant", 11, 11, 11),
        ("ErrGone", "variable", 14, 14, 14),
        ("errOther", "variable", 14, 14, 14),
        ("Server", "struct", 17, 17, 20),
        ("Server.Name", "field", 18, 18, 18),
        ("Handler", "interface", 22, 22, 24),
        ("Handler.Serve", "method", 23, 23, 23),
        ("ID", "type", 27, 27, 27),
        ("List", "type", 28, 28, 28),
        ("Server.Start", "method", 32, 32, 34),
        ("List.Len", "method", 36, 36, 36),
        ("List.Less", "method", 37, 37, 37),
        ("New", "function", 39, 39, 41),
    ],
    "A.java": [
        ("Shop", "class", 8, 7, 23),
        ("Shop.LIMIT", "constant", 9, 9, 9),
        ("Shop.items", "field", 10, 10, 10),
        ("Shop.Shop", "method", 12, 12, 15),
        ("Shop.close", "method", 18, 17, 20),
        ("Shop.Entry", "class", 22, 22, 22),
        ("Shop.Entry.key", "field", 22, 22, 22),
        ("Pricing", "interface", 25, 25, 25),
        ("Pricing.price", "method", 25, 25, 25),
        ("Pricing.twice", "method", 25, 25, 25),
        ("Level", "enum", 27, 27, 27),
        ("Level.LOW", "constant", 27, 27, 27),
        ("Level.HIGH", "constant", 27, 27, 27),
        ("Level.rank", "field", 27, 27, 27),
        ("Level.Level", "method", 27, 27, 27),
        ("Point", "class", 29, 29, 29),
        ("Point.x", "field", 29, 29, 29),
        ("Point.y", "field", 29, 29, 29),
        ("Point.Point", "method", 29, 29, 29),
    ],
    "a.rs": [
        ("Cache", "struct", 6, 6, 9),
        ("Cache.items", "field", 7, 7, 7),
        ("Cache.size", "field", 8, 8, 8),
        ("Event", "enum", 11, 11, 11),
        ("Event.Start", "constant", 11, 11, 11),
        ("Event.Stop", "constant", 11, 11, 11),
        ("Event.Move", "constant", 11, 11, 11),
        ("Event.Move.x", "field", 11, 11, 11),
        ("Store", "trait", 13, 13, 17),
        ("Store.Key", "type", 14, 14, 14),
        ("Store.get", "method", 15, 15, 15),
        ("Store.has", "method", 16, 16, 16),
        ("Cache.Key", "type", 20, 20, 20),
        ("Cache.get", "method", 24, 24, 26),
        ("square", "macro", 29, 29, 29),
        ("LIMIT", "constant", 31, 31, 31),
        ("NAME", "constant", 32, 32, 33),
        ("tests", "module", 35, 35, 39),
        ("tests.works", "function", 38, 38, 38),
    ],
    "a.md": [],
}


@pytest.mark.parametrize("path", EXPECTED)
def test_every_definition_of_a_file_is_found(path):
    assert definitions(path, BY_FILE[path]) == EXPECTED[path]


# A text, and what its symbols are: qualified name and kind.
CASES = [
    # Python
    ("a.py", "def f():\n    local = 1\n    for i in x: pass\n", "f function"),
    ("a.py", "if T:\n    AA = 1\nelse:\n    AA = 2\n", "AA constant"),
    ("a.py", "x = y = 1\na, b = 1, 2\n", "x variable, y variable, a variable, b variable"),
    ("a.py", "type Alias[T] = list[T]\ntype B = int\n", "Alias type, B type"),
    (
        "a.py",
        "class A:\n X = 1\n def f(self):\n  self.y = 1\n  self.X = 2\n  o.z = 3\n",
        "A class, A.X field, A.f method, A.y field",
    ),
    ("a.py", "def f(self):\n    self.x = 1\n", "f function"),
    ("a.py", "class A:\n    class B:\n        def c(self): ...\n",
     "A class, A.B class, A.B.c method"),
    (
        "a.py",
        "class A:\n    @property\n    def x(self): ...\n    @x.setter\n    def x(self, v): ...\n",
        "A class, A.x method, A.x method",
    ),
    ("a.py", "f = lambda x: x\n_PRIVATE = 1\n__all__ = ['f']\n",
     "f variable, _PRIVATE constant, __all__ variable"),
    # JavaScript
    ("a.js", "export default function () {}\n", "default function"),
    ("a.js", "export default function named() {}\n", "named function"),
    ("a.js", "export default () => {};\n", "default function"),
    ("a.js", "export default class { a() {} }\n", "default class, default.a method"),
    (
        "a.js",
        "export default { name: 'x', methods: { go() {} }, run: () => 1 };\n",
        "default constant, default.go method, default.run method",
    ),
    ("a.js", "const A = class { b() {} };\n", "A class, A.b method"),
    ("a.js", "const B = memo(function Inner() {});\nlet c;\n", "B variable, c variable"),
    ("a.js", "function f() { const x = 1; const g = () => x; }\n", "f function, f.g function"),
    ("a.js", "function F() { this.go = function () {}; }\n", "F function, F.go function"),
    ("a.js", "exports.f = () => 1;\nmodule.exports = { g() {} };\n", "f function, g function"),
    ("a.js", "A.prototype.table = { go() {} };\n", "A.table variable, A.table.go method"),
    ("a.js", "const { p, q: r } = require('z');\n", ""),
    ("a.js", "class A { static #x() {} 'quoted'() {} [computed]() {} }\n",
     "A class, A.#x method, A.quoted method"),
    ("a.jsx", "const App = () => <div onClick={() => 1}/>;\n", "App function"),
    # TypeScript
    ("a.ts", "declare const x: number;\ndeclare function f(): void;\n", "x variable, f function"),
    ("a.d.ts", "declare global { interface Window { x: 1 } }\n",
     "global module, global.Window interface, global.Window.x field"),
    ("a.ts", "export namespace A { export namespace B { export type C = 1 } }\n",
     "A module, A.B module, A.B.C type"),
    ("a.ts", "abstract class A { abstract f(): void; g?(): void; h = () => 1; readonly i = 2 }\n",
     "A class, A.f method, A.g method, A.h method, A.i field"),
    ("a.ts", "const enum E { A = 'a', 'B' = 2 }\n", "E enum, E.A constant, E.B constant"),
    ("a.ts", "type T = { a: string; 'b c': number };\n", "T type, T.a field"),
    ("a.ts", "export default interface P { a(): void }\n", "P interface, P.a method"),
    # Go
    ("a.go", "package a\nfunc (s *S[T]) F() {}\nfunc (S) G() {}\n", "S.F method, S.G method"),
    ("a.go", "package a\nfunc f() {\n\tx := 1\n\tvar y int\n\tconst z = 2\n}\n", "f function"),
    ("a.go", "package a\ntype A = map[string]B\ntype F func(int) error\n", "A type, F type"),
    ("a.go", "package a\ntype S struct {\n\ta, b int\n\tc struct{ d int }\n}\n",
     "S struct, S.a field, S.b field, S.c field, S.c.d field"),
    ("a.go", "package a\nvar (\n\tx = 1\n\ty, z int\n)\n", "x variable, y variable, z variable"),
    ("a.go", "package a\nfunc init() {}\nfunc asm(x int) int\n", "init function, asm function"),
    # Java
    ("A.java", "@interface Ann { int v() default 1; }\n", "Ann interface, Ann.v method"),
    ("A.java", "interface I { int C = 2; void m(); }\n", "I interface, I.C constant, I.m method"),
    ("A.java", "class A { int a = 1, b; void m() { int local = 2; } }\n",
     "A class, A.a field, A.b field, A.m method"),
    ("A.java", "enum E { A { void x() {} }; }\n", "E enum, E.A constant, E.A.x method"),
    ("A.java", "class A { Runnable r = new Runnable() { public void run() {} }; }\n",
     "A class, A.r field, A.r.run method"),
    ("A.java", "class A { static final int LOW = 1; @X(final_ = 1) static int no; }\n",
     "A class, A.LOW constant, A.no field"),
    ("A.java", "sealed interface S permits A, B {}\nrecord A<T>(T t) implements S {}\n",
     "S interface, A class, A.t field"),
    # Rust
    ("a.rs", "impl fmt::Display for a::B<u8> { fn fmt(&self) {} }\n", "B.fmt method"),
    ("a.rs", "impl<'a> T for &'a mut S { fn f() {} }\nimpl T for u8 { fn g() {} }\n",
     "S.f method, u8.g method"),
    ("a.rs", 'extern "C" { fn ext(); }\nunion U { a: u8 }\n', "ext function, U struct, U.a field"),
    ("a.rs", "mod a { mod b { fn c() {} } }\nmod d;\n",
     "a module, a.b module, a.b.c function, d module"),
    ("a.rs", "fn f() { let x = 1; fn inner() {} const C: u8 = 1; }\n",
     "f function, f.inner function, f.C constant"),
    ("a.rs", "struct T(u8);\nstruct Unit;\npub(crate) static mut S: u8 = 1;\n",
     "T struct, Unit struct, S constant"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "expected"), CASES)
def test_definitions_are_named_by_where_they_stand(path, text, expected):
    assert defined(path, text) == expected


@pytest.mark.parametrize(
    ("path", "text", "doc"),
    [
        ("a.py", 'def f():\n    r"""One.\n\n    Two.\n    """\n', "One.\n\nTwo."),
        ("a.py", "# Comment.\ndef f(): pass\n", "Comment."),
        ("a.py", "class A:\n    # first\n    'Quoted.'\n    x = 1\n", "Quoted."),
        ("a.go", "package a\n\n// F runs.\n//\n//go:noinline\nfunc F() {}\n", "F runs."),
        ("a.rs", "/// Runs.\n/// ```\n/// x\n/// ```\n#[inline]\nfn f() {}\n", "Runs.\n\nx"),
        ("a.rs", "/** Runs\n * well. */\nfn f() {}\n", "Runs\nwell."),
        ("A.java", "/**\n * Runs.\n *\n * @param a x\n */\nclass A {}\n", "Runs.\n\n@param a x"),
        ("a.ts", "/** Runs. */\n@Dec()\nexport class A {}\n", "Runs."),
        ("a.js", "//// ---- Big title ---- ////\nfunction f() {}\n", "Big title"),
        ("a.js", "// eslint-disable-next-line\nfunction f() {}\n", ""),
        ("a.js", "// far away\n\nfunction f() {}\n", ""),
    ],
)  # fmt: skip
def test_a_definition_has_its_doc_as_plain_text(path, text, doc):
    assert docs(path, text)[-1] == doc


def test_a_doc_has_a_limit():
    text = '"""' + "words and words " * 200 + '"""\n'
    doc = parse("a.py", text).chunks[0].doc
    assert 500 < len(doc) <= 600
    assert doc.endswith("…")


def test_a_crate_says_what_it_is_for():
    text = "#![no_std]\n//! Runs.\n//!\n//! Well.\n\nmod a {\n    //! inner\n}\n//! late\n"
    assert parse("a.rs", text).chunks[0].doc == "Runs.\n\nWell."


def test_a_licence_is_not_what_a_file_says_of_itself():
    text = "// Copyright 2020 The Authors.\n// All rights reserved.\npackage a\n"
    assert parse("a.go", text).chunks[0].doc == ""
    assert parse("a.go", text.replace("package", "\n// Package a runs.\npackage")).chunks[
        0
    ].doc == ("Package a runs.")
