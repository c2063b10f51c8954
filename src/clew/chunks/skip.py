"""Which files of a tree are not searched, and why: each gets a reason, none is lost silently.

`skip_path` decides before a file is read, `skip_content` after it was decoded. What is skipped
stays in the list of documents with its reason. Nothing here reads a file.
"""

from __future__ import annotations

import functools
import hashlib
import re
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from clew.chunks import skip_names as names
from clew.chunks.languages import language_of
from clew.redact import DEFAULT_DENY, DenyList

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clew.types import TreeEntry

Reason: TypeAlias = Literal[
    "denied",
    "submodule",
    "symlink",
    "path too long",
    "secret in its name",
    "too large",
    "dependency",
    "build output",
    "lock file",
    "generated",
    "minified",
    "source map",
    "snapshot",
    "data",
    "media",
    "font",
    "archive",
    "binary",
    "lfs pointer",
    "empty",
    "missing object",
]

_SENTENCES: Final[dict[Reason, str]] = {
    "denied": "Its name is on the deny-list of files that hold secrets; it is never read.",
    "submodule": "It is another repository inside this one; add that repository to ask about it.",
    "symlink": "It is a symbolic link; links are never followed.",
    "path too long": "Its path is longer than 1,000 characters.",
    "secret in its name": "Its path itself holds what looks like a secret.",
    "too large": "It is larger than the limit for one file (`max_bytes`).",
    "dependency": "It is a copy of somebody else's code (such as node_modules or vendor).",
    "build output": "A build has written it; its source is what can be asked about.",
    "lock file": "It lists exact versions of dependencies and is written by a package manager.",
    "generated": "A program has written it: its name or its first lines say so.",
    "minified": "It is minified, with its names and line ends gone.",
    "source map": "It is a source map, made from code that is here already.",
    "snapshot": "It is the recorded output of a test.",
    "data": "It holds data rather than code or text.",
    "media": "It is an image, a drawing, a sound or a film.",
    "font": "It is a font.",
    "archive": "It is an archive or a package.",
    "binary": "It is binary: there are no lines to cite.",
    "lfs pointer": "Git LFS keeps its contents elsewhere; only a pointer is in the repository.",
    "empty": "It is empty.",
    "missing object": "Its contents are missing or damaged in the repository.",
}

MAX_PATH: Final = 1_000  # characters; a tree can hold longer ones, which no tool shows well
_EMPTY: Final = (  # git's names for no bytes; the size of an object that is missing is 0 as well
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)
_LOGIC: Final = 3  # raise it when other files are skipped under the same rules


@dataclass(frozen=True, slots=True)
class SkipRules:
    """What to leave out.

    Attributes:
        max_bytes: The largest file that is read; hardly any code written by hand exceeds it.
        deny: Globs as in a `.gitignore` file for what is never read.
        dependencies: Whether folders that only ever hold dependencies are left out.
        vendored: Whether folders that by custom hold copies (vendor, third_party) are.
        build_output: Whether folders of build output are.
    """

    max_bytes: int = 2_000_000
    deny: tuple[str, ...] = DEFAULT_DENY
    dependencies: bool = True
    vendored: bool = True
    build_output: bool = True

    def digest(self) -> str:
        """Changes whenever the same tree could be skipped differently: part of cache keys."""
        return hashlib.sha256(repr((_LOGIC, astuple(self))).encode()).hexdigest()[:12]


def explain(reason: str) -> str:
    """One sentence for people; the reason itself when it is none of ours."""
    return {str(key): text for key, text in _SENTENCES.items()}.get(reason, reason)


def skip_path(entry: TreeEntry, rules: SkipRules) -> Reason | None:
    """Why a path is left out without reading it, or None."""
    if entry.kind != "file":
        return entry.kind
    path = entry.path
    if len(path) > MAX_PATH:
        return "path too long"
    if _deny_list(rules.deny).match(path):
        return "denied"
    if entry.size == 0 and entry.oid in _EMPTY:
        return "empty"
    lower = path.lower()
    folder, _, name = lower.rpartition("/")
    return (
        _by_folder(folder, lower, rules)
        or _by_name(lower, name)
        or _by_suffix(name, entry.size)
        or ("too large" if entry.size > rules.max_bytes else None)
    )


def relax(entries: Iterable[TreeEntry], rules: SkipRules) -> SkipRules:
    """The rules without those that would leave a repository without any code.

    A repository (or the folder of it that is asked about) whose only code looks like build
    output, like a vendored copy or like a dependency is about that code.
    """
    listed = list(entries)
    gentler = (
        rules,
        replace(rules, build_output=False),
        replace(rules, build_output=False, vendored=False),
        replace(rules, build_output=False, vendored=False, dependencies=False),
    )
    for candidate in gentler:
        if any(_is_code(entry.path) and not skip_path(entry, candidate) for entry in listed):
            return candidate
    return rules


def _is_code(path: str) -> bool:
    name = path.lower().rpartition("/")[2]
    suffix = name.rpartition(".")[2] if "." in name[1:] else ""
    return bool(suffix) and suffix not in names.NOT_CODE and not names.TOOLING.search(name)


@functools.lru_cache(maxsize=16)
def _deny_list(globs: tuple[str, ...]) -> DenyList:
    return DenyList(globs)


# --- by path ---------------------------------------------------------------------------------


def _by_folder(folder: str, path: str, rules: SkipRules) -> Reason | None:
    kinds = _folder_kinds(folder)
    if not kinds:
        return None
    if (rules.dependencies and "dependency" in kinds) or (rules.vendored and "vendored" in kinds):
        return "dependency"
    if "snapshot" in kinds:
        return "snapshot"
    if rules.build_output:
        if "build" in kinds or ("output" in kinds and path.endswith(names.OUTPUT_SUFFIXES)):
            return "build output"
        if "below" in kinds and path.endswith(names.BUILD_SUFFIXES):
            return "build output"
        if "setuptools" in kinds and path.endswith(".py"):
            return "build output"
    return None


@functools.lru_cache(maxsize=4_096)  # a tree lists the files of one folder one after the other
def _folder_kinds(folder: str) -> frozenset[str]:
    parts = folder.split("/") if folder else []
    kinds: set[str] = set()
    for index, part in enumerate(parts):
        above = parts[index - 1] if index else ""
        below = parts[index + 1] if index + 1 < len(parts) else ""
        if part in names.DEPENDENCY_FOLDERS or (below and part in names.DEPENDENCY_CACHES):
            kinds.add("dependency")
        elif part in names.VENDOR_FOLDERS or (part == "vendor" and _is_vendored(above, below)):
            kinds.add("vendored")
        elif part in names.BUILD_FOLDERS or part.startswith("cmake-build-"):
            kinds.add("build")
        elif part in names.OUTPUT_FOLDERS:
            kinds.add("output")
        elif part in names.SNAPSHOT_FOLDERS:
            kinds.add("snapshot")
        if below and below in names.BUILD_BELOW.get(part, ()):
            kinds.add("below")
        if (part, below) == ("build", "lib"):
            kinds.add("setuptools")
    return frozenset(kinds)


def _is_vendored(above: str, below: str) -> bool:
    return (
        not above
        or above in names.VENDOR_PARENTS
        or below in names.VENDOR_CHILDREN
        or "." in below[1:]  # github.com, golang.org
    )


def _by_name(path: str, name: str) -> Reason | None:
    if name in names.LOCK_FILES or name.endswith(".lock"):
        return "lock file"
    if names.SOURCE_MAP.search(name):
        return "source map"
    if names.MINIFIED.search(name):
        return "minified"
    if name.endswith(names.SNAPSHOT_SUFFIXES):
        return "snapshot"
    if names.GENERATED.search(path):
        return "generated"
    return None


def _by_suffix(name: str, size: int) -> Reason | None:
    suffix = name.rpartition(".")[2] if "." in name[1:] else ""
    kind = names.SUFFIX_KINDS.get(suffix)
    if kind is not None:
        return kind
    if size >= names.DATA_FROM.get(suffix, size + 1) and not names.WORTH_READING.search(name):
        return "data"
    return None


# --- by content ------------------------------------------------------------------------------

_HEAD: Final = 4_000  # characters in which a generated file says that it is
_HEAD_LINES: Final = 20
_LONG: Final = 500  # characters; people wrap code long before
_SAMPLE: Final = 65_536  # characters out of the middle that stand for a whole file
_LFS: Final = (
    "version https://git-lfs.github.com/spec/",
    "version https://hawser.github.com/spec/",
)

_COMMENT: Final = re.compile(r"^\s*(?://|#|/?\*|--|;|<!--|\"\"\"|'|%|REM\b|\(\*|\{-)")
_GENERATED: Final = re.compile(
    r"code generated\b.*\bdo not edit|<auto-?generated|(?:^|[^\w@])@generated\b(?!\s*\()"
    r"|\b(?:auto(?:matically)?[ -]?)generated\b.*\b(?:do not|don't|should not) "
    r"|\bthis (?:file|code) (?:is|was|has been) (?:auto(?:matically)?[ -]?)generated\b"
    r"|\bgenerated by the protocol buffer compiler|\bgenerated code\b.*\bdo not (?:edit|modify)"
    r"|\bdo not (?:edit|modify)\b.*\bgenerated\b|\bgenerated\b.*\bdo not (?:edit|modify)\b",
    re.IGNORECASE,
)


def skip_content(path: str, text: str, rules: SkipRules) -> Reason | None:
    """Why a decoded file is left out, or None; a few passes over the text at most."""
    if len(text) > rules.max_bytes:
        return "too large"
    if not text.strip():
        return "empty"
    if len(text) < 1_024 and text.startswith(_LFS):
        return "lfs pointer"
    lower = path.lower()
    if _says_generated(lower, text):
        return "generated"
    if len(text) >= names.NAMELESS_DATA_FROM and _is_unknown(path, text):
        return "data"
    return _by_lines(lower, text)


def _says_generated(path: str, text: str) -> bool:
    if path.endswith(names.TEMPLATES) or names.WORTH_READING.search(path):
        return False
    head = [line for line in text[:_HEAD].split("\n")[:_HEAD_LINES] if _COMMENT.match(line)]
    return any(_GENERATED.search(line) for line in head)


def _is_unknown(path: str, text: str) -> bool:
    """Whether a name without an ending tells nothing of what is in the file."""
    name = path.rpartition("/")[2]
    return "." not in name and not language_of(path, text) and not language_of(name.upper(), "")


def _by_lines(path: str, text: str) -> Reason | None:
    """Minified code and embedded data, told by how long the lines are and what is in them."""
    size = len(text)
    if size < 2_000:
        return None
    suffix = path.rpartition(".")[2]
    long_lines = [line for line in text.split("\n") if len(line) > _LONG]
    share = sum(map(len, long_lines)) / size
    if share >= 0.8:
        if suffix in {"js", "mjs", "cjs", "jsx", "css", "html", "htm"} and _is_dense(long_lines):
            return "minified"
        if suffix in {"json", "xml", "geojson"} and size >= 20_000:
            return "data"
        if size >= 200_000:
            return "data"
    if size >= 100_000 and _is_table(text):
        return "data"
    return None


def _is_dense(lines: list[str]) -> bool:
    """Code without blanks: many brackets and signs, few spaces. A long literal is neither."""
    sample = max(lines, key=len)[:_SAMPLE]
    signs = sum(map(sample.count, "(){}[];,:=.<>"))
    return signs >= 0.08 * len(sample) and sample.count(" ") <= 0.12 * len(sample)


def _is_table(text: str) -> bool:
    """Rows of numbers, or of INSERT statements."""
    start = max(len(text) // 2 - _SAMPLE // 2, 0)
    sample = text[start : start + _SAMPLE]
    numbers = sum(map(sample.count, "0123456789,"))
    if numbers >= 0.5 * len(sample):
        return True
    lines = sample.split("\n")
    inserts = sum(
        line.lstrip().upper().startswith(("INSERT INTO", "('", "(1", "(2")) for line in lines
    )
    return inserts >= 0.5 * len(lines)
