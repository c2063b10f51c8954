"""The `[tags.NAME]` tables of the configuration file: named scopes, and who may use them.

They can stand in the file only. A variable or a flag could be set by whoever starts Clew for
somebody else, and a tag is a right. Sources are taken as they are written, relative paths beside
the file; whether they can be read shows when they are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clew.errors import SettingsError

if TYPE_CHECKING:
    from pathlib import Path

MAX_TAGS = 200
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_CHANNEL = r"^[CG][A-Z0-9]{2,20}$"  # Slack's ids of channels; a name can be given to another one
_SAID = {
    "sources": "a list of repositories, at least one, each as --repo takes it",
    "about": "a text of at most 300 characters",
    "instructions": "a text of at most 8,000 characters",
    "no_answer": "a text of at most 1,000 characters",
    "slack": 'a list of {channel = "C…", mode = "mention" or "questions"}',
}


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ChannelSettings(_Table):
    """A Slack channel that may use a tag, and when it is answered there."""

    channel: str = Field(pattern=_CHANNEL)
    mode: Literal["mention", "questions"] = "mention"


class TagSettings(_Table):
    """One tag."""

    sources: list[str] = Field(min_length=1, max_length=1_000)
    about: str = Field(default="", max_length=300)
    instructions: str = Field(default="", max_length=8_000)
    no_answer: str = Field(default="", max_length=1_000)
    slack: list[ChannelSettings] = Field(default_factory=list[ChannelSettings], max_length=1_000)


def read_tags(tables: object, file: Path) -> dict[str, TagSettings]:
    """The tags of a file, each checked.

    Raises:
        SettingsError: A name, a key or a value is wrong, or a channel stands in two modes.
    """
    if not isinstance(tables, dict):
        raise SettingsError(f"tags in {file} is a table: write [tags.NAME] and its keys below it.")
    found: dict[str, TagSettings] = {}
    for name, table in cast("dict[str, Any]", tables).items():
        if not _NAME.fullmatch(name):
            raise SettingsError(
                f"tags.{name[:60]!a} in {file} is no name of a tag: use 1 to 40 small letters, "
                "digits, - and _."
            )
        found[name] = _tag(name, table, file)
    if len(found) > MAX_TAGS:
        raise SettingsError(f"tags in {file} has {len(found):,} tags; at most {MAX_TAGS} can be.")
    _check_modes(found, file)
    return found


def _tag(name: str, table: object, file: Path) -> TagSettings:
    if not isinstance(table, dict):
        raise SettingsError(f"tags.{name} in {file} is a table: write [tags.{name}].")
    values = cast("dict[str, Any]", table)
    unknown = [key for key in values if key not in TagSettings.model_fields]
    if unknown:
        known = ", ".join(TagSettings.model_fields)
        raise SettingsError(
            f"tags.{name}.{unknown[0][:60]} in {file} is no setting; known: {known}."
        )
    try:
        tag = TagSettings.model_validate(values)
    except ValidationError as error:
        key = str(error.errors()[0]["loc"][0])
        raise SettingsError(f"tags.{name}.{key} in {file} must be {_SAID[key]}.") from None
    if not all(source.strip() for source in tag.sources):
        raise SettingsError(f"tags.{name}.sources in {file} must be {_SAID['sources']}.")
    return tag.model_copy(update={"sources": [_beside(source, file) for source in tag.sources]})


def _beside(source: str, file: Path) -> str:
    """A source as it is written, a relative path from the folder of the file that names it."""
    if ":" in source or source.startswith(("/", "~", "-")):
        return source  # an address, a whole path, or what will be refused
    return str(file.resolve().parent / source)


def _check_modes(tags: dict[str, TagSettings], file: Path) -> None:
    modes: dict[str, str] = {}
    for name, tag in tags.items():
        for each in tag.slack:
            if modes.setdefault(each.channel, each.mode) != each.mode:
                raise SettingsError(
                    f"tags.{name}.slack in {file} has channel {each.channel} in another mode than "
                    "before: give a channel one mode in all its tags."
                )
