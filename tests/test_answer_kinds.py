"""What each kind of question is answered with: its outcome, its sentences, its citations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clew.answerers.base import Conclude
from support.courier import COURIER, indexed, tell

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clew.index.view import View


@pytest.fixture(scope="module")
def courier(tmp_path_factory: pytest.TempPathFactory) -> Iterator[View]:
    folder: Path = tmp_path_factory.mktemp("courier")
    with indexed(folder, {"courier": COURIER}) as (view,):
        yield view


@pytest.mark.parametrize(
    ("question", "outcome", "sentences", "cited"),
    [
        (
            "where is Parcel defined?",
            "answered",
            ["`Parcel` (class) is defined at `courier/parcels.py:18-34`."],
            ["courier/parcels.py:18-34"],
        ),
        (
            "where is deliver()?",
            "answered",
            ["`deliver` (function) is defined at `courier/sending.py:8-16`."],
            ["courier/sending.py:8-16"],
        ),
        ("where is DELIVER?", "answered", ["`deliver` (function) is defined"], []),
        ("where is cold parcel?", "answered", ["`ColdParcel` (class) is defined"], []),
        (
            "where is Depot?",
            "answered",
            ["`Depot` (class) is defined at `legacy/depot.rb:2-9`.", "> Keeps parcels over night."],
            ["legacy/depot.rb:2-9"],
        ),
        (
            "how does Parcel.send work?",
            "answered",
            [
                "`Parcel.send` calls, in this order:",
                "- `Parcel.check_weight` at `courier/parcels.py:24-27`",
                "- `deliver` at `courier/sending.py:8-16`",
                "`send` is called on 1 line:\n\n- `courier/web.py:15` in `show_parcel`",
            ],
            ["courier/parcels.py:29-34"],
        ),
        (
            "what does check_weight raise?",
            "answered",
            ["- `courier/parcels.py:27`: `raise TooHeavyError(self.weight)`"],
            ["courier/parcels.py:27-27"],
        ),
        (
            "who calls deliver?",
            "answered",
            [
                "`deliver` is called on 1 line:\n\n- `courier/parcels.py:34` in `Parcel.send`",
                "`deliver` is called on 2 lines in tests:\n\n- `tests/test_parcels.py:9-10`",
            ],
            ["courier/parcels.py:34-34", "tests/test_parcels.py:9-10"],
        ),
        (
            "what does Parcel.send call?",
            "answered",
            [
                "`Parcel.send` (method) at `courier/parcels.py:29-34` calls 2 names that",
                "- `Parcel.check_weight` at `courier/parcels.py:24-27`: called at",
                "- `deliver` at `courier/sending.py:8-16`: called at `courier/parcels.py:34`",
                "may be something else:\n\n- `update` at `courier/sending.py:23-25`",
            ],
            ["courier/parcels.py:29-34"],
        ),
        (
            "what does MAX_WEIGHT call?",
            "partial",
            ["`MAX_WEIGHT` (constant) is defined", "It is no function"],
            [],
        ),
        (
            "which functions of zebras does nobody call?",
            "no_answer",
            ["I don't know", "Searched for"],
            [],
        ),
        ("who uses Depot?", "answered", ["No other line of this scope holds that name."], []),
        (
            "who calls argparse?",
            "partial",
            ["No definition of `argparse` is in this scope", "A dependency that isn't indexed"],
            ["courier/cli.py:1-1"],
        ),
        (
            "is there already a helper for delivering to an address?",
            "answered",
            ["The nearest to “delivering to an address” is `deliver` (function)"],
            ["courier/sending.py:8-16"],
        ),
        (
            "does the courier retry?",
            "partial",
            ["Yes or no is not judged here.", "- `settings.yaml:2`: `retry_delay: 15`"],
            ["settings.yaml:2-2"],
        ),
        (
            "why is MAX_WEIGHT 30?",
            "no_answer",
            ["Only the present state was read, not how it came to be.", "@couriers (code owners"],
            [],
        ),
        (
            "how is the espresso machine descaled?",
            "no_answer",
            ["I don't know", "Searched for the words “the espresso machine descaled”"],
            [],
        ),
        ("who calls zebra_stripes?", "no_answer", ["the name “zebra_stripes”"], []),
        ("who uses deliverParcelLater?", "no_answer", ["the name “deliverParcelLater”"], []),
        # Each of its words is there, the name is not.
        ("where is _ring_parcel?", "no_answer", ["I don't know"], []),
        ("who calls _ring_parcel?", "no_answer", ["I don't know"], []),
        ("where is zebra_stripes?", "no_answer", ["I don't know", "the name “zebra_stripes”"], []),
        (
            'where is "what a customer hands" said?',
            "no_answer",
            ["I don't know"],
            [],
        ),
        (
            'where is the text "Bring a parcel to" written?',
            "answered",
            ["These words stand on 1 line:\n\n- `courier/sending.py:9` in `deliver`"],
            ["courier/sending.py:9-9"],
        ),
        (
            "what is the difference between Parcel and Tracker?",
            "answered",
            ["- `Parcel` (class)", "- `Tracker` (struct)"],
            ["courier/parcels.py:18-34", "tracker/main.go:14-16"],
        ),
        ("???", "no_answer", ["The question holds no word that could be looked for."], []),
    ],
)
def test_a_question_gets_the_answer_of_its_kind(
    courier: View, question: str, outcome: str, sentences: list[str], cited: list[str]
):
    told = tell(question, courier)
    assert told.outcome == outcome
    assert [s for s in sentences if s not in told.answer] == []
    assert set(cited) <= set(told.cited)


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        (
            "what is the value of MAX_WEIGHT?",
            ["`MAX_WEIGHT = 30` at `courier/parcels.py:11`", "`docs/guide.md:3`"],
        ),
        ("what is LABELS?", ["`LABELS = {` at `courier/parcels.py:12-15`"]),
        (
            "what is the value of COURIER_PORT?",
            [
                "`courier/web.py:5` (when it is not set)",
                "`ENV COURIER_PORT=9090` at `Dockerfile:2`",
            ],
        ),
        ("what is retry_delay?", ["`retry_delay: 15` at `settings.yaml:2`"]),
        ("what is the value of DefaultRadius?", ["= 250` at `tracker/main.go:11`"]),
        (
            "what is the value of StateSent?",
            ["`StateSent` at `tracker/main.go:7` (this line gives no value by itself)"],
        ),
        ("what is SCALE_LIMIT?", ["= 400;` at `weigher/src/lib.rs:3`"]),
        ("what is the value of Colour.Red?", ['`Red = "red",` at `web/map.ts:6`']),
        ("what is the value of SHELVES?", ["`SHELVES = 12` at `legacy/depot.rb:3`"]),
        (
            "what is the default timeout for deliver?",
            ["timeout: float = 5.0):` at `courier/sending.py:8` in `deliver` (a default)"],
        ),
        ("how many attempts does deliver make?", ["attempts=3", "`courier/sending.py:8`"]),
        ("what is the default speed?", ['`made.add_argument("--speed", default=4)`']),
        ("which port does the server listen on?", ["`ENV COURIER_PORT=9090`"]),
    ],
)
def test_a_value_is_told_by_the_lines_that_assign_it(
    courier: View, question: str, lines: list[str]
):
    told = tell(question, courier)
    assert told.outcome == "answered"
    assert [line for line in lines if line not in told.answer] == []
    assert "if self.weight" not in told.answer  # a comparison assigns nothing


@pytest.mark.parametrize(
    ("question", "count", "names"),
    [
        ("list all errors", "2 found", ["CourierError", "TooHeavyError"]),
        ("list all subclasses of Parcel", "1 found", ["ColdParcel"]),
        ("what implements Weighed?", "1 found", ["impl Weighed for Brick"]),
        ("list the values of Colour", "2 members", ["Colour.Red", "Colour.Blue"]),
        ("list the methods of Tracker", "1 member of", ["Tracker.Locate"]),
        ("list all signals", "2 public names", ["parcel_sent", "parcel_lost"]),
        ("list all routes", "2 routes", ['@app.route("/parcels")', '@app.route("/parcels/<id>")']),
        ("which environment variables are there?", "1 environment variable", ["COURIER_PORT"]),
        ("which cli options are there?", "2 command-line options", ["--speed", "--dry-run"]),
        ("list all traits", "1 found", ["Weighed"]),
        ("list all parcels", "found by name", ["Parcel", "ColdParcel"]),
    ],
)
def test_a_list_says_how_many_and_by_what_they_were_told(
    courier: View, question: str, count: str, names: list[str]
):
    told = tell(question, courier)
    assert count in told.answer
    assert [name for name in names if name not in told.answer] == []
    assert {"by_name", "by_form", "own_members"} & set(told.caveats)


@pytest.mark.parametrize(
    ("question", "outcome", "sentences"),
    [
        (
            "what does courier/sending.py do?",
            "answered",
            ["`courier/sending.py:1-25` is a file of 25 lines.", "> Hands parcels to couriers."],
        ),
        ("where is parcels.py?", "answered", ["> Parcels and what may happen to them."]),
        ("what is in courier/?", "answered", ["`courier/` is a folder with 6 files of its own."]),
        ("what is docs/guide.md?", "answered", ["The section “Guide” at `docs/guide.md:1-7`"]),
        (
            "what does courier/parcel.py do?",
            "partial",
            ["There is no file `courier/parcel.py`", "`courier/parcels.py`"],
        ),
        (
            "what does courier/zebra.py do?",
            "partial",
            ["There is no file `courier/zebra.py`", "`courier/` is a folder with 6 files"],
        ),
    ],
)
def test_a_path_is_told_about_as_what_it_is(
    courier: View, question: str, outcome: str, sentences: list[str]
):
    told = tell(question, courier)
    assert told.outcome == outcome
    assert [s for s in sentences if s not in told.answer] == []


def test_a_call_of_an_unknown_object_is_not_taken_for_a_function_of_that_name(courier: View):
    assert "`update`" not in tell("how does Parcel.send work?", courier).answer


def test_the_evidence_holds_what_the_answer_uses_and_not_every_use_there_is(courier: View):
    told = tell("who calls deliver?", courier)
    lines = {(e.path, e.start_line) for e in told.evidence}
    assert ("courier/parcels.py", 34) in lines
    assert all(e.found_by for e in told.evidence)
    assert len(told.evidence) < 12


def test_a_search_that_time_stopped_is_not_told_as_nothing_found(courier: View):
    question = 'where is "already delivered" said?'
    assert "cut" not in tell(question, courier).caveats
    assert "cut" in tell(question, courier, seconds=-1.0).caveats


def test_an_answer_ends_with_its_one_conclusion(courier: View):
    told = tell("where is Parcel?", courier)
    assert isinstance(told.steps[-1], Conclude)


def test_with_several_sources_the_citation_says_which(tmp_path: Path):
    other = {"courier/parcels.py": "class Parcel:\n    pass\n"}
    with indexed(tmp_path, {"courier": COURIER, "depot": other}) as views:
        told = tell("where is Parcel defined?", *views)
        assert "`depot:courier/parcels.py:1-2`" in told.answer
        assert "`courier:courier/parcels.py:18-34`" in told.answer
        assert {c.verdict for c in told.citations} == {"verified"}
        assert {c.source for c in told.citations} == {"courier", "depot"}


def test_a_hidden_file_is_neither_quoted_nor_listed(tmp_path: Path):
    files = {".env": "SECRET_DOOR=backyard\n", "a.py": "def knock():\n    return 1\n"}
    with indexed(tmp_path, {"house": files}) as (view,):
        from clew.redact import DenyList
        from clew.tools.scope import Scope

        scope = Scope((view,), deny=DenyList([".env"]))
        assert scope.denied(".env")
        told = tell("what is the value of SECRET_DOOR?", view, deny=scope.deny)
        assert "backyard" not in told.text


FOREIGN = {
    "shelf/closing.py": "def closing(shelf):\n    return shelf\n",
    "shelf/store.py": (
        "from contextlib import closing\n\nfrom shelf.tidy import tidy_up\n\n\n"
        "def store(parcel):\n    with closing(parcel):\n        return tidy_up(parcel)\n"
    ),
    "shelf/tidy.py": "def tidy_up(parcel):\n    return parcel\n",
    "run/main.go": (
        'package main\n\nimport "os/exec"\n\n// Command is one thing to do.\n'
        'type Command struct{}\n\nfunc runIt() {\n\texec.Command("ls")\n}\n'
    ),
    "weigh.rs": (
        "pub trait Scale {}\n\nstruct Guard<'a, S: Scale> {\n    scale: &'a S,\n}\n\n"
        "struct Spring;\n\nimpl Scale for Spring {}\n"
    ),
    "web/base.ts": (
        "export class Base {}\nexport class Box<T extends Base> {}\n"
        "export class Child<T> extends Base {}\n"
    ),
    "limits.py": 'DEFAULTS = {\n    "MAX_BOXES": 7,\n}\nK1, K2 = 1.5, 0.75\nTIGHT=3\n',
    "tests/test_limits.py": "def test_boxes(box):\n    box.max_boxes = 90\n",
    "doc/pages.go": "package doc\n\ntype Page struct{}\n",
}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[View]:
    with indexed(tmp_path_factory.mktemp("shelf"), {"shelf": FOREIGN}) as (view,):
        yield view


def test_what_is_made_by_a_call_is_described_and_what_is_plain_is_told(tmp_path: Path):
    files = {
        "web/user.ts": (
            "/** The shape of a user. */\nexport const userSchema = object({\n  name: text(),\n"
            "});\n\nexport const MOST_USERS = 3;\n"
        )
    }
    with indexed(tmp_path, {"web": files}) as (view,):
        made = tell("what does userSchema do?", view)
        assert "`userSchema` (variable) is defined at `web/user.ts:2-4`" in made.answer
        assert "> The shape of a user." in made.answer
        plain = tell("what is MOST_USERS?", view)
        assert "`export const MOST_USERS = 3;` at `web/user.ts:6`" in plain.answer


def test_what_a_dependency_gives_is_not_taken_for_what_is_called_so_here(shelf: View):
    told = tell("what does store do?", shelf).answer
    assert "`tidy_up` at `shelf/tidy.py:1-2`" in told
    assert "closing" not in told
    assert "is called on" not in tell("what does Command do?", shelf).answer


def test_a_bound_of_a_type_parameter_is_no_base(shelf: View):
    told = tell("list all implementations of Scale", shelf).answer
    assert "impl Scale for Spring" in told
    assert "Guard" not in told
    told = tell("list all subclasses of Base", shelf).answer
    assert "Child" in told
    assert "Box" not in told


def test_a_setting_is_looked_up_as_it_is_spelled(shelf: View):
    told = tell("what is the default of MAX_BOXES?", shelf).answer
    assert '`"MAX_BOXES": 7,` at `limits.py:2`' in told
    assert "max_boxes" not in told


@pytest.mark.parametrize("name", ["K1", "TIGHT"])
def test_a_line_that_gives_a_value_is_not_said_to_give_none(shelf: View, name: str):
    told = tell(f"what is the value of {name}?", shelf).answer
    assert "`limits.py:" in told
    assert "gives no value" not in told


def test_a_list_says_how_many_it_left_out(shelf: View):
    assert "In tests, examples and documents: 1 more." in tell("list all structs", shelf).answer
