"""Settings: the only reader of the configuration file and of the environment.

Four layers in rising precedence: the defaults written here, the configuration file (TOML), the
environment (`CLEW_…`), and the flags that a surface passes. The file is the one given by
`--config`, else the one `CLEW_CONFIG` names, else `config.toml` in the user's configuration
folder; it is never looked for in the current folder or in a repository that is being asked, since
a repository could then redirect keys or start programs.

A key nobody knows is an error, wherever it stands.
"""

from __future__ import annotations

from clew.settings.reading import (
    CONFIG_VARIABLE,
    DEFAULTS,
    MODEL_VARIABLE,
    SettingRow,
    describe,
    effective,
    load,
)
from clew.settings.sections import (
    AnswerSettings,
    IndexSettings,
    LogSettings,
    McpSettings,
    ModelSettings,
    ResearchSettings,
    SearchSettings,
    ServeSettings,
    Settings,
    SlackSettings,
    SyncSettings,
)
from clew.settings.tags import ChannelSettings, TagSettings

__all__ = [
    "CONFIG_VARIABLE",
    "DEFAULTS",
    "MODEL_VARIABLE",
    "AnswerSettings",
    "ChannelSettings",
    "IndexSettings",
    "LogSettings",
    "McpSettings",
    "ModelSettings",
    "ResearchSettings",
    "SearchSettings",
    "ServeSettings",
    "SettingRow",
    "Settings",
    "SlackSettings",
    "SyncSettings",
    "TagSettings",
    "describe",
    "effective",
    "load",
]
