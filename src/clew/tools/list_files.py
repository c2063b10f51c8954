"""list_files: which files a source holds, with their sizes, and what was left out and why."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clew.tools.globs import compile_glob
from clew.tools.result import ListData, ListedFile, Page, ToolResult, clip, plural, shown
from clew.tools.scope import revision_label

if TYPE_CHECKING:
    from clew.index.view import DocumentRow
    from clew.tools.scope import Scope

MAX_FILES = 300  # rows shown
MAX_FOLDERS = 40  # folders counted when there are more files than that
MAX_WIDTH = 300  # characters of one name


def list_files(scope: Scope, glob: str = "**", source: str | None = None) -> ToolResult[ListData]:
    """List files by glob, by folder, with their number of lines; skipped ones with the reason.

    Use it to learn how a repository is laid out, or whether a file exists. When there are more
    than 300 files, the folders are counted first; list one of them next.

    Args:
        scope: What may be looked at.
        glob: Such as "**" (everything), "/*" (the root folder only), "src/**", "*.proto".
        source: Only this source, by its name; without it all sources are listed.
    """
    files = compile_glob(glob)
    views = scope.pick(source)
    name = shown(glob)
    page = Page(scope.max_chars)
    matching = [(view, [d for d in view.documents() if files.match(d.path)]) for view in views]
    total = sum(len(documents) for _, documents in matching)
    page.add(f'list_files "{name}": {plural(total, "file")}')
    rows: list[ListedFile] = []
    for view, documents in matching:
        if not documents and total:
            continue
        page.add(f"in {revision_label(view)}: {_counts(scope, documents)}")
        if total > MAX_FILES:
            for folder, count in _folders(documents):
                page.add(f"  {folder}  {plural(count, 'file')}")
        rows += _add(scope, page, view.source.name, documents, MAX_FILES - len(rows))
    cut = ""
    if len(rows) < total:
        cut = f'{len(rows):,} of {total:,} files listed; list one folder, as in glob="src/**"'
    data = ListData(tuple(rows), total)
    summary = plural(total, "file")
    return ToolResult("list_files", name, page.finish(cut), (), data, cut, summary=summary)


def _add(
    scope: Scope, page: Page, source: str, documents: list[DocumentRow], left: int
) -> list[ListedFile]:
    """Add the files by folder, as many as fit."""
    rows: list[ListedFile] = []
    last: str | None = None
    for document in sorted(documents, key=lambda d: (d.path.rpartition("/")[0], d.path))[:left]:
        folder, _, name = document.path.rpartition("/")
        head = [] if folder == last else [clip(folder + "/", MAX_WIDTH) if folder else "./"]
        skip = document.skip or ("denied" if scope.denied(document.path) else "")
        size = f"skipped: {skip}" if skip else plural(document.lines, "line")
        if not page.add(*head, f"  {clip(name, MAX_WIDTH)}  {size}"):
            break
        last = folder
        rows.append(ListedFile(source, document.path, document.size, document.lines, skip))
    return rows


def _counts(scope: Scope, documents: list[DocumentRow]) -> str:
    skipped = Counter(d.skip or ("denied" if scope.denied(d.path) else "") for d in documents)
    read = skipped.pop("", 0)
    said = f"{read:,} read"
    if skipped:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in skipped.most_common(8))
        said += f", {skipped.total():,} skipped ({reasons})"
    return said


def _folders(documents: list[DocumentRow]) -> list[tuple[str, int]]:
    """The folders below the common one with the most files, by count and then by name."""
    parts = [d.path.split("/")[:-1] for d in documents]
    shared = 0
    while all(len(p) > shared and p[shared] == parts[0][shared] for p in parts):
        shared += 1
    counts = Counter("/".join(p[: shared + 1]) + "/" if p else "./" for p in parts)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [(clip(folder, MAX_WIDTH), count) for folder, count in ranked[:MAX_FOLDERS]]
