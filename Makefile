# For contributors, on Linux and macOS; users install the package with pip. Needed beforehand: make, and a Python of at least 3.11
# with its venv module. Everything else goes into .venv. Another interpreter: make test PYTHON=/path/to/python

PYTHON ?= python3.11 python3 python3.14 python3.13 python3.12 python
BIN := .venv/bin
READY := .venv/.ready
BENCHMARKS := $(filter-out %/calls.py %/goals.py,$(wildcard benchmarks/*.py))
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# No window for a plot, and one thread each in numpy's linear algebra.
export MPLBACKEND := Agg
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
# Tests start hundreds of processes; without compiled modules each of them would compile numpy and the like anew, for seconds.
unexport PYTHONDONTWRITEBYTECODE
# The examples that hypothesis makes up are the same in every run, so that no test fails by chance; make test SEED=7 for others.
SEED := 20240229
PYTEST := -m pytest -n 2 --dist loadgroup --hypothesis-seed $(SEED)

.PHONY: help setup demo test quick test-browser coverage docs lint wheel lowest packages format bench reliability lock clean

help: ## list this
	@sed -n 's/^\([a-z-]*\):.*## /make \1	/p' Makefile | expand -t 20
setup: $(READY) ## only set up .venv; the others do so by themselves
demo: $(READY) ## compare models in an example and write the answer to demo-output/
	@$(BIN)/tiebreak demo --out demo-output
test: $(READY) ## run all tests and the examples in docstrings
	@$(BIN)/python $(PYTEST) $(PYTEST_ARGS)
quick: $(READY) ## formulas, reading, answers and pages only
	@$(BIN)/python $(PYTEST) -m quick $(PYTEST_ARGS)
test-browser: $(READY) ## open reports in Chromium: answers equal to Python's, keyboard, accessibility, hostile names
	@.ci/apt chromium chromium-browser google-chrome; $(BIN)/python $(PYTEST) -m browser tests/views/report tests/reliability $(PYTEST_ARGS)
coverage: $(READY) ## all tests, and which lines none of them reaches
	@$(BIN)/coverage erase && $(BIN)/coverage run $(PYTEST) $(PYTEST_ARGS)
	@$(BIN)/coverage combine --quiet && $(BIN)/coverage report
docs: $(READY) ## run all blocks of the pages and build the site, docs/_build/index.html; a warning is an error
	@rm -rf docs/_build docs/generated docs/examples-run
	@$(BIN)/python $(PYTEST) -m docs tests/test_docs.py tests/test_notebook.py tests/cli/test_documentation.py $(PYTEST_ARGS)
	@$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going docs docs/_build
	@set -e; for check in site search axe; do $(BIN)/python docs/check_$$check.py; done
lint: $(READY) ## style, types, import rules, declared dependencies and spelling
	$(BIN)/ruff check --output-format concise . && $(BIN)/ruff format --check .
	$(BIN)/mypy --strict src
	$(BIN)/lint-imports --no-logo
	$(BIN)/deptry src && $(BIN)/codespell
wheel: $(READY) ## build the package, install it elsewhere without extras, run its demo there
	@.ci/wheel
lowest: $(READY) ## run the demo and a few tests with the lowest versions that pyproject.toml allows
	@.ci/lowest
packages: $(READY) ## let the evaluation tools write logs themselves, and compare what is read with a computation by hand
	@rm -rf .venv/packages && $(BIN)/python -m venv .venv/packages
	@.ci/install .venv/packages/bin/python --requirement tests/readers/packages/requirements.txt
	@$(BIN)/python -m pytest -q -p no:cacheprovider tests/readers/test_packages.py
format: $(READY) ## lay the code out and apply the safe fixes
	$(BIN)/ruff check --fix . && $(BIN)/ruff format .
bench: $(READY) ## run the benchmarks (some minutes)
	@set -e; for script in $(BENCHMARKS); do echo "== $$script"; $(BIN)/python "$$script"; done
reliability: $(READY) ## forty times as many faults as the tests make happen (an hour)
	@TIEBREAK_FAULTS=40 $(BIN)/python $(PYTEST) tests/reliability $(PYTEST_ARGS)
lock: $(READY) ## write requirements-lock.txt afresh from pyproject.toml (LOCK_ARGS=--upgrade for newer versions)
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --all-extras --no-header --no-emit-index-url \
	    --no-emit-find-links --python-version 3.11 $(LOCK_ARGS) pyproject.toml --output-file requirements-lock.txt
clean: ## remove .venv, caches and what runs have written
	rm -rf .venv build dist demo-output docs/_build docs/generated docs/examples-run benchmarks/results htmlcov .coverage* \
	    .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A .venv is tied to its folder: one that was copied or moved with the checkout is made anew.
$(if $(filter-out $(CURDIR),$(shell cat $(READY) 2>/dev/null)),$(shell rm -f $(READY)))
$(READY): requirements-lock.txt pyproject.toml
	@.ci/setup $(PYTHON)
