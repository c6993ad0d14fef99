# Every target installs what it needs into .venv: with uv if it is found, else with venv and pip. Tests, lint, proofs and
# releases need the extra [dev].
# Options for pytest go into ARGS: make bench ARGS="--llm-model=o4-mini -n 8"

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
DEVELOPER := $(VENV)/.developer
MODELS ?= --llm-model=llmarith/exact --llm-model=llmarith/sloppy
ARGS ?=
# What make bench shows: arithmetic, additions, a dozen sequences, and one search for a breaking point with few questions.
DEMO ?= --llm-breaking-point=40 -k "arithmetic or addition or A00001 or A00004 or (breaking and int_mul)"
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

install: $(INSTALLED)  ## Install what running the benches needs into .venv

bench: $(INSTALLED)  ## Run a part of the benches on the fake models
	$(RUN)/pytest benches $(MODELS) $(DEMO) $(ARGS)

test: $(DEVELOPER)  ## Run the tests, except the longer proofs
	$(RUN)/pytest $(SPREAD) $(HANGS) -m "not proof" $(ARGS)

proof: $(DEVELOPER)  ## Run the longer proofs: other ways to run, lost hosts, the documents' commands, attacks on the sandbox
	$(RUN)/pytest $(SPREAD) $(HANGS) -m proof $(ARGS)

chaos: $(DEVELOPER)  ## Kill runs at 50 seeded moments and continue them (make proof kills two processes)
	KILLS=$(KILLS) $(RUN)/pytest tests/chaos $(ARGS)

dist: $(DEVELOPER)  ## Build sdist and wheel into dist/, and check them
	rm -rf dist
	$(RUN)/python -m hatchling build
	$(RUN)/twine check --strict dist/*

lint: $(DEVELOPER)  ## Check style, types and imports
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy
	$(RUN)/lint-imports

format: $(DEVELOPER)  ## Format the code
	$(RUN)/ruff format .
	$(RUN)/ruff check --fix .

schemas: $(DEVELOPER)  ## Write docs/schemas from the records in the code
	$(RUN)/llmarith schema record > docs/schemas/record-1.json
	$(RUN)/llmarith schema summary > docs/schemas/summary-1.json

docs: $(DEVELOPER)  ## Write docs/options.md and docs/screens.md from the code
	$(RUN)/python -m docs.reference > docs/options.md
	$(RUN)/python -m docs.screens > docs/screens.md

perf: $(DEVELOPER)  ## Measure speed, as ratios within one run
	$(RUN)/python -m perf $(ARGS)

clean:  ## Remove what the other targets made
	rm -rf $(VENV) dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

$(INSTALLED): WHAT := .
$(DEVELOPER): WHAT := .[dev]
$(INSTALLED) $(DEVELOPER): pyproject.toml
	@if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --allow-existing --python "$(PYTHON)" $(VENV) && \
		uv pip install --quiet --python $(RUN)/python --editable '$(WHAT)'; \
	else \
		$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed, this is " \
			+ sys.version.split()[0] + "; name another: make PYTHON=python3.12")' && \
		$(PYTHON) -m venv $(VENV) && \
		$(RUN)/python -m pip install --quiet --disable-pip-version-check --editable '$(WHAT)'; \
	fi
	@touch $@
