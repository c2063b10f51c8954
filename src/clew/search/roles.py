"""What part a file plays, read from its path: test, document, example, configuration and so on.

Search holds back what people rarely ask for; this says what that is. It reads names only, never
the text, and knows no particular project.
"""

from __future__ import annotations

import re
from enum import IntFlag
from functools import lru_cache
from typing import Final


class Role(IntFlag):
    """Parts that a file may play; source code that plays none of them is 0."""

    TEST = 1
    DOCUMENT = 2
    DOCS_FOLDER = 4
    CONFIG = 8
    EXAMPLE = 16
    VENDORED = 32
    LEGACY = 64
    GENERATED = 128
    PACKAGE_INIT = 256


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Compared in lower case, without leading or trailing underscores.
_FOLDERS: Final[dict[Role, frozenset[str]]] = {
    Role.TEST: _words(
        "test tests spec specs testdata test-data test_data fixtures mocks e2e testsuite "
        "integration-tests unittests androidtest commontest jvmtest"
    ),
    Role.DOCS_FOLDER: _words("doc docs documentation website man manual guides wiki"),
    Role.EXAMPLE: _words(
        "example examples sample samples demo demos tutorial tutorials docs_src bench benches "
        "benchmark benchmarks playground sandbox"
    ),
    Role.CONFIG: _words(".github .circleci .gitlab .vscode .idea .devcontainer"),
    Role.VENDORED: _words(
        "vendor vendored third_party third-party thirdparty 3rdparty external extern deps "
        "node_modules"
    ),
    Role.LEGACY: _words("legacy deprecated obsolete old attic archive"),
    Role.GENERATED: _words("generated autogen"),
}
_NAMES: Final[dict[Role, re.Pattern[str]]] = {
    Role.TEST: re.compile(
        r"^(?:test_.*|.*[_.-](?:test|tests|spec|specs)\.\w+|tests?\.\w+|conftest\.py|.*_test\.\w+)$"
        r"|^.*[a-z0-9](?:Test|Tests|TestCase|Spec|Suite|IT)\.(?:java|kts?|scala|cs|swift|php|groovy|fs|ts|js|rb|hs|lua)$"
        r"|^.*\.(?:test|spec|tests)\.[mc]?[jt]sx?$|\.bats$"
    ),
    Role.DOCUMENT: re.compile(
        r"\.(?:md|mdx|rst|txt|adoc|asciidoc|markdown|org|tex|ipynb|pod|[1-9])$"
        r"|^(?:README|CHANGES|CHANGELOG|HISTORY|LICEN[CS]E|NOTICE|AUTHORS|CONTRIBUTING|COPYING)"
        r"(?:[-_][\w-]+)*$",  # with an extension of code, history.py is a module
        re.IGNORECASE,
    ),
    Role.CONFIG: re.compile(
        r"\.(?:ya?ml|toml|ini|cfg|conf|jsonc?|lock|xml|props|targets|csproj|sln|gradle|gradle\.kts|properties|plist"
        r"|env|editorconfig|cmake|tf|tfvars|hcl|mk|dockerfile)$"
        r"|^(?:(?:Dockerfile|Containerfile)(?:\.\w+)?|Makefile|GNUmakefile|Pipfile|Rakefile|Gemfile|Jenkinsfile|Procfile|CMakeLists\.txt|CODEOWNERS"
        r"|setup\.py|noxfile\.py|Package\.swift|Podfile|Vagrantfile|.*\.config\.[mc]?[jt]s|\..+|.*\.gemspec)$"
    ),
    Role.GENERATED: re.compile(
        r"(?:_pb2(?:_grpc)?\.pyi?|_pb\.(?:rb|js|ts)|\.pb\.\w+|\.g\.\w+|\.generated\.\w+|\.min\.\w+"
        r"|\.[Dd]esigner\.(?:cs|vb)|\.grpc\.swift)$"
    ),
    Role.PACKAGE_INIT: re.compile(
        r"^(?:__init__\.pyi?|index\.[mc]?[jt]sx?|mod\.rs|lib\.rs|package-info\.java|doc\.go)$"
    ),
}
# `Shop.Core.Tests/`, `jvmTest/`, `ShopTests/`: a part of the build, by its name's last word.
_TEST_FOLDER = re.compile(r"(?:[.-][Tt]ests?|[.-][Ss]pecs?|[a-z0-9]Tests?|[a-z0-9]Specs?)$")
_VERSION = re.compile(r"^v\d{1,3}$")


@lru_cache(maxsize=1 << 16)
def role_of(path: str) -> Role:
    """The parts that a file with this path plays, as flags; older versions are not told here."""
    *folders, name = path.split("/")
    role = Role(0)
    for flag, names in _FOLDERS.items():
        # A project's documentation lies at its top; `src/app/docs/` is code about documents.
        where = folders[:1] if flag is Role.DOCS_FOLDER else folders
        if any(folder.lower().strip("_") in names for folder in where):
            role |= flag
    if any(_TEST_FOLDER.search(folder) for folder in folders):
        role |= Role.TEST
    for flag, pattern in _NAMES.items():
        if pattern.search(name):
            role |= flag
    if folders[-1:] == ["api"] and name.endswith(".api"):
        role |= Role.GENERATED  # a list of all that is public, which a plugin of Gradle writes
    return role


def outdated(paths: tuple[str, ...]) -> frozenset[str]:
    """Folders named by a version (`src/v3/`) that stand beside a newer one (`src/v4/`)."""
    versions: dict[str, set[int]] = {}
    for path in paths:
        parts = path.split("/")[:-1]
        for depth, part in enumerate(parts):
            if _VERSION.match(part):
                versions.setdefault("/".join(parts[:depth]), set()).add(int(part[1:]))
    return frozenset(
        f"{parent}/v{number}/".lstrip("/")
        for parent, numbers in versions.items()
        for number in numbers
        if number < max(numbers)
    )
