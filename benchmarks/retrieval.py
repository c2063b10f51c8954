"""Runs questions with known answers over pinned repositories and writes what search returns.

    python benchmarks/retrieval.py --questions dev.jsonl --mirrors 'mirrors/{owner}/{name}.git' \
        --checkouts checkouts --data data --out run.jsonl

A question is a line `{"id", "source", "repo": "owner/name", "commit", "root", "query", "gold"}`. A
line of the run is `{"id", "results": [{"path", "start_line", "end_line"}…], "ms", "relevant",
"coverage"}`: first the best span of each file, best file first, then the other spans. Everything
goes through the project's own functions, as for a user's work tree.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.chunks.skip import SkipRules
from clew.index.build import BuildOptions, build
from clew.index.view import View, open_view
from clew.search import search
from clew.sources.locate import locate
from clew.sources.sync import sync

if TYPE_CHECKING:
    from clew.types import SearchResult

GIT = ("git", "-c", "core.hooksPath=/dev/null", "-c", "user.name=bench", "-c", "user.email=bench@")


def check_out(mirror: Path, commit: str, folder: Path) -> Path:
    """A work tree with the files of the mirror's commit, in one commit of its own; made once.

    It is no clone, because a mirror may lack objects that other commits need.
    """
    if not (folder / ".git").exists():
        folder.mkdir(parents=True, exist_ok=True)
        env = os.environ | {"GIT_INDEX_FILE": str(folder.resolve() / ".index")}
        bare = [*GIT, "--git-dir", str(mirror)]
        subprocess.run([*bare, "read-tree", commit], env=env, check=True)
        files = ["checkout-index", "--all", "--quiet", f"--prefix={folder.resolve()}/"]
        subprocess.run([*bare, *files], env=env, check=False)  # objects may be missing: the rest
        (folder / ".index").unlink()
        inside = [*GIT, "-C", str(folder)]
        subprocess.run([*inside, "init", "-q"], check=True)
        subprocess.run([*inside, "add", "--all", "--force"], check=True)
        subprocess.run([*inside, "commit", "-q", "-m", f"files of {commit}"], check=True)
    return folder


def view_of(folder: Path, data: Path) -> View:
    """The folder, indexed as `clew index` would."""
    source = locate(str(folder), cwd=Path.cwd())
    snapshot = sync(source, data, timeout=600)
    path = data / "index" / f"{source.id}.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    report = build(snapshot, path, BuildOptions(rules=SkipRules()))
    print(f"{folder}: {report.chunks} chunks, {report.seconds:.1f} s", file=sys.stderr)
    return open_view(path, source, snapshot.revision)


def flat(result: SearchResult) -> list[dict[str, Any]]:
    """Best spans of the files in order, then what else each file has, by score."""
    first = [(hit.path, hit.spans[0]) for hit in result.hits]
    more = [(hit.path, span) for hit in result.hits for span in hit.spans[1:]]
    more.sort(key=lambda item: -item[1].score)
    return [
        {"path": path, "start_line": span.start_line, "end_line": span.end_line}
        for path, span in first + more
    ]


def options() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--mirrors", required=True, help="pattern with {owner} and {name}")
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sources", default="", help="only these, by comma")
    parser.add_argument("--whole", action="store_true", help="not only the question's own folder")
    return parser.parse_args()


def main() -> None:
    """Answers every question whose repository has a mirror, repository by repository."""
    asked = options()
    only = set(asked.sources.split(",")) - {""}
    scopes: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for line in asked.questions.read_text(encoding="utf-8").split("\n"):
        question = json.loads(line) if line else None
        if question and (not only or question["source"] in only):
            root = "" if asked.whole else question.get("root", "")
            scopes.setdefault((question["repo"], question["commit"], root), []).append(question)
    times: list[float] = []
    missing: set[str] = set()
    with asked.out.open("w", encoding="utf-8") as run:
        for (repo, commit, root), questions in sorted(scopes.items()):
            owner, name = repo.split("/")
            mirror = Path(asked.mirrors.format(owner=owner, name=name))
            if not mirror.exists():
                missing.add(repo)
                continue
            folder = asked.checkouts / f"{owner}+{name}@{commit[:12]}"
            view = view_of(check_out(mirror, commit, folder) / root, asked.data.resolve())
            for question in questions:
                result = search(question["query"], [view])
                times.append(result.ms)
                row = {"id": question["id"], "results": flat(result), "ms": result.ms}
                row |= {"relevant": result.relevant, "coverage": result.coverage}
                run.write(json.dumps(row) + "\n")
            view.close()
    print(f"{len(times)} questions, median {statistics.median(times or [0]):.1f} ms")
    if missing:
        print(f"no mirror, so left out: {', '.join(sorted(missing))}")


if __name__ == "__main__":
    main()
