"""Bytes to text, text to lines: the same lines as git and an editor."""

from __future__ import annotations

import codecs
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.chunks.text import decode, line_count, split_lines

ODD = ["\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\r"]
TEXTS = st.text(alphabet="ab é😀\t\n\r" + "".join(ODD))
NO_SURROGATES = st.text(st.characters(codec="utf-8", exclude_characters="\0\ufeff"))


@given(TEXTS)
def test_all_ways_of_counting_lines_agree(text):
    lines = split_lines(text)
    assert len(lines) == line_count(text)
    assert not any("\n" in line for line in lines)
    kept = [line.removesuffix("\n").removesuffix("\r") for line in re.findall("[^\n]*\n", text)]
    assert lines[: len(kept)] == kept
    assert lines[len(kept) :] == ([text.rpartition("\n")[2]] if text.rpartition("\n")[2] else [])


@given(
    st.lists(st.text(alphabet="ab\t" + "".join(ODD)).filter(lambda line: not line.endswith("\r")))
)
def test_joined_lines_split_into_the_same_lines(lines):
    text = "".join(f"{line}\n" for line in lines)
    assert split_lines(text) == lines
    assert split_lines(text.replace("\n", "\r\n")) == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\n\n", ["a", ""]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("a\r\r\nb\r", ["a\r", "b\r"]),
        ("a\rb\rc", ["a\rb\rc"]),
        ("a\x0cb\u2028c\x85d\x1ce\n", ["a\x0cb\u2028c\x85d\x1ce"]),
    ],
)
def test_a_line_ends_at_a_line_feed_and_nowhere_else(text, lines):
    assert split_lines(text) == lines


def test_lines_are_those_that_git_blame_counts(git_repo):
    body = "def one():\r\n\treturn 1\r\n\r\ndef two():\r\n    return 'é'"
    files = {
        "crlf.py": body.encode(),
        "lf.py": body.replace("\r", "").encode() + b"\n",
        "bom.py": codecs.BOM_UTF8 + body.encode(),
        "mac.py": body.replace("\r\n", "\r").encode(),
        "odd.py": ("a" + "b".join(ODD) + "\n" + "c\x0c\n\x0c\nd").encode(),
        "long.py": b"x" * 100_000 + b"\ny = 1\n",
        "latin.py": body.encode("latin-1"),
        "utf16le.py": codecs.BOM_UTF16_LE + body.encode("utf-16-le"),
        "utf16be.py": codecs.BOM_UTF16_BE + body.encode("utf-16-be") + b"\0\n",
        "no_mark.py": body.encode("utf-16-le"),
        "blank.py": b"\n\n\n",
        "one.py": b"x",
    }
    repo = git_repo(files)
    for path, data in files.items():
        blamed = repo.git("blame", "--line-porcelain", "--", path)
        count = sum(line.startswith("\t") for line in blamed.split("\n"))
        decoded = decode(data)
        assert decoded is not None
        assert line_count(decoded.text) == count, path


@given(NO_SURROGATES)
def test_utf8_is_read_as_it_is_with_or_without_a_mark(text):
    for mark in (b"", codecs.BOM_UTF8):
        decoded = decode(mark + text.encode())
        assert decoded is not None
        assert (decoded.text, decoded.lossy) == (text, False)


@given(NO_SURROGATES, st.sampled_from(["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]))
def test_a_byte_order_mark_says_how_to_read_and_is_not_text(text, encoding):
    decoded = decode("\ufeff".encode(encoding) + text.encode(encoding))
    assert decoded is not None
    assert decoded.text == text
    assert decoded.encoding == encoding


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_recognised(encoding):
    decoded = decode("using System;\r\nclass Größe {}\r\n".encode(encoding))
    assert decoded is not None
    assert decoded.text.endswith("class Größe {}\r\n")
    assert decoded.encoding == encoding


@given(st.binary(max_size=300))
def test_any_bytes_are_text_or_binary_and_never_an_error(data):
    decoded = decode(data)
    if decoded is not None:
        assert "\0" not in decoded.text
        decoded.text.encode("utf-8")
        if not decoded.lossy and not data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
            assert decoded.text.encode(decoded.encoding) == data


@pytest.mark.parametrize(
    "data",
    [
        b"\0" * 5_000,
        b"print(1)\n\0\0",
        b"\x7fELF\x02\x01\x01\0\0",
        bytes(range(256)),
        bytes(range(1, 256)) * 40,
    ],
)
def test_bytes_without_text_are_binary(data):
    assert decode(data) is None


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("# -*- coding: koi8-r -*-\n# привет\n", "koi8-r"),
        ('<?xml version="1.0" encoding="iso-8859-15"?>\n<a>€</a>\n', "iso8859-15"),
        ('<html>\n<head><meta charset="shift_jis"></head>\n日本\n', "shift_jis"),
        ("# coding: hex\n# é\n", "cp1252"),
        ("# coding: no-such-thing\n# €\n", "cp1252"),
        ("plain “quotes”\n", "cp1252"),
    ],
)
def test_what_a_file_says_of_its_encoding_is_believed_when_it_can_be_true(text, encoding):
    written = "cp1252" if encoding == "cp1252" else encoding
    decoded = decode(text.encode(written))
    assert decoded is not None
    assert decoded.text == text
    assert decoded.encoding == encoding


def test_latin1_with_control_bytes_keeps_its_line_numbers():
    decoded = decode(b"caf\xe9\x85\x81\nnext\n")
    assert decoded is not None
    assert split_lines(decoded.text)[1] == "next"
    assert not decoded.lossy


def test_a_damaged_text_with_a_mark_is_read_and_said_to_be_damaged():
    decoded = decode(codecs.BOM_UTF8 + b"a\xff\nb\n")
    assert decoded is not None
    assert decoded.lossy
    assert split_lines(decoded.text) == ["a\ufffd", "b"]
