"""Definitions and references of the languages of `support/snippets_scripts.py`, by table."""

from __future__ import annotations

import pytest

from clew.chunks.parse import parse
from support.parsed import defined, definitions, docs, used
from support.snippets_scripts import BY_FILE

# Qualified name, kind, line of the name, first and last line.
DEFINED = {
    "a.scala": [
        ("Shape", "trait", 13, 13, 18),
        ("Shape.Key", "type", 14, 14, 14),
        ("Shape.name", "field", 15, 15, 15),
        ("Shape.area", "method", 16, 16, 16),
        ("Shape.twice", "method", 17, 17, 17),
        ("Shape", "class", 20, 20, 31),
        ("Shape.ordering", "field", 21, 21, 21),
        ("Shape.MaxSize", "field", 22, 22, 22),
        ("Shape.counter", "field", 23, 23, 23),
        ("Shape.left", "field", 24, 24, 24),
        ("Shape.right", "field", 24, 24, 24),
        ("Shape.apply", "method", 25, 25, 29),
        ("Shape.apply.helper", "function", 26, 26, 26),
        ("Shape.unapply", "method", 30, 30, 30),
        ("Circle", "class", 34, 33, 37),
        ("Circle.name", "field", 34, 34, 34),
        ("Circle.radius", "field", 34, 34, 34),
        ("Circle.area", "method", 35, 35, 35),
        ("Circle.<+>", "method", 36, 36, 36),
        ("Empty", "class", 39, 39, 39),
        ("RichInt", "class", 41, 41, 41),
        ("RichInt.n", "field", 41, 41, 41),
        ("RichInt.squared", "method", 41, 41, 41),
        ("Alias", "type", 43, 43, 43),
        ("util", "module", 45, 45, 45),
        ("util.go", "function", 45, 45, 45),
        ("Color", "enum", 47, 47, 50),
        ("Color.Red", "constant", 48, 48, 48),
        ("Color.Green", "constant", 49, 49, 49),
        ("Color.Blue", "constant", 49, 49, 49),
        ("intOrd", "class", 51, 51, 53),
        ("intOrd.compare", "method", 52, 52, 52),
        ("Circle.circumference", "method", 55, 55, 55),
        ("topLevel", "function", 57, 57, 60),
    ],
    "a.sh": [
        ("VERSION", "constant", 8, 8, 8),
        ("PATH_TO", "constant", 9, 9, 9),
        ("LIMIT", "constant", 10, 10, 10),
        ("name", "variable", 11, 11, 11),
        ("NAMES", "constant", 12, 12, 12),
        ("hello", "function", 15, 15, 20),
        ("install_all", "function", 22, 22, 27),
        ("install_all.inner", "function", 26, 26, 26),
        ("both", "function", 29, 29, 29),
        ("FOO", "constant", 36, 36, 36),
        ("later", "function", 37, 37, 37),
    ],
    "a.lua": [
        ("Util", "variable", 2, 2, 2),
        ("M", "variable", 3, 3, 3),
        ("M.version", "variable", 5, 5, 5),
        ("MAX_ITEMS", "constant", 6, 6, 6),
        ("limit", "variable", 7, 7, 7),
        ("other", "variable", 7, 7, 7),
        ("Plugin", "variable", 11, 11, 11),
        ("Plugin.__index", "variable", 12, 12, 12),
        ("M.load", "method", 16, 16, 20),
        ("M.load.inner", "function", 18, 18, 18),
        ("Plugin.new", "method", 22, 22, 24),
        ("helper", "function", 26, 26, 26),
        ("M.run", "method", 28, 28, 28),
        ("later", "function", 30, 30, 30),
        ("M.opts", "variable", 32, 32, 35),
        ("M.opts.go", "method", 33, 33, 33),
        ("global_fn", "function", 37, 37, 37),
    ],
    "a.ex": [
        ("Plug.Shop", "module", 1, 1, 46),
        ("Plug.Shop.timeout", "constant", 14, 14, 14),
        ("Plug.Shop.t", "type", 15, 15, 15),
        ("Plug.Shop.inner", "type", 16, 16, 16),
        ("Plug.Shop.init", "function", 17, 17, 17),
        ("Plug.Shop.name", "field", 19, 19, 19),
        ("Plug.Shop.size", "field", 19, 19, 19),
        ("Plug.Shop.start", "function", 25, 25, 32),
        ("Plug.Shop.helper", "function", 34, 34, 34),
        ("Plug.Shop.ping", "function", 35, 35, 35),
        ("Plug.Shop.is_big", "macro", 36, 36, 38),
        ("Plug.Shop.is_small", "macro", 39, 39, 39),
        ("Plug.Shop.close", "function", 40, 40, 40),
        ("Plug.Shop.Inner", "module", 43, 43, 45),
        ("Plug.Shop.Inner.go", "function", 44, 44, 44),
        ("Size", "interface", 48, 48, 51),
        ("Size.size", "method", 50, 50, 50),
        ("Size.size", "method", 54, 54, 54),
        ("ShopTest", "module", 57, 57, 64),
    ],
    "a.hs": [
        ("XMonad.Shop", "module", 3, 3, 3),
        ("Shop", "struct", 10, 10, 12),
        ("Shop.shopName", "field", 10, 10, 10),
        ("Shop.shopSize", "field", 10, 10, 10),
        ("Shop.Closed", "constant", 11, 11, 11),
        ("Wrap", "struct", 14, 14, 14),
        ("Wrap.unWrap", "field", 14, 14, 14),
        ("Alias", "type", 15, 15, 15),
        ("HasArea", "class", 18, 18, 22),
        ("HasArea.area", "method", 20, 20, 21),
        ("HasArea.Key", "type", 22, 22, 22),
        ("HasArea.area", "method", 25, 25, 25),
        ("Expr", "struct", 27, 27, 29),
        ("Expr.Lit", "constant", 28, 28, 28),
        ("Expr.Add", "constant", 29, 29, 29),
        ("start", "function", 33, 33, 42),
        ("start.helper", "function", 41, 41, 42),
        ("limit", "function", 44, 44, 45),
        ("<+>", "function", 47, 47, 48),
        ("F", "type", 50, 50, 51),
        ("main", "function", 53, 53, 54),
    ],
    "a.zig": [
        ("std", "constant", 2, 2, 2),
        ("mem", "constant", 3, 3, 3),
        ("util", "constant", 4, 4, 4),
        ("Limit", "constant", 6, 6, 6),
        ("counter", "variable", 7, 7, 7),
        ("Shop", "struct", 10, 10, 22),
        ("Shop.name", "field", 11, 11, 11),
        ("Shop.size", "field", 12, 12, 12),
        ("Shop.Self", "constant", 14, 14, 14),
        ("Shop.start", "method", 17, 17, 20),
        ("Shop.Inner", "enum", 21, 21, 21),
        ("Shop.Inner.a", "constant", 21, 21, 21),
        ("Shop.Inner.b", "constant", 21, 21, 21),
        ("Color", "enum", 24, 24, 24),
        ("Color.red", "constant", 24, 24, 24),
        ("Color.green", "constant", 24, 24, 24),
        ("Value", "struct", 25, 25, 25),
        ("Value.int", "field", 25, 25, 25),
        ("Value.float", "field", 25, 25, 25),
        ("Error", "enum", 26, 26, 26),
        ("Error.OutOfMemory", "constant", 26, 26, 26),
        ("Error.Gone", "constant", 26, 26, 26),
        ("helper", "function", 28, 28, 30),
        ("Generic", "function", 32, 32, 39),
        ("Generic.items", "field", 34, 34, 34),
        ("Generic.len", "function", 35, 35, 37),
        ("c_call", "function", 41, 41, 41),
    ],
    "a.tf": [
        ("region", "variable", 7, 7, 10),
        ("locals.name", "field", 13, 13, 13),
        ("locals.tags", "field", 14, 14, 14),
        ("aws_instance.web", "struct", 17, 17, 23),
        ("aws_ami.ubuntu", "struct", 25, 25, 25),
        ("vpc", "module", 26, 26, 29),
        ("ip", "variable", 30, 30, 30),
        ("aws", "module", 31, 31, 31),
    ],
    "a.graphql": [
        ("Shop", "class", 2, 1, 7),
        ("Shop.id", "field", 3, 3, 3),
        ("Shop.name", "field", 5, 4, 5),
        ("Shop.items", "field", 6, 6, 6),
        ("Node", "interface", 9, 9, 9),
        ("Node.id", "field", 9, 9, 9),
        ("Level", "enum", 10, 10, 10),
        ("Level.LOW", "constant", 10, 10, 10),
        ("Level.HIGH", "constant", 10, 10, 10),
        ("Thing", "type", 11, 11, 11),
        ("Date", "type", 12, 12, 12),
        ("ShopInput", "struct", 13, 13, 13),
        ("ShopInput.name", "field", 13, 13, 13),
        ("key", "macro", 14, 14, 14),
        ("Query.shop", "field", 16, 16, 16),
        ("Query", "class", 18, 18, 18),
        ("Query.a", "field", 18, 18, 18),
        ("GetShop", "function", 21, 21, 23),
        ("ShopParts", "function", 24, 24, 24),
    ],
}

# Each name with its line, by kind.
USED = {
    "a.scala": {
        "import": "Map:6 MutableMap:6 Set:6 collection:6 mutable:6 scala:6 cats:7",
        "call": "area:17 by:21 helper:27 Circle:28 Some:30 println:45 foo:59 bar:60",
        "type": (
            "Base:13 Other:13 Serializable:13 ShapeInstances:20 Ordering:21 Shape:21 "
            "Monad:25 Shape:25 Show:25 Shape:30 deprecated:33 Id:34 Shape:34 Circle:36 "
            "Id:39 Shape:39 AnyVal:41 Either:43 Color:48 Ord:51"
        ),
    },
    "a.sh": {
        "import": "./lib.sh:5 $HOME/other.sh:6",
        "call": "date:19 log_it:19 hello:24 hello:29 install_all:32 hello:37 hello:41 cat:42",
    },
    "a.lua": {
        "import": "lazy.core.util:2",
        "call": "merge:17 inner:19 setmetatable:23 helper:28",
    },
    "a.ex": {
        "import": (
            "GenServer:8 Conn:9 Plug:9 Router:9 Conn:10 Plug.Conn:10 Logger:11 Case:58 "
            "ExUnit.Case:58"
        ),
        "call": (
            "is_list:25 helper:26 info:27 start_link:28 halt:34 run:34 start:44 map_size:54 "
            "start:61"
        ),
        "type": "Conn:34",
    },
    "a.hs": {
        "import": "Data.Map:5 Map:5 Data.List:6 List:6 nub:6 sortBy:6 Core:7 XMonad.Core:7 io:7",
        "call": (
            "fromIntegral:25 shopSize:25 helper:36 putStrLn:37 shopName:37 mapM_:38 nub:40 "
            ">>=:54 Shop:54 seq:54 sortBy:54 start:54"
        ),
        "type": "Eq:12 Show:12 Map:15 Eq:18 Shop:24 Expr:28 Expr:29 Shop:33",
    },
    "a.zig": {
        "import": "std:2 util.zig:4",
        "call": "helper:18 format:19 indexOf:29 start:45 helper:49",
        "type": "Shop:44",
    },
    "a.tf": {
        "call": "length:19",
    },
    "a.graphql": {
        "call": "ShopParts:22",
        "type": "Named:2 Node:2 Item:6 Item:11 Shop:11 Shop:16 Query:19 Shop:24",
    },
}


@pytest.mark.parametrize("path", DEFINED)
def test_every_definition_of_a_file_is_found(path):
    assert definitions(path, BY_FILE[path]) == DEFINED[path]


@pytest.mark.parametrize(
    ("path", "kind"), [(path, kind) for path, kinds in USED.items() for kind in kinds]
)
def test_every_telling_reference_is_found(path, kind):
    assert used(path, BY_FILE[path], kind) == USED[path][kind]


# A text, and what its symbols are: qualified name and kind.
CASES = [
    ("a.scala", "class A { def f(x: Int) = { val y = 1; def g = y } }\n",
     "A class, A.f method, A.f.g function"),
    ("a.scala", "object A { def ++[B](x: B): B = x }\n", "A class, A.++ method"),
    ("a.scala", "trait T\nobject T\nprivate[this] val MaxSize = 3\n",
     "T trait, T class, MaxSize variable"),
    ("a.sbt", 'lazy val core = project.in(file("core"))\n', "core variable"),
    ("a.sh", "f() ( local x=1; export Y=2; )\nX=1 cmd\n", "f function"),
    ("a.sh", "function a::b { :; }\n[ -n x ] && NAME=3\n", "a::b function, NAME constant"),
    ("a.lua", "local a = require 'b'\nfor i = 1, 2 do local x = i end\n", "a variable"),
    ("a.lua", "function A.b.c:d() end\nA.b.e = function() end\n", "A.b.c.d method, A.b.e method"),
    ("a.lua", "return { setup = function() end }\n", "setup function"),
    ("a.ex", "defmodule A.B do\n  def f(0), do: 1\n  def f(n), do: n\nend\n",
     "A.B module, A.B.f function"),
    ("a.ex", "defmodule A do\n  def f, do: 1\n  def g, do: 2\n  def f(x), do: x\nend\n",
     "A module, A.f function, A.g function, A.f function"),
    ("a.ex", "defmodule A do\n  @moduledoc false\n  @impl true\n  @limit 3\nend\n",
     "A module, A.limit constant"),
    ("a.hs", "f 0 = 1\nf n = g n\n  where g m = m\nx, y :: Int\n",
     "f function, f.g function, x function, y function"),
    ("a.hs", "a `plus` b = a\ninfixl 6 `plus`\n", "plus function"),
    ("a.zig", "fn f() void { const x = 1; var y: u8 = 2; }\n", "f function"),
    ("a.zig", "const A = packed struct { x: u1 };\nthreadlocal var b: u8 = 0;\n",
     "A struct, A.x field, b variable"),
    ("a.tf", 'dynamic "x" {\n  y = 1\n}\nmodule "vpc" {}\n', "vpc module"),
    ("a.graphql", "extend type A { b: C }\n\"Doc.\"\nenum D { E }\n",
     "A.b field, D enum, D.E constant"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "expected"), CASES)
def test_definitions_are_named_by_where_they_stand(path, text, expected):
    assert defined(path, text) == expected


@pytest.mark.parametrize(
    ("path", "text", "doc"),
    [
        ("a.ex", 'defmodule A do\n  @doc """\n  Runs.\n\n  # x\n  """\n  @spec f() :: 1\n'
         "  def f do\n    1\n  end\n" + "  # .\n" * 30 + "end\n", "Runs.\n\nx"),
        ("a.ex", "defmodule A do\n  @doc false\n  def f do\n    1\n  end\n" + "  # .\n" * 30
         + "end\n", ""),
        ("a.hs", "-- | Runs.\nf :: Int -> Int\nf x = x\n", "Runs."),
        ("a.hs", "{- | Runs\n   well. -}\nf :: Int -> Int\nf x = x\n", "Runs\nwell."),
        ("a.lua", "--- Runs.\n---@param a\nfunction f(a) return a end\n", "Runs.\n@param a"),
        ("a.lua", "--[[ Runs. ]]\nfunction f(a) return a end\n", "Runs."),
        ("a.sh", "#!/bin/sh\n# Runs.\nf() { x; }\n", "Runs."),
        ("a.graphql", '"Runs."\ntype A { b: C }\n', "Runs."),
    ],
)  # fmt: skip
def test_a_definition_has_its_doc_as_plain_text(path, text, doc):
    assert docs(path, text, but="module")[0] == doc


def test_the_clauses_of_a_function_are_one_chunk():
    text = "-- | Counts.\nf :: Int -> Int\nf 0 = 0\nf n = 1 +\n  f n\n\ng :: Int\ng = 1\n"
    found = [(c.start_line, c.end_line, c.name, c.doc) for c in parse("a.hs", text).chunks]
    assert found == [(1, 6, "f", "Counts."), (7, 8, "g", "")]
