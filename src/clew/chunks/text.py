r"""From bytes to text, and from text to lines: the one place that says what a line is.

A line ends at "\n" and nowhere else, as for git: not at a lone "\r" (a classic Mac file is one
line, for `git blame` too), not at form feed, U+0085 or U+2028. One "\r" before the "\n" belongs
to the line end. A text that ends in "\n" has no further, empty line.

Nothing here guesses a language, redacts or reads files.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Final

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16 LE, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE: Final = 8_192  # bytes looked at to tell UTF-16 from binary (git looks at 8,000)
_DECLARED: Final = re.compile(
    rb"""coding[:=][ \t]*["']?([-\w.]{1,40})|<\?xml[^>]{0,100}encoding=["']([-\w.]{1,40})["']"""
    rb"""|<meta[^>]{0,100}charset=["']?([-\w.]{1,40})""",
    re.IGNORECASE,
)
_CONTROLS: Final = bytes({*range(32)} - {*b"\t\n\r\f\v\b\x1a\x1b"} - {*range(0x1C, 0x20)})


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text without byte-order mark; `lossy` when some bytes had no character."""

    text: str
    encoding: str
    lossy: bool = False


def decode(data: bytes) -> Decoded | None:
    """The text of a file, or None when it is binary.

    In this order: a byte-order mark; bytes of zero (UTF-16 without a mark, else binary); UTF-8;
    what the file says of itself; Windows-1252; Latin-1, which can read anything.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _with_mark(data[len(mark) :], encoding)
    if b"\0" in data:
        return _utf16(data)
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        pass
    if _many_controls(data):
        return None
    for encoding in (_declared(data), "cp1252"):
        text = _decoded(data, encoding) if encoding else None
        if text is not None:
            return Decoded(text, str(encoding))
    return Decoded(data.decode("latin-1"), "latin-1")


def _decoded(data: bytes, encoding: str) -> str | None:
    """The text, if every byte of it has a meaning and every line end stays one."""
    try:
        text = data.decode(encoding)
    except (UnicodeError, LookupError):  # also for codecs that are not for text, such as "hex"
        return None
    return text if text.count("\n") == data.count(b"\n") else None


def _with_mark(data: bytes, encoding: str) -> Decoded | None:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        if encoding != "utf-8" and b"\n" not in data:
            return None
        return Decoded(data.decode(encoding, "replace"), encoding, lossy=True)
    return None if "\0" in text else Decoded(text, encoding)


def _utf16(data: bytes) -> Decoded | None:
    """UTF-16 without a mark: nearly every second byte is zero, and it decodes to plain text."""
    sample = data[: _SAMPLE & ~1]
    half = len(sample) // 2
    if half < 2 or len(data) % 2:
        return None
    for zeros, encoding in ((sample[1::2], "utf-16-le"), (sample[::2], "utf-16-be")):
        others = sample[::2] if encoding == "utf-16-le" else sample[1::2]
        if zeros.count(0) >= 0.6 * half and others.count(0) == 0:
            try:
                text = data.decode(encoding)
            except UnicodeDecodeError:
                return None
            return (
                None if "\0" in text or _many_controls(text.encode()) else Decoded(text, encoding)
            )
    return None


def _many_controls(data: bytes) -> bool:
    """Control characters that no text has: more than one in fifty of the first bytes."""
    sample = data[:_SAMPLE]
    return (len(sample) - len(sample.translate(None, _CONTROLS))) * 50 > len(sample)


def _declared(data: bytes) -> str | None:
    """The encoding that the first lines name (Python, Ruby, Emacs, XML, HTML)."""
    found = _DECLARED.search(b"\n".join(data[:1_024].split(b"\n", 5)[:5]))
    if found is None:
        return None
    name = next(group for group in found.groups() if group).decode("ascii", "replace").lower()
    try:
        codec = codecs.lookup(name)
    except LookupError:
        return None
    # It is no UTF-8, has no zero bytes, and escapes are not for reading.
    unlikely = ("utf", "unicode", "raw", "idna", "punycode")
    return None if codec.name.startswith(unlikely) else codec.name


def split_lines(text: str) -> list[str]:
    """The lines without their line ends."""
    if not text:
        return []
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
        ended = len(lines)
    else:
        ended = len(lines) - 1
    if "\r" in text:
        lines = [
            line[:-1] if number < ended and line.endswith("\r") else line
            for number, line in enumerate(lines)
        ]
    return lines


def line_count(text: str) -> int:
    """How many lines `split_lines` gives."""
    return text.count("\n") + (0 if not text or text.endswith("\n") else 1)
