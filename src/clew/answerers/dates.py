"""Days as people say them in a question, written as git and Clew read them.

"since last week" and "as of 31 January 2026" become "since 2026-01-24" and "as of 2026-01-31". It
reads words and a calendar, and looks nothing up.
"""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta
from typing import Final

_MONTHS: Final = "janfebmaraprmayjunjulaugsepoctnovdec"  # three letters each
_MONTH: Final = (
    r"(?P<{0}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_COUNT: Final = r"(?P<{0}>\d{{1,3}}|an?|one|two|three|four|five|six|seven)"
_UNIT: Final = r"(?P<{0}>day|week|month|year)s?"
_NUMBERS: Final = {
    word: number
    for number, words in enumerate(("", "a an one", "two", "three", "four", "five", "six", "seven"))
    for word in words.split()
}
_DAYS: Final = {"day": 1, "week": 7, "month": 30, "year": 365}

_SPOKEN = re.compile(
    r"\b(?P<before>since|after|as\s+of|on|at|until|and|to|between|from|in|within|over|during)\s+"
    r"(?:the\s+(?:end\s+of\s+)?)?(?:"
    rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH.format('m1')},?\s+(?P<y1>\d{{4}})"
    rf"|{_MONTH.format('m2')}\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y2>\d{{4}})"
    rf"|{_MONTH.format('m3')}\s+(?P<y3>\d{{4}})"
    r"|(?P<y4>\d{4})[/.](?P<m4>\d{2})[/.](?P<d4>\d{2})"
    r"|(?P<word>yesterday|today)"
    rf"|{_COUNT.format('n1')}\s+{_UNIT.format('u1')}\s+ago"
    rf"|(?:last|past)\s+{_COUNT.format('n2')}\s+{_UNIT.format('u2')}"
    rf"|(?:last|past)\s+{_UNIT.format('u3')}"
    r"|(?:last|past)\s+(?P<commits>\d{1,3})\s+commits"
    r")(?![\w'’])",
    re.IGNORECASE,
)
_SINCE: Final = frozenset({"since", "after"})
_DURING: Final = frozenset({"in", "within", "over", "during"})


def written(text: str, today: date) -> str:
    """The text with its spoken days as ISO dates; a span of time becomes what it is since."""
    return _SPOKEN.sub(lambda found: _written(found, today), text)


def _written(found: re.Match[str], today: date) -> str:
    before = " ".join(found["before"].lower().split())
    if found["commits"]:
        return f"since HEAD~{found['commits']}" if before in _DURING else found[0]
    month = found["m3"]
    try:
        day = _month_end(found) if month else _day(found, today)
    except (ValueError, OverflowError):
        return found[0]
    if month and before in _SINCE:
        return f"{found['before']} {_day_before(day)}"
    if month and before in _DURING:
        return f"between {_day_before(day)} and {day}"
    lasting = bool(found["u2"] or found["u3"])
    if lasting and before in ("on", "at"):
        return found[0]
    if before in _DURING:
        return f"since {day}" if lasting else found[0]
    return f"{found['before']} {day}"


def _day(found: re.Match[str], today: date) -> date:
    if found["word"]:
        return today - timedelta(days=found["word"].lower() == "yesterday")
    if unit := found["u1"] or found["u2"] or found["u3"]:
        number = (found["n1"] or found["n2"] or "1").lower()
        return today - timedelta(days=_DAYS[unit.lower()] * int(_NUMBERS.get(number, number)))
    if found["y4"]:
        return date(int(found["y4"]), int(found["m4"]), int(found["d4"]))
    month, day = found["m1"] or found["m2"], found["d"] or found["d2"]
    return date(int(found["y1"] or found["y2"]), _number(month), int(day))


def _month_end(found: re.Match[str]) -> date:
    year, month = int(found["y3"]), _number(found["m3"])
    return date(year, month, calendar.monthrange(year, month)[1])


def _day_before(month_end: date) -> date:
    return month_end.replace(day=1) - timedelta(days=1)


def _number(month: str) -> int:
    return _MONTHS.index(month[:3].lower()) // 3 + 1
