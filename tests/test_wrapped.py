"""Items of Rust inside a macro's braces: which are read as code, and which stay tokens."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.chunks.parse import parse
from clew.chunks.wrapped import unwrap
from support.parsed import defined, definitions, docs, used


def opened(text: str, *, parses: bool = True) -> str:
    """What the parser gets, with dots for what was blanked."""
    seen = unwrap(text.encode(), lambda _: parses).data.decode()
    return "".join("." if a != b else b for a, b in zip(text, seen, strict=True))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("cfg_rt! {\n    pub fn f<F>(g: F) {\n        g()\n    }\n}\n", "f function"),
        ("pin_project! {\n    #[x]\n    pub(crate) struct A { #[pin] b: u8 }\n}\n",
         "A struct, A.b field"),
        ("a::cfg! {\n    impl A {\n        async fn g(&self) {}\n    }\n    mod m { fn h() {} }}\n",
         "A.g method, m module, m.h function"),
        ("cfg! {\n    const A: u8 = 1;\n    static mut B: u8 = 2;\n    type C = u8;\n}\n",
         "A constant, B constant, C type"),
        ("lazy_static! {\n    static ref A: Re = f(\"}\");\n}\nthread_local! { static B: u8 = 1; }",
         "A constant, B constant"),
        ("cfg! {\n    cfg_other! {\n        fn deep() {}\n    }\n    fn f() {}\n}\nfn g() {}\n",
         "deep function, f function, g function"),
        ("impl A {\n    cfg! {\n        fn f(&self) {}\n    }\n}\n", "A.f method"),
        ("mod m {\n    cfg! {\n        enum E { One }\n        trait T { fn t(); }\n    }\n}\n",
         "m module, m.E enum, m.E.One constant, m.T trait, m.T.t method"),
        ("cfg_if! {\n if #[cfg(unix)] {\n  fn a() {}\n } else if #[cfg(x)] {\n  mod b;\n }\n}\n",
         "a function, b module"),
        ("cfg_if! {\n if #[cfg(unix)] {\n  fn a() {}\n } else {\n  e!(\"no\");\n }\n}\n",
         "a function"),
        ("/* } */\ncfg! {\n    // }\n    fn f(c: char) { g('}', '\\'', \"}\", r#\"\"}\"#); }\n}\n",
         "f function"),
        # A syntax of its own: only the type that it makes is known.
        ("bitflags! {\n    pub struct A: u32 { const B = 1; }\n}\n", "A struct"),
        ("impl B {\n make! {\n    enum A => { x } } }\n", "B.A enum"),
        # No items, or code for elsewhere.
        ("fn f() {\n    quote! {\n        fn no() {}\n    }\n}\n", "f function"),
        ("macro_rules! m {\n    () => {\n        cfg! {\n            fn no() {}\n        }};\n}\n",
         "m macro"),
        ("//! " + "a long comment\n//! " * 400 + "\ncfg! {\n    fn f() {}\n}\n", "f function"),
        ("quote! { struct No; }\nlet x =\n    v! { fn no() {} };\nf(\n    v! { fn no() {} });", ""),
        ("fn f() {\n    select! {\n        x = y => {}\n    }\n}\n", "f function"),
    ],
)  # fmt: skip
def test_what_a_macro_wraps_is_defined_like_what_stands_alone(text, found):
    assert defined("a.rs", text) == found


FILE = """\
use a::b;

cfg_rt! {
    /// Spawns a task.
    ///
    /// More.
    #[track_caller]
    pub fn spawn(future: F) -> Handle
    where
        F: Future,
    {
        inner(future);
        later()
    }

    /// Sleeps.
    pub struct Sleep {
        at: Instant,
    }
}

fn after() {}
"""


def test_spans_signatures_docs_and_chunks_are_those_of_the_items():
    assert definitions("a.rs", FILE) == [
        ("spawn", "function", 8, 8, 14),
        ("Sleep", "struct", 17, 17, 19),
        ("Sleep.at", "field", 18, 18, 18),
        ("after", "function", 22, 22, 22),
    ]
    assert docs("a.rs", FILE) == ["Spawns a task.\n\nMore.", "Sleeps.", ""]
    found = parse("a.rs", FILE)
    assert found.symbols[0].signature == "pub fn spawn(future: F) -> Handle where F: Future,"
    assert [(c.start_line, c.end_line, c.name) for c in found.chunks] == [
        (1, 2, ""), (3, 15, "spawn"), (16, 21, "Sleep"), (22, 22, "after"),
    ]  # fmt: skip


def test_the_macro_is_called_and_what_is_inside_uses_names():
    assert used("a.rs", FILE, "call") == "cfg_rt:3 inner:12 later:13"
    assert used("a.rs", "cfg! {\n    use a::Bc;\n}\n", "import") == "Bc:2 a::Bc:2"


def test_what_is_no_code_by_itself_keeps_its_tokens():
    text = "cfg! {\n    fn f() {}\n    cfg_two! {\n        mod m;\n    }\n}\n"
    assert opened(text).split() == [
        "....",
        ".",
        "fn",
        "f()",
        "{}",
        "........",
        ".",
        "mod",
        "m;",
        ".",
        ".",
    ]
    assert opened(text, parses=False) == text


PARTS = (
    *("cfg! {", "x!", "{", "}", "fn f() {", "if #[a] {", "else", "\n", "'", '"', "//", "/*", "*/"),
    *("é", "r#", "mod m;"),
)


@given(st.lists(st.sampled_from(PARTS)))
def test_lines_and_offsets_stay_whatever_the_text(parts):
    data = "\n".join(parts).encode()
    hidden = unwrap(data, lambda _: True)
    assert len(hidden.data) == len(data)
    assert hidden.data.count(b"\n") == data.count(b"\n")
    rows = data.count(b"\n") + 1
    assert all(1 <= line <= rows for line in hidden.lines)
    assert hidden.opening <= hidden.lines
    assert all(1 <= line <= rows for line, _ in hidden.calls)


@pytest.mark.parametrize(
    "text",
    [
        "cfg! {\nfn f() {}\n" * 20_000 + "}\n" * 20_000,
        "cfg! {\n" * 50_000,
        "cfg! {\nfn f() {}\n}\n" * 5_000,
        "cfg! {\n" + "#[a]\n" * 50_000,
        "cfg! {\n" + "#[" * 50_000,
        "cfg_if! {\nif #[a] {\n" + "} else if #[b] {\n" * 20_000,
        "pub " * 50_000 + "\ncfg! {\n" + "pub " * 50_000,
        "a::" * 60_000,
        '"' * 100_001,
        "/*" * 100_000,
        "'" * 200_000,
        'r##"' * 20_000,
        "}" * 100_000 + "cfg! {",
    ],
    ids=lambda text: text[:20],
)
def test_unwrapping_takes_bounded_time(text):
    before = time.thread_time()
    parse("a.rs", text)
    assert time.thread_time() - before < 5.0
