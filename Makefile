# Everything a contributor does, by name. Needs Python 3.11 or later, make and a package index; the rest goes into .venv.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-print-directory --no-builtin-rules
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV ?= .venv
# Twice the processors: half of the time tests wait for processes that they start.
WORKERS ?= $(shell echo $$((2 * $$(getconf _NPROCESSORS_ONLN))))
ARGS ?=
OTHER_PYTHONS ?= 3.12 3.13 3.14

BIN := $(VENV)/bin
READY := $(VENV)/.installed
LOCKS := requirements-build.lock requirements.lock
LINK := $(VENV)/share/jupyter/labextensions/@service-nb/lab
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -q

export PIP_DISABLE_PIP_VERSION_CHECK = 1
export PYTHONNOUSERSITE = 1
export JUPYTER_PLATFORM_DIRS = 1
# The kernel is that of .venv, whatever else is installed.
export JUPYTER_PREFER_ENV_PATH = 1

.PHONY: help demo report lab test test-all test-pythons cover check check-python check-typescript fix shape schema contract reference bench pack matrix extremes outside protocol lock \
	browser extension clean

# What follows [ ] is the time that a target takes on two cores, once .venv is there (the first call makes it: 90 s).
help: ## [0 s] this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { match($$2, /\[[^]]*\] /); printf "  make %-12s %8s  %s\n", $$1, \
		substr($$2, 2, RLENGTH - 3), substr($$2, RLENGTH + 1) }' $(MAKEFILE_LIST)

demo: $(READY) ## [2 min] ask typed questions about 336,776 flights, and write the notebook and a report
	@$(BIN)/python demo/run.py

report: $(READY) ## [20 s] run the monthly report, verify and replay it, and write it as one page; ARGS="2013-07"
	@$(BIN)/python demo/report.py $(ARGS)

lab: $(READY) extension ## [5 s] open JupyterLab on the notebooks
	@$(BIN)/jupyter lab --notebook-dir=notebooks

test: $(READY) extension browser ## [20 min] the tests; ARGS="-k exact" picks some
	@$(PYTEST) $(ARGS)

test-all: $(READY) extension browser ## [2 h] the tests and the long tail: thousands of cases, more servers, emulated processors
	@HYPOTHESIS_PROFILE=thorough $(PYTEST) -m "" $(ARGS)

test-pythons: $(READY) extension browser ## [1 h] the tests on every other Python that is found
	@PYTEST_ARGS='$(ARGS)' WORKERS='$(WORKERS)' tests/other_pythons.sh $(OTHER_PYTHONS)

check: $(READY) ## [1 min] format, lint, layers, types and house rules of both languages: before each commit
	@$(MAKE) -j2 --output-sync=target check-python check-typescript

check-python:
	@echo "format" && $(BIN)/ruff format --quiet --check --diff .
	@echo "lint"   && $(BIN)/ruff check --quiet .
	@echo "layers" && mkdir -p build && { $(BIN)/lint-imports --no-logo --no-cache >build/layers.txt 2>&1 || { cat build/layers.txt; exit 1; }; }
	@echo "types"  && $(BIN)/mypy --no-error-summary
	@echo "contract" && $(BIN)/python -m service_nb_kernels contract --check
	@echo "rules"  && $(BIN)/python -m pytest -q -p no:randomly tests/contracts

check-typescript:
	@echo "typescript" && $(BIN)/python -m tests.tools.node check

fix: $(READY) ## [5 s] format, and mend what the linter can
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format --quiet .

contract: $(READY) ## [1 min] compile all capability packs to contract.json, and write anew what quotes it
	@$(BIN)/python -m service_nb_kernels contract $(ARGS)
	@$(BIN)/python -m tests.tools.renew

reference: $(READY) ## [15 s] write a page for each field of capabilities, and the JSON Schema of documents, into docs/reference
	@$(BIN)/python -m service_nb_kernels reference
	@mkdir -p docs/reference && $(BIN)/python -m service_nb.schema >docs/reference/documents.schema.json

schema: $(READY) ## [5 s] write what TypeScript and the standalone verifier have of service_nb/schema
	@$(BIN)/python typescript/shapes.py

shape: $(READY) ## [5 s] count lines, rooms, arrows between them, repeated names: no verdict, figures
	@$(BIN)/python -m tests.tools.shape

cover: $(READY) extension browser ## [25 min] the tests, and which lines of service_nb they run; ARGS=tests/unit picks some
	@$(PYTEST) --cov=service_nb --cov-report=term:skip-covered $(ARGS)

pack: $(READY) ## [20 s] write the npm packages of the TypeScript client into dist/npm
	@$(BIN)/python -m typescript.pack $(or $(ARGS),dist/npm)

matrix: $(READY) ## [30 min] the same bits everywhere: every capability under settings and emulated CPUs, and what moved
	@$(BIN)/python -m tests.matrix $(ARGS)

extremes: $(READY) ## [40 min] every capability at extreme arguments, each in its own process; ARGS="--calls 1000"
	@$(BIN)/python -m tests.extremes $(ARGS)

outside: $(READY) .outside/.installed ## [60 min] capabilities beside independent packages, at random arguments; ARGS="scipy_special"
	@$(BIN)/python -m tests.outside $(ARGS)

# The packages that capabilities are compared with, in an environment of their own.
.outside/.installed: pyproject.toml
	@$(BIN)/python -m pip install -qq "uv>=0.9"
	@$(BIN)/uv venv --quiet --clear .outside
	@$(BIN)/uv pip install --quiet --python .outside/bin/python --group outside
	@touch $@

bench: $(READY) ## [20 min] every benchmark beside its peers, in one table
	@$(BIN)/python -m benchmarks $(ARGS)

protocol: $(READY) ## [20 s] write what Python needs of runtime.proto
	@$(BIN)/python -m pip install -qq "grpcio-tools>=1.75" "setuptools<80"
	@cd kernels && ../$(BIN)/python -m grpc_tools.protoc -I. --python_out=. --pyi_out=. service_nb_kernels/runtime/runtime.proto

lock: $(READY) ## [1 min] resolve the dependencies anew, for Linux, macOS and Windows and Python 3.11 and later
	@$(BIN)/python -m pip install -qq "uv>=0.9"
	@$(BIN)/uv pip compile $(UV_OPTIONS) --group build -o requirements-build.lock
	@$(BIN)/uv pip compile $(UV_OPTIONS) --all-extras --group test --group bench --group check pyproject.toml -o requirements.lock
	@$(BIN)/uv pip compile $(UV_OPTIONS) --constraints requirements.lock --extra server --extra connectors --extra polars \
		pyproject.toml -o deploy/requirements.lock

UV_OPTIONS = --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-annotate \
	--custom-compile-command "make lock"

# What JupyterLab shows of ours, built where it is out of date and linked into .venv.
extension:
	@$(BIN)/python typescript/build.py link

# One test opens a page in Chromium, which Debian's packages have. Without the right to install it, the test says so.
browser:
	@if ! command -v chromium >/dev/null && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		apt-get -qq update && apt-get -qq install --yes --no-install-recommends chromium >/dev/null; fi

clean: ## [1 s] remove what was built; .venv stays
	@rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@rm -rf node_modules labextension/dist typescript/build typescript/packages/*/dist
	@rm -rf service_nb/_labextension service_nb/_panel
	@! test -L "$(LINK)" || rm "$(LINK)"

# What is installed is what the locks name, byte for byte. Backends come first: one dependency is published as source
# only, and building it in isolation would fetch a backend that no lock names.
# A quarter of the rest is installed by each of four processes: one alone waits for the network half of the time. A lock
# is complete, so none looks for what its own quarter needs, and in the end nothing may be missing.
%/.installed: $(LOCKS) pyproject.toml
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("service_nb needs Python 3.11 or later; this is "\
		+ sys.version.split()[0] + ". Name another: make PYTHON=python3.12 ...")'
	@echo "Installing into $* (the first time takes a minute or two) ..."
	@$(PYTHON) -m venv $*
	@$*/bin/python -m pip install -qq --require-hashes -r requirements-build.lock
	@rm -rf $*/parts && mkdir -p $*/parts build
	@awk '/^[^ #]/ { part = "$*/parts/" (count++ % 4) } part { print > part }' requirements.lock
	@printf '%s\n' $*/parts/* | xargs -P 4 -n 1 $*/bin/python -m pip install -qq --require-hashes --no-deps --no-build-isolation -r
	@$*/bin/python -m pip install -qq --no-deps --no-build-isolation --editable .
	@$*/bin/python -m pip check >build/pip-check.txt || { cat build/pip-check.txt; exit 1; }
	@touch $@
