# Every target sets up .venv by itself when it is missing, and is quick when it is not.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV := $(VENV)/.ready-dev
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
Q ?=
REPO ?=
# make would expand a "$" in what was typed; $(value …) takes it as it is, and the shell sees it
# only as the value of a variable.
override Q := $(value Q)
override REPO := $(value REPO)
export Q REPO

.PHONY: setup ask test test-slow smoke-model check format bench lock clean
.DEFAULT_GOAL := setup

setup: $(DEV)

$(READY): pyproject.toml requirements/run.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Clew needs Python 3.11 or newer: make PYTHON=/path/to/python3.11" >&2; exit 2; }
	@echo "setting up $(VENV) (once) ..." >&2
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) --require-hashes -r requirements/run.txt
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(DEV): $(READY) requirements/dev.txt
	@echo "setting up the development tools (once) ..." >&2
	@$(PIP) --require-hashes -r requirements/dev.txt
	@touch $@

ask: $(READY)
	@$(BIN)/clew ask $${REPO:+--repo "$$REPO"} -- "$$Q"

test: $(DEV)
	@$(BIN)/python -m pytest -n 2

test-slow: $(DEV)
	@$(BIN)/python -m pytest -m slow

# Asks a real model: SMOKE_MODEL=openai:NAME and its server's variables, see docs/models.md.
smoke-model: $(DEV)
	@$(BIN)/python -m pytest -m slow -rs tests/test_smoke_model.py

check: $(DEV)
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/pyright
	@$(BIN)/python -m pytest tests/test_imports.py tests/test_docs.py

format: $(DEV)
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(DEV)
	@$(BIN)/python -m benchmarks.$(or $(STEP),step1) $(BENCH)

# The locks hold hashes and no registry host. The extra `local` is in none: it brings torch along.
EXTRAS := --extra mcp --extra models --extra slack
lock:
	uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-annotate \
		--no-header --python-version 3.11 pyproject.toml $(EXTRAS) --group build -o requirements/run.txt
	uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-annotate \
		--no-header --python-version 3.11 pyproject.toml $(EXTRAS) --group dev -o requirements/dev.txt

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis build dist
