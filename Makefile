# make demo   a first look: installs into .venv and scores the demo data that comes with the package
# make test   everything that must hold: lint, types, unit and property tests, doctests, the built wheel
# make bench  speed beside other tools, as ratios measured in one run

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
BINARY := --only-binary numba,llvmlite,pyarrow,PyStemmer
STAMP  := $(VENV)/.installed
SHELL  := /bin/sh

.PHONY: demo test lint types unit wheel bench clean

demo: $(STAMP)
	$(BIN)/wordorder demo

test: lint types unit wheel

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

unit: $(STAMP)
	$(BIN)/python -m pytest

# An editable install hides files missing from the wheel, so what needs package data is run from the built wheel too.
wheel: $(STAMP)
	rm -rf build/wheel && mkdir -p build/wheel
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir build/wheel .
	$(BIN)/pip install --quiet --no-deps --target build/wheel/installed build/wheel/wordorder-*.whl
	cd build/wheel && PYTHONPATH=installed ../../$(BIN)/python -c "import wordorder; \
	  assert 'installed' in wordorder.__file__, wordorder.__file__"
	cd build/wheel && PYTHONPATH=installed ../../$(BIN)/python -m wordorder demo
	cd build/wheel && PYTHONPATH=installed ../../$(BIN)/python -m wordorder preorder rules r5 > /dev/null

bench: $(STAMP)
	$(BIN)/pip install --quiet $(BINARY) -e '.[bench]'
	$(BIN)/python benchmarks/run.py

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "wordorder needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "Python's venv module is missing; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check $(BINARY) -e '.[dev]'
	touch $(STAMP)

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
