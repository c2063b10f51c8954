"""find_symbol: definitions, uses, and names that are not here."""

from __future__ import annotations

import pytest

from clew.errors import InputError, NotFoundError
from clew.tools.find_symbol import MAX_DEFINITIONS, MAX_FOLDERS, MAX_USES, find_symbol
from support.fakeview import fake_scope, two_sources

FILES = {
    "src/client.py": (
        "import requests\n"
        "class Client:\n"
        "    def send(self):\n"
        "        return requests.get(1)\n"
        "class Pool:\n"
        "    def send(self):\n"
        "        pass\n"
    ),
    "src/main.py": (
        "from src.client import Client\n\ndef main():\n    Client()\n    ghost(1)\n"
        "    # Client is new\n"
    ),
    "tests/test_client.py": "def test_it():\n    Client()\n",
}


def test_definitions_and_uses_are_found_calls_first() -> None:
    result = find_symbol(fake_scope(FILES), "Client")
    (definition,) = result.data.definitions
    assert (definition.path, definition.line, definition.kind) == ("src/client.py", 2, "class")
    assert [(u.path, u.line, u.kind) for u in result.data.uses] == [
        ("src/main.py", 4, "call"),
        ("src/main.py", 1, "import"),
        ("src/main.py", 6, "use"),
        ("tests/test_client.py", 2, "call"),
    ]
    assert "src/client.py:2-2 class Client" in result.text
    assert "    4: call: Client() [resolved]" in result.text
    assert "in shop @ aaaaaaaaaaaa" in result.text
    assert len(result.evidence) == 5
    assert result.summary == "1 definition, 4 uses"


def test_a_use_is_resolved_by_its_import_else_unique_or_only_text() -> None:
    scope = fake_scope(FILES | {"src/a.py": "send()\n", "src/b.py": "from boto import Client\n"})
    grades = {(u.path, u.grade) for u in find_symbol(scope, "Client").data.uses}
    assert grades == {
        ("src/main.py", "resolved"),
        ("tests/test_client.py", "heuristic"),
        ("src/b.py", "textual"),
    }
    assert {u.grade for u in find_symbol(scope, "send").data.uses} == {"textual"}
    assert {u.grade for u in find_symbol(scope, "Client.send").data.uses} == {"textual"}


def test_a_name_imported_from_a_dependency_is_said_to_be_although_one_is_defined_here() -> None:
    scope = fake_scope(FILES | {"src/b.py": "from boto import Client\nClient()\n"})
    result = find_symbol(scope, "Client", "src/b.py")
    assert "2: call: Client() [textual: from boto]" in find_symbol(scope, "Client").text
    assert {u.origin for u in result.data.uses} == {"boto"}


@pytest.mark.parametrize(
    "name",
    [
        "Client.send",
        "Client#send",
        "Client::send",
        "src::Client::send",
        "client.Client.send()",
        "client.Client.send<T>(x)",
    ],
)
def test_a_qualified_name_is_the_one_inside_its_qualifier(name: str) -> None:
    result = find_symbol(fake_scope(FILES), name)
    assert [d.qualname for d in result.data.definitions] == ["Client.send"]
    assert result.data.qualified


def test_a_qualifier_that_fits_nothing_is_said_to() -> None:
    result = find_symbol(fake_scope(FILES), "Server.send")
    assert [d.qualname for d in result.data.definitions] == ["Client.send", "Pool.send"]
    assert not result.data.qualified
    assert 'No "send" is inside "Server"' in result.text


def test_another_case_is_found_and_said_to_be_another() -> None:
    result = find_symbol(fake_scope(FILES), "CLIENT")
    assert result.data.name == "Client"
    assert 'Nothing is named exactly "CLIENT"; this is "Client"' in result.text
    assert result.data.total_uses == 4


def test_a_name_from_a_dependency_is_said_to_be_from_one() -> None:
    result = find_symbol(fake_scope(FILES), "requests")
    assert result.data.external
    assert "imported from a dependency that isn't indexed" in result.text


def test_a_name_that_is_only_used_is_said_to_be_defined_nowhere() -> None:
    result = find_symbol(fake_scope(FILES), "ghost")
    assert not result.data.external
    assert '"ghost" is used here but defined nowhere in this scope.' in result.text


def test_a_folder_or_a_file_narrows() -> None:
    scope = fake_scope(FILES)
    assert {u.path for u in find_symbol(scope, "Client", "tests").data.uses} == {
        "tests/test_client.py"
    }
    found = find_symbol(scope, "Client", "./src/main.py").data
    assert {u.path for u in found.uses} == {"src/main.py"}
    assert find_symbol(scope, "Client", ".").data.total_uses == 4
    with pytest.raises(NotFoundError, match=r"did you mean src/main\.py"):
        find_symbol(scope, "Client", "lib/main.py")


@pytest.mark.parametrize("name", ["", "  ", "a b", "()", "x" * 501, "::"])
def test_what_is_no_name_is_refused_with_where_to_go_instead(name: str) -> None:
    with pytest.raises(InputError, match="search_code"):
        find_symbol(fake_scope(FILES), name)


def test_hundreds_of_uses_are_counted_by_folder() -> None:
    files = {f"pkg{n % 3}/f{n}.py": "go()\n" * 10 for n in range(30)} | {"go.py": "def go():\n"}
    result = find_symbol(fake_scope(files), "go")
    assert result.data.total_uses == 300
    assert len(result.data.uses) == MAX_USES
    assert "Uses by folder:\n  pkg0/  100 uses\n" in result.text
    assert f"{MAX_USES} of 300 uses shown" in result.cut
    assert result.cut.endswith('narrow with scope_path=…, such as "pkg0"')


def test_many_definitions_are_counted_by_folder_and_the_note_says_how_to_narrow() -> None:
    files = {f"pkg{n % 3}/f{n}.py": "class Job:\n    def run(self):\n" for n in range(32)}
    result = find_symbol(fake_scope(files), "run")
    assert result.data.total_definitions == 32
    assert len(result.data.definitions) == MAX_DEFINITIONS
    by_folder = "Definitions by folder:\n  pkg0/  11 definitions\n  pkg1/  11 definitions\n"
    assert by_folder in result.text
    assert f"{MAX_DEFINITIONS} of 32 definitions shown" in result.cut
    assert result.cut.endswith(
        'narrow with scope_path=…, such as "pkg0" or a qualified name, such as "Job.run"'
    )
    narrowed = find_symbol(fake_scope(files), "run", "pkg0")
    assert (narrowed.data.total_definitions, narrowed.cut) == (11, "")


@pytest.mark.parametrize(
    ("paths", "first", "last"),
    [
        ([f"a{n}/b/c.py" for n in range(30)], "a0/  3 uses", "… and 10 folders more with 30 uses"),
        ([f"a/b/c{n}/d.py" for n in range(30)], "a/b/  90 uses", "a/b/  90 uses"),
        ([f"c{n:02}.py" for n in range(30)], "/  90 uses", "/  90 uses"),
        ([f"a/c{n % 4}/d{n}.py" for n in range(30)], "a/c0/  24 uses", "a/c3/  21 uses"),
    ],
)
def test_folders_are_counted_as_deep_as_few_enough_allow(
    paths: list[str], first: str, last: str
) -> None:
    scope = fake_scope(dict.fromkeys(paths, "go()\n" * 3))
    rows = find_symbol(scope, "go").text.split("Uses by folder:\n")[1].split("\nUses:")[0]
    listed = [row.strip() for row in rows.split("\n")]
    assert (listed[0], listed[-1]) == (first, last)
    assert len(listed) <= MAX_FOLDERS + 1


def test_two_sources_are_told_apart() -> None:
    scope = two_sources({"a.py": "def go():\n"}, {"a.py": "def go():\ngo()\n"})
    result = find_symbol(scope, "go")
    assert "in shop @ aaaaaaaaaaaa, bank @ aaaaaaaaaaaa" in result.text
    assert [d.source for d in result.data.definitions] == ["shop", "bank"]
    assert "shop:a.py:1-1" in result.text
    assert "bank:a.py:1-1" in result.text
