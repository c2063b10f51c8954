"""Definitions, references and docs of the languages of `support/snippets_classes.py`, by table."""

from __future__ import annotations

import pytest

from clew.chunks.languages import language_of
from clew.chunks.parse import parse
from support.parsed import defined, definitions, docs, used
from support.snippets_classes import BY_FILE

# Qualified name, kind, line of the name, first and last line.
DEFINED = {
    "a.c": [
        ("MAX_SIZE", "constant", 4, 4, 4),
        ("SQUARE", "macro", 5, 5, 5),
        ("Point", "struct", 11, 8, 11),
        ("Point.x", "field", 9, 9, 9),
        ("Point.y", "field", 9, 9, 9),
        ("Point.cb", "field", 10, 10, 10),
        ("Node", "type", 13, 13, 13),
        ("handler", "type", 14, 14, 14),
        ("uint", "type", 15, 15, 15),
        ("node", "struct", 16, 16, 16),
        ("node.next", "field", 16, 16, 16),
        ("node.flag", "field", 16, 16, 16),
        ("node.buf", "field", 16, 16, 16),
        ("U", "struct", 17, 17, 17),
        ("U.a", "field", 17, 17, 17),
        ("U.b", "field", 17, 17, 17),
        ("color", "enum", 18, 18, 18),
        ("color.RED", "constant", 18, 18, 18),
        ("color.GREEN", "constant", 18, 18, 18),
        ("kind_t", "enum", 19, 19, 19),
        ("kind_t.A_ONE", "constant", 19, 19, 19),
        ("kind_t.A_TWO", "constant", 19, 19, 19),
        ("names", "variable", 21, 21, 21),
        ("counter", "variable", 22, 22, 22),
        ("ptr", "variable", 22, 22, 22),
        ("shared", "variable", 23, 23, 23),
        ("add", "function", 30, 30, 34),
        ("dup", "function", 36, 36, 40),
        ("feature", "function", 43, 43, 48),
        ("signal", "function", 52, 52, 52),
        ("exported", "function", 53, 53, 53),
        ("table", "variable", 54, 54, 54),
    ],
    "a.cpp": [
        ("a.b", "module", 2, 2, 68),
        ("a.b.kMax", "constant", 4, 4, 4),
        ("a.b.Box", "class", 8, 7, 28),
        ("a.b.Box.Box", "method", 10, 10, 10),
        ("a.b.Box.~Box", "method", 11, 11, 11),
        ("a.b.Box.Box", "method", 12, 12, 12),
        ("a.b.Box.area", "method", 13, 13, 13),
        ("a.b.Box.Width", "method", 14, 14, 14),
        ("a.b.Box.operator=", "method", 15, 15, 15),
        ("a.b.Box.operator()", "method", 16, 16, 16),
        ("a.b.Box.operator bool", "method", 17, 17, 17),
        ("a.b.Box.count", "field", 18, 18, 18),
        ("a.b.Box.value_type", "type", 19, 19, 19),
        ("a.b.Box.operator==", "method", 21, 21, 21),
        ("a.b.Box.as", "method", 22, 22, 22),
        ("a.b.Box.width_", "field", 24, 24, 24),
        ("a.b.Box.h_", "field", 24, 24, 24),
        ("a.b.Box.items_", "field", 25, 25, 25),
        ("a.b.Box.Mode", "enum", 26, 26, 26),
        ("a.b.Box.Mode.kFast", "constant", 26, 26, 26),
        ("a.b.Box.Mode.kSlow", "constant", 26, 26, 26),
        ("a.b.Box.Inner", "struct", 27, 27, 27),
        ("a.b.Box.Inner.z", "field", 27, 27, 27),
        ("a.b.Box.area", "method", 31, 30, 31),
        ("a.b.Box.~Box", "method", 32, 32, 32),
        ("a.b.Foo.Foo", "method", 33, 33, 33),
        ("a.b.Foo.count", "variable", 34, 34, 34),
        ("a.b.ns.Foo.name", "method", 35, 35, 35),
        ("a.b.operator<", "function", 36, 36, 36),
        ("a.b.A.operator+=", "method", 37, 37, 37),
        ("a.b.Foo.operator bool", "method", 38, 38, 38),
        ("a.b.trail", "function", 39, 39, 39),
        ("a.b.Map", "type", 40, 40, 40),
        ("a.b.cb", "type", 41, 41, 41),
        ("a.b.X", "type", 42, 42, 42),
        ("a.b.Y", "type", 43, 43, 43),
        ("a.b.c_fn", "function", 44, 44, 44),
        ("a.b.c_def", "function", 44, 44, 44),
        ("a.b.c_one", "function", 45, 45, 45),
        ("a.b.lam", "variable", 46, 46, 46),
        ("a.b.s", "variable", 47, 47, 47),
        ("a.b.E", "enum", 48, 48, 48),
        ("a.b.E.A1", "constant", 48, 48, 48),
        ("a.b.hash", "struct", 49, 49, 49),
        ("a.b.hash.operator()", "method", 49, 49, 49),
        ("a.b.arr", "variable", 50, 50, 50),
        ("a.b.SuiteName.CaseName", "method", 53, 53, 53),
        ("a.b.Suite.Two", "method", 54, 54, 57),
        ("a.b.Decl", "class", 58, 58, 58),
        ("a.b.Decl.q", "field", 58, 58, 58),
        ("a.b.after", "function", 61, 61, 61),
        ("a.b.alias", "module", 64, 64, 64),
        ("a.b.Outer.Inner.deep", "method", 65, 65, 65),
        ("a.b.fn", "function", 66, 66, 66),
        ("a.b.kV", "constant", 67, 67, 67),
    ],
    "A.cs": [
        ("Box", "class", 8, 7, 33),
        ("Box.Limit", "constant", 10, 10, 10),
        ("Box._size", "field", 11, 11, 11),
        ("Box._other", "field", 11, 11, 11),
        ("Box.Size", "field", 12, 12, 12),
        ("Box.Area", "field", 13, 13, 13),
        ("Box.this", "field", 14, 14, 14),
        ("Box.Changed", "field", 15, 15, 15),
        ("Box.Custom", "field", 16, 16, 16),
        ("Box.Box", "method", 17, 17, 17),
        ("Box.Box", "method", 18, 18, 18),
        ("Box.RunAsync", "method", 20, 19, 26),
        ("Box.RunAsync.Local", "function", 22, 22, 22),
        ("Box.==", "method", 27, 27, 27),
        ("Box.Do", "method", 29, 29, 29),
        ("Box.Mode", "enum", 30, 30, 30),
        ("Box.Mode.Fast", "constant", 30, 30, 30),
        ("Box.Mode.Slow", "constant", 30, 30, 30),
        ("Box.Handler", "type", 31, 31, 31),
        ("Box.Abs", "method", 32, 32, 32),
        ("Person", "class", 34, 34, 34),
        ("Person.Name", "field", 34, 34, 34),
        ("Person.Age", "field", 34, 34, 34),
        ("Pt", "class", 35, 35, 35),
        ("Pt.X", "field", 35, 35, 35),
        ("S", "struct", 36, 36, 36),
        ("S.A", "field", 36, 36, 36),
        ("IThing", "interface", 37, 37, 37),
        ("IThing.Do", "method", 37, 37, 37),
        ("IThing.P", "field", 37, 37, 37),
        ("Ext", "class", 38, 38, 38),
        ("Ext.Len", "method", 38, 38, 38),
        ("Prim", "class", 39, 39, 39),
        ("Q", "class", 40, 40, 40),
    ],
    "a.rb": [
        ("Shop", "module", 5, 5, 49),
        ("Shop.VERSION", "constant", 6, 6, 6),
        ("Shop.Box", "class", 7, 7, 47),
        ("Shop.Box.width", "field", 10, 10, 10),
        ("Shop.Box.height", "field", 10, 10, 10),
        ("Shop.Box.name", "field", 11, 11, 11),
        ("Shop.Box.w", "method", 12, 12, 12),
        ("Shop.Box.old", "method", 13, 13, 13),
        ("Shop.Box.orders", "field", 15, 15, 15),
        ("Shop.Box.recent", "method", 16, 16, 16),
        ("Shop.Box.LIMIT", "constant", 18, 18, 18),
        ("Shop.Box.OTHER", "constant", 18, 18, 18),
        ("Shop.Box.initialize", "method", 20, 20, 23),
        ("Shop.Box.@width", "field", 21, 21, 21),
        ("Shop.Box.@height", "field", 22, 22, 22),
        ("Shop.Box.build", "method", 24, 24, 24),
        ("Shop.Box.<=>", "method", 25, 25, 25),
        ("Shop.Box.[]", "method", 26, 26, 26),
        ("Shop.Box.name=", "method", 27, 27, 29),
        ("Shop.Box.@name", "field", 28, 28, 28),
        ("Shop.Box.create", "method", 31, 31, 31),
        ("Shop.Box.config", "field", 32, 32, 32),
        ("Shop.Box.hidden", "method", 34, 34, 34),
        ("Shop.Box.dyn", "method", 36, 36, 36),
        ("Shop.Box.dyn2", "method", 37, 37, 39),
        ("Shop.Box.priv", "method", 40, 40, 40),
        ("Shop.Box.empty?", "method", 41, 41, 43),
        ("Shop.Box.Point", "class", 44, 44, 46),
        ("Shop.Box.Point.dist", "method", 45, 45, 45),
        ("Shop.Error", "class", 48, 48, 48),
        ("A.B.C", "class", 50, 50, 52),
        ("A.B.C.go", "method", 51, 51, 51),
        ("obj.single", "method", 53, 53, 53),
        ("db", "module", 65, 65, 73),
        ("db.migrate", "function", 67, 67, 69),
        ("db.other", "function", 70, 70, 72),
        ("Foo", "class", 81, 81, 86),
        ("Foo.cond", "method", 83, 83, 83),
    ],
    "a.php": [
        ("GLOBAL_LIMIT", "constant", 11, 11, 11),
        ("OLD_LIMIT", "constant", 12, 12, 12),
        ("Box", "class", 18, 17, 36),
        ("Box.LIMIT", "constant", 21, 21, 21),
        ("Box.OTHER", "constant", 21, 21, 21),
        ("Box.name", "field", 22, 22, 22),
        ("Box.items", "field", 23, 23, 23),
        ("Box.b", "field", 23, 23, 23),
        ("Box.__construct", "method", 24, 24, 24),
        ("Box.width", "field", 24, 24, 24),
        ("Box.run", "method", 26, 26, 34),
        ("Box.abs", "method", 35, 35, 35),
        ("Thing", "interface", 37, 37, 37),
        ("Thing.X", "constant", 37, 37, 37),
        ("Thing.go", "method", 37, 37, 37),
        ("HasName", "trait", 38, 38, 38),
        ("HasName.n", "field", 38, 38, 38),
        ("HasName.name", "method", 38, 38, 38),
        ("Suit", "enum", 39, 39, 39),
        ("Suit.Hearts", "constant", 39, 39, 39),
        ("Suit.Spade", "constant", 39, 39, 39),
        ("Suit.D", "constant", 39, 39, 39),
        ("Suit.go", "method", 39, 39, 39),
        ("top", "function", 40, 40, 40),
        ("value", "function", 42, 41, 43),
        ("obj", "variable", 45, 45, 45),
        ("obj.anon", "method", 45, 45, 45),
    ],
    "A.kt": [
        ("Box", "class", 11, 10, 30),
        ("Box.width", "field", 11, 11, 11),
        ("Box.height", "field", 11, 11, 11),
        ("Box.area", "field", 13, 13, 13),
        ("Box.lazyOne", "field", 14, 14, 14),
        ("Box.constructor", "method", 16, 16, 16),
        ("Box.run", "method", 17, 17, 21),
        ("Box.run.inner", "function", 19, 19, 19),
        ("Box.LIMIT", "constant", 23, 23, 23),
        ("Box.create", "method", 24, 24, 24),
        ("Box.Nested", "class", 27, 27, 29),
        ("Box.Nested.x", "field", 28, 28, 28),
        ("Mode", "enum", 32, 32, 39),
        ("Mode.n", "field", 32, 32, 32),
        ("Mode.FAST", "constant", 33, 33, 33),
        ("Mode.SLOW", "constant", 34, 34, 36),
        ("Mode.SLOW.f", "function", 35, 35, 35),
        ("Mode.f", "method", 38, 38, 38),
        ("Event", "interface", 41, 41, 44),
        ("Event.A", "class", 42, 42, 42),
        ("Event.A.x", "field", 42, 42, 42),
        ("Event.B", "class", 43, 43, 43),
        ("String.shout", "method", 46, 46, 46),
        ("List.second", "method", 47, 47, 47),
        ("String.last", "variable", 48, 48, 48),
        ("Handler", "type", 49, 49, 49),
        ("top", "function", 50, 50, 50),
        ("Fi", "interface", 51, 51, 53),
        ("Fi.one", "method", 52, 52, 52),
        ("Ann", "class", 54, 54, 54),
        ("Ann.x", "field", 54, 54, 54),
        ("T", "class", 55, 55, 59),
        ("T.a name with spaces", "method", 57, 56, 58),
        ("Foo.bar", "method", 61, 61, 61),
        ("t", "function", 62, 62, 62),
    ],
    "a.swift": [
        ("Box", "class", 7, 6, 29),
        ("Box.limit", "field", 8, 8, 8),
        ("Box.name", "field", 9, 9, 9),
        ("Box.other", "field", 9, 9, 9),
        ("Box.area", "field", 10, 10, 10),
        ("Box.both", "field", 11, 11, 11),
        ("Box.state", "field", 12, 12, 12),
        ("Box.x", "field", 13, 13, 13),
        ("Box.init", "method", 14, 14, 14),
        ("Box.init", "method", 15, 15, 15),
        ("Box.deinit", "method", 16, 16, 16),
        ("Box.run", "method", 17, 17, 22),
        ("Box.run.inner", "function", 19, 19, 19),
        ("Box.subscript", "method", 23, 23, 23),
        ("Box.==", "method", 24, 24, 24),
        ("Box.make", "method", 25, 25, 25),
        ("Box.Mode", "enum", 26, 26, 26),
        ("Box.Mode.fast", "constant", 26, 26, 26),
        ("Box.Mode.slow", "constant", 26, 26, 26),
        ("Box.Mode.other", "constant", 26, 26, 26),
        ("Box.Inner", "struct", 27, 27, 27),
        ("Box.Inner.z", "field", 27, 27, 27),
        ("Box.Key", "type", 28, 28, 28),
        ("Thing", "interface", 30, 30, 31),
        ("Thing.Item", "type", 30, 30, 30),
        ("Thing.p", "field", 30, 30, 30),
        ("Thing.go", "method", 30, 30, 30),
        ("Thing.init", "method", 30, 30, 30),
        ("Thing.q", "field", 31, 31, 31),
        ("Box.ext", "method", 32, 32, 32),
        ("Box.c", "field", 32, 32, 32),
        ("Foo.Bar.z", "method", 33, 33, 33),
        ("Pt", "struct", 34, 34, 34),
        ("Pt.x", "field", 34, 34, 34),
        ("Pt.y", "field", 34, 34, 34),
        ("Counter", "class", 35, 35, 35),
        ("Counter.n", "field", 35, 35, 35),
        ("Counter.a", "method", 35, 35, 35),
        ("Tree", "enum", 36, 36, 36),
        ("Tree.leaf", "constant", 36, 36, 36),
        ("Tree.node", "constant", 36, 36, 36),
        ("top", "function", 37, 37, 37),
        ("global", "variable", 38, 38, 38),
        ("-", "function", 40, 40, 40),
        ("linux", "function", 42, 42, 42),
        ("other", "function", 44, 44, 44),
        ("stringify", "macro", 46, 46, 46),
        ("FooTests", "class", 48, 48, 48),
        ("FooTests.testX", "method", 48, 48, 48),
        ("swiftTesting", "function", 49, 49, 49),
    ],
}

# Each name with its line.
REFERRED = {
    "a.c": {
        "import": "stdio.h:2 local.h:3",
        "call": "SQUARE:33 helper:33 strdup:39 cb:46",
        "type": "node:13 Node:16 CURLcode:43 Point:43 node:43 Node:45 ops:54",
    },
    "a.cpp": {
        "import": "vector:1 std:62 string:62 bar:63 foo:63",
        "call": "static_cast:22 max:31 foo:47 Thing:51 EXPECT_EQ:53 EXPECT_TRUE:56 bar:66"
        " foo:66 free:66",
        "type": "Base:8 Other:8 Box:12 Box:15 Friend:20 Box:21 vector:25 Box:31 string:35"
        " vector:39 Box:40 map:40 Status:47 Box:49 SuiteName:53 Suite:54 Fwd:59",
    },
    "A.cs": {
        "import": "System:1 Math:2 System.Math:2 Alias:3 StringBuilder:3"
        " System.Text.StringBuilder:3",
        "call": "Dispose:18 List:23 Bar:24 Run:24 GetAsync:25",
        "type": "Serializable:7 Base:8 IThing:8 EventHandler:15 EventHandler:16 Obsolete:19"
        " CancellationToken:20 Task:20 Box:27 Box:28 IThing:29",
    },
    "a.rb": {
        "import": "set:2 ../lib/x:3",
        "call": "include:8 extend:9 alias_method:12 delegate:14 has_many:15 scope:16 where:16"
        " Foo:22 define_method:36 define_method:37 private:40 any!:42 empty?:42"
        " Struct:44 describe:54 let:55 context:56 it:57 eq:58 expect:58 to:58"
        " namespace:65 desc:66 task:67 task:70 application:74 draw:74 routes:74"
        " resources:75 get:76 test:78 assert:79 rescue_from:85",
        "type": "Thing:7 Enumerable:8 Bar:9 StandardError:48",
    },
    "a.php": {
        "import": "Illuminate\\Support\\Str:7 Str:7 Bar:8 Baz:8 Qux:8 Foo\\helper:9 helper:9",
        "call": "define:12 __construct:24 Bar:28 call:29 make:29 other:29 baz:30 helper:30"
        " function_exists:41 get:44",
        "type": "Attribute:17 Base:18 Countable:18 Thing:18 HasName:20 Soft:20 Foo:26 Foo:30"
        " Route:44 Foo:45",
    },
    "A.kt": {
        "import": "io.shop.other:4 other:4 Bar:5 Foo:5 io.shop.thing.Foo:5",
        "call": "JvmName:1 Base:12 compute:14 lazy:14 check:15 Foo:20 block:20 go:20 let:20"
        " Box:24 uppercase:46 Bar:62 fnref:62 infixy:62",
        "type": "Serializable:10 Thing:12 Box:24 Event:42 Event:43 List:47 Test:56 Foo:61 Foo:62",
    },
    "a.swift": {
        "import": "Foundation:1 Vapor:2 Bar:3 Foo:3 Foo.Bar:3",
        "call": "compute:13 close:16 bar:20 Thing:21 map:21 send:21 items:23 init:25"
        " XCTAssertEqual:48 expect:49",
        "type": "available:6 Base:7 Codable:7 Equatable:7 Thing:7 Published:12 State:12"
        " EventLoop:17 Box:24 AnyObject:30 Item:30 Codable:32 Bar:33 Hashable:34"
        " Tree:36 XCTestCase:48 Test:49",
    },
}


@pytest.mark.parametrize("path", DEFINED)
def test_every_definition_of_a_file_is_found(path):
    assert definitions(path, BY_FILE[path]) == DEFINED[path]


@pytest.mark.parametrize(
    ("path", "kind"), [(path, kind) for path, kinds in REFERRED.items() for kind in kinds]
)
def test_every_telling_reference_is_found(path, kind):
    assert used(path, BY_FILE[path], kind) == REFERRED[path][kind]


# A text, and what its symbols are: qualified name and kind.
CASES = [
    # C
    ("a.c", "static int add(int);\nint add(int a) { return a; }\n", "add function"),
    ("a.h", "int add(int);\nint sub(int);\n", "add function, sub function"),
    ("a.c", "int (*table[3])(void);\nvoid (*pick(int a))(int) { return 0; }\n",
     "table variable, pick function"),
    ("a.c", "typedef struct node { int a; } node;\n", "node struct, node.a field"),
    ("a.c", "typedef struct node { int a; } Node, *NodeRef;\n",
     "node struct, node.a field, Node type, NodeRef type"),
    ("a.c", "int dup(s)\n  const char *s;\n{ return 0; }\n", "dup function"),
    ("a.h", "#ifndef A_H\n#define A_H\n#define USE_IT\n#define MAX 3\n#endif\n",
     "USE_IT constant, MAX constant"),
    ("a.c", "struct s { struct { int x; } inner; unsigned bit : 1; };\n",
     "s struct, s.inner field, s.inner.x field, s.bit field"),
    ("a.c", "void f(void) { int local; struct t { int a; }; g(local); }\n",
     "f function, f.t struct, f.t.a field"),
    # C++
    ("a.cc", "ns::Type ns::Outer<T>::Inner::run(int a) const { return a; }\n",
     "ns.Outer.Inner.run method"),
    ("a.cc", "namespace a { namespace { void f() {} } namespace b::c { class D {}; } }\n",
     "a module, a.f function, a.b.c module, a.b.c.D class"),
    ("a.cc", "namespace a { int Box::size() { return 1; } }\n", "a module, a.Box.size method"),
    ("a.cc", "Box::operator bool() const { return 1; }\nbool operator == (A a, B b) {}\n",
     "Box.operator bool method, operator== function"),
    ("a.hpp", "template <> struct std::hash<Box> { int operator()(int) const; };\n",
     "std.hash struct, std.hash.operator() method"),
    ("a.cc", 'extern "C" {\nvoid one() {}\n}\nextern "C" int two(int);\n',
     "one function, two function"),
    ("a.cc", "template <class T> concept C = true;\nusing M = int;\nconstexpr int kMax = 1;\n",
     "C type, M type, kMax constant"),
    ("a_test.cc", "TEST(Suite, Case) { run(); }\nTEST_F(Fixture, Works) {}\n",
     "Suite.Case method, Fixture.Works method"),
    ("a.cc", "class A { A(); ~A(); virtual void f() = 0; static int n; friend class B; };\n",
     "A class, A.A method, A.~A method, A.f method, A.n field"),
    # C#
    ("a.cs", "namespace A.B { public class C { public int D => 1; } }\n", "C class, C.D field"),
    ("a.cs", "record struct P(int X);\nvar y = 1;\nint Twice(int a) => a;\n",
     "P class, P.X field, Twice function"),
    ("a.cs", "class A { public static readonly int Max = 1; event E Changed; void I.Do() {} }\n",
     "A class, A.Max constant, A.Changed field, A.Do method"),
    ("a.cs", "static class E { public static int Len(this string s) { return 1; } }\n",
     "E class, E.Len method"),
    # Ruby
    ("a.rb", "class A::B\n  class << self\n    def make; end\n  end\nend\n",
     "A.B class, A.B.make method"),
    ("a.rb", "module M\n  def self.run; end\n  def go?; @x = 1; end\nend\n",
     "M module, M.run method, M.go? method"),
    ("a.rb", "P = Struct.new(:x) do\n  def far; end\nend\nE = Class.new(StandardError)\n",
     "P class, P.far method, E class"),
    ("a.rb", "class A\n  attr_reader :x, :y\n  alias_method :z, :x\n  private def q; end\nend\n",
     "A class, A.x field, A.y field, A.z method, A.q method"),
    ("Rakefile", "namespace :db do\n  task migrate: :env do\n    run\n  end\nend\n",
     "db module, db.migrate function"),
    ("a.rb", "class A\n  define_method(:x) { 1 }\n  def y\n   <<~T\n      def z\n    T\n  end\nend",
     "A class, A.x method, A.y method"),
    # PHP
    ("a.php", "<?php\nclass A { public function __construct(private int $x, int $y) {} }\n",
     "A class, A.__construct method, A.x field"),
    ("a.php", "<?php\nif (! function_exists('f')) {\n function f() {}\n}\ndefine('B', 1);\n",
     "f function, B constant"),
    ("a.php", "<h1><?= $x ?></h1>\n<?php function g() { ?><b/><?php } ?>\n", "g function"),
    ("a.php", "<?php\nenum S: string { case A = 'a'; const B = 1; }\ntrait T { public $p; }\n",
     "S enum, S.A constant, S.B constant, T trait, T.p field"),
    # Kotlin
    ("a.kt", "class A {\n  companion object {\n    const val X = 1\n    fun of() = A()\n  }\n}\n",
     "A class, A.X constant, A.of method"),
    ("a.kt", "fun <T> List<T>.second(): T = this[1]\nval String.last get() = 1\n",
     "List.second method, String.last variable"),
    ("a.kt", "sealed interface E {\n    object A : E\n    data class B(val x: Int) : E\n}\n",
     "E interface, E.A class, E.B class, E.B.x field"),
    ("a.kts", "class T {\n    @Test\n    fun `adds two numbers`() {\n    }\n}\n",
     "T class, T.adds two numbers method"),
    # Swift
    ("a.swift", "extension A.B: C {\n    func f() {}\n    var x: Int { 1 }\n}\n",
     "A.B.f method, A.B.x field"),
    ("a.swift", "actor A { init() {}\n subscript(i: Int) -> Int { 1 }\n deinit {} }\n",
     "A class, A.init method, A.subscript method, A.deinit method"),
    ("a.swift", "enum E { case a, b(Int)\n case c }\n",
     "E enum, E.a constant, E.b constant, E.c constant"),
    ("a.swift", "protocol P { associatedtype T; var x: Int { get }\n func go() }\n",
     "P interface, P.T type, P.x field, P.go method"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "expected"), CASES)
def test_definitions_are_named_by_where_they_stand(path, text, expected):
    assert defined(path, text) == expected


XML_DOC = """/// <summary>Adds to <see cref="T:A.B"/>.</summary>
/// <param name="x">One.</param>
class A { }
"""


@pytest.mark.parametrize(
    ("path", "text", "doc"),
    [
        ("a.c", "/**\n * Adds.\n */\nint f(void) { return 1; }\n", "Adds."),
        ("a.cc", "/// Adds.\ntemplate <class T>\nint f() { return 1; }\n", "Adds."),
        ("a.cs", XML_DOC, "Adds to A.B.\nx: One."),
        ("a.rb", "# Adds.\n#\n# Well.\ndef f\nend\n", "Adds.\n\nWell."),
        ("a.rb", "# :nodoc:\ndef f\nend\n", ""),
        ("a.php", "<?php\n/**\n * Adds.\n */\n#[A]\nclass B {}\n", "Adds."),
        ("a.php", "<?php\nif (! f('g')) {\n    /** Adds. */\n    function g()\n    {\n    }\n}\n",
         "Adds."),
        ("a.kt", "/** Adds. */\n@A\nclass B {}\n", "Adds."),
        ("a.swift", "/// Adds.\n@A\npublic struct B {}\n", "Adds."),
    ],
)  # fmt: skip
def test_a_definition_has_its_doc_as_plain_text(path, text, doc):
    assert docs(path, text)[-1] == doc


@pytest.mark.parametrize(
    ("path", "text", "signature"),
    [
        ("a.cs", "[A(1)]\npublic class F { }\n", "public class F"),
        ("a.php", "<?php\n#[A]\nfinal class B extends C\n{\n}\n", "final class B extends C"),
        ("a.cc", "template <class T>\nint f(T a) { return 1; }\n", "template <class T> int f(T a)"),
        ("a.php", "<?php\nif (! f('g')) {\n    function g($x) {}\n}\n", "function g($x)"),
        ("a.cc", "class EXPORTED A : public B {\n};\n", "class EXPORTED A : public B"),
        ("a.swift", "@available(iOS 13, *)\nfunc f() -> Int { 1 }\n", "func f() -> Int"),
        ("a.kt", "@A(1)\nfun f(): Int { return 1 }\n", "fun f(): Int"),
    ],
)
def test_a_signature_has_no_attribute_before_it(path, text, signature):
    assert parse(path, text).symbols[0].signature == signature


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("int f(void);\n", "c"),
        ("/* the class of a namespace */\nstruct a { int b; };\n", "c"),
        ("", "c"),
        ("namespace a {\n}\n", "cpp"),
        ("class A {\n public:\n};\n", "cpp"),
        ("#include <vector>\n", "cpp"),
        ("template <class T>\nT f();\n", "cpp"),
        ("std::string f();\n", "cpp"),
        ("@interface A : NSObject\n@end\n", ""),
    ],
)
def test_a_header_is_told_by_what_it_says(text, language):
    assert language_of("include/a.h", text) == language


def test_a_property_with_a_long_body_has_a_chunk_of_its_own():
    rows = "".join(f"            Go({i});\n" for i in range(30))
    text = (
        f"class A\n{{\n    int a;\n    public int B\n    {{\n        get {{\n{rows}}}\n    }}\n}}\n"
    )
    assert "A.B" in {c.qualname for c in parse("a.cs", text).chunks}
