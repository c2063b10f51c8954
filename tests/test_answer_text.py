"""Whole answers, as a reader gets them, and what holds for every answer there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


WHERE = """\
## Answer

`ColdParcel` (class) is defined at `courier/parcels.py:37-38`.

> A parcel that must stay cold.

## Evidence

`courier/parcels.py:37-38`

```python
class ColdParcel(Parcel):
    \"\"\"A parcel that must stay cold.\"\"\"
```

"""
HOW = """\
`deliver` (function) is defined at `courier/sending.py:8-16`.

> Bring a parcel to an address, and try again when nobody opens.

`deliver` calls, in this order:

- `_ring` at `courier/sending.py:19-20`

`deliver` is called on 1 line:

- `courier/parcels.py:34` in `Parcel.send`

`deliver` is called on 2 lines in tests:

- `tests/test_parcels.py:9-10` in `test_deliver`
"""
USED = """\
`TooHeavyError` (class) is defined at `courier/errors.py:5-6`.

`TooHeavyError` is called on 1 line:

- `courier/parcels.py:27` in `Parcel.check_weight`

Its name stands on 1 more line of this scope.
"""
VALUE = """\
## Answer

It is assigned here:

- `pub const SCALE_LIMIT: u32 = 400;` at `weigher/src/lib.rs:3`

## Evidence

`weigher/src/lib.rs:3`

```rust
pub const SCALE_LIMIT: u32 = 400;
```

"""
LIST = """\
2 found whose name or base is spelled as an error's:

- `CourierError` (class) at `courier/errors.py:1-2` — Everything that goes wrong on the way.
- `TooHeavyError` (class) at `courier/errors.py:5-6`
"""
FILE = """\
`courier/sending.py:1-25` is a file of 25 lines.

> Hands parcels to couriers.

It defines:

- `deliver` (function) at `courier/sending.py:8-16` — Bring a parcel to an address, and try again \
when nobody opens.
- `update` (function) at `courier/sending.py:23-25` — Change a route that is under way.
"""
CHECK = """\
Yes or no is not judged here. These lines bear on it:

- `settings.yaml:2`: `retry_delay: 15`
"""
UNKNOWN = """\
## Answer

I don't know: I found nothing in this code that answers it.

Searched for the words “the espresso machine descaled”: nothing comes near enough.

"""
MISSING = """\
There is no file `courier/parcel.py` at this revision.

The nearest names are: `courier/parcels.py`.
"""


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("how does deliver work?", HOW),
        ("who calls TooHeavyError?", USED),
        ("what is the value of SCALE_LIMIT?", VALUE),
        ("list all errors", LIST),
        ("what does courier/sending.py do?", FILE),
        ("does the courier retry?", CHECK),
        ("how is the espresso machine descaled?", UNKNOWN),
        ("what does courier/parcel.py do?", MISSING),
    ],
)
def test_an_answer_reads_so(courier: View, question: str, text: str):
    assert text in tell(question, courier).text + "\n"


def test_a_whole_answer_of_one_definition(tmp_path: Path):
    files = {"courier/parcels.py": COURIER["courier/parcels.py"]}
    with indexed(tmp_path, {"small": files}) as (view,):
        told = tell("where is ColdParcel defined?", view).text
    related = told[told.index("\nRelated:") : told.index("## Evidence")]
    assert told.replace(related, "\n") == WHERE


SAID = (
    "where is how does what calls who uses value of list all the parcel deliver Parcel.send "
    "MAX_WEIGHT courier/parcels.py courier/ Depot#store retry_delay errors ? `` `deliver` :: . / "
    "tests default timeout subclasses raise return Ünïcode 包裹 \u2028 why when by whom"
)
WORDS = SAID.split(" ")


@settings(max_examples=80, deadline=None)
@given(st.one_of(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join), st.text(max_size=80)))
def test_any_question_ends_in_one_conclusion_and_every_citation_holds(courier: View, text: str):
    told = tell(text, courier)
    assert isinstance(told.steps[-1], Conclude)
    assert sum(isinstance(step, Conclude) for step in told.steps) == 1
    assert {c.verdict for c in told.citations} <= {"verified"}
    bad = ("missing", "unsupported", "out_of_range", "repaired", "numbered")
    assert [w for w in told.warnings if w.startswith(bad)] == []


def test_every_excerpt_is_the_source_letter_by_letter(courier: View):
    told = tell("how does Parcel.send work?", courier)
    blocks = told.text.split("## Evidence")[1].split("```")[1::2]
    source = COURIER["courier/parcels.py"] + COURIER["courier/sending.py"]
    assert blocks
    assert [b for b in blocks if b.partition("\n")[2].rstrip("\n") not in source] == []
