"""The languages that Clew parses, and how a file's language is told.

A language is one entry here, one query file in `queries/` and its tests. What is not listed is
still indexed, by windows. This module reads no file and loads no grammar.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from clew.chunks.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clew.chunks.preprocess import Dialect

_SHEBANG = re.compile(
    r"#![^\n]*?(?:/|\s)(?:env\s+(?:-\S+\s+|\w+=\S*\s+)*)?([\w.+-]+)(?:\s[^\n]*)?(?:\n|$)"
)
_XML = re.compile(r"\s*<(?:\?xml|!DOCTYPE)", re.IGNORECASE)
# What a header of C++ has and one of C has not, outside the lines of a comment.
_CPP = re.compile(
    r"^[ \t]*(?:namespace\b[^;]*\{|template\s*<|using\s+\w|(?:public|private|protected)\s*:"
    r"|class\s+\w[^;*]*[{:]|class\s+\w+;|virtual\s|constexpr\s|#[ \t]*include[ \t]*<\w+>)"
    r"|\bstd::|\boperator\s*[=<>+*/!\[(-]",
    re.MULTILINE,
)
_OBJECTIVE_C = re.compile(r"^[ \t]*(?:@interface|@protocol|@class|@end|#import)\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Language:
    """One language with a grammar.

    Attributes:
        name: What Clew calls it, in records and on screens.
        grammar: What the grammar pack calls it.
        queries: Files of `queries/`, without `.scm`, joined in this order.
        extensions: File name ends, lower case, with the dot.
        filenames: Whole file names, as they are.
        shebangs: Interpreters, without a version.
        heads: What to write before a signature, by the definition's node type, where the
            keyword stands on an outer node.
        implied: Names that say nothing as a reference: `self`, the types every file uses.
        prototypes: Whether a function may be announced before it is defined.
        dialect: Whose preprocessor, or macros, are followed before the parse; "" for none.
        separator: What joins a name's parts where the grammar has one node for all of them; a
            reference is to the last part.
        marks: What may stand around a name and is no part of it.
        clauses: Whether one function is written as several definitions, one after the other.
        annotations: Whether `@word` before a definition is an annotation and no part of it.
    """

    name: str
    grammar: str
    queries: tuple[str, ...]
    extensions: tuple[str, ...]
    filenames: tuple[str, ...] = ()
    shebangs: tuple[str, ...] = ()
    heads: tuple[tuple[str, str], ...] = ()
    implied: frozenset[str] = field(default_factory=frozenset[str])
    prototypes: bool = False
    dialect: Dialect = ""
    separator: str = ""
    marks: str = "\"'`"
    clauses: bool = False
    annotations: bool = True


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LANGUAGES: Final[tuple[Language, ...]] = (
    Language(
        name="python",
        grammar="python",
        queries=("python",),
        extensions=(".py", ".pyi", ".pyw"),
        filenames=("SConstruct", "SConscript", "wscript"),
        shebangs=("python", "pypy", "uv"),
        implied=_words("self cls bool bytes dict float int list object set str tuple"),
    ),
    Language(
        name="javascript",
        grammar="javascript",
        queries=("ecmascript", "javascript"),
        extensions=(".js", ".jsx", ".mjs", ".cjs", ".es6"),
        filenames=("Jakefile",),
        shebangs=("node", "nodejs", "bun"),
    ),
    Language(
        name="typescript",
        grammar="typescript",
        queries=("ecmascript", "typescript"),
        extensions=(".ts", ".mts", ".cts"),
        shebangs=("ts-node", "tsx", "deno"),
    ),
    Language(
        name="tsx",
        grammar="tsx",
        queries=("ecmascript", "typescript", "tsx"),
        extensions=(".tsx",),
    ),
    Language(
        name="go",
        grammar="go",
        queries=("go",),
        extensions=(".go",),
        heads=(
            ("type_spec", "type "),
            ("type_alias", "type "),
            ("const_spec", "const "),
            ("var_spec", "var "),
        ),
        implied=_words(
            "any bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64"
            " rune string uint uint8 uint16 uint32 uint64 uintptr"
        ),
    ),
    Language(name="java", grammar="java", queries=("java",), extensions=(".java",)),
    Language(
        name="rust",
        grammar="rust",
        queries=("rust",),
        extensions=(".rs",),
        shebangs=("rust-script", "cargo"),
        dialect="rust",
    ),
    # --- C, C++, C#, Ruby, PHP, Kotlin, Swift ---
    Language(
        name="c",
        grammar="c",
        queries=("c",),
        extensions=(".c", ".h"),
        prototypes=True,
        dialect="c",
    ),
    Language(
        name="cpp",
        grammar="cpp",
        queries=("c", "cpp"),
        separator="::",
        prototypes=True,
        extensions=(
            *(".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++"),
            *(".ipp", ".tpp", ".txx", ".tcc", ".inl", ".ino", ".cu", ".cuh", ".cppm", ".ixx"),
        ),
        dialect="cpp",
    ),
    Language(
        name="csharp",
        grammar="csharp",
        queries=("csharp",),
        extensions=(".cs", ".csx", ".cake"),
        implied=_words("var value nameof"),
        dialect="csharp",
    ),
    Language(
        name="ruby",
        grammar="ruby",
        queries=("ruby",),
        extensions=(".rb", ".rake", ".gemspec", ".ru", ".podspec", ".jbuilder", ".rabl", ".thor"),
        filenames=(
            *("Rakefile", "Gemfile", "Guardfile", "Capfile", "Thorfile", "Vagrantfile", "Podfile"),
            *("Brewfile", "Dangerfile", "Fastfile", "Appraisals", "Steepfile", "rakefile"),
        ),
        shebangs=("ruby", "jruby", "rake"),
        implied=_words("new raise require require_relative attr_accessor attr_reader attr_writer"),
        marks="\"'`:",
        annotations=False,
    ),
    Language(
        name="php",
        grammar="php",
        queries=("php",),
        extensions=(".php", ".phtml", ".php5", ".php7", ".php8", ".phpt"),
        shebangs=("php",),
        implied=_words("this self static parent"),
    ),
    Language(
        name="kotlin",
        grammar="kotlin",
        queries=("kotlin",),
        extensions=(".kt", ".kts"),
        shebangs=("kotlin", "kotlinc"),
        implied=_words(
            "it this Any Boolean Byte Char Double Float Int Long Nothing Short String Unit"
        ),
    ),
    Language(
        name="swift",
        grammar="swift",
        queries=("swift",),
        extensions=(".swift", ".swiftinterface"),
        shebangs=("swift",),
        implied=_words("self Self Any Bool Character Double Float Int String UInt UInt8 Void"),
    ),
    # --- Scala, shells and scripts, Elixir, Haskell, Zig ---
    Language(
        name="scala",
        grammar="scala",
        queries=("scala",),
        extensions=(".scala", ".sc", ".sbt"),
        filenames=(),
        shebangs=("scala", "amm"),
        implied=_words(
            "this super Any AnyRef Boolean Byte Char Double Float Int Long Nothing Null Option"
            " Short String Unit"
        ),
    ),
    Language(
        name="bash",
        grammar="bash",
        queries=("bash",),
        extensions=(".sh", ".bash", ".zsh", ".ksh", ".bats", ".ebuild"),
        filenames=(".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", "PKGBUILD"),
        shebangs=("sh", "bash", "zsh", "ksh", "dash", "ash", "bats"),
        implied=_words(
            "alias bg break builtin cd command continue declare echo eval exec exit export false fg"
            " getopts hash help jobs kill let local logout printf pwd read readonly return set"
            " shift shopt source test times trap true type typeset ulimit umask unalias unset"
            " wait"
        ),
    ),
    Language(
        name="lua",
        grammar="lua",
        queries=("lua",),
        extensions=(".lua", ".rockspec", ".luau"),
        shebangs=("lua", "luajit", "nvim"),
        implied=_words("self require ipairs pairs print string table tostring type"),
    ),
    Language(
        name="elixir",
        grammar="elixir",
        queries=("elixir",),
        extensions=(".ex", ".exs"),
        shebangs=("elixir",),
        implied=_words("__MODULE__ is_nil"),
        separator=".",
        marks="\"'` :",
        clauses=True,
        annotations=False,
    ),
    Language(
        name="haskell",
        grammar="haskell",
        queries=("haskell",),
        extensions=(".hs", ".hs-boot", ".hsc"),
        shebangs=("runhaskell", "runghc", "stack"),
        separator=".",
        implied=_words("Bool Char Double Int Integer IO Maybe String return pure"),
        clauses=True,
    ),
    Language(
        name="zig",
        grammar="zig",
        queries=("zig",),
        extensions=(".zig", ".zon"),
        implied=_words("self Self std"),
    ),
    # --- schemas and configuration with blocks ---
    Language(
        name="hcl",
        grammar="hcl",
        queries=("hcl",),
        extensions=(".tf", ".tfvars", ".hcl", ".nomad"),
    ),
    Language(
        name="graphql",
        grammar="graphql",
        queries=("graphql",),
        extensions=(".graphql", ".gql", ".graphqls"),
        implied=_words("ID Int Float String Boolean"),
    ),
)

BY_NAME: Final[Mapping[str, Language]] = MappingProxyType({one.name: one for one in LANGUAGES})

_BY_EXTENSION: Final[Mapping[str, str]] = MappingProxyType(
    {end: one.name for one in (*LANGUAGES, *FORMATS) for end in one.extensions}
)
_BY_FILENAME: Final[Mapping[str, str]] = MappingProxyType(
    {name: one.name for one in (*LANGUAGES, *FORMATS) for name in one.filenames}
)
_BY_SHEBANG: Final[Mapping[str, str]] = MappingProxyType(
    {name: one.name for one in LANGUAGES for name in one.shebangs}
)


def language_of(path: str, text: str = "") -> str:
    """Names a file's language by its name, else by its first line; "" when none covers it.

    Args:
        path: POSIX path; only its last part counts.
        text: The file's text, or at least its first line; of a header all of it.
    """
    name = path.rsplit("/", 1)[-1]
    if name == "CMakeLists.txt":
        return ""  # no text
    found = _BY_FILENAME.get(name, "")
    dot = name.rfind(".")
    if not found and dot > 0:
        found = _BY_EXTENSION.get(name[dot:].lower(), "")
    if not found and dot > 0:
        found = _BY_FILENAME.get(name[: name.index(".", 1)], "")  # Dockerfile.dev, README.first
    if found == "c" and name.endswith((".h", ".H")):
        return _header(text)
    if found == "typescript" and _XML.match(text):
        return ""  # Qt keeps its translations in XML files that end in .ts
    if not found and text.startswith("#!"):
        match = _SHEBANG.match(text)
        found = _BY_SHEBANG.get(match[1].rstrip("0123456789."), "") if match else ""
    return found


def _header(text: str) -> str:
    """Which of the languages that share `.h` a header is in, by what it says."""
    if _OBJECTIVE_C.search(text):
        return ""
    return "cpp" if _CPP.search(text) else "c"
