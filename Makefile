# Every target installs what it needs into .venv: with uv if it is found, else with venv and pip.
# Options for pytest go into ARGS: make bench ARGS="--llm-model=o4-mini -n 8"

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
MODELS ?= --llm-model=llmarith/exact --llm-model=llmarith/sloppy
ARGS ?=
# Questions of each search for a breaking point: few, as llmarith/exact uses all of them.
SEARCH ?= 40
# The last resort for a test that hangs.
HANGS := --timeout=300
# Small chunks, so that the long tests at the end are spread over all workers.
SPREAD := -n auto --maxschedchunk=2
KILLS ?= 50

# Many processes import the package; without cached bytecode each would compile it again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help install bench test proof chaos dist lint format schemas docs perf clean

help:  ## Show the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1	\2/p' Makefile

install: $(INSTALLED)  ## Install everything into .venv

bench: $(INSTALLED)  ## Run the benches on the fake models
	$(RUN)/pytest benches $(MODELS) --llm-breaking-point=$(SEARCH) $(ARGS)

test: $(INSTALLED)  ## Run the tests, except the longer proofs
	$(RUN)/pytest $(SPREAD) $(HANGS) -m "not proof" $(ARGS)

proof: $(INSTALLED)  ## Run the longer proofs: other ways to run, lost hosts, the documents' commands, attacks on the sandbox
	$(RUN)/pytest $(SPREAD) $(HANGS) -m proof $(ARGS)

chaos: $(INSTALLED)  ## Kill runs at 50 seeded moments and continue them (make proof kills two processes)
	KILLS=$(KILLS) $(RUN)/pytest tests/chaos $(ARGS)

dist: $(INSTALLED)  ## Build sdist and wheel into dist/, and check them
	rm -rf dist
	$(RUN)/python -m hatchling build
	$(RUN)/twine check --strict dist/*

lint: $(INSTALLED)  ## Check style, types and imports
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy
	$(RUN)/lint-imports

format: $(INSTALLED)  ## Format the code
	$(RUN)/ruff format .
	$(RUN)/ruff check --fix .

schemas: $(INSTALLED)  ## Write docs/schemas from the records in the code
	$(RUN)/llmarith schema record > docs/schemas/record-1.json
	$(RUN)/llmarith schema summary > docs/schemas/summary-1.json

docs: $(INSTALLED)  ## Write docs/options.md from the options in the code
	$(RUN)/python -m docs.reference > docs/options.md

perf: $(INSTALLED)  ## Measure speed, as ratios within one run
	$(RUN)/python -m perf $(ARGS)

clean:  ## Remove what the other targets made
	rm -rf $(VENV) dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

$(INSTALLED): pyproject.toml
	@if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --allow-existing --python "$(PYTHON)" $(VENV) && \
		uv pip install --quiet --python $(RUN)/python --editable '.[dev]'; \
	else \
		$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed, this is " \
			+ sys.version.split()[0] + "; name another: make PYTHON=python3.12")' && \
		$(PYTHON) -m venv $(VENV) && \
		$(RUN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'; \
	fi
	@touch $(INSTALLED)
