"""Answers are checked against a real index of a real repository, with the files people have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clew.sources.locate import locate
from clew.sources.sync import sync
from support.gated import check_text
from support.gitrepo import GitRepo
from support.indexes import view_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.index.view import View
    from clew.types import Citation

KEY = "AKIA" + "Z7QWERTY5ZXCVB3N"
BODY = "one\ntwo\ndef target():\n    return 'planted words'\nfive\n"
LONG = "x" * 100_000
FILES: dict[str, str | bytes] = {
    "plain.py": BODY,
    "crlf.py": BODY.replace("\n", "\r\n"),
    "bom.py": "\ufeff" + BODY,
    "feed.py": BODY.replace("one", "o\x0cne"),
    "separators.py": BODY.replace("one", "'o\u2028n\u2029e\x85'"),
    "return.py": BODY.replace("two", "t\rwo"),
    "tabs.py": BODY.replace("    ", "\t"),
    "no_end.py": BODY.removesuffix("\n"),
    "long.py": BODY.replace("two", LONG),
    "utf16.py": BODY.encode("utf-16"),
    "latin1.py": BODY.replace("one", "# \xe9t\xe9").encode("latin-1"),
    "sub dir/my file.py": BODY,
    "Makefile": "all:\n\ttarget\n",
    "модуль.py": BODY,
    "app/[id]/(group)/page.tsx": "export function Page() {\n  return null\n}\n",
    "config.py": f'first = 1\naws_key = "{KEY}"\nlast = 3\n',
    "logo.png": b"\x89PNG\r\n\x1a\n\0\0",
    "vendor/lib.js": "function vendored() {}\n",
}


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, View]]:
    folder = tmp_path_factory.mktemp("verify")
    opened: dict[str, View] = {}
    for name, files in {"shop": FILES, "bank": {"plain.py": "def other():\n    pass\n"}}.items():
        repo = GitRepo(folder / name)
        for path, content in files.items():
            repo.write(path, content)
        repo.commit("first")
        source = locate(str(repo.path), cwd=repo.path)
        opened[name] = view_of(sync(source, folder / "data"), folder / f"{name}.db")
    yield opened
    for view in opened.values():
        view.close()


@pytest.fixture
def shop(views: dict[str, View]) -> Sequence[View]:
    return [views["shop"]]


def only(text: str, views: Sequence[View]) -> Citation:
    gated = check_text(text, views)
    (citation,) = gated.citations
    assert "unverified" not in gated.text or citation.verdict != "verified"
    return citation


TEXTS = [path for path in FILES if path.endswith(".py") and path != "config.py"]


@pytest.mark.parametrize("path", TEXTS)
def test_the_line_that_is_checked_is_the_line_that_git_shows(
    path: str, shop: Sequence[View]
) -> None:
    assert only(f'`target` says "planted words" (`{path}:3-4`).\n', shop).verdict == "verified"
    assert only(f'It says "planted words" (`{path}:4`).\n', shop).verdict == "verified"
    assert only(f'It says "planted words" (`{path}:2-3`).\n', shop).verdict == "unsupported"
    assert only(f"See `{path}:5`.\n", shop).verdict == "verified"
    assert only(f"See `{path}:6`.\n", shop).verdict == "missing"


@pytest.mark.parametrize("path", ["plain.py", "crlf.py", "bom.py", "feed.py", "utf16.py"])
def test_a_wrong_line_is_repaired_from_the_real_symbols(path: str, shop: Sequence[View]) -> None:
    gated = check_text(f"`target` is at {path}:1.\n", shop)
    assert gated.text == f"`target` is at {path}:3-4.\n"
    assert gated.citations[0].verdict == "repaired"


@pytest.mark.parametrize(
    "text",
    [
        "see sub dir/my file.py:3",
        "see `sub dir/my file.py:3`",
        "see [it](sub%20dir/my%20file.py#L3)",
        "see app/[id]/(group)/page.tsx:1-3",
        "see `Makefile:2`",
        "see .\\sub dir\\my file.py:3".replace("\\sub dir\\my file", "/модуль"),
    ],
)
def test_odd_paths_open(text: str, shop: Sequence[View]) -> None:
    assert only(text, shop).verdict == "verified"


@pytest.mark.parametrize("path", ["logo.png", "vendor/lib.js"])
def test_files_without_text_exist_and_their_lines_are_not_vouched_for(
    path: str, shop: Sequence[View]
) -> None:
    document = shop[0].document(path)
    assert document is not None
    assert document.skip
    assert "not indexed" in only(f"see {path}:1", shop).note
    assert check_text(f"see {path} too", shop).text == f"see {path} too"


def test_a_secret_in_the_code_can_not_be_confirmed_by_asking(shop: Sequence[View]) -> None:
    gated = check_text(
        f'The key is "{KEY}" (`config.py:2`). And `first` is at config.py:1.\n', shop
    )
    assert KEY not in gated.text
    assert "[REDACTED:" in gated.text
    assert gated.citations[-1].verdict == "verified"


def test_names_in_no_symbol_table_are_found_in_the_text(shop: Sequence[View]) -> None:
    assert check_text("The `aws_key` is set.\n", shop).text == "The `aws_key` is set.\n"
    assert "no such name" in check_text("The `gcp_key` is set.\n", shop).text


def test_the_same_file_in_two_repositories(views: dict[str, View]) -> None:
    both = list(views.values())
    gated = check_text("`other` is at `plain.py:1-2`.\n", both)
    assert gated.text == "`other` is at `bank:plain.py:1-2`.\n"
    assert gated.citations[0].revision == views["bank"].revision.id
    assert "it may be shop:plain.py or bank:plain.py" in check_text("See plain.py:1.\n", both).text
