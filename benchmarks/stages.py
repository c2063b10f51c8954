"""Runs Clew's command line with its stages timed, or without what a peer doesn't have.

    PYTHON benchmarks/stages.py timed REPORT index --repo PATH …
    PYTHON benchmarks/stages.py lean index --repo PATH …

`timed` writes a JSON object of seconds by stage to REPORT, each without the stages inside it; it
is to be run with one worker, because it sees only its own process. `lean` finds no secrets and
keeps no symbols and no references; definitions are still found, because chunks are cut along
them. Both put their own functions in the place of Clew's: the product has no switch for this.
"""

from __future__ import annotations

import functools
import json
import sys
import threading
import time
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from types import GeneratorType, ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# Stage, the module or class that holds the function, and the function.
PLACES = (
    ("copying", "clew.workspace", "sync"),
    ("building, the rest", "clew.workspace", "build"),
    ("listing", "clew.index.build", "plan"),
    ("redaction", "clew.redact", "find_secrets"),
    ("redaction", "clew.redact", "apply"),
    ("parsing, the rest", "clew.index.prepare", "parse"),
    ("grammars", "clew.chunks.grammars", "load"),
    ("syntax trees", "clew.chunks.document", "read"),
    ("symbols", "clew.chunks.parse", "find_leads"),
    ("symbols", "clew.chunks.parse", "find_definitions"),
    ("references", "clew.chunks.parse", "find_references"),
    ("references", "clew.index.prepare", "pack_references"),
    ("chunks", "clew.chunks.parse", "chunk_code"),
    ("terms", "clew.index.prepare", "pack_terms"),
    ("compression", "clew.index.prepare", "pack_text"),
    ("postings", "clew.index.segment.Collector", "add"),
    ("postings", "clew.index.segment.Collector", "take"),
    ("database", "clew.index.sqlite.SqliteWriter", "add"),
    ("database", "clew.index.sqlite.SqliteWriter", "merge"),
    ("database", "clew.index.sqlite.SqliteWriter", "flip"),
)
START = "from clew"  # in what a worker is started with: what stands before it comes first


@dataclass
class Clock:
    """Seconds by stage. A stage inside another one counts for itself only."""

    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    now: Callable[[], float] = time.perf_counter
    _open: threading.local = field(default_factory=threading.local)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count what the block takes."""
        inside: list[float] = self._open.__dict__.setdefault("inside", [])
        inside.append(0.0)
        begun = self.now()
        try:
            yield
        finally:
            took = self.now() - begun
            self.seconds[name] += took - inside.pop()
            if inside:
                inside[-1] += took

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, counted; what it yields is counted too."""

        @functools.wraps(function)
        def counted(*arguments: object, **named: object) -> object:
            with self.stage(name):
                result = function(*arguments, **named)
                return iter(list(result)) if isinstance(result, GeneratorType) else result

        return counted


def holder(place: str) -> ModuleType | type:
    """A module, or a class inside one."""
    module, _, last = place.rpartition(".")
    return getattr(import_module(module), last) if last[0].isupper() else import_module(place)


def time_stages(clock: Clock) -> None:
    """Count every stage in this process from now on."""
    for name, place, function in PLACES:
        where = holder(place)
        setattr(where, function, clock.timed(name, getattr(where, function)))


def leave_out() -> None:
    """Find no secrets and keep no symbols in this process from now on."""
    prepare, parse = import_module("clew.index.prepare"), import_module("clew.chunks.parse")
    redact = import_module("clew.redact")
    whole = prepare.parse
    for where, name in ((redact, "find_secrets"), (redact, "secret_names")):
        replaced(where, name, lambda _: ())
    replaced(parse, "find_references", lambda *_: [])
    replaced(prepare, "parse", lambda path, text: replace(whole(path, text), symbols=()))


def replaced(where: ModuleType, name: str, function: Callable[..., Any]) -> None:
    """Put a function in another's place; AttributeError when there is none any more."""
    getattr(where, name)
    setattr(where, name, function)


def leave_out_everywhere() -> None:
    """The same in this process and in the workers that it starts."""
    leave_out()
    pool = import_module("clew.index.pool")
    boot: str = vars(pool)["_BOOT"]
    if START not in boot:
        raise AttributeError(f"a worker is started in another way: {boot}")
    mine = f"import stages; stages.leave_out(); {START}"
    vars(pool)["_BOOT"] = boot.replace(START, mine, 1)


def main(arguments: Sequence[str]) -> int:
    """Run a command line of Clew's; returns its exit code."""
    how, *rest = arguments
    run = import_module("clew.surfaces.cli.main").run
    if how == "lean":
        leave_out_everywhere()
        return run(rest)
    clock = Clock()
    time_stages(clock)
    report, *rest = rest
    code = run(rest)
    Path(report).write_text(json.dumps(clock.seconds), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
