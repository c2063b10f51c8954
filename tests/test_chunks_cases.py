"""Tests that a string names: each is a chunk that begins where the test does."""

from __future__ import annotations

import pytest

from clew.chunks.parse import parse
from support.parsed import defined

# A place marked so is the line on which a chunk must begin; what is between must not be one.
HERE = "<-"


def starts(path: str, text: str) -> tuple[list[int], list[int]]:
    """The lines where chunks begin, found and wanted."""
    wanted = [n for n, line in enumerate(text.split("\n"), 1) if line.endswith(HERE)]
    found = parse(path, text.replace(HERE, "")).chunks
    return [chunk.start_line for chunk in found], wanted


def rows(count: int, indent: str = "    ", end: str = ";") -> str:
    return "".join(f"{indent}expect(value{n}){end}\n" for n in range(count))


FILES = {
    "suite.test.js": (
        "import x from 'y';<-\n\n"
        "describe('outer', () => {<-\n" + rows(3) +
        "  beforeEach(() => {\n    start();\n  });\n\n"
        "  it('does a', async () => {<-\n" + rows(8) + "  });\n\n"
        "  // About b.<-\n  it.each([1, 2])('does b %s', (n) => {\n" + rows(3) + "  });\n"
        "  describe(`inner`, { timeout: 1 }, function () {<-\n" + rows(2) + "  });\n"
        "  test.skip('c', async function () {<-\n" + rows(4) + "  }, 1000);\n"
        "});\n"
        "test('outside', (t) => {<-\n  a();\n});\n"
        "Deno.test('other', () => {<-\n  a();\n});\n"
    ),
    "loop.spec.ts": (
        "describe('a', () => {<-\n"
        "  for (const n of [1, 2]) {\n"
        "    it(`b ${n}`, () => {\n" + rows(20) + "    });\n"
        "    it(`c ${n}`, () => {<-\n" + rows(20) + "    });\n"
        "  }\n"
        "});\n"
    ),
    "shop_spec.rb": (
        "require 'x'<-\n\n"
        "RSpec.describe Shop do<-\n"
        "  let(:a) { 1 }\n\n  before do\n    x\n  end\n\n"
        "  it 'does a' do<-\n" + rows(8, end="") + "  end\n\n"
        "  context 'when b' do<-\n    it { is_expected.to be }\n"
        "    specify('c', :slow) do\n" + rows(9, end="") + "    end\n  end\n"
        "  # The end.<-\n  it 'ends' do\n" + rows(3, end="") + "  end\n"
        "end\n"
    ),
    "shop_test.rb": (
        "class ShopTest < Case<-\n  setup do\n    x\n  end\n\n"
        "  test 'a' do<-\n" + rows(14, end="") + "  end\n\n"
        "  test 'b' do<-\n" + rows(14, end="") + "  end\nend\n"
    ),
    "shop_test.exs": (
        "defmodule ShopTest do<-\n  use Case\n\n"
        '  describe "a" do<-\n'
        '    test "b" do\n' + rows(9, end="") + "    end\n\n"
        '    test "c", %{x: x} do<-\n' + rows(9, end="") + "    end\n"
        '    property "d" do<-\n' + rows(9, end="") + "    end\n  end\n"
        '  test "e" do<-\n    f()\n  end\nend\n'
    ),
    "shop_spec.lua": (
        "local x = require('x')<-\n\n"
        "describe('a', function()<-\n" + rows(3) +
        "  it('b', function()<-\n" + rows(15) + "  end)\n\n"
        "  it('c', function()<-\n" + rows(15) + "  end)\nend)\n"
    ),
    "ShopTest.php": (
        "<?php<-\n\nit('does a', function () {<-\n" + rows(3) + "});\n\n"
        "test('b', fn () => [<-\n" + rows(1, end=",") + "]);\n"
        "describe('c', function () {<-\n" + rows(3) + "});\n"
    ),
    "ShopTest.kt": (
        "class ShopTest : FunSpec({<-\n"
        "  val x = 1\n  beforeTest {\n    start()\n  }\n"
        '  test("a") {<-\n' + rows(15) + "  }\n\n"
        '  context("b") {<-\n    "c" {\n' + rows(15) + "    }\n  }\n})\n"
    ),
    "ShopTest.scala": (
        "class ShopTest extends Suite {<-\n  val x = 1\n\n"
        '  test("a") {<-\n' + rows(12) + "  }\n\n"
        '  "A shop" should "open" in {<-\n' + rows(12) + "  }\n\n"
        '  describe("c") {<-\n    it("d") {\n' + rows(12) + "    }\n  }\n}\n"
    ),
    "ShopSpec.swift": (
        "class ShopSpec: QuickSpec {<-\n  override class func spec() {<-\n"
        '    describe("a") {<-\n      it("b") {\n' + rows(70) + "      }\n"
        '      it("c") {<-\n' + rows(70) + "      }\n    }\n  }\n}\n"
    ),
    "shop.zig": (
        'const x = 1;<-\n\ntest "a" {<-\n' + rows(3) + '}\n\ntest "b" {<-\n' + rows(3) + "}\n"
    ),
}  # fmt: skip


@pytest.mark.parametrize("path", FILES)
def test_a_test_that_a_string_names_is_a_chunk_of_its_own(path):
    found, wanted = starts(path, FILES[path])
    assert found == wanted


def test_its_chunk_says_what_the_test_is_called_and_what_it_stands_in():
    text = FILES["suite.test.js"].replace(HERE, "")
    chunks = [c for c in parse("suite.test.js", text).chunks if c.kind == "block"]
    assert [(c.signature, c.parents) for c in chunks] == [
        ("describe('outer', ()", ()),
        ("it('does a', async ()", ("describe('outer', ()",)),
        ("it.each([1, 2])('does b %s', (n)", ("describe('outer', ()",)),
        ("describe(`inner`, { timeout: 1 }, function ()", ("describe('outer', ()",)),
        ("test.skip('c', async function ()", ("describe('outer', ()",)),
        ("test('outside', (t)", ()),
        ("Deno.test('other', ()", ()),
    ]
    inner = parse("a_test.exs", FILES["shop_test.exs"].replace(HERE, "")).chunks[2]
    assert (inner.signature, inner.parents) == (
        'test "c", %{x: x}',
        ("defmodule ShopTest", 'describe "a"'),
    )
    assert chunks[2].doc == "About b."
    assert {c.name for c in chunks} == {""}


def test_it_is_no_symbol_and_changes_the_names_of_none():
    text = "describe('a', () => {\n  it('b', () => {\n    function help() {}\n  });\n});\n"
    assert defined("a.test.js", text) == "help function"
    text = "class A < B\n  test 'b' do\n    def help; end\n  end\nend\n"
    assert defined("a.rb", text) == "A class, A.help method"


def test_short_tests_stay_together_in_a_short_suite():
    text = "describe('a', () => {\n" + "  it('b', () => {\n    c();\n  });\n" * 6 + "});\n"
    assert len(parse("a.test.js", text).chunks) == 1


def test_a_long_test_is_cut_between_its_statements():
    text = "it('a', () => {\n" + rows(300) + "});\n"
    chunks = parse("a.test.js", text).chunks
    assert len(chunks) > 2
    assert {c.signature for c in chunks} == {"it('a', ()"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.js", "it.isn't();\n"),
        ("a.js", "later('a', () => {\n  b();\n});\n" * 3),
        ("a.js", "/x/.test('a');\nlet a = test('b', () => {});\n"),
        ("a.rb", "before do\n  x\nend\n" * 3),
        ("a.kt", "val a = b {\n  c()\n}\n" * 3),
    ],
)
def test_other_calls_with_a_body_are_statements_like_any(path, text):
    assert {c.kind for c in parse(path, text).chunks} == {"module"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.rb", "class A\n" + "  def a\n    b\n  end\n\n" * 10 + "end\n"),
        ("a.sh", "if x; then\n" + "f() {\n  a\n}\n\n" * 40 + "fi\n"),
        ("a.lua", "return x(function()\n" + "function f()\n  a()\nend\n\n" * 40 + "end)\n"),
        ("a.ex", "defmodule A do\n" + "  def a do\n    b\n  end\n\n  def b, do: 1\n" * 8 + "end\n"),
    ],
)
def test_no_chunk_is_only_the_end_of_a_block(path, text):
    last = parse(path, text).chunks[-1]
    assert last.end_line > last.start_line
