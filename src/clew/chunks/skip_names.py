"""What names tell about files: tables for `skip.py`, all in lower case unless said otherwise."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from clew.chunks.skip import Reason


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# --- folders, by one component of the path ---------------------------------------------------

# Nobody writes code of their own in there.
DEPENDENCY_FOLDERS: Final = _words(
    "node_modules bower_components jspm_packages web_modules .venv .virtualenv site-packages "
    "dist-packages __pypackages__ .tox .nox .eggs .yarn .pnpm-store .gradle .m2 "
    "pods carthage elm-stuff .terraform .stack-work .cabal-sandbox godeps .spago"
)
# The same below them; what stands in them itself configures the tool.
DEPENDENCY_CACHES: Final = frozenset({".cargo", ".bundle"})
# Copies of other people's code by custom; now and then a project keeps its own code so.
VENDOR_FOLDERS: Final = _words(
    "third_party third-party thirdparty 3rdparty 3rd_party _vendor vendored"
)
# `vendor/` is that at the top, below folders for the web, and above a host name or a bundle;
# elsewhere it may well be about vendors.
VENDOR_PARENTS: Final = _words(
    "static assets public js css javascript javascripts stylesheets www web lib libs"
)
VENDOR_CHILDREN: Final = _words("bundle cache composer ruby gems assets")

BUILD_FOLDERS: Final = _words(
    "__pycache__ .mypy_cache .pytest_cache .ruff_cache .hypothesis .next .nuxt .output .svelte-kit "
    ".turbo .parcel-cache .cache .docusaurus .serverless .aws-sam .dart_tool .vercel .netlify "
    "htmlcov lcov-report storybook-static deriveddata _site .idea .vs .angular .expo"
)
# Folders whose name is also a word: output only with one of these right below.
BUILD_BELOW: Final[dict[str, frozenset[str]]] = {
    "target": _words(
        "debug release classes test-classes generated-sources generated-test-sources doc package "
        "site surefire-reports maven-status maven-archiver criterion"
    ),
    "build": _words(
        "static js css assets esm cjs umd es dist classes intermediates outputs generated tmp "
        "reports libs kotlin cmakefiles _deps"
    ),
    "_build": _words("html doctrees latex dev prod test default lib"),
    "obj": _words("debug release x64 x86"),
    "bin": _words("debug release"),
    "public": _words("packs packs-test build"),
}
# Folders that hold output if the file in them is of a kind that bundlers and compilers write.
OUTPUT_FOLDERS: Final = frozenset({"dist", "out"})
OUTPUT_SUFFIXES: Final = (".js", ".mjs", ".cjs", ".css", ".map", ".d.ts", ".html", ".htm", ".json")
# What is written below `build/…`; a build script in a language of its own is not.
BUILD_SUFFIXES: Final = (*OUTPUT_SUFFIXES, ".class", ".o", ".java", ".kt", ".rs", ".xml", ".txt")

SNAPSHOT_FOLDERS: Final = frozenset({"__snapshots__", "__image_snapshots__", "__recordings__"})

# --- whole names and endings -----------------------------------------------------------------

LOCK_FILES: Final = _words(
    "package-lock.json npm-shrinkwrap.json pnpm-lock.yaml pnpm-lock.yml bun.lockb pylock.toml "
    "go.sum go.work.sum packages.lock.json gradle.lockfile package.resolved .terraform.lock.hcl "
    "brewfile.lock.json project.assets.json shrinkwrap.yaml"
)
SNAPSHOT_SUFFIXES: Final = (".snap", ".ambr", ".snapshot", ".approved.txt", ".golden")
MINIFIED: Final = re.compile(r"[.-]min\.(?:js|mjs|cjs|css|html)$|\.bundle\.(?:js|css)$")
SOURCE_MAP: Final = re.compile(r"\.(?:js|mjs|cjs|css|ts)\.map$")
GENERATED: Final = re.compile(
    r"_pb2(?:_grpc)?\.pyi?$|\.pb(?:\.gw|\.validate)?\.(?:go|cc|h|swift|dart)$"
    r"|\.pb(?:enum|json|server|grpc)\.dart$|_(?:grpc_)?pb\.(?:js|d\.ts|ts)$|_pb\.rb$"
    r"|\.(?:g|freezed|gr|config|mocks)\.dart$|\.g(?:\.i)?\.cs$|\.designer\.(?:cs|vb)$"
    r"|\.(?:generated|gen)\.[a-z]{1,5}$|(?:^|/)zz_generated\.[^/]*$|_generated\.(?:go|h|rs|ts)$"
    r"|(?:^|/)(?:moc|qrc|ui)_[^/]*\.(?:cpp|h)$|\.tab\.[ch]c?$|(?:^|/)lex\.yy\.c$"
    r"|(?:^|/)bindata\.go$|\.grpc\.swift$|(?:^|/)gpbmetadata/[^/]*\.php$"
)

_BY_KIND: Final[dict[Reason, str]] = {
    "media": "png jpg jpeg jfif gif webp bmp ico icns tif tiff psd ai eps svg svgz heic avif "
    "xcf sketch fig blend fbx glb gltf stl mp3 mp4 m4a m4v wav ogg oga ogv opus flac aac aiff avi "
    "mov mkv webm wmv mpg mpeg mid midi",
    "font": "ttf otf ttc woff woff2 eot fon pfb",
    "archive": "zip gz tgz bz2 tbz xz txz zst lz4 lzma br 7z rar tar jar war ear aar whl egg gem "
    "crate nupkg vsix deb rpm apk aab ipa dmg iso img cab msi pkg xpi crx",
    "binary": "exe dll so dylib a lib o obj ko elf pyc pyo pyd class wasm bin pdb ilk idb node swf "
    "beam hi dex nib pdf doc docx dot ppt pptx odt odp rtf epub djvu onnx pt pth ckpt safetensors "
    "gguf ggml tflite pb mlmodel joblib mo gmo der crt cer csr gpg sig asc suo xcuserstate "
    "keytab lockb",
    "data": "csv tsv psv jsonl ndjson geojson topojson parquet avro orc arrow feather npy npz h5 "
    "hdf5 pkl pickle sqlite sqlite3 db db3 mdb dbf mat rds rdata dta sav xls xlsx xlsm ods log "
    "dump pcap pcapng har vcf fasta fastq dat ldif mmdb shp shx tfrecord out.txt po pot xlf xliff",
}
SUFFIX_KINDS: Final[dict[str, Reason]] = {
    suffix: kind for kind, suffixes in _BY_KIND.items() for suffix in suffixes.split()
}

# Formats for configuration as much as for data: data from this many bytes on.
DATA_FROM: Final = {
    "json": 100_000,
    "json5": 100_000,
    "jsonc": 100_000,
    "webmanifest": 100_000,
    "xml": 200_000,
    "xsd": 500_000,
    "plist": 100_000,
    "resx": 100_000,
    "arb": 100_000,
    "strings": 100_000,
    "yaml": 500_000,
    "yml": 500_000,
    "toml": 500_000,
    "sql": 1_000_000,
    "txt": 200_000,
    "ipynb": 1_000_000,
    "html": 1_000_000,
    "htm": 1_000_000,
}

# A name without an ending, and no `#!` in its first line: nobody writes that much by hand.
NAMELESS_DATA_FROM: Final = 200_000

# --- what is code ----------------------------------------------------------------------------

NOT_CODE: Final = _words(
    "md markdown mdx rst adoc asciidoc rdoc txt tex json json5 jsonc yaml yml toml ini cfg conf "
    "xml properties lock html htm css scss sass less editorconfig gitignore gitattributes in plist "
    "webmanifest csproj sln vcxproj gradle cmake bzl nix"
)
# Code that sets a project up without being it.
TOOLING: Final = re.compile(
    r"(?:^|/)(?:setup\.py|conftest\.py|noxfile\.py|tasks\.py|gulpfile\.[jt]s|gruntfile\.[jt]s"
    r"|\.eslintrc\.c?js|[^/]*\.config\.[cm]?[jt]s|build\.rs|build\.gradle\.kts)$"
)
# Templates of generated files say "generated" in their first line and are what people write.
TEMPLATES: Final = (
    ".tt",
    ".tmpl",
    ".tpl",
    ".template",
    ".erb",
    ".j2",
    ".jinja",
    ".jinja2",
    ".mustache",
    ".hbs",
    ".ejs",
    ".t4",
)
# Written by a program, and the one place where a database's shape can be read.
WORTH_READING: Final = re.compile(r"(?:^|/)(?:schema\.rb|structure\.sql|schema\.(?:prisma|sql))$")
