"""A small courier firm's repository in several languages, committed and indexed for real."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.answerers.base import Conclude, Found, Say
from clew.answerers.extract import ExtractAnswerer
from clew.chunks.skip import SkipRules
from clew.index.build import BuildOptions, build
from clew.index.view import open_view
from clew.sources.locate import locate, name_apart
from clew.sources.sync import sync
from clew.tools.scope import Scope
from clew.types import Asker, CitationEvent, Question, TextEvent
from clew.verify.gate import Gate
from support.gitrepo import GitRepo

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from clew.answerers.base import Step
    from clew.index.view import View
    from clew.redact import DenyList
    from clew.types import Citation, Evidence, Outcome

UNKNOWN = "I don't know: I found nothing in this code that answers it."

COURIER: dict[str, str] = {
    "courier/parcels.py": '''\
# -*- coding: utf-8 -*-
# pylint: disable=too-few-public-methods
"""Parcels and what may happen to them.

A parcel is weighed once.
"""

from courier.errors import TooHeavyError
from courier.sending import deliver

MAX_WEIGHT = 30
LABELS = {
    "fragile": 1,
    "frozen": 2,
}


class Parcel:
    """What a customer hands over."""

    def __init__(self, weight):
        self.weight = weight

    def check_weight(self):
        """Refuse what no courier can carry."""
        if self.weight > MAX_WEIGHT:
            raise TooHeavyError(self.weight)

    def send(self, address):
        """Weigh the parcel, then hand it to a courier."""
        self.check_weight()
        notes = {}
        notes.update(address=address)
        return deliver(self, address)


class ColdParcel(Parcel):
    """A parcel that must stay cold."""
''',
    "courier/sending.py": '''\
"""Hands parcels to couriers.

Routing table
~~~~~~~~~~~~~
"""


def deliver(parcel, address, attempts=3, timeout: float = 5.0):
    """Bring a parcel to an address, and try again when nobody opens.

    See :func:`deliver_later` too.
    """
    for attempt in range(attempts):
        if _ring(address):
            return attempt
    raise TimeoutError(address)


def _ring(address):
    return bool(address)


def update(route):
    """Change a route that is under way."""
    return route
''',
    "courier/errors.py": '''\
class CourierError(Exception):
    """Everything that goes wrong on the way."""


class TooHeavyError(CourierError):
    pass
''',
    "courier/signals.py": "parcel_sent = object()\nparcel_lost = object()\n",
    "courier/web.py": """\
import os

from courier.parcels import Parcel

PORT = int(os.environ.get("COURIER_PORT", "8080"))


@app.route("/parcels")
def list_parcels():
    return []


@app.route("/parcels/<id>")
def show_parcel(id):
    return Parcel(1).send(id)
""",
    "courier/cli.py": """\
import argparse


def parser():
    made = argparse.ArgumentParser()
    made.add_argument("--speed", default=4)
    made.add_argument("--dry-run", action="store_true")
    return made
""",
    "tracker/main.go": """\
// Package main follows parcels.
package main

const (
	// StateNew is a parcel that was not weighed.
	StateNew = iota
	StateSent
)

// DefaultRadius is how far a tracker looks, in metres.
const DefaultRadius = 250

// Tracker follows one parcel.
type Tracker struct {
	Radius int
}

// Locate says where the parcel is.
func (t *Tracker) Locate() int {
	return t.Radius + nearest()
}

func nearest() int {
	return StateSent
}
""",
    "web/map.ts": """\
/* eslint-disable no-console */
// Draws where parcels are.
export const ZOOM_LEVELS = [1, 2, 3];

export enum Colour {
  Red = "red",
  Blue = "blue",
}

/** Draw one parcel on the map. */
export function drawParcel(id: string): void {
  console.log(`parcel ${id}`, Colour.Red);
}
""",
    "weigher/src/lib.rs": """\
//! Weighs parcels.

pub const SCALE_LIMIT: u32 = 400;

/// Anything that has a weight.
pub trait Weighed {
    fn grams(&self) -> u32;
}

pub struct Brick;

impl Weighed for Brick {
    fn grams(&self) -> u32 {
        SCALE_LIMIT
    }
}
""",
    "legacy/depot.rb": """\
# Keeps parcels over night.
class Depot
  SHELVES = 12

  # Puts a parcel on a shelf.
  def store(parcel)
    parcel
  end
end
""",
    "settings.yaml": "courier:\n  retry_delay: 15\n  region: north\n",
    "Dockerfile": "FROM python\nENV COURIER_PORT=9090\n",
    "docs/guide.md": "# Guide\n\nSet MAX_WEIGHT = 30 here.\n\n## Sending\n\nCall `deliver`.\n",
    "tests/test_parcels.py": """\
from courier.parcels import MAX_WEIGHT, Parcel


def test_a_heavy_parcel_is_refused():
    assert Parcel(MAX_WEIGHT).send("here") == 0


def test_deliver():
    deliver(None, "here")
    deliver(None, "there")
""",
    "CODEOWNERS": "* @dispatch\n/courier/ @couriers\n",
}


@dataclass(frozen=True)
class Told:
    """An answer as a reader gets it, with what the gate found and what the answerer yielded."""

    text: str
    outcome: Outcome
    caveats: tuple[str, ...]
    citations: tuple[Citation, ...]
    warnings: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    steps: tuple[Step, ...]

    @property
    def cited(self) -> list[str]:
        """The citations as a text spells them."""
        return [f"{c.path}:{c.start_line}-{c.end_line}" for c in self.citations]

    @property
    def answer(self) -> str:
        """The part before the evidence."""
        return self.text.removeprefix("## Answer\n\n").split("## Evidence")[0].strip()


def tell(question: str, *views: View, deny: DenyList | None = None, seconds: float = 10.0) -> Told:
    """Answer a question and pass the answer through the gate, as `ask()` does."""
    answerer = ExtractAnswerer(UNKNOWN, 12)
    asked = Question(question, (), Asker("cli", own=True))

    async def run() -> list[Step]:
        scope = Scope(views, deny=deny, seconds=seconds)
        return [step async for step in answerer.answer(asked, scope)]

    steps = asyncio.run(run())
    evidence: dict[Evidence, None] = {}
    gate = Gate(views, evidence=evidence, question=question, exempt=(UNKNOWN,))
    events = []
    for step in steps:
        if isinstance(step, Found):
            evidence.update(dict.fromkeys(step.evidence))
        elif isinstance(step, Say):
            events += gate.feed(step.text)
    events += gate.finish()
    (concluded,) = (step for step in steps if isinstance(step, Conclude))
    return Told(
        text="".join(e.text for e in events if isinstance(e, TextEvent)),
        outcome=concluded.outcome,
        caveats=tuple(c.type for c in concluded.caveats),
        citations=tuple(e.citation for e in events if isinstance(e, CitationEvent)),
        warnings=tuple(f"{w.type}: {w.message}" for w in gate.warnings),
        evidence=tuple(evidence),
        steps=tuple(steps),
    )


@contextmanager
def indexed(folder: Path, repositories: Mapping[str, Mapping[str, str]]) -> Iterator[list[View]]:
    """The repositories by name, each committed, synced, indexed and open."""
    found = []
    for name, files in repositories.items():
        repo = GitRepo(folder / "repos" / name)
        for path, text in files.items():
            repo.write(path, text)
        repo.commit("first")
        found.append(locate(str(repo.path), cwd=folder))
    views: list[View] = []
    try:
        for source in name_apart(tuple(found)):
            snapshot = sync(source, folder / "data")
            path = folder / f"{source.id}.db"
            build(snapshot, path, BuildOptions(rules=SkipRules()))
            views.append(open_view(path, source, snapshot.revision))
        yield views
    finally:
        for view in views:
            view.close()
