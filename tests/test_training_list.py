"""Which repositories the embedding model may learn from, and under which licences."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from training import commands, repositories
from training.licences import FILE_NAMES, licence_of

if TYPE_CHECKING:
    from pathlib import Path

MIT = """The MIT License (MIT)

Copyright (c) 2026 the authors

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction.
"""
BSD2 = """Redistribution and use in source and binary forms, with or without modification,
are permitted. * Redistributions in binary form must reproduce the above copyright notice.
"""
BSD3 = BSD2 + "* Neither the name of the copyright holder nor the names of its contributors may be"
APACHE = "                  Apache License\n            Version 2.0, January 2004\n"
ISC = """Permission to use, copy, modify, and/or distribute this software for any
purpose with or without fee is hereby granted, provided that the notice appears."""
ZERO = ISC.replace(", provided that the notice appears", "")
GPL = "GNU GENERAL PUBLIC LICENSE Version 3, 29 June 2007"


# --- the list --------------------------------------------------------------------------------


def test_nothing_that_retrieval_is_measured_on_is_learned_from() -> None:
    listed = repositories.load()
    assert listed.overlaps() == []
    assert sum(map(len, listed.left_out.values())) >= 90
    assert sum(map(len, listed.held_out.values())) >= 12
    for names in (listed.train, listed.held_out, listed.left_out):
        assert all(name.count("/") == 1 for group in names.values() for name in group)


@pytest.mark.parametrize(
    ("table", "name"),
    [
        ("train", "somebody/Flask"),
        ("held_out", "pallets/flask"),
        ("train", "kept/aside"),
    ],
)
def test_a_left_out_repository_is_refused_under_any_owner(
    tmp_path: Path, table: str, name: str
) -> None:
    tables = {"train": ["one/two"], "held_out": ["kept/aside"]}
    tables[table].append(name)
    path = tmp_path / "list.toml"
    path.write_text(
        f"[train]\npython = {json.dumps(tables['train'])}\n"
        f"[held_out]\npython = {json.dumps(tables['held_out'])}\n"
        '[left_out]\nmeasured = ["pallets/flask"]\n'
    )
    with pytest.raises(ValueError, match=name):
        repositories.load(path)


def test_the_shipped_model_learned_from_listed_repositories_with_known_licences() -> None:
    listed = repositories.load()
    train = {name for group in listed.train.values() for name in group}
    held_out = {name for group in listed.held_out.values() for name in group}
    used = json.loads(commands.USED.read_text())
    assert {name for name, facts in used.items() if not facts["held_out"]} <= train
    assert {name for name, facts in used.items() if facts["held_out"]} <= held_out
    for facts in used.values():
        assert len(facts["commit"]) == 40
        assert facts["licence"]


# --- licences --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (MIT, "MIT"),
        (BSD2, "BSD-2-Clause"),
        (BSD3, "BSD-3-Clause"),
        (APACHE, "Apache-2.0"),
        (ISC, "ISC"),
        (ZERO, "0BSD"),
        ("Boost Software License - Version 1.0 - August 17th, 2003", "BSL-1.0"),
        ("This is free and unencumbered software released into the public domain.", "Unlicense"),
        (MIT + BSD3, "MIT AND BSD-3-Clause"),
    ],
)
def test_a_permissive_licence_is_known_by_its_words(text: str, name: str) -> None:
    assert licence_of({"LICENSE": text}) == name


def test_how_a_licence_is_wrapped_and_quoted_says_nothing() -> None:
    assert licence_of({"LICENSE": MIT.replace(" ", "\n * ").replace('"', "“")}) == "MIT"


@pytest.mark.parametrize(
    "text", [GPL, MIT + GPL, MIT + "Mozilla Public License", "Ask us first.", ""]
)
def test_what_is_not_permissive_or_not_known_gives_none(text: str) -> None:
    assert licence_of({"LICENSE": text}) is None


def test_every_licence_file_has_to_be_permissive() -> None:
    assert licence_of({"LICENSE-MIT": MIT, "LICENSE-APACHE": APACHE}) == "Apache-2.0 OR MIT"
    assert licence_of({"LICENSE": MIT, "COPYING": GPL}) is None
    assert licence_of({}) is None


@pytest.mark.parametrize(
    ("name", "matches"),
    [
        ("LICENSE", True),
        ("License.txt", True),
        ("LICENCE.md", True),
        ("MIT-LICENSE", True),
        ("LICENSE-APACHE", True),
        ("COPYING", True),
        ("UNLICENSE", True),
        ("README.md", False),
        ("licenses.py", False),
    ],
)
def test_licence_files_are_told_by_their_names(name: str, *, matches: bool) -> None:
    assert bool(FILE_NAMES.match(name)) is matches
