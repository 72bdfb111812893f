# Two commands for a new machine: `make demo` and `make test`. Both set up .venv and build first;
# a second run rebuilds only what changed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := CMakeLists.txt $(shell find cpp -name '*.?pp')
RUN_TESTS := $(BIN)/python -m pytest -n auto --dist worksteal -q

.PHONY: build dev demo test test-all lint format stub bench sanitize clean
build: $(VENV)/.built
dev: $(VENV)/.dev

$(VENV)/.tools: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/pip install --quiet --disable-pip-version-check 'scikit-build-core>=0.11' 'nanobind>=2.4' cmake ninja
	touch $@

$(VENV)/.built: $(VENV)/.tools $(SOURCES)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.built
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[dev]'
	touch $@

demo: build
	$(BIN)/dagwright demo

test: dev
	$(RUN_TESTS) -m "not slow"

test-all: dev
	$(RUN_TESTS)

lint: dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The stub of the native module is committed, so that type checkers need no build.
stub: dev
	$(BIN)/python -m nanobind.stubgen -m dagwright._core -o src/dagwright/_core.pyi
	$(BIN)/ruff format src/dagwright/_core.pyi

clean:
	rm -rf $(VENV) build
