# Two commands for a new machine: `make demo` and `make test`. Both set up .venv and build first;
# a second run rebuilds only what changed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
SOURCES := CMakeLists.txt $(shell find cpp -name '*.?pp')
RUN_TESTS := $(BIN)/python -m pytest -n auto --dist worksteal -q

.PHONY: build dev demo test test-all lint format stub bench sanitize fuzz clean
build: $(VENV)/.built
dev: $(VENV)/.built $(VENV)/.dev

$(VENV)/.tools: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade pip
	$(PIP) install 'scikit-build-core>=0.11' 'nanobind>=2.4' cmake ninja
	touch $@

$(VENV)/.built: $(VENV)/.tools $(SOURCES)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) install --no-build-isolation --editable .
	touch $@

# Only the packages of an extra: the build above need not be made again.
$(VENV)/.dev $(VENV)/.bench: $(VENV)/.%: $(VENV)/.tools
	$(BIN)/python -c "import tomllib; project = tomllib.load(open('pyproject.toml', 'rb'))['project']; \
		print(*project['optional-dependencies']['$*'], sep='\n')" > $(VENV)/$*.txt
	$(PIP) install --requirement $(VENV)/$*.txt
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

# Side by side with peers, in one run, as ratios.
bench: dev $(VENV)/.bench
	$(BIN)/python benchmarks/families.py
	$(BIN)/python benchmarks/hill_climb.py
	$(BIN)/python benchmarks/threads.py
	$(BIN)/python benchmarks/draws.py
	$(BIN)/python benchmarks/trees.py
	$(BIN)/python benchmarks/read.py
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/optima.py
	$(BIN)/python benchmarks/exact.py
	$(BIN)/python benchmarks/search.py
	$(BIN)/python benchmarks/parameters.py
	$(BIN)/python benchmarks/inference.py
	$(BIN)/python benchmarks/exact_posterior.py
	$(BIN)/python benchmarks/bootstrap.py
	$(BIN)/python benchmarks/posterior.py
	$(BIN)/python benchmarks/neighbourhoods.py
	$(BIN)/python benchmarks/recovery.py

# The same tests on a core built with AddressSanitizer and UBSan. The environment of its own holds
# that build alone and borrows every other package from .venv. The interpreter is not built with
# the sanitizer, so its runtime is preloaded, and libstdc++ with it: else exceptions have no handler.
SANITIZED := .venv-sanitize
PRELOAD = $(shell g++ -print-file-name=libasan.so):$(shell g++ -print-file-name=libstdc++.so.6)

$(SANITIZED)/.built: $(VENV)/.built $(VENV)/.dev $(SOURCES) $(shell find src -name '*.py')
	$(BIN)/python -m venv --without-pip $(SANITIZED)
	$(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" \
		> "$$($(SANITIZED)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/borrowed.pth"
	PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) install --no-build-isolation --no-deps --upgrade \
		--target "$$($(SANITIZED)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")" \
		--config-settings=build-dir=build/sanitize --config-settings=cmake.define.DAGWRIGHT_SANITIZE=ON .
	touch $@

sanitize: $(SANITIZED)/.built
	LD_PRELOAD=$(PRELOAD) ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
		$(SANITIZED)/bin/python -m pytest -n auto -q tests -p no:cacheprovider \
		-m "not slow and not memory" --ignore=tests/golden --ignore=tests/unit/test_architecture.py

# All counters and kernels against the naive counter, on random cases: `make fuzz SECONDS=600 SEED=7`.
SECONDS ?= 60
fuzz: $(VENV)/.tools
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake -S . -B build/fuzz -G Ninja -DDAGWRIGHT_FUZZ=ON
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake --build build/fuzz
	build/fuzz/fuzz_counters --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

clean:
	rm -rf $(VENV) $(SANITIZED) build
