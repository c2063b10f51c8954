"""Answers about a file or folder that the question names: what it says of itself and holds."""

from __future__ import annotations

import posixpath
from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from clew.answerers.find import DOING, ranked_places, unique
from clew.answerers.look import Looker, Place
from clew.answerers.quoting import first_sentence
from clew.answerers.reply import Reply
from clew.answerers.textual import definitions_in
from clew.answerers.writing import cite_place, items, more, said
from clew.chunks.skip import explain
from clew.tools.paths import nearest
from clew.tools.result import plural, shown

if TYPE_CHECKING:
    from clew.answerers.plan import Plan
    from clew.index.rows import DocumentRow
    from clew.index.view import View

OUTLINE = 20  # definitions listed of a file
FILES = 20  # files listed of a folder
SAME = 4  # files of one name that are told about
_HEADS = (
    "README.md",
    "README.rst",
    "README.txt",
    "README",
    "__init__.py",
    "mod.rs",
    "doc.go",
    "index.ts",
)
_WORDS = 3  # besides the path: "what does src/app.py do" leaves none


def describe_path(looker: Looker, plan: Plan) -> Reply | None:
    """What a path in the question is, None when the question is about more than the path."""
    path = plan.query.paths[0].removeprefix("./").strip("/")
    rest = plan.bare.replace(plan.query.paths[0], " ").split()
    if len(rest) > _WORDS or len(plan.query.paths) > 1:
        return None
    found = documents_at(looker, path)
    if found:
        return _told(looker, found)
    folders = _folders(looker, path)
    for source, folder in folders[:1]:
        text, places = folder_files(looker, source, folder, FILES)
        return Reply(text, tuple(places[:2]))
    if "." not in posixpath.basename(path) and "/" not in path:
        return None
    return missing(looker, plan, path)


def documents_at(looker: Looker, path: str) -> list[tuple[View, DocumentRow]]:
    """The documents at a path: exactly there, or with the path as its end."""
    exact = [(v, d) for v in looker.scope.views if (d := v.document(path)) is not None]
    if exact:
        return exact
    end = "/" + path.casefold()
    return [
        (view, document)
        for view in looker.scope.views
        for document in view.documents()
        if ("/" + document.path.casefold()).endswith(end)
    ]


def _folders(looker: Looker, path: str) -> list[tuple[str, str]]:
    found: dict[tuple[str, str], None] = {}
    wanted = path.casefold()
    for view, document in looker.documents():
        parent = posixpath.dirname(document.path)
        folded = f"/{parent.casefold()}/"
        at = folded.find(f"/{wanted}/")
        if at >= 0 and parent:
            found[view.source.name, parent[: at + len(path)] + "/"] = None
    return sorted(found, key=lambda f: (f[1].count("/"), f))


def _told(looker: Looker, found: list[tuple[View, DocumentRow]]) -> Reply:
    text, evidence = "", list[Place]()
    read = [(v, d) for v, d in found if not d.skip and not looker.scope.denied(d.path)]
    for view, document in read[:SAME]:
        place = Place(view.source.name, document.path, 1, document.lines, "", "module")
        told, places = _file(looker, place, brief=len(read) > 1)
        text += told + "\n"
        evidence += places
    text += more(len(read) - SAME)
    if not read:
        document = found[0][1]
        why = explain(document.skip) or document.skip or "its content is never shown"
        text = f"`{document.path}` is there, but its text was not read: {why}.\n"
        return Reply(text, outcome="partial")
    return Reply(text, tuple(evidence), explains=len(read) == 1)


def _file(looker: Looker, place: Place, *, brief: bool) -> tuple[str, list[Place]]:
    """What one file says of itself at its head, and what it defines."""
    chunks = looker.chunks(place.source, place.path)
    head = chunks[0] if chunks and chunks[0].kind == "module" and not chunks[0].name else None
    sentence = first_sentence(head.doc_comment) if head else ""
    text = f"{cite_place(looker.scope, place)} is a file of {plural(place.end_line, 'line')}.\n"
    text += f"\n> {sentence}\n" if sentence else ""
    rows = [
        s for s in looker.symbols(place.source, place.path)
        if "." not in s.qualname and (s.kind in DOING or s.kind == "constant")
    ]  # fmt: skip
    public = [s for s in rows if not s.name.startswith("_")] or rows
    most = 3 if brief else OUTLINE
    places = [looker.placed(place.source, s) for s in public[:most]] or [
        looker.defined(replace(row, source=place.source))
        for row in islice(
            definitions_in(place.path, looker.text_lines(place.source, place.path)), most
        )
    ]
    if places:
        text += f"\nIt defines:\n\n{items(looker, places)}"
        text += more(len(public) - len(places))
    elif headings := [c for c in chunks if c.kind == "section" and c.name]:
        sections = [
            looker.place(place.source, place.path, c.start_line, c.end_line, c.name, "section")
            for c in headings[:OUTLINE]
        ]
        told = [section for section in sections if section.name]
        text += f"\nIts sections:\n\n{items(looker, told)}" if told else ""
    first = Place(place.source, place.path, 1, min(place.end_line, 40), "", "module")
    return text, [first, *places[:1]]


def folder_files(looker: Looker, source: str, folder: str, most: int) -> tuple[str, list[Place]]:
    """What a folder's own head file says, and its files, with places to show."""
    view = looker.view(source)
    inside = [d for d in view.documents() if d.path.startswith(folder)]
    files = [d for d in inside if "/" not in d.path[len(folder) :]]
    below = Counter(d.path[len(folder) :].split("/")[0] for d in inside if d not in files)
    read = [d for d in files if not d.skip and not looker.scope.denied(d.path)]
    where = f"`{source}:{folder}`" if looker.scope.several else f"`{folder}`"
    text = f"{where} is a folder with {plural(len(files), 'file')} of its own"
    text += f" and {plural(len(below), 'folder')} below it.\n" if below else ".\n"
    head = next((d for name in _HEADS for d in read if d.path == folder + name), None)
    places = [
        Place(source, d.path, 1, d.lines, "", "module", doc=_doc(looker, source, d)) for d in read
    ]
    if head is not None and (sentence := first_sentence(_doc(looker, source, head))):
        place = Place(source, head.path, 1, head.lines, "", "module")
        text += f"\nIts {head.path.rpartition('/')[2]} ({cite_place(looker.scope, place)}) says:\n"
        text += f"\n> {sentence}\n"
    if places:
        text += "\nIts files:\n\n"
        text += "".join(_row(looker, p) for p in places[:most])
        text += more(len(places) - most)
    if below:
        names = sorted(below.items(), key=lambda b: -b[1])[:FILES]
        text += "\nFolders below it: "
        text += ", ".join(f"`{folder}{name}/` ({plural(n, 'file')})" for name, n in names) + ".\n"
    heads = [p for p in places if head is not None and p.path == head.path]
    return text, [
        Place(p.source, p.path, 1, min(p.end_line, 16), "", "module") for p in heads or places
    ]


def _row(looker: Looker, place: Place) -> str:
    text = said(looker, place)
    return f"- {cite_place(looker.scope, place)}" + (f" — {text}" if text else "") + "\n"


def _doc(looker: Looker, source: str, document: DocumentRow) -> str:
    chunks = looker.chunks(source, document.path)
    head = chunks[0] if chunks else None
    return head.doc_comment if head and head.kind == "module" and not head.name else ""


def missing(looker: Looker, plan: Plan, path: str) -> Reply:
    """A path that is not there: said so, with the nearest ones and what search ranks."""
    paths = (d.path for view in looker.scope.views for d in view.documents())
    near = nearest(path, paths)
    text = f"There is no file `{shown(path)}` at this revision.\n"
    if near:
        text += "\nThe nearest names are: " + ", ".join(f"`{n}`" for n in near) + ".\n"
    folder = posixpath.dirname(path)
    for source, found in _folders(looker, folder)[:1] if folder and not near else ():
        text += "\n" + folder_files(looker, source, found, 8)[0]
        return Reply(text, outcome="partial")
    places = unique(ranked_places(looker, plan.subject)) if not near else ()
    if places:
        text += "\nThe words of the question fit these places best:\n\n"
        text += items(looker, places[:4])
    return Reply(text, places[:1], outcome="partial" if near or places else "no_answer")
