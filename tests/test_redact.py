"""What is found, what is left alone, and that lines never move."""

from __future__ import annotations

import random
import re
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.redact import SCANNER, SecretSpan, apply, find_secrets, redact, secret_names
from clew.redact.engine import OVERLAP, WINDOW
from support.secrets import ALNUM, chars, jwt, one_of_each, private_key

KINDS = one_of_each()
MARK = re.compile(r"\[REDACTED:[a-z0-9-]+\]")
FILLERS = {
    "code": "def handler(request):\n    return request.path  # the way in\n\n",
    "crlf": "x = 1;\r\n\r\n\tif (y) { z(); }\r\n",
    "many bytes": "größe = „…“ 😀 # ‽\n\x0c\u2028 \x85 ",
    "one line": "a,b;c(d)[e] ",
}


def filler(rng, kind, length):
    text = FILLERS[kind]
    start = rng.randrange(len(text))
    return ((text[start:] + text) * (length // len(text) + 2))[:length]


def leaked(secret, text):
    """The pieces of a secret that are still there: its lines, or all of it."""
    pieces = [line.strip(' "+/\\n') for line in re.split(r"\n|\\n", secret)]
    return [piece for piece in pieces if len(piece) > 12 and piece in text] or (
        [secret] if secret in text else []
    )


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_secret_is_replaced_and_its_place_stays_visible(kind):
    text, secret = KINDS[kind]
    redacted = redact(f"before\n{text}\nafter\n")
    assert not leaked(secret, redacted)
    assert redacted.startswith("before\n")
    assert redacted.endswith("\nafter\n")
    assert MARK.search(redacted)


@given(
    st.sampled_from(sorted(KINDS)),
    st.sampled_from(sorted(FILLERS)),
    st.integers(0, 40_000)
    | st.integers(-300, 300).map(lambda n: WINDOW + n)
    | st.integers(-300, 300).map(lambda n: WINDOW - OVERLAP + n),
    st.integers(0, 20_000),
    st.randoms(use_true_random=False),
)
@settings(max_examples=120, deadline=None)
def test_a_secret_is_found_wherever_it_stands_also_across_windows(kind, fill, before, after, rng):
    text, secret = KINDS[kind]
    whole = f"{filler(rng, fill, before)}\n{text}\n{filler(rng, fill, after)}"
    redacted = redact(whole)
    assert not leaked(secret, redacted)
    assert redacted.count("\n") == whole.count("\n")
    assert redacted.count("\r\n") == whole.count("\r\n")
    assert redact(redacted) == redacted
    untouched = MARK.split(redacted)
    assert all(piece.strip() in whole for piece in untouched)


@given(st.lists(st.sampled_from([text for text, _ in KINDS.values()]), max_size=6), st.data())
@settings(max_examples=60, deadline=None)
def test_redacting_twice_changes_nothing_and_no_line_moves(texts, data):
    glue = st.text(alphabet="ab1=:\"'[]{}@/\\ \n\r\t\x0c\x00é\ud800", max_size=12)
    whole = data.draw(glue) + "".join(text + data.draw(glue) for text in texts)
    once = redact(whole)
    assert redact(once) == once
    assert once.count("\n") == whole.count("\n")


@given(st.text(max_size=400))
@settings(max_examples=150, deadline=None)
def test_text_without_secrets_stays_as_it_is(text):
    assert redact(text) == text or find_secrets(text)


@given(
    st.text(alphabet="ab \n\r", max_size=60),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60))),
)
def test_apply_joins_overlapping_spans_and_keeps_every_line_end(text, pairs):
    spans = [SecretSpan(min(p), min(max(p), len(text)), "x") for p in pairs if min(p) < len(text)]
    redacted = apply(text, spans)
    assert redacted.count("\n") == text.count("\n")
    if not spans:
        assert redacted == text


def test_every_line_of_a_private_key_says_that_it_is_redacted():
    key = private_key(random.Random(1), end="\r\n  ")
    lines = redact(f"key: |\r\n  {key}\r\nnext: 1\r\n").split("\r\n")
    assert lines[0] == "key: |"
    assert lines[-2:] == ["next: 1", ""]
    assert set(lines[1:-2]) == {"  [REDACTED:private-key]"}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\\n", "\n# "])
def test_a_private_key_cut_at_either_end_is_found(end):
    key = private_key(random.Random(2), end=end)
    lines = key.split(end)
    for cut in (lines[:-3], lines[3:]):
        redacted = redact("first line\n" + end.join(cut) + "\nlast line\n")
        assert not leaked(end.join(cut), redacted)
        assert "first line" in redacted
        assert "last line" in redacted


def test_a_key_longer_than_any_window_is_found():
    key = private_key(random.Random(3), size=90_000)
    redacted = redact("x\n" * 5_000 + key + "\ny\n")
    assert not leaked(key, redacted)
    assert redacted.count("\n") == 10_000 // 2 + key.count("\n") + 2


@pytest.mark.parametrize(
    "code",
    [
        'if text.startswith("-----BEGIN RSA PRIVATE" " KEY-----"):'.replace('" "', ""),
        's.replace("-----BEGIN PRIVATE KEY-----", "").replace("-----END PRIVATE KEY-----", "")',
        'const END_OF_A_PRIVATE_KEY_IN_A_FILE = "-----END PRIVATE KEY-----"',
        "-----BEGIN PRIVATE KEY-----\n<your key goes here>\n-----END PRIVATE KEY-----",
        "postgres://user:<password>@host/db",
        "postgres://user:${DB_PASSWORD}@host/db",
        "postgres://user:$DB_PASSWORD@host/db",
        'f"postgres://{user}:{password}@{host}/db"',
        '"mysql://#{user}:#{password}@#{host}"',
        '"amqp://%s:%s@%s" % (user, password, host)',
        "https://user:***@example.com",
        "https://user:xxxx@example.com",
        "https://[user[:password]@]host",
        "http://localhost:8080/path?mail=a@b.example",
        "http://localhost:3000,someone@example.com",
        "https://cdn.example.com/npm/@scope/package@1.2.3/file.js",
        "git@github.com:owner/repository.git",
        "mongodb://localhost:27017/db?owner=a@b.example",
        "redis://cache:6379/0,someone@example.com",
        "connect(host=host, user=user, password=password)",
        "headers = {'Authorization': f'Bearer {token}'}",
        "Authorization: Bearer YOUR_ACCESS_TOKEN",
        "password = get_password()",
        'user.password = "secret"',
        "password = getPassword2FromTheVault()",
        'password: "correct-horse-battery"',
        "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: {name: Db1, key: Password2}",
        '<add key="Password" value="${DbPassword1FromTheVault}"/>',
        "export DB_PASS=$(cat /run/secrets/Db1Password)",
        "AKIA" + "X" * 16,
        "ghp_" + "x" * 36,
        "const ASIA_PACIFIC_REGION = 1",
        "secret_sha = " + "0123456789abcdef" * 2 + "01234567",
        "skip-link-to-the-main-content-of-this-page-and-more",
        "[REDACTED:private-key]\n[REDACTED:jwt]",
    ],
)
def test_code_that_only_looks_like_a_secret_is_left_alone(code):
    assert redact(code) == code


def test_a_value_known_to_be_secret_is_replaced_where_nothing_says_so_too():
    key = "aB3/" + chars(random.Random(4), ALNUM, 36)
    redacted = redact(f"aws_secret_access_key={key}\n" + "x = 1\n" * 5_000 + f"see {key}\n")
    assert key not in redacted


def test_a_zero_byte_hides_nothing_behind_it():
    text, secret = KINDS["slack"]
    redacted = redact(f"a\0b\n{text}\n")
    assert secret not in redacted
    assert redacted.startswith("a\0b\n")


def test_a_line_of_five_megabytes_is_scanned_in_seconds():
    text, secret = KINDS["jwt in brackets"]
    line = "a1b2c3d4e5f6" * 200_000 + text + "://eyJ-----BEGIN" * 150_000
    started = time.process_time()
    redacted = redact(line)
    assert secret not in redacted
    assert time.process_time() - started < 10


def test_many_threads_find_the_same():
    text = "\n".join(text for text, _ in KINDS.values())
    expected = find_secrets(text)
    found = []
    threads = [threading.Thread(target=lambda: found.append(find_secrets(text))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


def test_a_path_that_holds_a_secret_is_named():
    bad = "dumps/" + jwt(random.Random(5)) + ".txt"
    paths = ["src/a.py", bad, "secret/" + "a" * 40, "docs/été\n.md"]
    assert secret_names(paths) == {bad}
    assert secret_names([]) == frozenset()


def test_the_scanner_names_its_engine_and_its_rules():
    assert re.fullmatch(r"betterleaks-[\w.-]+\+\d+\.[0-9a-f]{12}", SCANNER)
