from __future__ import annotations

import pytest

from clew.errors import ForbiddenError, InputError
from clew.sources.urls import is_url, parse

ONE = "https://github.com/acme/billing"


@pytest.mark.parametrize(
    "spec",
    [
        ONE,
        ONE + ".git",
        ONE + "/",
        ONE + ".git/",
        "https://GitHub.com:443/acme//billing",
        "https://someone@github.com/acme/billing",
    ],
)
def test_one_repository_has_one_spelling(spec):
    assert parse(spec).location == ONE
    assert parse(spec).name == "github.com/acme/billing"


def test_an_ssh_address_in_either_form_is_one_repository():
    short = parse("git@github.com:acme/billing.git")
    long = parse("ssh://git@github.com:22/acme/billing/")
    assert short.key == long.key == long.location == "ssh://git@github.com/acme/billing"
    assert short.location == "git@github.com:acme/billing"
    assert short.name == long.name == "github.com/acme/billing"


def test_the_case_of_a_path_matters():
    assert parse("https://h.example/A/b").location != parse("https://h.example/a/b").location


@pytest.mark.parametrize(
    "spec",
    [
        "ext::sh -c touch% pwned",
        "ext::sh",
        "fd::3",
        "::x",
        "-oProxyCommand=x",
        "ssh://-oProxyCommand=x/y",
        "ssh://git@-oProxyCommand=x/y",
        "ssh://-l@host.example/y",
        "git@host.example:-x",
        "-x@host.example:y",
        "git://host.example/a",
        "ftp://host.example/a",
        "file://host.example/a",
        "http://host.example/a",
        "http://169.254.169.254/latest",
        "https://169.254.169.254/latest/meta-data",
        "https://127.0.0.1/a",
        "https://127.1/a",
        "https://127.0.0.1./a",
        "https://2130706433/a",
        "https://0x7f000001/a",
        "https://017700000001/a",
        "https://0/a",
        "https://10.0.0.7/a",
        "https://172.16.0.1/a",
        "https://192.168.1.1/a",
        "https://100.64.0.1/a",
        "https://224.0.0.1/a",
        "https://[::1]/a",
        "https://[::]/a",
        "https://[::127.0.0.1]/a",
        "https://[::ffff:127.0.0.1]/a",
        "https://[::ffff:7f00:1]/a",
        "https://[64:ff9b::a9fe:a9fe]/a",
        "https://[2002:7f00:1::]/a",
        "https://[fe80::1]/a",
        "https://[fd00::1]/a",
        "https://localhost/a",
        "https://LOCALHOST./a",
        "https://x.localhost/a",
        "https://metadata.google.internal/a",
        "git@localhost:a/b",
        "git@127.0.0.1:a/b",
        "git@[::1]:a/b",
        "https://１２７.0.0.1/a",
        "https://h.example/a\nb",
        "https://h.example/a%0ab",
        "https://h.example/a b",
        "https://h.example/a\x00",
        "https://h.example/a/../b",
        "https://h.example/a/%2e%2e/b",
        "https://h.example/a\\b",
        "https://h.example\\@127.0.0.1/a",
        "https://h.example/a?x=1",
        "https://h.example/a#main",
    ],
)
def test_an_unsafe_address_is_refused(spec):
    with pytest.raises(ForbiddenError):
        parse(spec)


@pytest.mark.parametrize(
    "spec",
    [
        "https://someone:{secret}@h.example/a",
        "https://:{secret}@h.example/a",
        "https://{secret}@h.example/a",
        "https://oauth2:{secret}@h.example/a",
        "ssh://git:{secret}@h.example/a",
        "git:{secret}@h.example:a/b",
        "https://h.example/a?private_token={secret}",
    ],
)
def test_an_address_with_a_secret_is_refused_without_repeating_it(spec):
    secret = "ghp" + "_" + "a1B2" * 9
    with pytest.raises(ForbiddenError) as caught:
        parse(spec.format(secret=secret))
    assert secret not in str(caught.value)


@pytest.mark.parametrize("spec", ["https://h.example/", "https://h.example/.git", "https://h:x/a"])
def test_an_address_that_names_no_repository_is_bad_input(spec):
    with pytest.raises(InputError):
        parse(spec)


def test_private_addresses_can_be_allowed():
    assert parse("https://10.0.0.7/a", allow_private=True).location == "https://10.0.0.7/a"
    assert parse("http://127.0.0.1:8080/a", allow_private=True).name == "127.0.0.1:8080/a"
    assert parse("https://[::1]/a.git", allow_private=True).location == "https://[::1]/a"


@pytest.mark.parametrize("host", ["h.example", "10.0.0.7"])
def test_plain_http_leaves_this_machine_never(host):
    with pytest.raises(ForbiddenError):
        parse(f"http://{host}/a", allow_private=True)


@pytest.mark.parametrize("spec", ["src", "./a:b", "/abs:x", "../x", "C:\\code", "C:/code", "a b"])
def test_a_path_is_not_taken_for_an_address(spec):
    assert not is_url(spec)
