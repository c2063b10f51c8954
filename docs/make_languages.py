# ruff: noqa: INP001 - a script beside the page that it writes, no package
"""Writes `docs/languages.md` from the tables of languages and formats.

python docs/make_languages.py
"""

from __future__ import annotations

from pathlib import Path

from clew.chunks.catalog import page

if __name__ == "__main__":
    Path(__file__).with_name("languages.md").write_text(page(), encoding="utf-8")
