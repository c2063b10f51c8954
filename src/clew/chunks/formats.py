"""The formats that Clew reads by their lines, without a grammar.

A format is one entry here, one reader in `readers/` and its tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from clew.chunks.readers.asciidoc import read_asciidoc
from clew.chunks.readers.docker import read_dockerfile
from clew.chunks.readers.json import read_json
from clew.chunks.readers.make import read_makefile
from clew.chunks.readers.markdown import read_markdown
from clew.chunks.readers.plaintext import read_text
from clew.chunks.readers.protobuf import read_protobuf
from clew.chunks.readers.rst import read_rst
from clew.chunks.readers.sql import read_sql
from clew.chunks.readers.tables import read_ini, read_properties, read_toml
from clew.chunks.readers.yaml import read_yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clew.chunks.outline import Outline
    from clew.chunks.prose import Prose

    Reader: TypeAlias = Callable[[Sequence[str]], Outline | Prose]

NOTEBOOK: Final = "notebook"


@dataclass(frozen=True, slots=True)
class Format:
    """One format.

    Attributes:
        name: What Clew calls it, in records and on screens.
        read: Finds its headings or keys; None for notebooks, whose cells are code and prose.
        extensions: File name ends, lower case, with the dot.
        filenames: Whole file names, as they are.
        symbols: What of it is in the symbol table, in words; "" for nothing.
        references: Which names it refers to, in words; "" for none.
    """

    name: str
    read: Reader | None
    extensions: tuple[str, ...]
    filenames: tuple[str, ...] = ()
    symbols: str = ""
    references: str = ""


FORMATS: Final[tuple[Format, ...]] = (
    # --- prose ---
    Format("markdown", read_markdown, (".md", ".markdown", ".mdown", ".mkd", ".mdx")),
    Format("rst", read_rst, (".rst", ".rest")),
    Format("asciidoc", read_asciidoc, (".adoc", ".asciidoc")),
    Format(
        "text",
        read_text,
        (".txt", ".text"),
        ("README", "INSTALL", "LICENSE", "LICENCE", "COPYING", "NOTICE", "AUTHORS", "CONTRIBUTORS",
         "CHANGES", "CHANGELOG", "HISTORY", "NEWS", "TODO", "HACKING", "THANKS", "MAINTAINERS"),
    ),
    Format(
        NOTEBOOK, None, (".ipynb",), symbols="those of its code", references="those of its code"
    ),
    # --- configuration and schemas ---
    Format(
        "yaml",
        read_yaml,
        (".yaml", ".yml"),
        (".clang-format", ".clang-tidy", ".gemrc", ".yamllint"),
        symbols="keys of the first level, jobs, services, Kubernetes resources",
    ),
    Format(
        "toml",
        read_toml,
        (".toml",),
        ("Pipfile",),
        symbols="tables, and settings before the first",
    ),
    Format(
        "json",
        read_json,
        (".json", ".jsonc", ".json5", ".webmanifest", ".code-workspace"),
        (".babelrc", ".eslintrc", ".prettierrc", ".swcrc", ".jshintrc"),
    ),
    Format(
        "ini",
        read_ini,
        (".ini", ".cfg", ".service", ".timer", ".socket", ".desktop"),
        (".editorconfig", ".gitconfig", ".gitmodules", ".flake8", ".pylintrc", ".coveragerc",
         ".npmrc", ".hgrc"),
        symbols="sections",
    ),
    Format(
        "properties",
        read_properties,
        (".properties", ".env"),
        (".env.example", ".env.sample", ".env.template", ".env.dist"),
        symbols="names in capitals",
    ),
    Format(
        "dockerfile",
        read_dockerfile,
        (".dockerfile", ".containerfile"),
        ("Dockerfile", "Containerfile"),
        symbols="named stages, ENV and ARG",
        references="images, and stages copied from",
    ),
    Format(
        "makefile",
        read_makefile,
        (".mk", ".mak"),
        ("Makefile", "makefile", "GNUmakefile", "Makefile.am", "Makefile.in"),
        symbols="targets, variables",
        references="prerequisites, variables, includes",
    ),
    Format(
        "protobuf",
        read_protobuf,
        (".proto",),
        symbols="messages, enums, services, calls, fields, values",
        references="types, imports",
    ),
    Format(
        "sql",
        read_sql,
        (".sql", ".ddl", ".dml", ".psql", ".pgsql", ".plsql", ".pks", ".pkb", ".hql"),
        symbols="tables, views, columns, functions, procedures, triggers, types, indexes",
        references="tables, functions, dbt models",
    ),
)  # fmt: skip

BY_NAME: Final[Mapping[str, Format]] = MappingProxyType({one.name: one for one in FORMATS})
