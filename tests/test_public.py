"""The public Python interface: what `import clew` offers."""

from __future__ import annotations

import asyncio

import pytest

import clew


def test_a_question_is_asked_and_answered_from_python(git_repo, tmp_path):
    repo = git_repo({"mail.py": 'def send_mail(to):\n    """Send one mail."""\n    return to\n'})
    repo.commit("start")
    with clew.open(data=tmp_path / "data", cwd=repo.path) as app:

        async def last() -> clew.Event:
            events = [event async for event in app.ask(clew.Question("where is send_mail?"))]
            return events[-1]

        done = asyncio.run(last())
    assert isinstance(done, clew.DoneEvent)
    assert done.answer.outcome == "answered"
    assert [(c.path, c.verdict) for c in done.answer.citations][:1] == [("mail.py", "verified")]


@pytest.mark.parametrize("name", clew.__all__)
def test_everything_that_is_offered_is_there(name: str):
    assert getattr(clew, name) is not None


def test_what_is_not_offered_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = clew.nothing
