"""The command line: translates words and options to calls of `app.Clew`, and results to a screen.

With `--json` or `--events`, standard output holds JSON and nothing else; progress goes to standard
error. Exit codes are those of `errors.py`, and 1 when an answer abstains or is partial. Heavy
modules are imported by the command that needs them, so that `--help` is quick.
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from clew import __version__
from clew.errors import InputError
from clew.surfaces.cli import editors, running, serving
from clew.surfaces.cli.slack import slack
from clew.surfaces.cli.tokens import tokens
from clew.surfaces.cli.where import Where

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.app import Clew

EXIT_BY_OUTCOME = {"answered": 0, "partial": 1, "no_answer": 1, "refused": 4, "failed": 5}

app = typer.Typer(
    name="clew",
    help="Ask a question about code; every citation of the answer has been checked.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.add_typer(slack)
app.add_typer(tokens)
app.command()(serving.mcp)
app.command()(serving.serve)
app.command()(editors.install)
app.command()(editors.uninstall)

Repos = Annotated[
    list[str] | None,
    typer.Option("--repo", "-r", help="A git URL, a work tree or a folder; may be repeated."),
]
At = Annotated[
    str | None,
    typer.Option("--at", help="Read a branch, tag, SHA, date (2026-01-31) or HEAD~2 instead."),
]
Tag = Annotated[
    str | None,
    typer.Option("--tag", help="Read what a tag of the configuration names, in its words."),
]
Data = Annotated[
    Path | None, typer.Option("--data", help="The folder that holds everything Clew writes.")
]
Config = Annotated[Path | None, typer.Option("--config", help="A configuration file (TOML).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]


@app.command()
def ask(
    question: Annotated[
        str,
        typer.Argument(metavar="QUESTION", help="The question, in quotes; - reads it from stdin."),
    ],
    repo: Repos = None,
    as_json: AsJson = False,
    events: Annotated[bool, typer.Option("--events", help="Print every event as JSON.")] = False,
    mode: Annotated[
        str | None,
        typer.Option("--mode", help="research (by a model; default when one is set) or extract."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", help="The model to ask, such as openai:gpt-5-mini."),
    ] = None,
    trace: Annotated[
        bool, typer.Option("--trace", help="Tell on standard error what is done, step by step.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Remove what can't be verified instead of marking it.")
    ] = False,
    at: At = None,
    tag: Tag = None,
    data: Data = None,
    config: Config = None,
) -> None:
    """Answer a question about a repository, with checked citations."""
    from clew.surfaces.cli import answering

    flags: dict[str, object] = {"answer.strict": strict or None, "model.answer": model}
    clew = _clew(data, config, flags)
    asked = answering.question(question, repo or (), mode, _revision(at), tag or "")
    how = answering.Showing(as_json=as_json, events=events, trace=trace)
    answered = running.wait(clew, answering.run(clew, asked, how))
    raise typer.Exit(EXIT_BY_OUTCOME[answered.outcome])


@app.command()
def search(
    query: Annotated[
        str | None, typer.Argument(metavar="QUERY", help="Words, a name or a path.")
    ] = None,
    repo: Repos = None,
    top: Annotated[int | None, typer.Option("--top", min=1, max=100, help="Files to show.")] = None,
    path: Annotated[str | None, typer.Option("--path", help="Only paths under this glob.")] = None,
    batch: Annotated[
        Path | None, typer.Option("--batch", help='A file of {"id", "query"} lines.')
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say why each result ranks where it does.")
    ] = False,
    at: At = None,
    tag: Tag = None,
    as_json: AsJson = False,
    data: Data = None,
    config: Config = None,
) -> None:
    """Find the places that match, best first, one result a file."""
    from clew.surfaces.cli import searching

    request = searching.request(query, batch, top, path, as_json=as_json, explain=explain)
    clew = _clew(data, config)
    where = Where(tuple(repo or ()), _revision(at), tag or "")
    raise typer.Exit(running.wait(clew, searching.run(clew, where, request)))


@app.command()
def show(
    place: Annotated[str, typer.Argument(metavar="PATH[:START[-END]]", help="What to show.")],
    repo: Repos = None,
    at: At = None,
    tag: Tag = None,
    as_json: AsJson = False,
    data: Data = None,
    config: Config = None,
) -> None:
    """Print lines of a file as Clew reads them: numbered, with secrets redacted."""
    from clew.surfaces.cli import reading

    clew = _clew(data, config)
    where = Where(tuple(repo or ()), _revision(at), tag or "")
    running.wait(clew, reading.show(clew, where, place, as_json=as_json))


@app.command()
def index(
    repo: Repos = None,
    tag: Tag = None,
    as_json: AsJson = False,
    data: Data = None,
    config: Config = None,
) -> None:
    """Bring the index of the given repositories up to date."""
    from clew.surfaces.cli import reading

    clew = _clew(data, config)
    where = Where(tuple(repo or ()), "", tag or "")
    raise typer.Exit(running.wait(clew, reading.index(clew, where, as_json=as_json)))


@app.command()
def status(
    repo: Repos = None,
    skipped: Annotated[
        bool, typer.Option("--skipped", help="List every file that was left out, and why.")
    ] = False,
    as_json: AsJson = False,
    data: Data = None,
    config: Config = None,
) -> None:
    """Say what is indexed, at which revision, and what was left out."""
    from clew.surfaces.cli import reading

    clew = _clew(data, config)
    raise typer.Exit(
        running.wait(clew, reading.status(clew, repo or (), skipped=skipped, as_json=as_json))
    )


@app.command()
def prune(
    repo: Repos = None,
    keep: Annotated[
        int, typer.Option("--keep", min=0, max=1000, help="How many of the newest revisions stay.")
    ] = 5,
    answers: Annotated[
        bool, typer.Option("--answers", help="Drop revisions of saved answers too.")
    ] = False,
    gone: Annotated[
        bool, typer.Option("--gone", help="Remove sources whose folder is there no longer.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be dropped, and drop nothing.")
    ] = False,
    as_json: AsJson = False,
    data: Data = None,
    config: Config = None,
) -> None:
    """Drop what no question needs any more, and say what that freed."""
    from clew.app import PrunePlan
    from clew.surfaces.cli import pruning

    plan = PrunePlan(keep, answers, gone, dry_run)
    clew = _clew(data, config)
    raise typer.Exit(running.wait(clew, pruning.prune(clew, repo or (), plan, as_json=as_json)))


@app.command()
def history(
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="How many.")] = 20,
    as_json: AsJson = False,
    data: Data = None,
    config: Config = None,
) -> None:
    """List the questions that were asked, newest first."""
    from clew.surfaces.cli import past

    clew = _clew(data, config)
    running.wait(clew, past.history(clew, limit, as_json=as_json))


@app.command()
def answer(
    answer_id: Annotated[str, typer.Argument(metavar="ID", help="An id, or how it begins.")],
    as_json: AsJson = False,
    data: Data = None,
    config: Config = None,
) -> None:
    """Show a past answer as it was given."""
    from clew.surfaces.cli import past

    clew = _clew(data, config)
    running.wait(clew, past.answer(clew, answer_id, as_json=as_json))


@app.command()
def doctor(as_json: AsJson = False, data: Data = None, config: Config = None) -> None:
    """Look for what keeps Clew from working here, and say what to do about it."""
    from clew.surfaces.cli import health

    raise typer.Exit(health.doctor(config, data, as_json=as_json))


@app.command(name="config")
def show_config(as_json: AsJson = False, data: Data = None, config: Config = None) -> None:
    """Show every setting with its value and where that comes from."""
    from clew.surfaces.cli import health

    health.settings(config, data, as_json=as_json)


def _revision(at: str | None) -> str:
    """The revision as typed, "" for the head; an empty one is no way to write the head."""
    if at is not None and not at.strip():
        raise InputError("--at is empty: name a branch, a tag, a SHA or a date, or leave it out.")
    return at or ""


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"clew {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Options before the command."""


def _clew(data: Path | None, config: Path | None, flags: dict[str, object] | None = None) -> Clew:
    from clew.app import build
    from clew.log import prepare
    from clew.settings import load

    chosen = dict(flags or {})
    if data is not None:
        chosen["data"] = data
    settings = load(config, chosen)
    prepare(settings.log.level, settings.log.format)
    return build(settings, cwd=Path.cwd())


def run(arguments: Sequence[str]) -> int:
    """Run one command line in this process; returns its exit code and never exits."""
    words = list(arguments) or ["--help"]
    as_json = running.wants_json(words)
    running.prepare_streams(as_json=as_json)
    return running.guarded(lambda: _invoke(words), as_json=as_json)


def _invoke(words: list[str]) -> int:
    command = typer.main.get_command(app)
    with command.make_context("clew", words) as context:
        command.invoke(context)
    return 0


def main() -> NoReturn:
    """Run this process's command line."""
    # Looking for cycles after every 700 new objects costs 5 % of indexing and more of starting.
    gc.set_threshold(50_000)
    sys.exit(run(sys.argv[1:]))
