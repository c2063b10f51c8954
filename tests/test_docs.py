"""The documentation says what is so: commands, options, settings, links, examples and JSON."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest
import typer.main

from clew import errors
from clew.search.explain import MEANINGS
from clew.settings import CONFIG_VARIABLE, MODEL_VARIABLE, describe
from clew.surfaces.cli.main import app
from clew.types import CitationVerdict, Outcome
from support.contract import ANSWER, CITATION, EVIDENCE, FOUND, INDEXED, RESULT, SPAN, USAGE, WHY

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")], key=lambda path: path.as_posix()
)
EVERYWHERE = "Options of every command"
FENCE = re.compile(r"^(`{3,})(\w*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
COMMAND = re.compile(r"(?:^|[|$] )(clew .*)$")


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def prose_of(page: Path) -> str:
    return FENCE.sub("", text_of(page))


def code_spans(page: Path) -> list[str]:
    return re.findall(r"`([^`\n]+)`", prose_of(page))


def sections(page: Path) -> dict[str, str]:
    """The text below each heading of the second level."""
    parts = re.split(r"^## (.+)$", text_of(page), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def blocks(text: str, language: str) -> list[str]:
    return [body for _, named, body in FENCE.findall(text) if named == language]


def commands() -> dict[str, Any]:
    return typer.main.get_command(app).commands  # type: ignore[attr-defined] # a group


def options(command: Any) -> set[str]:
    """A command's options, and those of the commands below it."""
    below = getattr(command, "commands", {}).values()
    own = {name for p in command.params for name in p.opts if name.startswith("-")}
    return own.union(*map(options, below))


ALL_OPTIONS = {"--version", "--help", "-h"}.union(*(options(c) for c in commands().values()))
CLI = sections(ROOT / "docs" / "cli.md")


# --- links -----------------------------------------------------------------------------------


def anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in LINK.findall(prose_of(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, part = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{page.name} links to {target}"
        if part:
            headings = re.findall(r"^#+ (.+)$", text_of(there), re.MULTILINE)
            assert part in map(anchor, headings), f"{page.name} links to {target}"


# --- commands and options --------------------------------------------------------------------


def test_every_command_has_its_section_and_every_section_its_command() -> None:
    assert set(CLI) == {*commands(), EVERYWHERE, "JSON", "Exit codes"}


@pytest.mark.parametrize("name", commands())
def test_every_option_is_documented_where_it_belongs(name: str) -> None:
    rows = re.findall(r"^\| (`[^|]+`) \|", CLI[name] + CLI[EVERYWHERE], re.MULTILINE)
    documented = {word for row in rows for word in re.findall(r"`(-[^`]+)`", row)}
    assert options(commands()[name]) <= documented
    own = re.findall(r"^\| (`-[^|]+`) \|", CLI[name], re.MULTILINE)
    assert {w for row in own for w in re.findall(r"`(-[^`]+)`", row)} <= options(commands()[name])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_command_option_and_setting_that_is_named_exists(page: Path) -> None:
    settings = describe()
    keys, variables = {row.key for row in settings}, {row.env for row in settings}
    tables = {key.partition(".")[0] for key in keys if "." in key}
    for span in code_spans(page):
        if re.fullmatch(r"--?[a-z][a-z-]*", span):
            assert span in ALL_OPTIONS, f"{page.name}: {span}"
        if re.fullmatch(r"clew [a-z]+.*", span):
            assert span.split()[1] in commands(), f"{page.name}: {span}"
        table, _, key = span.partition(".")
        if table in tables and re.fullmatch(r"[a-z_]+", key) and not key.startswith("py"):
            assert span in keys, f"{page.name}: {span}"
    for name in re.findall(r"\bCLEW_[A-Z_]+\b", text_of(page)):
        assert name in variables | {CONFIG_VARIABLE, MODEL_VARIABLE}, f"{page.name}: {name}"


def typed(page: Path) -> Iterator[str]:
    """The command lines in a page's examples."""
    text = text_of(page)
    for body in [*blocks(text, "console"), *blocks(text, "sh")]:
        for line in body.split("\n"):
            found = COMMAND.search(line.strip())
            if found and "…" not in found[1]:
                yield found[1]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_example_can_be_typed(page: Path) -> None:
    for line in typed(page):
        _, *words = shlex.split(line.split(" | ")[0], comments=True)
        if words[0] in ALL_OPTIONS:
            continue
        command = commands()[words[0]]
        command.make_context(words[0], words[1:]).close()


# --- the contract ----------------------------------------------------------------------------


def examples(section: str) -> list[Any]:
    """The JSON values in a section: whole blocks, or one a line."""
    found: list[Any] = []
    for body in blocks(CLI[section], "json"):
        try:
            found.append(json.loads(body))
        except json.JSONDecodeError:
            found += [json.loads(line) for line in body.strip().split("\n")]
    return found


def test_the_answer_is_documented_field_by_field() -> None:
    answer, *events = examples("ask")
    assert set(answer) == set(ANSWER)
    for name, shape in (("citations", CITATION), ("evidence", EVIDENCE)):
        assert [set(item) for item in answer[name]] == [set(shape)]
    assert set(answer["usage"]) == set(USAGE)
    assert answer["outcome"] in get_args(Outcome)
    fields = {
        "status": {"message", "done", "total"},
        "tool_call": {"tool", "argument", "summary", "ok", "turn"},
        "text": {"text"},
        "citation": {"citation"},
        "done": {"answer"},
    }
    assert {row["event"]: set(row) - {"event"} for row in events} == fields


def test_the_other_results_are_documented_field_by_field() -> None:
    found, row, span = examples("search")
    assert set(found) == {"revisions", "relevant", *FOUND}
    assert [set(result) for result in found["results"]] == [set(RESULT)]
    assert [set(span) for span in found["results"][0]["spans"]] == [set(SPAN)]
    assert set(row) == {"id", *FOUND}
    assert set(span) == set(WHY)
    assert set(span["signals"]) <= set(MEANINGS)
    indexed, failed = examples("index")
    assert set(indexed) == set(INDEXED)
    assert set(failed) == {"source", "error"}
    (shown,) = examples("show")
    assert set(shown) == {"source", "revision", "path", "start_line", "end_line", "lines"}


def test_past_answers_and_states_are_documented_field_by_field() -> None:
    from dataclasses import fields

    from clew.reads import SourceStatus
    from clew.records.rows import AnswerSummary, StoredAnswer

    for section, shape in (
        ("status", SourceStatus),
        ("history", AnswerSummary),
        ("answer", StoredAnswer),
    ):
        (example,) = examples(section)
        assert set(example) == {field.name for field in fields(shape)}


def raised(kind: type[errors.ClewError] = errors.ClewError) -> Iterator[type[errors.ClewError]]:
    yield kind
    for below in kind.__subclasses__():
        if below.__module__ == errors.__name__:
            yield from raised(below)


def test_error_types_and_exit_codes_are_documented() -> None:
    (example,) = examples("JSON")
    assert set(example["error"]) == {"type", "message"}
    listed = set(re.findall(r"`([a-z_]+)`", CLI["JSON"].partition("`type` is")[2]))
    assert listed == {kind.type for kind in raised()} - {"user"}, "nothing raises the branch itself"
    codes = {int(code) for code in re.findall(r"^\| (\d) \|", CLI["Exit codes"], re.MULTILINE)}
    assert codes == {0, 1, *(kind.exit_code for kind in raised())}


def test_outcomes_and_verdicts_are_those_of_the_code() -> None:
    concepts = sections(ROOT / "docs" / "concepts.md")
    for section, words in (
        ("Outcomes", get_args(Outcome)),
        ("Verdicts of a citation", get_args(CitationVerdict)),
    ):
        assert re.findall(r"^\| `(\w+)` \|", concepts[section], re.MULTILINE) == list(words)


# --- the picture -----------------------------------------------------------------------------


def test_the_picture_holds_no_address_of_a_machine_and_fetches_nothing() -> None:
    picture = text_of(ROOT / "docs" / "images" / "ask.svg")
    addresses = set(re.findall(r"[a-z]+://[^\s\"'<)]+", picture))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"/(?:home|Users|tmp|work)/", picture)
