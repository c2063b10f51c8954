"""Reads the configuration file and the environment, and nothing else does.

A message names the key, where it came from and what is allowed; it never repeats the value, which
may be a secret. Nothing here builds an object for another part.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import platformdirs
from pydantic import BaseModel, ValidationError
from pydantic_settings import EnvSettingsSource

from clew.errors import SettingsError
from clew.settings.sections import APP, PREFIX, Settings, expanded
from clew.settings.tags import read_tags

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic.fields import FieldInfo

CONFIG_VARIABLE = "CLEW_CONFIG"
MODEL_VARIABLE = "CLEW_MODEL"  # the short name of CLEW_MODEL_ANSWER, which stands over it
SLACK_VARIABLES = {  # Slack's own names, which stand below ours
    "SLACK_BOT_TOKEN": "slack.bot_token",
    "SLACK_APP_TOKEN": "slack.app_token",
    "SLACK_SIGNING_SECRET": "slack.signing_secret",
}
DEFAULTS = "the defaults"

Layer: TypeAlias = dict[str, Any]
Layers: TypeAlias = tuple[tuple[Layer, str], ...]


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting as documented: `key` in the file, `env` in the environment."""

    key: str
    env: str
    default: str
    description: str


def load(
    config: Path | None = None,
    overrides: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Read the settings from all four layers.

    Args:
        config: The file a flag names; it must exist.
        overrides: What flags set, by dotted key such as `search.top`; None means not given.
        environ: The environment; the process's own when None.

    Raises:
        SettingsError: An unknown key, a wrong value, or a file that can't be read.
    """
    return _settings(_layers(config, overrides or {}, environ))


def effective(
    config: Path | None = None,
    overrides: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
) -> dict[str, tuple[object, str]]:
    """Every setting's value as `load` reads it, and where that is from, by key."""
    layers = _layers(config, overrides or {}, environ)
    settings = _settings(layers)
    values = dict(_flatten(settings.model_dump()))
    found = {key: (values[key], _origin(key, layers)) for key in _fields()}
    tags = {f"tags.{name}": tuple(tag.sources) for name, tag in settings.tags.items()}
    return {**found, **{key: (sources, _origin("tags", layers)) for key, sources in tags.items()}}


def _layers(
    config: Path | None, overrides: Mapping[str, object], environ: Mapping[str, str] | None
) -> Layers:
    environ = os.environ if environ is None else environ
    path = _config_path(config, environ)
    return (
        (_file_layer(path) if path else {}, str(path)),
        (_environment_layer(environ), "the environment"),
        (_flag_layer(overrides), "a flag"),
    )


def _settings(layers: Layers) -> Settings:
    merged: Layer = {}
    for layer, _ in layers:
        _merge(merged, layer)
    try:
        return Settings(**merged)
    except ValidationError as error:
        raise _explain(error, layers) from None


def describe() -> tuple[SettingRow, ...]:
    """Every setting with its variable, default, unit and bounds, in the order of the file."""
    return tuple(
        SettingRow(key, _variable(key), _default(key, field), _description(field))
        for key, field in _fields().items()
    )


# --- layers ----------------------------------------------------------------------------------


def _config_path(config: Path | None, environ: Mapping[str, str]) -> Path | None:
    """The file to read, or None when there is only the default place and nothing is there."""
    named, by = config, "--config"
    if named is None and environ.get(CONFIG_VARIABLE):
        named, by = Path(environ[CONFIG_VARIABLE]), CONFIG_VARIABLE
    if named is None:
        default = platformdirs.user_config_path(APP, appauthor=False) / "config.toml"
        return default if default.is_file() else None
    named = expanded(named)
    if not named.is_file():
        raise SettingsError(f"{by} names {named}, which is not a file; correct the path.")
    return named


def _file_layer(path: Path) -> Layer:
    """The file's tables, each key known and of the type that TOML has for it."""
    try:
        layer = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SettingsError(f"{path} can't be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        reason = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "it is not UTF-8"
        raise SettingsError(f"{path} is not valid TOML: {reason}.") from None
    tags = layer.pop("tags", None)
    fields = _fields()
    for key, value in _flatten(layer):
        if key in _sections():
            raise SettingsError(f"{key} in {path} is a table: write [{key}] and its keys below it.")
        if key not in fields:
            raise _unknown(key, str(path), list(fields))
        if not _toml_type_fits(value, fields[key].annotation):
            raise SettingsError(
                f"{key} in {path} has the wrong type: it must be {_allowed(fields[key])}."
            )
    if isinstance(layer.get("data"), str):
        # A relative folder means beside the file that names it, not wherever Clew is started.
        layer["data"] = str(path.parent / expanded(Path(layer["data"])))
    if tags is not None:
        layer["tags"] = read_tags(tags, path)
    return layer


def _environment_layer(environ: Mapping[str, str]) -> Layer:
    known = {_variable(key): key for key in _fields()}
    ours = {name: value for name, value in environ.items() if name.upper().startswith(PREFIX)}
    if MODEL_VARIABLE in ours:
        ours = {_variable("model.answer"): ours.pop(MODEL_VARIABLE), **ours}
    for name in ours:
        if name.upper() not in known and name.upper() != CONFIG_VARIABLE:
            raise _unknown(name, "the environment", [*known, CONFIG_VARIABLE])
    slack = {_variable(key): environ.get(name, "") for name, key in SLACK_VARIABLES.items()}
    ours = {**slack, **{name: value for name, value in ours.items() if value.strip()}}
    source = EnvSettingsSource(Settings)
    source.env_vars = {
        name.lower(): value
        for name, value in ours.items()
        if value.strip() and name.upper() != CONFIG_VARIABLE
    }
    return source()


def _flag_layer(overrides: Mapping[str, object]) -> Layer:
    layer: Layer = {}
    for key, value in overrides.items():
        if key not in _fields():
            raise _unknown(key, "a flag", list(_fields()))
        if value is not None:
            section, _, name = key.rpartition(".")
            (layer.setdefault(section, {}) if section else layer)[name] = value
    return layer


def _merge(into: Layer, layer: Layer) -> None:
    for key, value in layer.items():
        if key in _sections():
            into.setdefault(key, {}).update(value)
        else:
            into[key] = value


# --- keys ------------------------------------------------------------------------------------


def _sections() -> dict[str, type[BaseModel]]:
    return {
        name: field.annotation
        for name, field in Settings.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)
    }


def _fields() -> dict[str, FieldInfo]:
    """Every setting's field by its dotted key, without the tags: their names are the user's."""
    sections = _sections()
    found: dict[str, FieldInfo] = {}
    for name, field in Settings.model_fields.items():
        if name == "tags":
            continue
        if name in sections:
            for inner, inner_field in sections[name].model_fields.items():
                found[f"{name}.{inner}"] = inner_field
        else:
            found[name] = field
    return found


def _flatten(layer: Mapping[str, object]) -> list[tuple[str, object]]:
    """The file's values by dotted key; what stands in no known table keeps its own name."""
    pairs: list[tuple[str, object]] = []
    for name, value in layer.items():
        if name in _sections() and isinstance(value, dict):
            table = cast("dict[str, object]", value)
            pairs.extend((f"{name}.{key}", item) for key, item in table.items())
        else:
            pairs.append((name, value))
    return pairs


def _variable(key: str) -> str:
    return PREFIX + key.replace(".", "_").upper()


def _toml_type_fits(value: object, annotation: object) -> bool:
    """Whether TOML's type is the setting's: text that looks like a number is not a number."""
    if annotation is bool:
        return isinstance(value, bool)
    if annotation is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if annotation is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if annotation == tuple[str, ...]:
        return isinstance(value, list)
    return isinstance(value, str)


# --- words -----------------------------------------------------------------------------------


def _unknown(name: str, where: str, known: list[str]) -> SettingsError:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}."
    return SettingsError(f"{name[:100]} in {where} is not a setting; {hint}")


def _explain(error: ValidationError, layers: Layers) -> SettingsError:
    """The first complaint as one sentence: key, where from, what is allowed."""
    loc = [str(part) for part in error.errors()[0]["loc"]]
    fields = _fields()
    key = next(key for key in (".".join(loc[:2]), loc[0]) if key in fields)
    where = _origin(key, layers)
    said = _variable(key) if where == "the environment" else key
    return SettingsError(f"{said} in {where} is wrong: it must be {_allowed(fields[key])}.")


def _origin(key: str, layers: Layers) -> str:
    """Where a setting's value comes from: the last layer that has it."""
    section, _, name = key.rpartition(".")
    parts = ((layer.get(section, {}) if section else layer, where) for layer, where in layers)
    return [DEFAULTS, *(where for part, where in parts if name in part)][-1]


def _allowed(field: FieldInfo) -> str:
    """What a value may be, such as `a number from 0.1 to 600`."""
    kind = field.annotation
    if kind is bool:
        return "true or false"
    bounds = _bounds(field)
    if "ge" in bounds:
        word = "a whole number" if kind is int else "a number"
        return f"{word} from {bounds['ge']:,} to {bounds['le']:,}"
    if kind == tuple[str, ...]:
        return "a list of texts"
    if kind is Path:
        return "the path of a folder"
    if choices := getattr(kind, "__args__", ()):
        return "one of " + ", ".join(choices)
    return f"a text of {bounds['min_length']:,} to {bounds['max_length']:,} characters"


def _bounds(field: FieldInfo) -> dict[str, float]:
    names = ("ge", "le", "min_length", "max_length")
    return {
        name: getattr(meta, name)
        for meta in field.metadata
        for name in names
        if hasattr(meta, name)
    }


def _default(key: str, field: FieldInfo) -> str:
    if key == "data":
        return "the user's data folder"
    value = field.default
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "none"
    return f"{value:g}" if isinstance(value, float) else str(value) or "none"


def _description(field: FieldInfo) -> str:
    return f"{field.description}; {_allowed(field)}"
