"""Which uses of names are found in each language, and of what kind."""

from __future__ import annotations

import pytest

from clew.chunks.parse import parse
from support.snippets import BY_FILE

# What a snippet refers to, by kind: each name with its line.
EXPECTED = {
    "a.py": {
        "import": "annotations:3 os:5 os.path:5 path:5 .models:6 models:6 Order:7 Bill:8 Invoice:8",
        "call": "decorated:15 twice:16 again:24 bill:24 property:35",
        "type": "Bill:17 Order:17 Base:29",
        "use": "LIMIT:15 with_:15 order:17 retries:17 order:24 retries:24 Meta:29 metaclass:29"
        " width:32 width:33 size:37 width:37",
    },
    "a.js": {
        "import": "React:1 react:1 state:1 useState:1 path:2",
        "call": "require:2 state:10 Panel:11 setOpen:11 emit:16 Store:17 walk:26",
        "type": "Base:14",
    },
    "a.ts": {
        "import": "./config:1 Config:1",
        "call": "Map:21 Memo:24 get:25 parseInt:31",
        "type": "Base:3 Shape:20 Map:21 Config:22",
    },
    "a.tsx": {
        "import": "./button:1 Button:1",
        "call": "Button:6 Page:9",
        "type": "Props:5 FC:9 Props:9",
    },
    "a.go": {
        "import": "fmt:5 str:6 strings:6",
        "call": "Errorf:14 ToUpper:33 listen:33 len:36 Sprint:40",
        "type": "Base:19 ID:28 Server:32 List:36 List:37 Server:39 Server:40",
    },
    "A.java": {
        "import": "List:3 java.util.List:3 java.lang.Math.max:4 max:4",
        "call": "forEach:19 release:19 price:25 max:27 check:29",
        "type": "Entity:7 Base:8 Closeable:8 Item:8 List:10 List:12 Override:17 IOException:18"
        " Item:25",
    },
    "a.rs": {
        "import": "HashMap:2 collections:2 hash_map:2 hm:2 std:2 std::collections:2",
        "call": "get:16 is_some:16 lookup:25 map:25 assert_eq:38 compute:38 square:38",
        "type": "HashMap:7 String:7 Option:15 Clone:19 Store:19 String:20 Option:24",
    },
}


def named(path: str, text: str, kind: str) -> str:
    return " ".join(f"{r.name}:{r.line}" for r in parse(path, text).references if r.kind == kind)


@pytest.mark.parametrize(
    ("path", "kind"), [(path, kind) for path, kinds in EXPECTED.items() for kind in kinds]
)
def test_every_kind_of_reference_is_found(path, kind):
    assert named(path, BY_FILE[path], kind) == EXPECTED[path][kind]


@pytest.mark.parametrize(
    ("path", "text", "kind", "expected"),
    [
        ("a.py", "import a.b as cc, dd\n", "import", "a.b:1 cc:1 dd:1"),
        ("a.py", "from . import xx\nfrom .. import *\n", "import", ".:1 xx:1 ..:2"),
        ("a.py", "x: 'Quoted' = Other[Inner | None]\n", "use", "Inner:1 Other:1"),
        ("a.py", "def f(a: dict[str, Foo | m.Bar]): ...\n", "type", "Bar:1 Foo:1"),
        ("a.py", "# name\ns = 'name'\nf'{inside}'\n", "use", "inside:3"),
        ("a.js", "export { aa as bb } from './w';\n", "import", "./w:1 aa:1 bb:1"),
        ("a.js", "const m = await import('./lazy');\n", "import", "./lazy:1"),
        ("a.js", "new ns.Thing();\na?.b.call(1);\n", "call", "Thing:1 call:2"),
        ("a.jsx", "<Foo.Bar x={yy}><div/></Foo.Bar>\n", "use", "Bar:1 Foo:1 div:1 yy:1"),
        ("a.ts", "import fs = require('fs');\n", "import", "fs:1"),
        ("a.ts", "let v: ns.Type = x as Foo<Bar[]>;\n", "type", "Bar:1 Foo:1 Type:1"),
        ("a.go", 'package a\nimport _ "net/http/pprof"\n', "import", "net/http/pprof:2"),
        ("a.go", "package a\nvar x = pkg.Do[int](y)\nvar z = It[int](x, y)\n", "call",
         "Do:2 It:3"),
        ("a.go", "package a\nvar x = pkg.Type{Field: zz}\n", "use", "Field:2 pkg:2 zz:2"),
        ("A.java", "class A { B b = new pkg.Cc<D>(); }\n", "call", "Cc:1"),
        ("a.rs", "use aa::bb::cc::{dd, ee::Ff as Gg, *};\n", "import",
         "Ff:1 Gg:1 aa:1 aa::bb::cc:1 bb:1 cc:1 dd:1 ee:1"),
        ("a.rs", "fn f() { a::b::<T>::go(); x.run::<u8>(); println!(\"{}\", show(y)); }\n", "call",
         "go:1 println:1 run:1 show:1"),
    ],
)  # fmt: skip
def test_a_reference_has_the_most_telling_kind(path, text, kind, expected):
    assert named(path, text, kind) == expected


def test_a_name_counts_once_a_line_and_kind():
    assert named("a.py", "value + value + value(value)\n", "use") == ""
    assert named("a.py", "value + value + value(value)\n", "call") == "value:1"


def test_a_definition_is_no_reference_to_itself():
    assert named("a.py", "def name(): pass\nclass Other: pass\n", "use") == ""


def test_names_of_one_letter_and_self_are_left_out():
    assert named("a.py", "def f(self, x):\n    return self.y + x\n", "use") == ""
