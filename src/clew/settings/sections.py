"""What may be set: every key with its type, default, bounds and meaning, in tables.

Nothing here reads a file or the environment; `reading` does, and `docs/settings.md` is held to
this by a test.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import platformdirs
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from clew.settings.tags import TagSettings

PREFIX = "CLEW_"
APP = "clew"


def _split_list(value: object) -> object:
    """Let a variable hold a list: items parted by commas."""
    if isinstance(value, str):
        return tuple(item.strip() for item in value.split(",") if item.strip())
    return value


def _absolute(value: object) -> object:
    return expanded(Path(value)).resolve() if isinstance(value, str | Path) else value


def expanded(path: Path) -> Path:
    """The path with `~` and `~name` resolved, as far as they are anybody's."""
    try:
        return path.expanduser()
    except RuntimeError:  # "~name" of nobody on this machine
        return path


def _data_folder() -> Path:
    return platformdirs.user_data_path(APP, appauthor=False)


Globs: TypeAlias = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split_list)]
Folder: TypeAlias = Annotated[Path, BeforeValidator(_absolute)]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class SyncSettings(_Section):
    """How sources are brought up to date before a question."""

    timeout: float = Field(
        default=5.0, ge=0.1, le=600, description="seconds a refresh of a known source may take"
    )
    first_timeout: float = Field(
        default=600.0, ge=1, le=86_400, description="seconds the first fetch of a source may take"
    )
    allow_private: bool = Field(
        default=False, description="allow URLs of loopback, link-local and private addresses"
    )


class IndexSettings(_Section):
    """What is indexed."""

    max_file_bytes: int = Field(
        default=2_000_000,
        ge=1_000,
        le=100_000_000,
        description="bytes above which a file is skipped",
    )
    deny: Globs = Field(
        default=(), description="more globs (as in .gitignore) of files that nothing may show"
    )
    workers: int = Field(
        default=0,
        ge=0,
        le=64,
        description="processes that read files (100 MB each); 0 for one a core, at most 8",
    )


class SearchSettings(_Section):
    """How search answers."""

    top: int = Field(default=10, ge=1, le=100, description="files that a search returns")
    floor: float = Field(
        default=1.1,
        ge=0,
        le=5,
        description="what a span must cover of the question to be relevant (see decision 0006)",
    )


class AnswerSettings(_Section):
    """What an answer holds."""

    strict: bool = Field(
        default=False, description="remove what can't be verified instead of marking it"
    )
    unknown_text: str = Field(
        default="I don't know: I found nothing in this code that answers it.",
        min_length=1,
        max_length=1_000,
        description="the text of an answer without enough evidence (characters)",
    )
    evidence_max: int = Field(
        default=12, ge=1, le=100, description="spans an answer lists as evidence"
    )


class ModelSettings(_Section):
    """Which models are asked, one line a role, and how."""

    answer: str = Field(
        default="",
        min_length=0,
        max_length=200,
        description="the model that answers, as provider:name; none: answers are made by rule",
    )
    embed: str = Field(
        default="static",
        min_length=1,
        max_length=500,
        description="what makes the vectors: static (comes with Clew), none, openai:NAME, "
        "model2vec:/path or sentence-transformers:/path",
    )
    rerank: str = Field(
        default="",
        min_length=0,
        max_length=500,
        description="what reads the best results again: cohere:NAME, jina:NAME, openai:NAME, "
        "tei:NAME or sentence-transformers:/path",
    )
    rerank_seconds: float = Field(
        default=5.0, ge=0.1, le=60, description="seconds that this may take for one search"
    )
    steps: Literal["auto", "tools", "json"] = Field(
        default="auto", description="how a model asks for tools; auto tries calls, then JSON"
    )
    context: int = Field(
        default=0,
        ge=0,
        le=10_000_000,
        description="tokens the model reads at most; 0 for what is known of it",
    )
    output_tokens: int = Field(
        default=4_096, ge=100, le=200_000, description="tokens of the longest reply"
    )
    timeout: float = Field(
        default=60.0, ge=0.1, le=3_600, description="seconds to wait for each piece of a reply"
    )
    retries: int = Field(
        default=2, ge=0, le=10, description="how often a failed request is sent again"
    )


class ResearchSettings(_Section):
    """What one question may take when a model answers it."""

    turns: int = Field(default=12, ge=1, le=100, description="turns of the model")
    tokens: int = Field(
        default=400_000, ge=100, le=100_000_000, description="tokens read and written"
    )
    cost: float = Field(
        default=1.0, ge=0, le=1_000, description="US dollars, where the model's price is known"
    )
    seconds: float = Field(default=180.0, ge=1, le=3_600, description="wall time")


class SlackSettings(_Section):
    """How Slack is reached; what is answered there, the tags say."""

    bot_token: SecretStr = Field(
        default=SecretStr(""),
        min_length=0,
        max_length=500,
        description="the app's bot token, begins with xoxb- (or SLACK_BOT_TOKEN)",
    )
    app_token: SecretStr = Field(
        default=SecretStr(""),
        min_length=0,
        max_length=500,
        description="its app-level token for Socket Mode, begins with xapp- (or SLACK_APP_TOKEN)",
    )
    signing_secret: SecretStr = Field(
        default=SecretStr(""),
        min_length=0,
        max_length=500,
        description="its signing secret for events over HTTP (or SLACK_SIGNING_SECRET)",
    )
    at_once: int = Field(
        default=4, ge=1, le=64, description="questions that are answered at the same time"
    )
    api: str = Field(
        default="https://slack.com/api/",
        min_length=8,
        max_length=200,
        description="where Slack's API is",
    )


class McpSettings(_Section):
    """How agents are answered over the Model Context Protocol."""

    toolset: Literal["lean", "full"] = Field(
        default="lean", description="the tools that are offered: the few that do most, or all"
    )
    max_tokens: int = Field(
        default=10_000, ge=1_000, le=100_000, description="tokens that a tool's result may have"
    )
    results: Literal["auto", "both", "text"] = Field(
        default="auto",
        description="text, or data beside it; auto leaves data out where it would hide the text",
    )
    seconds: float = Field(
        default=50.0, ge=1, le=3_600, description="seconds an answer may take, if not told else"
    )
    wait: float = Field(
        default=20.0, ge=0, le=600, description="seconds a call waits for an index being built"
    )


class ServeSettings(_Section):
    """Where Clew listens, and which names it is reached by."""

    host: str = Field(
        default="127.0.0.1", min_length=1, max_length=255, description="the address to listen on"
    )
    port: int = Field(default=8765, ge=0, le=65_535, description="the port to listen on")
    hosts: Globs = Field(
        default=(), description="names that it is reached by besides, as in the Host header"
    )
    origins: Globs = Field(
        default=(), description="origins of web pages that may call it, as https://example.org"
    )
    tokens: Literal["remote", "always"] = Field(
        default="remote", description="who needs a token: whoever isn't on this machine, or all"
    )


class LogSettings(_Section):
    """What is logged, to standard error."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="warning", description="the least severe level that is logged"
    )
    format: Literal["text", "json"] = Field(default="text", description="how a log line is written")


class Settings(BaseSettings):
    """Every setting, frozen. Build it with `load()`; the constructor reads nothing by itself."""

    model_config = SettingsConfigDict(
        frozen=True,
        extra="forbid",
        env_prefix=PREFIX,
        env_nested_delimiter="_",
        env_nested_max_split=1,
        env_ignore_empty=True,
    )

    data: Folder = Field(
        default_factory=_data_folder, description="folder of mirrors, indexes and records"
    )
    sync: SyncSettings = SyncSettings()
    index: IndexSettings = IndexSettings()
    search: SearchSettings = SearchSettings()
    answer: AnswerSettings = AnswerSettings()
    model: ModelSettings = ModelSettings()
    research: ResearchSettings = ResearchSettings()
    slack: SlackSettings = SlackSettings()
    mcp: McpSettings = McpSettings()
    serve: ServeSettings = ServeSettings()
    log: LogSettings = LogSettings()
    tags: dict[str, TagSettings] = Field(
        default_factory=dict[str, TagSettings], description="named scopes, see docs/tags.md"
    )

    @classmethod
    def settings_customise_sources(  # noqa: D102 - documented by pydantic-settings
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - the base class sets these names
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - same
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - same
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - same
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)
