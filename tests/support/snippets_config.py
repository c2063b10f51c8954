"""Snippets of prose, configuration and schemas, as in `snippets.py`."""

from __future__ import annotations

WORKFLOW = """# The checks.
name: CI
on:
  push:
    branches: [main]
env:
  FORCE_COLOR: 1

jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      matrix:
        python: ["3.11", "3.12"]
    steps:
    - uses: actions/checkout@v4
    - name: Test
      run: |
        name: not a key
        pytest
  # Publishes.
  publish:
    needs: [test]
    runs-on: ubuntu-latest
"""

KUBERNETES = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: { app: web }
spec:
  replicas: 3
  template:
    spec:
      containers:
        - name: web
          image: x
---
apiVersion: v1
kind: Service
metadata:
  name: web-svc
spec:
  ports: []
"""

TOML = '''# Project file.
title = "x"
"quoted key" = 1

[project]
name = "clew"
dependencies = [
    "a = b",
    "c",
]

# Lint.
[tool.ruff.lint]
select = ["E"]
text = """
[not.a.table]
x = 1
"""

[[tool.mypy.overrides]]
module = "x"
'''

JSON = """{
  "name": "x",
  "version": "1.0.0",
  "scripts": {
    "build": "tsc",
    "test": "vitest"
  },
  "dependencies": { "a": "^1" },
  "list": [
    { "k": 1 },
    { "k": 2 }
  ]
}
"""

INI = """; Top.
root = true

[flake8]
max-line-length = 100
exclude =
    build
    dist: no

[tool:pytest]
addopts = -q
"""

DOCKERFILE = """# syntax=docker/dockerfile:1
ARG PY=3.12
FROM python:${PY}-slim AS base
ENV APP_HOME=/app \\
    OTHER=1
RUN apt-get update && \\
    apt-get install x

# Builds.
FROM base AS build
COPY . .
RUN <<EOF
FROM nothing
make
EOF

FROM gcr.io/x/static:nonroot
COPY --from=build /app /app
ENTRYPOINT ["x"]
"""

MAKEFILE = """# How to build.
PYTHON ?= python3
BIN := .venv/bin
-include local.mk

.PHONY: all test
all: build test

# Runs tests.
test: $(BIN)/python deps
	$(PYTHON) -m pytest $(ARGS)
	echo a: b

%.o: %.c
	cc $<

define RECIPE
x: y
endef

ifdef DEBUG
CFLAGS += -g
endif
clean::
	rm -rf build
"""

PROTO = """// Copyright.
syntax = "proto3";

package shop.v1;

import "google/protobuf/empty.proto";
option go_package = "x/y";

// A shop.
message Shop {
  string name = 1; // its name
  repeated Item items = 2;
  map<string, Level> levels = 3;
  oneof kind { int32 a = 4; Item b = 5; }
  message Inner { bool ok = 1; }
  enum State { OPEN = 0; CLOSED = 1; }
}

enum Level {
  LEVEL_LOW = 0;
  LEVEL_HIGH = 1;
}

// Serves shops.
service Shops {
  // Gets one.
  rpc Get(GetRequest) returns (Shop);
  rpc Watch(stream shop.v1.Item) returns (stream Shop) { option (x) = "y"; }
}
extend google.protobuf.FieldOptions { string my_opt = 50; }
"""

SQL = """-- The users.
CREATE TABLE IF NOT EXISTS app.users (
    id SERIAL PRIMARY KEY,
    name VARCHAR(20) NOT NULL,
    team_id INT REFERENCES teams(id)
);

CREATE UNIQUE INDEX users_name ON users (name);

/* Active ones. */
CREATE OR REPLACE VIEW active_users AS
SELECT u.id, upper(u.name) AS big
FROM users u JOIN teams t ON t.id = u.team_id
WHERE u.active;

CREATE FUNCTION add_one(x INT) RETURNS INT AS $$
BEGIN
    RETURN x + 1;
END;
$$ LANGUAGE plpgsql;

CREATE TYPE mood AS ENUM ('sad', 'ok');
ALTER TABLE users ADD COLUMN age INT;
INSERT INTO users (name) VALUES ('x');
SELECT add_one(3) FROM active_users;
WITH big AS (SELECT * FROM users) SELECT * FROM big;
CREATE TRIGGER trg BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION add_one();
CREATE PROCEDURE do_it() LANGUAGE SQL AS $$ SELECT 1 $$;
"""

NOTEBOOK = """{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": [
    "# Train a model\\n",
    "\\n",
    "Words about it."
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "id": "a1",
   "metadata": {},
   "outputs": [
    {
     "data": {
      "text/plain": [
       "output of a run"
      ]
     },
     "output_type": "execute_result"
    }
   ],
   "source": [
    "%matplotlib inline\\n",
    "import numpy as np\\n",
    "\\n",
    "def train(model, rows=10):\\n",
    "    \\"\\"\\"Trains.\\"\\"\\"\\n",
    "    return model.fit(np.zeros(rows))\\n"
   ]
  },
  {
   "cell_type": "code",
   "metadata": {},
   "outputs": [],
   "source": "train(1)"
  },
  {
   "cell_type": "raw",
   "metadata": {},
   "source": []
  }
 ],
 "metadata": {
  "kernelspec": {
   "display_name": "Python 3",
   "language": "python",
   "name": "python3"
  }
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
"""

PROPERTIES = """# The server.
server.port=8080
server.host: example.org
LOG_LEVEL=info
! Odd.
path = a\\
  b
"""

RST = """.. _guide:

=====
Guide
=====

Words about it.

Install
-------

.. code-block:: sh

    Not a title
    -----------

    pip install it

:ref:`Use <use>` of ``run()``
-----------------------------

===  ===
a    b
===  ===
"""

ASCIIDOC = """= Guide
Author Name

Words about it.

[[install]]
== Install *now*

----
== not a heading
----

Old style
~~~~~~~~~

Words again.
"""

TEXT = """GUIDE TO IT
===========

Words about it.

INSTALLING

Run the installer.

2.1 Using it

Call it. Then wait.

----------------------
On a rule

Words again.
"""

BY_FILE = {
    "a.yml": WORKFLOW,
    "k8s.yaml": KUBERNETES,
    "a.toml": TOML,
    "a.json": JSON,
    "a.ini": INI,
    "Dockerfile": DOCKERFILE,
    "Makefile": MAKEFILE,
    "a.proto": PROTO,
    "a.sql": SQL,
    "a.ipynb": NOTEBOOK,
    "a.properties": PROPERTIES,
    "a.rst": RST,
    "a.adoc": ASCIIDOC,
    "a.txt": TEXT,
}
