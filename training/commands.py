"""What the command line does: collect, train, score, export. Each step reads the last one's files.

The cache holds `material/` (terms and numbers of each repository) and `runs/` (trained models);
`used.json` beside this file says which commits and licences the shipped model comes from.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from benchmarks.processes import BenchmarkError

from clew.sources.giterror import GitError
from training import arrays, card, collect, evaluate, mirrors, model, near, options, repositories

if TYPE_CHECKING:
    from collections.abc import Mapping

    from training.evaluate import Bench
    from training.model import Model

LOOK = (120, 2_000)  # questions of a kind and chunks of a repository, looked at while training
SAMPLED = 6  # every such repository says which directions matter when vectors are cut
WHOLE = (600, 6_000)  # all that there are
CARD = Path(__file__).parents[1] / "docs/model-card.md"
USED = Path(__file__).with_name("used.json")


# --- collect ---------------------------------------------------------------------------------


def collect_all(cache: Path, pattern: str | None, jobs: int, *, newest: bool) -> int:
    """Read every listed repository that is not in the cache yet; say what each gave."""
    listed = repositories.load()
    try:
        (pattern or "").format(owner="", name="")
    except (LookupError, ValueError):
        raise BenchmarkError(
            f"--mirrors {pattern} is no path in which only {{owner}} and {{name}} are filled in"
        ) from None
    (cache / "material").mkdir(parents=True, exist_ok=True)
    used = {} if newest or not USED.exists() else json.loads(USED.read_text())
    asked = [(name, True) for names in listed.held_out.values() for name in names]
    asked += [(name, False) for names in listed.train.values() for name in names]
    with ProcessPoolExecutor(jobs) as pool:
        done = [
            pool.submit(_collect, cache, pattern, name, used.get(name, {}).get("commit"), held_out)
            for name, held_out in asked
        ]
        failed = [said for future in done if (said := future.result())]
    print("\n".join(failed))
    return 1 if failed else 0


def _collect(
    cache: Path, pattern: str | None, name: str, commit: str | None, held_out: bool
) -> str:
    """Read one repository; "" or why it can't be used."""
    target = _material(cache, name)
    if target.with_suffix(".json").exists():
        return ""
    try:
        return _read(cache, pattern, name, commit, held_out)
    except GitError as error:
        return f"{name}: {error.reason}"


def _read(cache: Path, pattern: str | None, name: str, commit: str | None, held_out: bool) -> str:
    git_dir = mirrors.locate(name, pattern, cache)
    if git_dir is None:
        return f"{name}: there is no mirror"
    target, started = _material(cache, name), time.process_time()
    commit = mirrors.commit_of(git_dir, commit or "HEAD")
    licence = mirrors.licence(git_dir, commit)
    if licence is None:
        return f"{name}: no permissive licence was found; take it off the list"
    found = collect.collect(git_dir, commit, collect.Limits(), held_out=held_out)
    if not found.questions:
        return f"{name}: nothing to ask was found"
    arrays.save(target, arrays.pack(found))
    kinds = [kind for kind, _, _ in found.questions]
    facts = {
        "commit": commit,
        "licence": licence,
        "held_out": held_out,
        "files": found.files,
        "questions": {kind: kinds.count(at) for at, kind in enumerate(collect.KINDS)},
    }
    target.with_suffix(".json").write_text(json.dumps(facts))
    print(f"{name}: {facts} ({time.process_time() - started:.0f} s)", file=sys.stderr, flush=True)
    return ""


# --- train -----------------------------------------------------------------------------------


def train(cache: Path, name: str, given: Mapping[str, str]) -> int:
    """Train a model and keep it in the cache under `name`."""
    try:
        chosen = options.read(given)
    except ValueError as error:
        raise BenchmarkError(f"an option of train is no number: {error}") from None
    names = _collected(cache, held_out=False)
    try:
        from training.train import Trainer
    except ImportError as error:
        raise BenchmarkError(
            f"training needs the package {error.name}, which is not installed: "
            "pip install -r training/requirements.txt"
        ) from None

    parts = [arrays.load(_material(cache, one)) for one in names]
    material = arrays.join(parts)
    vocabulary = model.choose_vocabulary(material, chosen.vocabulary, chosen.least)
    print(f"{len(material.asked_bag)} questions, {len(vocabulary)} terms", file=sys.stderr)
    benches = _benches(cache, *LOOK)
    done = Trainer(material, vocabulary, benches, chosen).run()
    kept = model.cut(done.model, arrays.join(parts[::SAMPLED]), chosen.kept)
    scores = evaluate.mean([_score(kept, bench) for bench in benches])
    report = {
        "options": asdict(chosen),
        "trained": asdict(done.scores),
        "scores": asdict(scores),
        "steps": done.steps,
        "cpu_seconds": round(done.cpu_seconds),
        "questions": len(material.asked_bag),
    }
    _save_run(cache, name, kept, report)
    print(f"trained {done.scores}\nkept    {scores}")
    print(f"{name}: {done.steps} steps, {done.cpu_seconds:.0f} CPU seconds")
    return 0


# --- score -----------------------------------------------------------------------------------


def score(cache: Path, file: Path) -> int:
    """Score a shipped file, by repository, beside the lexical ranking."""
    try:
        tried = model.load(file)
    except arrays.UNREADABLE as error:
        raise BenchmarkError(f"{file} is no model: {error}") from None
    benches = _benches(cache, *WHOLE)
    found = [_score(tried, bench) for bench in benches]
    lexical = [evaluate.lexical_only(bench) for bench in benches]
    for bench, one, plain in zip(benches, found, lexical, strict=True):
        print(f"{bench.name}\n  model   {one}\n  lexical {plain}")
    print(f"mean\n  model   {evaluate.mean(found)}\n  lexical {evaluate.mean(lexical)}")
    return 0


def _score(tried: Model, bench: Bench) -> evaluate.Scores:
    ids = model.rows_of(bench.arrays.terms, tried.vocabulary, tried.hashed)
    return evaluate.score(bench, tried.queries(bench.arrays, ids), tried.chunks(bench.arrays, ids))


# --- export ----------------------------------------------------------------------------------


def export(cache: Path, name: str, output: Path) -> int:
    """Round a run's model to 8 bits and write the file that Clew ships."""
    trained, report = _load_run(cache, name)
    used = {one: _facts(cache, one) for one in sorted(_names(cache, held_out=False))}
    held = {one: _facts(cache, one) for one in sorted(_names(cache, held_out=True))}
    sources = "\n".join(f"{one} {facts['commit']}" for one, facts in used.items())
    meta = {
        "sources": hashlib.sha256(sources.encode()).hexdigest()[:16],
        "repositories": len(used),
        "questions": report["questions"],
    }
    model.save(output, trained, near.nearest(trained), meta)
    USED.write_text(json.dumps({**used, **held}, indent=1) + "\n", encoding="utf-8")
    told = card.with_sources(CARD.read_text(encoding="utf-8"), {**used, **held})
    CARD.write_text(told, encoding="utf-8")
    print(f"{output}: {output.stat().st_size / 1e6:.2f} MB")
    return 0


# --- the cache -------------------------------------------------------------------------------


def _save_run(cache: Path, name: str, made: Model, report: dict[str, Any]) -> None:
    target = cache / "runs" / f"{name}.npz"
    target.parent.mkdir(exist_ok=True)
    np.savez(target, **{**asdict(made), "vocabulary": np.array(made.vocabulary)})
    target.with_suffix(".json").write_text(json.dumps(report, indent=1))


def _load_run(cache: Path, name: str) -> tuple[Model, dict[str, Any]]:
    source = cache / "runs" / f"{name}.npz"
    if not source.with_suffix(".json").exists():
        raise BenchmarkError(f"{cache} has no run {name}: python -m training train {name}")
    with np.load(source) as stored:
        parts = {key: stored[key] for key in stored.files}
    parts["vocabulary"] = tuple(map(str, parts["vocabulary"]))
    return model.Model(**parts), json.loads(source.with_suffix(".json").read_text())


def _benches(cache: Path, questions: int, chunks: int) -> list[Bench]:
    return [
        evaluate.prepare(name, arrays.load(_material(cache, name)), questions, chunks)
        for name in _collected(cache, held_out=True)
    ]


def _collected(cache: Path, *, held_out: bool) -> list[str]:
    """As `_names`, and there are some."""
    if names := _names(cache, held_out=held_out):
        return names
    raise BenchmarkError(f"nothing is collected in {cache}: python -m training collect")


def _names(cache: Path, *, held_out: bool) -> list[str]:
    """The collected repositories of one sort, in the list's order."""
    listed = repositories.load()
    table = listed.held_out if held_out else listed.train
    names = [name for group in table.values() for name in group]
    return [name for name in names if _material(cache, name).with_suffix(".json").exists()]


def _material(cache: Path, name: str) -> Path:
    return cache / "material" / f"{name.replace('/', '+')}.npz"


def _facts(cache: Path, name: str) -> dict[str, Any]:
    return json.loads(_material(cache, name).with_suffix(".json").read_text())
