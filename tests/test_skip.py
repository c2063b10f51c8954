"""What is left out, with its reason, and what is not."""

from __future__ import annotations

import hashlib
import time
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.chunks.skip import Reason, SkipRules, explain, relax, skip_content, skip_path
from clew.types import TreeEntry
from support.snapshots import oid_of

RULES = SkipRules()


def entry(path, size=1_000, kind="file"):
    return TreeEntry(path, "0" * 40, size, kind)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("node_modules/left-pad/index.js", "dependency"),
        ("web/node_modules/x/y.py", "dependency"),
        (".venv/bin/activate.py", "dependency"),
        ("env/lib/python3.12/site-packages/requests/api.py", "dependency"),
        ("vendor/github.com/spf13/cobra/command.go", "dependency"),
        ("cmd/vendor/golang.org/x/net/http.go", "dependency"),
        ("static/vendor/jquery.js", "dependency"),
        ("third_party/zlib/inflate.c", "dependency"),
        ("pip/_vendor/urllib3/poolmanager.py", "dependency"),
        ("ios/Pods/AFNetworking/a.m", "dependency"),
        (".cargo/registry/src/serde/lib.rs", "dependency"),
        (".bundle/gems/rack/lib/rack.rb", "dependency"),
        ("dist/index.js", "build output"),
        ("packages/a/dist/a.d.ts", "build output"),
        (".next/server/app.js", "build output"),
        ("target/debug/build/x.rs", "build output"),
        ("build/static/js/main.js", "build output"),
        ("app/build/generated/source/R.java", "build output"),
        ("build/lib/package/module.py", "build output"),
        ("a/__pycache__/b.py", "build output"),
        ("package-lock.json", "lock file"),
        ("Cargo.lock", "lock file"),
        ("go.sum", "lock file"),
        ("api/user_pb2.py", "generated"),
        ("api/user.pb.go", "generated"),
        ("lib/model.g.dart", "generated"),
        ("Form1.Designer.cs", "generated"),
        ("Sources/shop.grpc.swift", "generated"),
        ("lib/shop_pb.rb", "generated"),
        ("assets/app.min.js", "minified"),
        ("assets/app.js.map", "source map"),
        ("tests/__snapshots__/a.py", "snapshot"),
        ("tests/view.snap", "snapshot"),
        ("data/rows.csv", "data"),
        ("logo.svg", "media"),
        ("a/b.woff2", "font"),
        ("x.tar.gz", "archive"),
        ("lib/x.so", "binary"),
        ("deploy/.env", "denied"),
        ("secrets/server.key", "denied"),
        ("d/" * 2_000, "path too long"),
    ],
)
def test_what_is_not_worth_searching_is_left_out_by_its_path(path, reason):
    assert skip_path(entry(path), RULES) == reason
    assert explain(reason) != reason


@pytest.mark.parametrize(
    "path",
    [
        "src/app.py",
        "Dockerfile",
        "Makefile",
        ".gitignore",
        "README.md",
        "src/vendor/service.ts",
        "com/acme/vendor/Vendor.java",
        "src/cmd/dist/build.go",
        "build/webpack.config.js",
        "build/lib/compile.ts",
        "src/build/builder.py",
        "src/target/x86.rs",
        "lib/target/machine.c",
        "io/out/Writer.java",
        "bin/run.rb",
        "obj/loader.c",
        "coverage/control.py",
        "packages/core/env.ts",
        "src/lock.rs",
        "src/generated_names.py",
        "types/index.d.ts",
        "package.json",
        "db/schema.rb",
        "src/snapshot.ts",
        "src/minify.js",
        "config.toml",
        ".cargo/config.toml",
        ".bundle/config",
        ".github/workflows/ci.yml",
        "src/media.py",
        "a/.env.example",
    ],
)
def test_code_whose_path_only_resembles_those_is_kept(path):
    assert skip_path(entry(path), RULES) is None


def test_links_submodules_and_empty_files_are_named():
    assert skip_path(entry("a", kind="symlink"), RULES) == "symlink"
    assert skip_path(entry("a", kind="submodule"), RULES) == "submodule"
    for oid in (oid_of(b""), hashlib.sha256(b"blob 0\0").hexdigest()):
        assert skip_path(TreeEntry("a.py", oid, 0, "file"), RULES) == "empty"


def test_a_file_whose_size_git_cannot_tell_is_read_and_found_missing():
    assert skip_path(entry("a.py", size=0), RULES) is None


@pytest.mark.parametrize("size", [70_000, 700_000])
def test_large_files_of_real_code_are_kept(size):
    code = "".join(
        f"def step_{n}(value):\n    return value + {n}  # number {n}\n\n" for n in range(size // 50)
    )
    assert len(code) >= size
    assert skip_path(entry("src/steps.py", len(code)), RULES) is None
    assert skip_content("src/steps.py", code, RULES) is None


def test_monsters_are_left_out_before_they_are_read():
    assert skip_path(entry("src/one_line.js", 5_000_000), RULES) == "too large"
    assert skip_path(entry("fixtures/all.json", 60_000_000), RULES) == "data"
    assert skip_path(entry("config/app.json", 3_000), RULES) is None
    assert skip_path(entry("api/openapi.yaml", 90_000), RULES) is None


@pytest.mark.parametrize(
    "head",
    [
        "// Code generated by stringer; DO NOT EDIT.\n\npackage a\n",
        "# Generated by the protocol buffer compiler.  DO NOT EDIT!\nimport a\n",
        "/* @generated by relay */\nexport const a = 1;\n",
        "/**\n * @generated SignedSource<<abc>>\n */\n",
        "// <auto-generated>\n//     by a tool\n// </auto-generated>\n",
        "# This file is automatically generated from unicode data.\nA = 1\n",
        "// GENERATED CODE - DO NOT MODIFY BY HAND\n",
        "/* eslint-disable */\n// Auto-generated by x, do not edit\n",
    ],
)
def test_a_generated_file_says_so_in_its_first_lines(head):
    assert skip_content("src/a.go", head + "x = 1\n" * 50, RULES) == "generated"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("gen.go", 'package gen\n\nconst head = "// Code generated by gen. DO NOT EDIT."\n'),
        ("a.go.tmpl", "// Code generated by gen. DO NOT EDIT.\npackage {{.Name}}\n"),
        ("db/schema.rb", "# This file is auto-generated from the current state\n# do not edit\n"),
        ("0001_initial.py", "# Generated by Django 5.0 on 2024-01-01\nfrom django.db import a\n"),
        ("a.py", '"""Finds generated files."""\n\n# Tokens generated here are random.\n'),
        ("a.py", "x = 1\n" * 30 + "# Code generated by x. DO NOT EDIT.\n"),
        ("a.java", "/** {@link Generated} marks code generated by tools. */\nclass A {}\n"),
    ],
)
def test_code_about_generating_is_kept(path, text):
    assert skip_content(path, text, RULES) is None


def test_minified_code_is_told_by_its_lines():
    bundle = "/*! License */\n" + "!function(e,t){var n=t[e];return n(e)};a.b=c(d,{e:1});" * 400
    assert skip_content("assets/app.js", bundle, RULES) == "minified"
    assert skip_content("assets/app.css", ".a{b:c;d:e(f)}.g>h{i:j}" * 400, RULES) == "minified"


def test_code_beside_a_line_of_100_000_characters_is_kept():
    for path, line in (("a.py", "x = '" + "a" * 100_000 + "'"), ("a.js", "s='" + "ab " * 33_000)):
        assert skip_content(path, f"{line}\n\ndef after():\n    return 1\n", RULES) is None


def test_data_in_the_form_of_code_is_data():
    table = "static const int t[] = {\n" + "  12, 345, 6789, 1011, 1213, 14,\n" * 5_000 + "};\n"
    dump = "INSERT INTO users VALUES (1, 'someone', 'somewhere');\n" * 3_000
    row = '{"a": 1, "b": [2, 3]},' * 2_000
    assert skip_content("src/table.c", table, RULES) == "data"
    assert skip_content("seed.sql", dump, RULES) == "data"
    assert skip_content("a.json", f"[{row}1]", RULES) == "data"
    assert skip_content("a.py", "x" * 300_000, RULES) == "data"
    rows = "modules = {\n" + "   ['a'] = { 'b' },\n" * 20_000
    assert skip_content("manifest", rows, RULES) == "data"
    for path, first in (
        ("tool", "#!/bin/sh\n"),
        ("Makefile", ""),
        ("ChangeLog", ""),
        ("a.lua", ""),
    ):
        assert skip_content(path, first + rows, RULES) is None


def test_pointers_and_blank_files_are_named():
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 3\n"
    assert skip_content("model.py", pointer, RULES) == "lfs pointer"
    assert skip_content("a.py", " \n\t\n", RULES) == "empty"


@pytest.mark.parametrize(
    ("own", "lifted"),
    [
        (["vendor/mylib/core.c", "README.md"], "vendored"),
        (["dist/index.js", "package.json"], "build_output"),
        (["node_modules/x/index.js"], "dependencies"),
        (["vendor/mylib/core.c", "setup.py"], "vendored"),
    ],
)
def test_a_repository_whose_only_code_looks_vendored_keeps_it(own, lifted):
    rules = relax(map(entry, own), RULES)
    assert not getattr(rules, lifted)
    assert skip_path(entry(own[0]), rules) is None


def test_one_file_of_own_code_is_enough_to_leave_dependencies_out():
    paths = ["app.py", *(f"node_modules/m{n}/index.js" for n in range(50)), "vendor/a/b.c"]
    assert relax(map(entry, paths), RULES) == RULES


def test_a_tree_without_code_changes_no_rule():
    assert relax([], RULES) == RULES
    assert relax([entry("README.md"), entry("a.png")], RULES) == RULES


def test_own_limits_and_globs_count_and_change_the_digest():
    rules = SkipRules(max_bytes=10, deny=("internal/",))
    assert skip_path(entry("internal/a.py"), rules) == "denied"
    assert skip_path(entry("a.py", 11), rules) == "too large"
    assert skip_content("a.py", "x" * 11, rules) == "too large"
    digests = {SkipRules().digest(), rules.digest(), SkipRules(vendored=False).digest()}
    assert len(digests) == 3
    assert SkipRules().digest() == RULES.digest()


def test_every_reason_is_explained_in_one_sentence():
    for reason in get_args(Reason):
        assert explain(reason).endswith((".", ".)"))
    assert explain("something else") == "something else"


@given(st.text(), st.text(max_size=300))
def test_any_path_and_text_are_judged_without_error(path, text):
    reasons = {None, *get_args(Reason)}
    assert skip_path(entry(path), RULES) in reasons
    assert skip_content(path, text, RULES) in reasons


def test_many_paths_are_judged_quickly():
    entries = [entry(f"src/package{n % 997}/deep/er/module{n}.py") for n in range(20_000)]
    started = time.process_time()
    assert not any(skip_path(one, RULES) for one in entries)
    assert time.process_time() - started < 3
