"""How configuration, schemas and SQL are cut, and what of them is in the symbol table."""

from __future__ import annotations

import time

import pytest

from clew.chunks.formats import FORMATS
from clew.chunks.parse import parse
from support.snippets_config import BY_FILE


def blocks(path: str, text: str) -> list[tuple[int, int, str]]:
    return [(c.start_line, c.end_line, c.qualname or c.signature) for c in parse(path, text).chunks]


def symbols(path: str, text: str) -> str:
    return ", ".join(f"{s.qualname} {s.kind}" for s in parse(path, text).symbols)


# --- layout ----------------------------------------------------------------------------------


def test_each_block_of_the_first_level_is_a_chunk_and_short_ones_share():
    assert blocks("a.yml", BY_FILE["a.yml"]) == [(1, 8, "name, on, env"), (9, 24, "jobs")]
    assert blocks("a.toml", BY_FILE["a.toml"]) == [
        (1, 4, "title, quoted key"),
        (5, 11, "project"),
        (12, 19, "tool.ruff.lint"),
        (20, 21, "tool.mypy.overrides"),
    ]


def test_a_long_block_is_cut_at_the_keys_inside_which_name_the_parts():
    job = "  {}:\n    steps:\n" + "      - run: echo some words to fill the line\n" * 30
    text = "name: x\njobs:\n" + job.replace("{}", "test") + job.replace("{}", "publish")
    found = parse("a.yml", text).chunks
    assert [(c.start_line, c.qualname) for c in found] == [
        (1, "name"),
        (2, "jobs.test"),
        (35, "jobs.publish"),
    ]
    assert found[-1].parents == ("jobs",)


def test_a_block_without_keys_is_cut_by_length():
    text = "a: [\n" + "  1,\n" * 150 + "]\nb: 1\n"
    found = blocks("a.yaml", text)
    assert [name for *_, name in found] == ["a", "a", "a", "b"]
    assert all(end - start < 60 for start, end, _ in found)


def test_a_comment_belongs_to_the_key_below_and_is_its_doc():
    text = (
        "a:\n  b: 1\n  c: 2\n  d: 3\n  e: 4\n\n# Says why.\n# Twice.\nf:\n  g: 1\n  h: 1\n  i: 1\n"
    )
    found = parse("a.yaml", text).chunks
    assert [(c.start_line, c.name, c.doc) for c in found] == [
        (1, "a", ""),
        (7, "f", "Says why.\nTwice."),
    ]


def test_the_comment_at_the_top_is_what_a_file_says_of_itself():
    assert parse("a.ini", BY_FILE["a.ini"]).chunks[0].doc == "Top."
    assert parse("a.yaml", "# Copyright X\na: 1\n").chunks[0].doc == ""


@pytest.mark.parametrize("path", ["a.yaml", "a.json", "a.toml", "Makefile", "a.sql", "a.proto"])
def test_text_without_a_key_is_still_covered(path):
    assert [(c.start_line, c.end_line) for c in parse(path, "~~~\n\n~~~\n").chunks] == [(1, 3)]


def test_data_that_is_deep_or_endless_is_cut_in_time():
    deep = "".join(f"{' ' * n}k{n}:\n" for n in range(3_000))
    assert len(parse("a.yaml", deep).chunks) > 10
    assert len(parse("a.json", "[" * 50_000).chunks) == 1
    assert len(parse("a.proto", "message A {" * 20_000).chunks) == 1
    assert len(parse("a.yaml", "k: 1\n" * 60_000).chunks) > 100


# --- what is a symbol ------------------------------------------------------------------------

CASES = [
    ("a.yml", BY_FILE["a.yml"],
     "name field, on field, env field, jobs field, jobs.test field, jobs.publish field"),
    ("a.yaml", BY_FILE["k8s.yaml"], "Deployment.web module, Service.web-svc module"),
    ("a.yaml", '"a b": 1\n\'c\': 2\n- d: 3\n{{- if .x }}\ne:\n{{- end }}\n', "c field, e field"),
    ("a.yaml", "a: |\n  b: 1\n\n  c: 2\nd: >-\n  e: 1\nurl: http://x:80\n",
     "a field, d field, url field"),
    ("a.yaml", "services:\n  web:\n    image: x\n  db: {}\n",
     "services field, services.web field, services.db field"),
    ("a.yaml", "jobs:\n- test: 1\n", "jobs field"),
    ("a.toml", BY_FILE["a.toml"],
     "title field, project module, tool.ruff.lint module, tool.mypy.overrides module"),
    ("a.toml", "a = [\n  [1, 2],\n]\nb.c = 1\n['x.y']\n", "a field, b.c field, x.y module"),
    ("a.ini", BY_FILE["a.ini"], "flake8 module, tool:pytest module"),
    (".env.example", "API_URL=x\nexport PORT=1\nlower=2\n", "API_URL constant, PORT constant"),
    ("a.json", BY_FILE["a.json"], ""),
    ("Dockerfile", BY_FILE["Dockerfile"],
     "PY variable, base module, base.APP_HOME variable, build module"),
    ("Makefile", BY_FILE["Makefile"],
     ("PYTHON variable, BIN variable, all function, test function, RECIPE variable,"
      " CFLAGS variable, clean function")),
    ("Makefile", "A := 1\nA += 2\na b: c\n\t@x: y\n%.o: %.c\n$(T): x\n",
     "A variable, a function, b function"),
    ("a.proto",
     "message A { string b = 1; }\nenum E { X = 0; }\nservice S { rpc M(A) returns (A); }\n",
     "A struct, A.b field, E enum, E.X constant, S interface, S.M method"),
    ("a.proto",
     'edition = "2023";\nmessage A {\n  optional group G = 2 { optional int32 c = 3; }\n}\n',
     "A struct, A.G struct, A.G.c field"),
    ("a.proto",
     "message A {\n  oneof k { int32 a = 4 [(x) = {y: 1}]; }\n  map<string, B> m = 1;\n}\n",
     "A struct, A.k field, A.k.a field, A.m field"),
    ("a.sql", BY_FILE["a.sql"],
     ("app.users struct, app.users.id field, app.users.name field, app.users.team_id field,"
      " users_name variable, active_users struct, add_one function, mood type, trg function,"
      " do_it function")),
    ("a.sql",
     ("CREATE OR ALTER PROC [dbo].[DoIt] AS\nBEGIN\n  CREATE TABLE #t (\n    a INT\n  );\n"
      "  SELECT 1;\nEND;\nGO\ncreate view v as\nselect 1 from t\n"),
     "dbo.DoIt function, v struct"),
    ("a.sql",
     ("-- CREATE TABLE no (\nINSERT INTO t VALUES ('CREATE TABLE no');\nCREATE TABLE yes (\n"
      "  a INT,\n  PRIMARY KEY (a)\n);\n"),
     "yes struct, yes.a field"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "expected"), CASES)
def test_what_people_ask_for_by_name_is_a_symbol(path, text, expected):
    assert symbols(path, text) == expected


def test_a_symbol_ends_with_its_block():
    found = {s.qualname: (s.line, s.end_line) for s in parse("a.proto", BY_FILE["a.proto"]).symbols}
    assert (found["Shop"], found["Shop.name"], found["Shops.Watch"]) == (
        (10, 17),
        (11, 11),
        (28, 28),
    )
    found = {s.qualname: (s.line, s.end_line) for s in parse("a.yml", BY_FILE["a.yml"]).symbols}
    assert (found["jobs.test"], found["jobs.publish"]) == ((10, 20), (22, 24))


USED = {
    "Dockerfile": "import:python:${PY}-slim:3 import:base:10 use:build:18",
    "Makefile": "import:local.mk:4 call:build:7 call:test:7 use:BIN:10 call:deps:10 use:PYTHON:11",
    "a.proto": "import:google/protobuf/empty.proto:6 type:Item:12 type:Level:13 type:Shop:27",
    "a.sql": "use:teams:5 use:users:13 use:active_users:25 call:add_one:25 use:users:8",
}


@pytest.mark.parametrize(("path", "expected"), USED.items())
def test_what_a_file_uses_is_a_reference(path, expected):
    found = {f"{r.kind}:{r.name}:{r.line}" for r in parse(path, BY_FILE[path]).references}
    assert set(expected.split()) <= found


def test_a_created_name_is_no_reference_and_a_dbt_model_is():
    assert parse("a.sql", "CREATE TABLE a.b (c INT);\n").references == ()
    found = parse("a.sql", "select count(*) from {{ ref('orders') }}\n").references
    assert [(r.name, r.kind) for r in found] == [("orders", "import"), ("ref", "call")]


@pytest.mark.parametrize("extension", sorted(one.extensions[0] for one in FORMATS))
@pytest.mark.parametrize("piece", [" ", "[ ", "'", "= ", "a.", "a:\n", "\\\n", "# ", "INDEX "])
def test_a_pattern_never_tries_all_ways_over_a_long_line(extension, piece):
    started = time.thread_time()
    parse(f"a{extension}", piece * 30_000 + "x")
    assert time.thread_time() - started < 2
