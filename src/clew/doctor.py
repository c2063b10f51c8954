"""Looks for what keeps Clew from working on this machine, and says what to do about each thing.

Every check stands alone: one that fails does not stop the others. It repairs nothing and asks no
network but an embedder's server, where one is set. It unpacks the grammars, as the first question
would.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from clew.errors import ClewError, IndexFailedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from clew.settings import Settings

Level: TypeAlias = Literal["ok", "warn", "fail"]
LITTLE_BYTES = 200_000_000  # free disk below which nothing of use can be indexed
LOW_BYTES = 2_000_000_000
ASK_SECONDS = 10.0  # for the embedder's server
_INDEX = re.compile(r"(?P<name>.+?)(?:\.\d{1,9})?\.db")


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found; `advice` says what to do, "" when nothing is to be done."""

    check: str
    level: Level
    message: str
    advice: str = ""


def examine(settings: Settings, problem: ClewError | None = None) -> list[Finding]:
    """Run every check.

    Args:
        settings: What to check with.
        problem: Why the configuration could not be read, when `settings` only stand in for it.
    """
    checks: tuple[Callable[[Settings], Iterator[Finding]], ...] = (
        _git,
        _data,
        _disk,
        _records,
        _indexes,
        _grammars,
        _secrets,
        _model,
        _embedder,
        _reranker,
    )
    found = [_configuration(problem)]
    for check in checks:
        try:
            found += check(settings)
        except (ClewError, OSError) as error:
            name = check.__name__.strip("_")
            said = error.message if isinstance(error, ClewError) else str(error)
            found.append(Finding(name, "fail", said, "Put that right and run clew doctor again."))
    return found


def _configuration(problem: ClewError | None) -> Finding:
    if problem is None:
        return Finding("configuration", "ok", "valid; clew config shows it")
    advice = "Correct it; the other checks used the defaults."
    return Finding("configuration", "fail", problem.message, advice)


def _git(_: Settings) -> Iterator[Finding]:
    from clew.sources.gitcmd import VERSION_WANTED, Deadline, check_version
    from clew.sources.giterror import GitError

    try:
        yield Finding("git", "ok", check_version(Deadline(10)))
    except GitError as error:
        wanted = ".".join(map(str, VERSION_WANTED))
        advice = f"Install git {wanted} or newer and put it on the PATH."
        yield Finding("git", "fail", error.reason, advice)


def _data(settings: Settings) -> Iterator[Finding]:
    folder = _existing(settings.data)
    made = "" if folder == settings.data else " (made when it is first needed)"
    advice = "Give yourself write access to it, or choose another with --data or CLEW_DATA."
    if (file := _in_the_way(settings.data)) is not None:
        advice = "Choose another with --data or CLEW_DATA, or move that file away."
        yield Finding("data folder", "fail", f"{file} is a file, not a folder", advice)
        return
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        said = f"{folder} can't be written: {error.strerror or error}"
        yield Finding("data folder", "fail", said, advice)
        return
    if not made and settings.data.stat().st_mode & 0o077:
        said = f"{settings.data} can be read by other users of this machine"
        yield Finding("data folder", "warn", said, f"Close it: chmod 700 {settings.data}")
    else:
        yield Finding("data folder", "ok", f"{settings.data}{made}")


def _disk(settings: Settings) -> Iterator[Finding]:
    free = shutil.disk_usage(_existing(settings.data)).free
    said = f"{free / 1e9:.1f} GB free"
    advice = "Make room, or choose another data folder: an index takes about as much as its source."
    level: Level = "fail" if free < LITTLE_BYTES else "warn" if free < LOW_BYTES else "ok"
    yield Finding("disk", level, said, "" if level == "ok" else advice)


def _existing(path: Path) -> Path:
    """The folder itself, or the nearest one above it that exists."""
    return next(each for each in (path, *path.parents) if each.is_dir())


def _in_the_way(path: Path) -> Path | None:
    """What stands where the folder, or one above it, would have to be."""
    return next((p for p in (path, *path.parents) if p.exists() and not p.is_dir()), None)


def _records(settings: Settings) -> Iterator[Finding]:
    from clew.records.store import Records

    path = settings.data / "records.db"
    if not path.is_file():
        yield Finding("records", "ok", "none yet")
        return
    advice = f"Close what else uses it; if it stays damaged, move {path} away: new ones are begun."
    try:
        records = Records(path)
        try:
            asked = records.history(1)
        finally:
            records.close()
    except ClewError as error:
        yield Finding("records", "fail", error.message, advice)
        return
    yield Finding("records", "ok", "readable" if asked else "readable, and empty")


def _indexes(settings: Settings) -> Iterator[Finding]:
    from clew.index.view import indexed_revisions

    paths = _index_paths(settings)
    good = old = 0
    for path in paths:
        try:
            readable = bool(indexed_revisions(path))
        except ClewError as error:
            advice = f"Remove {path}: the next question builds it again."
            yield Finding("index", "fail", f"{path.stem}: {error.message}", advice)
            continue
        good, old = good + readable, old + (not readable)
    if old:
        said = f"{old} of {len(paths)} unfinished or made by another version of Clew"
        yield Finding(
            "index", "warn", said, "Nothing needs doing: the next question rebuilds them."
        )
    if good or not paths:
        yield Finding("index", "ok", f"{good} readable" if paths else "none yet")


def _index_paths(settings: Settings) -> list[Path]:
    """What each index in the data folder is called, whatever generation it is at."""
    folder = settings.data / "index"
    files = sorted(folder.glob("*.db")) if folder.is_dir() else []
    names = dict.fromkeys(found["name"] for f in files if (found := _INDEX.fullmatch(f.name)))
    return [folder / f"{name}.db" for name in names]


def _grammars(settings: Settings) -> Iterator[Finding]:
    from clew.chunks.grammars import load, use_cache
    from clew.chunks.languages import LANGUAGES

    # The pack would make the data folder on its way, open to every user of the machine.
    settings.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    use_cache(settings.data / "grammars")
    bad: dict[str, str] = {}
    for language in LANGUAGES:
        try:
            load(language)
        except ClewError as error:
            bad[language.name] = error.message
    if not bad:
        yield Finding("grammars", "ok", f"{len(LANGUAGES)} load")
        return
    first = next(iter(bad.values()))
    advice = f"Until that is put right nothing can be indexed in {', '.join(bad)}."
    yield Finding("grammars", "fail", f"{len(bad)} of {len(LANGUAGES)} don't load: {first}", advice)


def _secrets(_: Settings) -> Iterator[Finding]:
    from clew.redact import find_secrets

    planted = "AKIA" + "Z7QWERTY5ZXCVB3N"
    hit = any(planted[s.start : s.end] for s in find_secrets(f'key = "{planted}"\n'))
    if hit and not find_secrets("key = read_key()\n"):
        yield Finding("secret scanner", "ok", "finds a planted key and nothing else")
    else:
        advice = "Install Clew again: without it nothing may be indexed."
        yield Finding("secret scanner", "fail", "a planted key was not found", advice)


def _model(settings: Settings) -> Iterator[Finding]:
    name = settings.model.answer
    if not name:
        yield Finding("model", "ok", "none is set: answers are composed by rule")
        return
    from clew.models.gateway import ModelOptions, open_chat

    async def opened() -> None:
        async with open_chat(ModelOptions(name)):
            pass

    advice = "Set what it needs, or take the model out: answers are then composed by rule."
    try:
        asyncio.run(opened())
    except ClewError as error:
        yield Finding("model", "fail", error.message, advice)
        return
    yield Finding("model", "ok", f"{name} is set up (it was not asked)")


def _embedder(settings: Settings) -> Iterator[Finding]:
    from clew.models.embedders import embedder_of

    name = settings.model.embed
    advice = "Correct model.embed, or take it out: the model that comes with Clew is used then."
    try:
        embedder = embedder_of(name, timeout=ASK_SECONDS, retries=0)
    except ClewError as error:
        yield Finding("embedder", "fail", error.message, advice)
        return
    if embedder is None:
        yield Finding("embedder", "ok", "none is set: search goes by words and names")
        return
    try:
        said = f"{name} gives vectors of {embedder.dims:,} numbers"
        done, total = _embedded(settings, embedder.id)
    except ClewError as error:
        advice = "Until that is put right, search goes by words and names."
        yield Finding("embedder", "warn", error.message, advice)
        return
    if done < total:
        said += f"; {done:,} of {total:,} chunks have one"
        advice = (
            "clew index makes the others; until then search goes by words where one is missing."
        )
        yield Finding("embedder", "warn", said, advice)
    else:
        yield Finding("embedder", "ok", f"{said}; every chunk has one" if total else said)


def _embedded(settings: Settings, embedder: str) -> tuple[int, int]:
    """Of how many chunks of the newest revisions there are vectors, and how many there are."""
    from clew.index.embed import stand_of
    from clew.index.view import indexed_revisions

    done = total = 0
    for path in _index_paths(settings):
        try:
            newest = {row.prefix: row for row in indexed_revisions(path)}
            stands = [
                stand_of(path, (row.revision, row.prefix), embedder) for row in newest.values()
            ]
        except IndexFailedError:
            continue  # said by the check of the indexes
        done += sum(stand.done for stand in stands)
        total += sum(stand.total for stand in stands)
    return done, total


def _reranker(settings: Settings) -> Iterator[Finding]:
    from clew.models.reranker import RerankOptions, make_reranker

    name = settings.model.rerank
    if not name:
        yield Finding("reranker", "ok", "none is set")
        return
    try:
        make_reranker(RerankOptions(name))
    except ClewError as error:
        advice = "Set what it needs, or take model.rerank out: search goes without it."
        yield Finding("reranker", "fail", error.message, advice)
        return
    yield Finding("reranker", "ok", f"{name} is set up (it was not asked)")
