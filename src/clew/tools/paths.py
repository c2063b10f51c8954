"""Paths as a model or a person types them: made safe, found in the scope, or refused with help.

Nothing leaves the source: no absolute path, no "..", no home folder, no link is followed. A path
that is not there is answered with the nearest ones that are.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, NamedTuple

from clew.errors import ForbiddenError, InputError, NotFoundError
from clew.tools.result import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clew.index.view import DocumentRow, View
    from clew.tools.scope import Scope

MAX_PATH = 4_096  # characters, as on Linux
_NEAR = 3  # paths offered
_COMPARED = 2_000  # names compared by likeness; a comparison takes about 20 microseconds
_LINES = re.compile(r"(?:#L|:L?)(\d{1,9})(?:-L?(\d{1,9}))?$")
_NOT_READ = {
    "empty": "is empty, so there is nothing to read",
    "submodule": "is a submodule, another repository that is named and not followed: add that "
    "repository as a source of its own",
    "symlink": "is a symbolic link, and links are never followed: read the file it points to by "
    "its own path",
}


class Located(NamedTuple):
    """A document and the view it is in."""

    view: View
    document: DocumentRow


def clean_path(path: str) -> str:
    r"""A path relative to the source's root: "./" dropped, "\" read as "/".

    Raises:
        ForbiddenError: It is absolute, leaves the source, or could be read as an option.
        InputError: It is empty or too long.
    """
    name = shown(path)
    if not path.strip() or len(path) > MAX_PATH:
        raise InputError(f"A path has 1 to {MAX_PATH:,} characters, relative to the source's root.")
    if any(ord(sign) < 32 or ord(sign) == 127 for sign in path):
        raise ForbiddenError("A path holds no control characters: give a plain one.")
    given = path.strip().replace("\\", "/")
    if given.startswith("-"):
        raise ForbiddenError(
            f'"{name}" reads as an option, not a path: write "./" before it if it is a file.'
        )
    if given.startswith(("/", "~")) or re.match(r"[A-Za-z]:/|[A-Za-z]+://", given):
        raise ForbiddenError(
            f'The path "{name}" is absolute: give it relative to the source\'s root.'
        )
    parts = [part for part in given.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ForbiddenError(f'The path "{name}" has "..": give it relative to the source\'s root.')
    return "/".join(parts)


def find_document(scope: Scope, path: str, source: str | None) -> Located:
    """The one document at a path, whether its text may be read or not.

    Raises:
        ForbiddenError: The path is refused as such.
        InputError: Several sources hold it and none was named.
        NotFoundError: No source holds it; the message names the nearest paths.
    """
    if source is None and (named := _named_source(scope, path)):
        source, path = named
    views = scope.pick(source)
    cleaned = clean_path(path)
    # A backslash may belong to a name on the systems that allow it: the path as typed goes first.
    for candidate in dict.fromkeys((path, cleaned)):
        found = [Located(v, d) for v in views if (d := v.document(candidate)) is not None]
        if len(found) > 1:
            names = " or ".join(f'"{x.view.source.name}"' for x in found[:8])
            raise InputError(f'"{shown(candidate)}" is in several sources: add source={names}.')
        if found:
            return found[0]
    raise _not_found(views, cleaned)


def _named_source(scope: Scope, path: str) -> tuple[str, str] | None:
    """Split `source:path`, as results write it when several sources are in scope."""
    for view in scope.views:
        head = view.source.name + ":"
        if path.startswith(head):
            return view.source.name, path.removeprefix(head)
    return None


def require_text(scope: Scope, located: Located) -> None:
    """Refuse a document whose text is not there to be read, with the reason.

    Raises:
        ForbiddenError: It is on the deny-list, or a symbolic link.
        NotFoundError: It was left out of the index.
    """
    path, skip = shown(located.document.path, 200), located.document.skip
    if skip == "denied" or scope.denied(located.document.path):
        raise ForbiddenError(f"{path} is on the deny-list: its content is never shown.")
    if skip == "symlink":
        raise ForbiddenError(f"{path} {_NOT_READ[skip]}.")
    if skip:
        why = _NOT_READ.get(skip, f"was left out of the index ({skip}), so its text can't be read")
        raise NotFoundError(f"{path} {why}.")


def find_folder(scope: Scope, path: str, source: str | None) -> str:
    """The prefix that stands for a folder (ending in "/", or "" for the root) or one file's path.

    Raises:
        NotFoundError: No source in reach holds it; the message names the nearest paths.
    """
    views = scope.pick(source)
    if path.strip().replace("\\", "/").rstrip("/") in ("", "."):
        return ""
    cleaned = clean_path(path)
    if any(view.document(cleaned) for view in views):
        return cleaned
    prefix = cleaned + "/"
    if any(d.path.startswith(prefix) for view in views for d in view.documents()):
        return prefix
    raise _not_found(views, cleaned)


def _not_found(views: tuple[View, ...], path: str) -> NotFoundError:
    name = shown(path, 200)
    lines = _LINES.search(path)
    bare = path[: lines.start()] if lines else ""
    if lines and any(view.document(bare) for view in views):
        last = lines[2] or lines[1]
        return NotFoundError(
            f'The path "{name}" names lines too: use path="{shown(bare, 200)}", '
            f"start_line={lines[1]}, end_line={last}."
        )
    paths = list(dict.fromkeys(d.path for view in views for d in view.documents()))
    if any(other.startswith(path + "/") for other in paths):
        return NotFoundError(f'"{name}" is a folder: list_files(glob="{name}/**") shows its files.')
    near = nearest(path, paths)
    hint = f"did you mean {' or '.join(near)}?" if near else "list_files shows what there is."
    return NotFoundError(f'There is no file "{name}" at this revision; {hint}')


def nearest(path: str, paths: Iterable[str]) -> list[str]:
    """Up to three existing paths that are most likely meant, the likeliest first."""
    folded = path.casefold()
    base = folded.rpartition("/")[2]
    by_end: list[str] = []
    by_base: list[str] = []
    rest: list[str] = []
    for other in paths:
        other_folded = other.casefold()
        other_base = other_folded.rpartition("/")[2]
        if other_folded == folded or other_folded.endswith("/" + folded):
            by_end.append(other)
        elif other_base == base or folded.endswith("/" + other_folded):
            by_base.append(other)
        elif abs(len(other_base) - len(base)) <= 4 and other_base[:1] == base[:1]:
            rest.append(other)
    by_base.sort(key=lambda other: -difflib.SequenceMatcher(None, folded, other).ratio())
    likely = list(dict.fromkeys(by_end + by_base))[:_NEAR]
    if likely:
        return [shown(other, 200) for other in likely]
    by_name: dict[str, str] = {}
    for other in rest[:_COMPARED]:
        by_name.setdefault(other.casefold().rpartition("/")[2], other)
    close = difflib.get_close_matches(base, by_name, n=_NEAR, cutoff=0.6)
    return [shown(by_name[name], 200) for name in close]
