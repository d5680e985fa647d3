# Everything runs in .venv, which the first target to need it creates from requirements.lock.
PYTHON ?= python3
VENV := .venv
BIN := $(CURDIR)/$(VENV)/bin
export PATH := $(BIN):$(PATH)

.DEFAULT_GOAL := help
.PHONY: help environment reproduce smoke test test-fast lint format rulegraph report docs readme promises fetch audit lock clean

help: ## explain every target
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

environment: $(VENV)/installed ## create .venv with the locked versions

$(VENV)/installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11, 3.12 or 3.13 is needed, not %d.%d (set PYTHON=...)" % sys.version_info[:2] if not (3, 11) <= sys.version_info[:2] <= (3, 13) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

reproduce: environment ## environment, then the full reproduction (reports/index.html)
	snakemake

smoke: environment ## every rule and method on three small datasets, about a minute
	rafs smoke

test: environment lint ## environment, then all checks and tests
	pytest -n 2 --dist worksteal || pytest --last-failed --last-failed-no-failures none # once more, alone: a loaded machine is slow

test-fast: environment ## the tests that take seconds
	pytest -m "not slow and not workflow"

lint: environment ## ruff, mypy, snakefmt, Snakemake's own lint, and the container's recipe
	ruff check .
	ruff format --check .
	mypy
	snakefmt --check Snakefile workflow
	snakemake --lint
	hadolint workflow/envs/Dockerfile

format: environment ## format all code
	ruff check --fix .
	ruff format .
	snakefmt Snakefile workflow

rulegraph: environment ## draw the rules of the workflow (docs/rulegraph.svg)
	mkdir -p docs
	snakemake --rulegraph mermaid-js | python workflow/rulegraph.py > docs/rulegraph.svg

report: environment ## Snakemake's own report, with captions and run times (build/report.html)
	mkdir -p build
	snakemake --report build/report.html

docs: environment ## build the documentation (site/index.html); a warning is an error
	NO_MKDOCS_2_WARNING=1 mkdocs build --quiet

readme: environment ## put the headline of reports/ into README.md
	python -m rafs.reporting.readme

promises: environment ## run the tests of docs/promises.md and write their figures into it
	pytest -n 2 --dist worksteal --junitxml build/promises.xml tests; ended=$$?; \
	  python tests/promises.py build/promises.xml && exit $$ended

fetch: environment ## get the real data files and show where each came from
	rafs fetch

EXPLAINED := CVE-2025-69872 # findings of the audit that docs/promises.md explains

audit: ## look up requirements.lock in the lists of known vulnerabilities (needs the network)
	test -x build/audit/bin/pip-audit || { $(PYTHON) -m venv build/audit && build/audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit; }
	build/audit/bin/pip-audit --strict --progress-spinner off --no-deps --disable-pip \
	  $(EXPLAINED:%=--ignore-vuln %) --requirement requirements.lock

lock: environment ## renew requirements.lock to the newest versions that pyproject.toml allows
	pip-compile --quiet --upgrade --strip-extras --allow-unsafe --extra parquet --extra workflow --extra dev \
	  --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options \
	  --output-file requirements.lock pyproject.toml
	sed -i 's/+cpu$$//' requirements.lock

clean: ## remove the environment and all caches, not the results
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist site src/*.egg-info
