# Everything runs in .venv. Targets create it from requirements.lock when they need it, and add torch and the
# development tools of requirements-dev.lock when they need those.
PYTHON ?= python3
VENV := .venv
BIN := $(CURDIR)/$(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
export PATH := $(BIN):$(PATH)

.DEFAULT_GOAL := help
.PHONY: help environment torch tools reproduce smoke test test-fast lint format rulegraph report docs site readme promises fetch audit lock clean

help: ## explain every target
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

environment: $(VENV)/installed ## create .venv with the requirements for running (requirements.lock)

torch: $(VENV)/torch ## add torch to .venv, for a GPU

tools: $(VENV)/tools ## add the requirements of tests, checks and documentation

$(VENV)/installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11, 3.12 or 3.13 is needed, not %d.%d (set PYTHON=...)" % sys.version_info[:2] if not (3, 11) <= sys.version_info[:2] <= (3, 13) else 0)'
	@$(PYTHON) -c 'import ensurepip' 2> /dev/null || { echo "$(PYTHON) cannot create environments; on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes --requirement requirements.lock
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/torch: requirements-torch.lock $(VENV)/installed
	$(PIP) --requirement requirements-torch.lock
	@touch $@

$(VENV)/tools: requirements-dev.lock $(VENV)/torch
	$(PIP) --require-hashes --requirement requirements.lock --requirement requirements-dev.lock
	@touch $@

reproduce: environment ## run the full reproduction (reports/index.html)
	snakemake

smoke: environment ## every rule and method on three small datasets, about a minute
	rafs smoke

test: tools lint ## run all checks and tests
	pytest -n 2 --dist worksteal

test-fast: tools ## the fast tests only
	pytest -m "not slow and not workflow"

lint: tools ## ruff, mypy, import-linter, snakefmt, Snakemake's own lint, and the container's recipe
	ruff check .
	ruff format --check .
	mypy
	lint-imports --no-cache --no-logo
	snakefmt --check Snakefile workflow
	snakemake --lint
	hadolint workflow/envs/Dockerfile

format: tools ## format all code
	ruff check --fix .
	ruff format .
	snakefmt Snakefile workflow

rulegraph: environment ## draw the rules of the workflow (docs/rulegraph.svg)
	mkdir -p docs
	snakemake --rulegraph mermaid-js | python workflow/rulegraph.py > docs/rulegraph.svg

report: environment ## Snakemake's own report, with captions and run times (build/report.html)
	mkdir -p build
	snakemake --report build/report.html

docs: tools ## build the documentation (site/index.html); a warning is an error
	NO_MKDOCS_2_WARNING=1 mkdocs build --quiet

site: docs ## documentation, report page, tables and figures as one static site (site/)
	@test -f site/reports/index.html && echo "site/ is complete" || \
	  echo "site/ is without the report page: reports/index.html is not in git, \`make reproduce\` makes it"

readme: environment ## put the headline of reports/ into README.md
	python -m rafs.reporting.readme

promises: tools ## run all tests and write their results into docs/promises.md
	pytest -n 2 --dist worksteal --junitxml build/promises.xml tests; ended=$$?; \
	  python tests/promises.py build/promises.xml && exit $$ended

fetch: environment ## fetch the files of real data and show where each came from
	rafs fetch

EXPLAINED := CVE-2025-69872 # findings of the audit that docs/promises.md explains

audit: ## check the locked versions for known vulnerabilities (needs the network)
	test -x build/audit/bin/pip-audit || { $(PYTHON) -m venv build/audit && build/audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit; }
	for lock in requirements*.lock; do \
	  build/audit/bin/pip-audit --strict --progress-spinner off --no-deps --disable-pip \
	    $(EXPLAINED:%=--ignore-vuln %) --requirement $$lock || exit; \
	done

COMPILE := pip-compile --quiet --strip-extras --allow-unsafe --no-header \
  --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options

lock: tools ## update the lock files to the newest versions that pyproject.toml allows, except torch (needs the network)
	$(COMPILE) --upgrade --extra ngboost --extra parquet --extra workflow --output-file requirements.lock pyproject.toml
	$(COMPILE) --extra torch --constraint requirements.lock --output-file requirements-torch.lock pyproject.toml
	$(COMPILE) --upgrade --extra dev --constraint requirements.lock --output-file requirements-dev.lock pyproject.toml
	python workflow/pins.py

clean: ## remove the environment and all caches, but not the results
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist site src/*.egg-info
