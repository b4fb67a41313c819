# For contributors, on Linux and macOS. Users install the package with pip.
#
# Needed beforehand: make, and a Python of at least 3.11 with its venv module. Everything else goes into .venv.
# Another interpreter: make test PYTHON=/path/to/python

PYTHON ?= python3.11 python3 python3.14 python3.13 python3.12 python

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
LOG := $(VENV)/setup.log
BENCHMARKS := benchmarks/pairs.py benchmarks/many_models.py benchmarks/ranks.py benchmarks/datasets.py benchmarks/bayesian.py benchmarks/ratings.py benchmarks/startup.py benchmarks/evaluate.py benchmarks/shared_steps.py benchmarks/curves.py benchmarks/stores.py benchmarks/cluster.py benchmarks/items.py benchmarks/large.py benchmarks/report.py benchmarks/validity/items.py benchmarks/validity/compare_path.py
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Tests start hundreds of processes; without compiled modules each of them would compile numpy and the like anew, for seconds.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-browser quick coverage docs lint wheel lowest packages format bench reliability lock clean

help:
	@echo "make demo      set up, then compare models in an example and write the answer to demo-output/"
	@echo "make test      set up, then run all tests and the examples in docstrings"
	@echo "make quick     the same without the slow ones: a minute and a half on two cores"
	@echo "make test-browser  reports in Chromium: answers equal to Python's, keyboard, accessibility; hostile names (six minutes)"
	@echo "make coverage  all tests, and show which lines no test reaches"
	@echo "make docs      build the documentation site, docs/_build/index.html"
	@echo "make lint      style, types, import rules, declared dependencies and spelling"
	@echo "make wheel     build the package, install it elsewhere without extras, run its demo there"
	@echo "make lowest    run the demo and a few tests with the lowest versions that pyproject.toml allows"
	@echo "make packages  let the evaluation tools write logs themselves, and compare what is read with a computation by hand"
	@echo "make format    lay the code out and apply the safe fixes"
	@echo "make bench     run the benchmarks (some minutes)"
	@echo "make reliability  make every fault happen that this system allows, and count what is lost (half an hour)"
	@echo "make lock      write requirements-lock.txt afresh from pyproject.toml"
	@echo "make setup     only set up .venv; the others do so by themselves"
	@echo "make clean     remove .venv, caches and what runs have written"

demo: $(READY)
	@$(BIN)/tiebreak demo --out demo-output

# Two workers, one thread each in numpy's linear algebra, no window for a plot.
TEST_ENVIRONMENT := MPLBACKEND=Agg OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
# The examples that hypothesis makes up are the same in every run, so that no test fails by chance; make test SEED=7 for others.
SEED := 20240229
PYTEST := pytest -n 2 --dist loadgroup --hypothesis-seed $(SEED)
test: $(READY)
	@$(TEST_ENVIRONMENT) $(BIN)/python -m $(PYTEST) $(PYTEST_ARGS)

# The Chromium of the system; where there is none, apt installs it, if apt is there and may. The tests are skipped where it cannot be had.
test-browser: $(READY)
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
	    || { command -v apt-get >/dev/null && [ "$$(id -u)" -eq 0 ] && { apt-get install -qq --yes --no-install-recommends chromium >/dev/null 2>&1 \
	        || { apt-get update -qq && apt-get install -qq --yes --no-install-recommends chromium >/dev/null; }; }; } \
	    || { echo "Chromium cannot be installed here: THE PAGES ARE NOT OPENED. On Debian: apt install chromium, as root." >&2; exit 0; }; \
	$(TEST_ENVIRONMENT) $(BIN)/python -m $(PYTEST) -m browser tests/views/report tests/reliability $(PYTEST_ARGS)

quick: $(READY)
	@$(TEST_ENVIRONMENT) $(BIN)/python -m $(PYTEST) -m quick $(PYTEST_ARGS)

coverage: $(READY)
	@$(BIN)/coverage erase
	@$(TEST_ENVIRONMENT) $(BIN)/coverage run -m $(PYTEST) $(PYTEST_ARGS)
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report

# A warning is an error: a link without a target, a docstring that cannot be read.
docs: $(READY)
	@rm -rf docs/_build docs/generated docs/examples-run
	@$(TEST_ENVIRONMENT) $(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going docs docs/_build
	@$(BIN)/python docs/check_site.py
	@$(BIN)/python docs/check_search.py
	@$(BIN)/python docs/check_axe.py
	@echo "The site is in docs/_build/index.html"

lint: $(READY)
	$(BIN)/ruff check --output-format concise .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict src
	$(BIN)/lint-imports --no-logo
	$(BIN)/deptry src
	$(BIN)/codespell

# What a user gets: the wheel with the core dependencies only, away from the checkout, and an sdist that lacks no file.
wheel: $(READY)
	@set -e; elsewhere=$$(mktemp -d); trap 'rm -rf "$$elsewhere"' EXIT; \
	$(BIN)/python -m hatchling build --directory "$$elsewhere" >$(VENV)/build.log 2>&1 \
	    || { cat $(VENV)/build.log >&2; exit 1; }; \
	tar -tzf "$$elsewhere"/tiebreak-*.tar.gz | sed 's|^[^/]*/||' | sort >"$$elsewhere/packed"; \
	missing=$$(git ls-files src tests | sort | comm -23 - "$$elsewhere/packed"); \
	[ -z "$$missing" ] || { echo "The sdist lacks $$missing" >&2; exit 1; }; \
	sed -n 's/^\([a-z][^\\]*\) \\$$/\1/p' requirements-lock.txt >"$$elsewhere/constraints.txt"; \
	$(BIN)/python -m venv "$$elsewhere/venv"; \
	if [ -x $(BIN)/uv ]; then installer="$(BIN)/uv pip install --quiet --python $$elsewhere/venv/bin/python"; \
	else installer="$$elsewhere/venv/bin/python -m pip install --quiet"; fi; \
	$$installer --constraint "$$elsewhere/constraints.txt" "$$elsewhere"/tiebreak-*.whl; \
	cd "$$elsewhere"; venv/bin/tiebreak --version; venv/bin/tiebreak demo --out demo-output >/dev/null; \
	echo "The wheel works on its own: $$(ls demo-output | tr '\n' ' ')"

# The floors of the core and of the extras; what these bring along, and pytest, are as locked.
LOWEST := $(VENV)/lowest
lowest: $(READY)
	@set -e; rm -rf $(LOWEST) && $(BIN)/python -m venv $(LOWEST); \
	$(BIN)/python .ci/lowest.py $(LOWEST)/floors.txt $(LOWEST)/constraints.txt; \
	if [ -x $(BIN)/uv ]; then installer="$(BIN)/uv pip install --quiet --python $(LOWEST)/bin/python"; \
	else installer="$(LOWEST)/bin/python -m pip install --quiet"; fi; \
	$$installer --requirement $(LOWEST)/floors.txt --constraint $(LOWEST)/constraints.txt hatchling editables hypothesis psutil pytest; \
	$$installer --no-deps --no-build-isolation --editable .; \
	$(LOWEST)/bin/tiebreak demo --out $(LOWEST)/demo-output >/dev/null; \
	$(TEST_ENVIRONMENT) $(LOWEST)/bin/python -m pytest -q -p no:cacheprovider tests/test_smoke.py; \
	echo "It works with $$(tr '\n' ' ' <$(LOWEST)/floors.txt)"

# Inspect and lm-evaluation-harness are in no extra and not locked: together they bring 700 MB that nothing else needs.
PACKAGES := $(VENV)/packages
packages: $(READY)
	@set -e; rm -rf $(PACKAGES) && $(BIN)/python -m venv $(PACKAGES); \
	if [ -x $(BIN)/uv ]; then installer="$(BIN)/uv pip install --quiet --python $(PACKAGES)/bin/python"; \
	else installer="$(PACKAGES)/bin/python -m pip install --quiet"; fi; \
	$$installer --requirement tests/readers/packages/requirements.txt; \
	$(TEST_ENVIRONMENT) $(BIN)/python -m pytest -q -p no:cacheprovider tests/readers/test_packages.py

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)
	@set -e; for script in $(BENCHMARKS); do echo "== $$script"; $(BIN)/python "$$script"; done

# Half an hour: as many points of each fault as there are, up to 40 times those of `make test`.
reliability: $(READY)
	@TIEBREAK_FAULTS=40 $(TEST_ENVIRONMENT) $(BIN)/python -m pytest tests/reliability $(PYTEST_ARGS)

# --- set-up -----------------------------------------------------------------------------------------------------------

setup: $(READY)
	@echo "$(VENV) is ready"

# A .venv is tied to its folder: one that was copied or moved with the checkout is made anew.
ifneq ($(wildcard $(READY)),)
ifneq ($(shell cat $(READY)),$(CURDIR))
.PHONY: $(READY) $(BIN)/python
endif
endif

$(BIN)/python:
	@for python in $(PYTHON); do \
	    if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then found=$$python; break; fi; \
	done; \
	if [ -z "$${found:-}" ]; then \
	    echo "tiebreak needs Python 3.11 or newer; none of these is: $(PYTHON)." >&2; \
	    echo "Install one, or name it: make PYTHON=/path/to/python ..." >&2; exit 1; \
	fi; \
	echo "Making $(VENV) with $$("$$found" --version)"; \
	if ! "$$found" -m venv --clear $(VENV); then \
	    echo "Python could not make a virtual environment; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; \
	fi

# uv is several times as fast as pip and checks the same hashes; pip does the work where uv cannot be had.
$(READY): requirements-lock.txt pyproject.toml | $(BIN)/python
	@: >$(LOG); start=$$(date +%s); \
	show_log() { tail -n 25 $(LOG) >&2; echo "Setting up failed; all of the output is in $(LOG)." >&2; exit 1; }; \
	if $(BIN)/python -m pip install --quiet uv >>$(LOG) 2>&1 && $(BIN)/uv --version >>$(LOG) 2>&1; then \
	    installer="$(BIN)/uv pip install --python $(BIN)/python"; name=uv; \
	else \
	    installer="$(BIN)/python -m pip install --quiet"; name="pip (uv could not be installed, so this takes longer)"; \
	fi; \
	echo "Installing $$(grep -c '^[a-z]' requirements-lock.txt) locked packages with $$name"; \
	$$installer --require-hashes --requirement requirements-lock.txt >>$(LOG) 2>&1 || show_log; \
	$$installer --no-deps --no-build-isolation --editable . >>$(LOG) 2>&1 || show_log; \
	printf '%s\n' "$(CURDIR)" >$(READY); \
	echo "Ready after $$(($$(date +%s) - start)) s"

# The header and the index options are left out: they would record the machine that the file was written on.
lock: | $(BIN)/python
	@$(BIN)/python -m pip install --quiet uv
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --all-extras --no-header --no-emit-index-url \
	    --no-emit-find-links --python-version 3.11 $(LOCK_ARGS) pyproject.toml --output-file requirements-lock.txt
	@echo "requirements-lock.txt holds $$(grep -c '^[a-z]' requirements-lock.txt) packages (make lock LOCK_ARGS=--upgrade for newer ones)"

clean:
	rm -rf $(VENV) build dist demo-output docs/_build docs/generated docs/examples-run benchmarks/results htmlcov .coverage .coverage.* \
	    .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
