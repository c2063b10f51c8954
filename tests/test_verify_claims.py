"""What counts as a path, a name or a quotation in an answer's text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.verify.claims import extract
from clew.verify.pathlike import normal

FILES = (
    "src/billing/worker.py",
    "docs/my notes.md",
    "docs/read me first.txt",
    "bin/run",
    "Dockerfile",
    "src/app/[id]/page.tsx",
    "src/app/(group)/page.tsx",
    "deploy/Makefile",
    "release/2.x",
    "config/app.log",
)


def known(path: str) -> bool:
    return any(
        f == path or f.endswith("/" + path) or f.startswith(path.rstrip("/") + "/") for f in FILES
    )


def paths(
    text: str, sources: tuple[str, ...] = ()
) -> list[tuple[str, tuple[tuple[int, int], ...]]]:
    return [(c.path, c.lines) for c in extract(text, known=known, sources=sources).paths]


W = "src/billing/worker.py"

FORMS = [
    (f"in {W}:12", 12, 12),
    (f"in {W}:12.", 12, 12),
    (f"in {W}:12-40, and", 12, 40),
    (f"in {W}:12–40 and", 12, 40),
    (f"({W}:L12-L40)", 12, 40),
    (f"see {W}:L12", 12, 12),
    (f"see {W}#L12", 12, 12),
    (f"see {W}#L12-L40", 12, 40),
    (f"see {W}#L12C3-L40C9", 12, 40),
    (f"`{W}:12-40`", 12, 40),
    (f"`{W}`:12-40", 12, 40),
    (f"**{W}:12**", 12, 12),
    (f"*see {W}:12*", 12, 12),
    (f"__{W}:12__ does", 12, 12),
    (f'"{W}:12"', 12, 12),
    (f"'{W}:12'", 12, 12),
    (f"[{W}:12]", 12, 12),
    (f"[the worker]({W}#L12-L40)", 12, 40),
    (f"[the worker](./{W}:12)", 12, 12),
    (f"./{W}:12", 12, 12),
    (f".\\{W.replace('/', chr(92))}:12", 12, 12),
    ("src\\billing\\worker.py:12", 12, 12),
    (f"{W} (lines 12-40)", 12, 40),
    (f"`{W}` (lines 12-40)", 12, 40),
    (f"`{W}` (line 12)", 12, 12),
    (f"`{W}` (L12-L40)", 12, 40),
    (f"`{W}`, lines 12 to 40", 12, 40),
    (f"{W}: lines 12-40", 12, 40),
    (f"`{W}` at line 12", 12, 12),
    (f"line 12 of {W}", 12, 12),
    (f"Lines 12-40 of the file `{W}`", 12, 40),
    (f"lines 12–40 in **{W}**", 12, 40),
    (f"{W}:12:5: error", 12, 12),
    (f"```12:40:{W}\ncode\n```", 12, 40),
    (f"```\n{W}:12\n```", 12, 12),
    (f"~~~ python\n# {W}:12-40\n~~~", 12, 40),
    (f"| `foo` | {W}:12 |", 12, 12),
    (f"<code>{W}:12</code>", 12, 12),
    (f"看 {W}:12。", 12, 12),
    (f"{W}:12’s", 12, 12),
    (f"{W}：12", 12, 12),
    (f"{W}:12ff", 12, 12),
    (f"{W}:12..40", 12, 40),
    (f"{W}:line 12", 12, 12),
    (f"lines 12-40 ({W})", 12, 40),
    (f"lines 12-40 (`{W}`)", 12, 40),
    (f"L12 of {W}", 12, 12),
    (f"{W} 第12行", 12, 12),
    (f"{W} (Zeilen 12-40)", 12, 40),
    (f"[w]: {W}#L12", 12, 12),
]


@pytest.mark.parametrize(("text", "first", "last"), FORMS, ids=[f[0] for f in FORMS])
def test_a_path_with_lines_is_found_in_every_form(text, first, last):
    assert paths(text) == [(W, ((first, last),))]


PLAIN = [
    ("It is in src/billing/worker.py.", ["src/billing/worker.py"]),
    ("Is it in src/billing/worker.py?", ["src/billing/worker.py"]),
    ("utils/validation.py never existed", ["utils/validation.py"]),
    ("see `validation.py` and worker.rb, too", ["validation.py", "worker.rb"]),
    ("the `Dockerfile` and `Makefile`", ["Dockerfile", "Makefile"]),
    ("Dockerfile:3 says", ["Dockerfile"]),
    ("the Dockerfile says", ["Dockerfile"]),
    ("run bin/run now", ["bin/run"]),
    ("bin/gone:3 says", ["bin/gone"]),
    ("in .github/workflows/ci.yml", [".github/workflows/ci.yml"]),
    ("`.gitignore` and .env", [".gitignore", ".env"]),
    ("docs/my notes.md:3 says", ["docs/my notes.md"]),
    ("see docs/read me first.txt", ["docs/read me first.txt"]),
    ("see `docs/my notes.md`", ["docs/my notes.md"]),
    ("[it](docs/my%20notes.md#L3)", ["docs/my notes.md"]),
    ("[it](<docs/my notes.md>)", ["docs/my notes.md"]),
    ("in src/app/[id]/page.tsx:4", ["src/app/[id]/page.tsx"]),
    ("in src/app/(group)/page.tsx:4", ["src/app/(group)/page.tsx"]),
    ("файл исходники/модуль.py:7", ["исходники/модуль.py"]),
    ("`源/文件.go`", ["源/文件.go"]),
    ("src/c++/x.cpp", ["src/c++/x.cpp"]),
    ("a/../src/billing/worker.py", ["src/billing/worker.py"]),
    ("../../etc/passwd:1", ["../../etc/passwd"]),
    (r"C:\code\billing\worker.py:9", ["C:/code/billing/worker.py"]),
    ("src/\\_\\_init\\_\\_.py", ["src/__init__.py"]),
    ("src/__init__.py", ["src/__init__.py"]),
    ("tests/test_x.py::TestA::test_b", ["tests/test_x.py"]),
    ("import x from './lib/util.js'", ["lib/util.js"]),
    ("go.mod, Cargo.lock and CMakeLists.txt", ["go.mod", "Cargo.lock", "CMakeLists.txt"]),
    ("config/app.log", ["config/app.log"]),
    ("(see src/billing/worker.py:3, src/billing/worker.py:9)", ["src/billing/worker.py"] * 2),
]


@pytest.mark.parametrize(("text", "expected"), PLAIN, ids=[p[0] for p in PLAIN])
def test_a_path_is_found(text, expected):
    assert [path for path, _ in paths(text)] == expected


NOT_PATHS = [
    "https://example.com/src/x.py:3",
    "see http://localhost:8080/a/b.html#L3",
    "git@github.com:org/repo.git",
    "mail bob@example.com now",
    "github.com/org/repo/blob/main/src/x.py",
    "version 1.2.3, v1.2.0 and 3.x",
    "python3.11",
    "`numpy.linalg` and `a.b.c`",
    "`django.db.models`",
    "and/or, client/server, I/O, read/write, yes/no",
    "client/server, line 5 of the log",
    "text/html and application/json and image/svg+xml",
    "`application/vnd.api+json`",
    "GET /api/v1/users and /users/:id",
    "`/api/v1/users.json`",
    "origin/main, feature/new-thing, HEAD~1",
    "16/9, 1/2, 24/7, 10/12/2024, 2024-01-02",
    "127.0.0.1:8080, localhost:3000, example.com:443, db.internal:5432",
    "Node.js, Vue.js and ASP.NET",
    "`response.json()` and `self.lock` and response.json",
    "`console.log` and `process.env` and `module.exports`",
    "the glob `src/**/*.py` and `*.py` and `*_test.go`",
    "src/{a,b}/c.ts and foo.{js,ts}",
    "`path/to/<name>.py` and `<dir>/x.py`",
    "`path/to/file.py`",
    r"`\d+\.py$` and `^src/.*`",
    "`\\n` and `\\t`",
    "e.g. this, i.e. that, etc.",
    "@babel/core, @scope/pkg, pallets/flask, rails/rails",
    "`actions/checkout@v4` and `python:3.11-slim` and `redis:7`",
    "at 12:30 or 12:30:45, a ratio of 3:1",
    "U.S. and Ph.D. and St. Louis",
    "`$HOME/x.py` and `~/x.py` and ${DIR}/a.py",
    "Hello.World and end.Start of a sentence",
    "std::vec::Vec and foo::bar",
    "the README says, the LICENSE is",
    "a/.../b.py",
    "`std.io`, `socket.io`, `example.com`",
    "it reads `/etc/nginx/nginx.conf` and /tmp/x.log",
]


@pytest.mark.parametrize("text", NOT_PATHS)
def test_what_only_looks_like_a_path_is_none(text):
    assert paths(text) == []


def test_a_source_prefix_belongs_to_the_path():
    text = "see `billing:src/x.py:1-3` and pallets/flask:src/app.py:4, not other:src/y.py"
    found = extract(text, sources=("billing", "pallets/flask")).paths
    assert [(c.source, c.path, c.lines) for c in found] == [
        ("billing", "src/x.py", ((1, 3),)),
        ("pallets/flask", "src/app.py", ((4, 4),)),
        ("", "src/y.py", ()),
    ]
    assert text[found[0].start : found[0].end] == "billing:src/x.py:1-3"


def test_a_source_named_like_a_file_is_still_a_source():
    (claim,) = extract("in web.py:src/x.py:3", sources=("web.py",)).paths
    assert (claim.source, claim.path) == ("web.py", "src/x.py")


def test_an_unknown_prefix_in_backticks_is_kept_when_there_are_several_sources():
    (claim,) = extract("`payments:src/x.py:3`", sources=("billing", "web")).paths
    assert claim.source == "payments"


def test_several_ranges_are_one_claim():
    assert paths("`src/billing/worker.py:1-3,7-9`") == [(W, ((1, 3), (7, 9)))]
    assert paths("src/billing/worker.py:1-3, 7-9 and 4") == [(W, ((1, 3), (7, 9)))]
    assert paths("src/billing/worker.py (lines 3 and 9)") == [(W, ((3, 3), (9, 9)))]


def test_offsets_point_at_the_path_and_the_lines():
    text = "See `./src/billing/worker.py:12-40`, ok."
    (claim,) = extract(text).paths
    assert text[slice(*claim.path_at)] == "./src/billing/worker.py"
    assert text[slice(*claim.lines_at)] == "12-40"
    assert text[claim.start : claim.end] == "./src/billing/worker.py:12-40"


NAMES = [
    ("`Worker.retry` calls `backoff()`", ["Worker.retry", "backoff"]),
    ("RetryPolicy and max_retries and sendMail", ["RetryPolicy", "max_retries", "sendMail"]),
    ("it calls run() and foo.bar()", ["run", "foo.bar"]),
    ("`retry`", ["retry"]),
    ("`retry(max=3)` and `Box<Item>`", ["retry", "Box"]),
    ("`os.path` but os.path", ["os.path"]),
    ("`Foo::bar` and Foo::baz", ["Foo::bar", "Foo::baz"]),
    ("`valid?` and `save!`", ["valid?", "save!"]),
    ("`None`, `true`, `int`, `self`", []),
    ("GitHub, JavaScript and PostgreSQL", []),
    ("plain words of a Sentence", []),
    ("src/billing/my_worker.py:3", []),
    ("/api/user_id/list", []),
    ("https://x.y/foo_bar", []),
    ("```python\nfoo_bar()\n```", []),
    ("`--dry-run` and well-known", []),
    ("`return self._conn.close()`", ["self._conn.close"]),
    ("`функция_один`", ["функция_один"]),
]


@pytest.mark.parametrize(("text", "expected"), NAMES, ids=[n[0] for n in NAMES])
def test_names_are_found(text, expected):
    assert [n.name for n in extract(text, known=known).names] == expected


def test_quotations_are_found_in_prose_and_in_backticks():
    text = 'It logs "giving up after", “no more” and `"retry later"` and `raise E(\'bad input\')`.'
    found = extract(text).quotes
    assert sorted(q.text for q in found) == [
        "bad input",
        "giving up after",
        "no more",
        "retry later",
    ]
    assert [q.text for q in found if q.code] == ["retry later", "bad input"]


def test_a_quoted_path_is_a_path_and_no_quotation():
    claims = extract('"src/x.py"')
    assert [c.path for c in claims.paths] == ["src/x.py"]
    assert claims.quotes == ()


@pytest.mark.parametrize(
    "text", ["as shown [7].", "see source 7", "(Source: 2)", "so 【7†x】", "[1, 2]"]
)
def test_a_citation_by_number_is_found(text):
    assert len(extract(text).numbers) == 1


@pytest.mark.parametrize(
    "text",
    [
        "items[7]",
        "it defaults to [1].",
        "returns [3]",
        "[0]",
        "[7](a.md)",
        "`x[7]`",
        "open source 7zip",
        "[7]: note",
    ],
)
def test_what_only_looks_like_a_citation_by_number_is_none(text):
    assert extract(text).numbers == ()


SEGMENT = st.from_regex(r"[A-Za-zäß漢_][A-Za-z0-9äß漢_-]{0,8}", fullmatch=True)
ENDING = st.sampled_from(["py", "rs", "tsx", "go", "md", "java", "c", "yml"])
TEMPLATES = st.sampled_from(
    [
        "It is in {}.",
        "see `{}`, then",
        "({})",
        "**{}** does it",
        "- `{}`: the worker",
        "| x | {} |",
        "```\n# {}\nx = 1\n```",
        "Does {} do it?",
        "“{}”",
        "[here]({})",
        "在{} ",
        "first\n{}\nlast",
        "{}",
    ]
)
LINES = st.sampled_from(
    ["{}", "{}:12", "{}:12-40", "{}:L12-L40", "{}#L12", "{}#L12-L40", "./{}:12"]
)


@given(st.lists(SEGMENT, min_size=1, max_size=4), SEGMENT, ENDING, TEMPLATES, LINES)
@settings(max_examples=300, deadline=None)
def test_any_planted_path_is_found_exactly(folders, stem, ending, template, form):
    path = "/".join([*folders, f"{stem}.{ending}"])
    text = template.format(form.format(path))
    if template.startswith("在") and not form.startswith("."):
        path = "在" + path  # nothing separates them
    elif template.startswith("在"):
        return
    (claim,) = extract(text).paths
    assert claim.path == path
    expected = {"{}": ()}.get(form, ((12, 40),) if "40" in form else ((12, 12),))
    assert claim.lines == expected


@given(st.text(alphabet=st.sampled_from(list("ab1/\\.:-#L*_`\"'[](){}<>|@~ \n,é漢")), max_size=300))
@settings(max_examples=300, deadline=None)
def test_extraction_never_fails_and_its_offsets_lie_inside(text):
    claims = extract(text, known=known, sources=("a", "b/a"))
    for claim in (*claims.paths, *claims.names, *claims.quotes, *claims.numbers):
        assert 0 <= claim.start < claim.end <= len(text)
    assert [c.start for c in claims.paths] == sorted(c.start for c in claims.paths)


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_normal_paths_stay_as_they_are(text):
    assert normal(normal(text)) == normal(text)


HOSTILE = [
    "a/",
    "[",
    "[a](",
    "`",
    "``` ",
    "a.b",
    "1,",
    ":1-",
    "_a",
    "*",
    "../",
    "a@",
    "http",
    '"',
    "a b.py ",
    "\\",
    "lines 1 of ",
    "(",
    "a:1,2",
    "[a[",
    "-----",
    "'x",
    "::",
    "x.py (line",
]


@pytest.mark.parametrize("seed", HOSTILE)
def test_hostile_text_does_not_hang_the_extraction(seed):
    text = seed * (48_000 // len(seed))
    started = time.process_time()
    extract(text, sources=("a", "b"))
    # Not a measurement: linear work takes well under a second, what backtracks takes minutes.
    assert time.process_time() - started < 30
