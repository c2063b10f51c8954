"""Fake secrets, put together at run time so that no scanner takes this file for a leak."""

from __future__ import annotations

import base64
import random
import string

ALNUM = string.ascii_letters + string.digits
URLSAFE = ALNUM + "_-"


def chars(rng: random.Random, alphabet: str, length: int) -> str:
    return "".join(rng.choice(alphabet) for _ in range(length))


def private_key(rng: random.Random, *, kind: str = "RSA ", size: int = 900, end: str = "\n") -> str:
    body = base64.b64encode(rng.randbytes(size)).decode()
    lines = [body[i : i + 64] for i in range(0, len(body), 64)]
    name = kind + "PRIVATE" + " KEY"
    return end.join([f"-----BEGIN {name}-----", *lines, f"-----END {name}-----"])


def jwt(rng: random.Random) -> str:
    def part(text: str) -> str:
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    head = part('{"alg":"HS256","typ":"JWT"}')
    body = part(f'{{"sub":"{rng.randrange(10**9)}","name":"Some One","iat":1516239022}}')
    return f"{head}.{body}.{chars(rng, URLSAFE, 43)}"


def one_of_each(seed: int = 7) -> dict[str, tuple[str, str]]:
    """By kind: a text that holds a secret, and the part of it that must be gone."""
    rng = random.Random(seed)

    def secret(before: str, value: str, after: str = "") -> tuple[str, str]:
        return before + value + after, value

    aws_id = "AKIA" + chars(rng, string.ascii_uppercase + "234567", 16)
    aws_key = "aB3/" + chars(rng, ALNUM + "/+", 36)
    digits = chars(rng, string.digits, 12)
    made = "hG7" + chars(rng, ALNUM, 17)
    slack = "xox" + f"b-{digits}-{digits}-" + chars(rng, ALNUM, 24)
    return {
        "aws id": secret("key = '", aws_id, "'"),
        "aws secret": secret("aws_secret_access_key = ", aws_key),
        "aws pair": secret(f'Credentials("{aws_id}", "', aws_key, '")'),
        "database url": secret("postgres://app:", "hunter2secret", "@db.example.com:5432/prod"),
        "odd scheme": secret("clickhouse+native://u:", "s3cr3t-p@ss", "@h/x"),
        "slash in it": secret("mysql+pymysql://u:", "p@ss/w0rd", "@h:3306/x"),
        "jdbc": secret("jdbc:postgresql://h/d?user=u&password=", "tr0ub4dor", "&ssl=true"),
        "ado": secret('"Server=db;Database=x;User Id=sa;Password=', "Tr0ub4dor!", ';"'),
        "dsn": secret('"host=db dbname=x user=app password=', "tr0ub4dor", '"'),
        "password in a text": secret("x = 'pass" + 'word = "', made, "\"'"),
        "raw password": secret("Pass" + 'word = r"', made, '"'),
        "password in escaped json": secret('"{\\"pass' + 'word\\": \\"', made, '\\"}"'),
        "password in xml": secret('<add key="Pass' + 'word" value="', made, '"/>'),
        "password in yaml": secret("- name: DB_PASS" + "WORD\n  value: ", made),
        "exported password": secret("export DB_PASS" + "=", made),
        "slack": secret("token: ", slack),
        "jwt in brackets": secret("[", jwt(rng), "]"),
        "github": secret("ghp", "_" + chars(rng, ALNUM, 36), ")"),
        "gitlab": secret("glpat", "-" + chars(rng, ALNUM, 20), ","),
        "stripe": secret("<", "sk_live" + "_" + chars(rng, ALNUM, 24), ">"),
        "openai": secret("(", "sk-proj" + "-" + chars(rng, ALNUM, 48), ")"),
        "anthropic": secret("[", "sk-ant" + "-api03-" + chars(rng, URLSAFE, 93) + "AA", "]"),
        "google": secret("(", "AIza" + chars(rng, ALNUM, 35), ")"),
        "bearer": secret('"Authorization": "Bearer ', chars(rng, ALNUM, 40), '"'),
        "webhook": secret("hooks.slack.com/services/", f"T{digits}/B{digits}/{aws_key[4:28]}"),
        "private key": secret("", private_key(rng)),
        "key in json": secret('{"k": "', private_key(rng, end="\\n"), '"}'),
        "key in comments": secret("// ", private_key(rng, kind="", end="\n// ")),
        "joined key": secret('x = "', private_key(rng, kind="EC ", end='\\n" +\n    "'), '"'),
        "indented key": secret("key: |\n  ", private_key(rng, kind="OPENSSH ", end="\n  ")),
        "pgp key": secret("", private_key(rng, size=6_000).replace("RSA P", "PGP P")),
    }
