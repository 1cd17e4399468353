# make demo   a first look: installs what running needs into .venv, scores the demo data and compiles all commands
# make test   everything that must hold: lint, types, unit and property tests, doctests, the documentation, the wheel;
#             tests run in two processes (make test JOBS=4: in four)
# make quick  lint, types and the fast tests: no property tests, doctests or real data, nothing that takes seconds
# make random all tests in random order and on examples of their own: make random ORDER=7 repeats both
# make deletion  every application deleted in turn: does what remains work?
# make fuzz   corrupted files for every reader, then corrupted files and arguments for every command, for so many seconds
#             in all: make fuzz SECONDS=600 SEED=7
# make mutants  small changes to the core, one at a time: which of them does no test notice? make mutants COUNT=300 SEED=1;
#             results are kept in build/mutants, so that a run that was interrupted goes on
# make dist   the source archive and the wheel, in dist/
# make pythons  the wheel in an empty environment of every Python that is here: make pythons PYTHONS="python3.11 python3.12"
# make docs   the site, in build/site; a warning is an error
# make gallery  the gallery of pictures and charts, drawn anew
# make conformance  our numbers compared with those of other tools, on the same inputs: docs/conformance.md
# make papers the tables of five papers next to ours, and more: docs/results/; needs the folder of real data beside the
#             clone, as ../shared/data, or named by WORDORDER_DATA (make papers TUNING=1: also what trains systems)
# make leaderboard  the systems of a test set in mt-metrics-eval's layout as a web page, in build/leaderboard:
#             make leaderboard FOLDER=wmt24 PAIR=en-de (for Chinese and Japanese: TOKENIZE=zh)
# make bench  speed compared with other tools and growth, measured in one run: docs/speed.md, docs/scale.md and
#             docs/study-analysis.md (make bench LONGEST=10000000: up to ten million sentence pairs)

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
BINARY := --only-binary numba,llvmlite,pyarrow,PyStemmer
JOBS   ?= 2
LONGEST ?= 1000000
RUN    := $(VENV)/.run
DEV    := $(VENV)/.dev
SHELL  := /bin/sh

.PHONY: demo test quick lint types unit random deletion wheel dist pythons fuzz mutants docs gallery conformance papers leaderboard bench clean

demo: $(RUN)
	$(BIN)/wordorder demo
	$(BIN)/wordorder demo --compile

test: lint types unit wheel

quick: lint types
	$(BIN)/python -m pytest tests --ignore tests/test_structure.py -m "not slow and not realdata and not hypothesis"

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)
	$(BIN)/mypy

unit: $(DEV)
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile

ifndef ORDER
ORDER  := $(shell date +%s)
endif
random: $(DEV)
	@echo "make random ORDER=$(ORDER)"
	$(BIN)/python -m pytest -p randomly --randomly-seed=$(ORDER) --hypothesis-seed=$(ORDER) -n $(JOBS) --dist loadfile

deletion: $(DEV)
	$(BIN)/python tests/packaging/deletion.py

# An editable install hides files missing from the wheel, so what needs package data is run from the built wheel too.
wheel: $(DEV)
	rm -rf build/wheel && mkdir -p build/wheel
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir build/wheel .
	$(BIN)/pip install --quiet --no-deps --target build/wheel/installed build/wheel/wordorder-*.whl
	cd build/wheel && PYTHONPATH=installed ../../$(BIN)/python -c "import wordorder; \
	  assert 'installed' in wordorder.__file__, wordorder.__file__"
	cd build/wheel && PYTHONPATH=installed ../../$(BIN)/python -m wordorder demo
	cd build/wheel && PYTHONPATH=installed ../../$(BIN)/python -m wordorder demo --files demo
	cd build/wheel && PYTHONPATH=installed ../../$(BIN)/python -m wordorder preorder rules r5 > /dev/null
	cd build/wheel/demo && PYTHONPATH=../installed ../../../$(BIN)/python -m wordorder score --ref reference.txt \
	  --hyp good.txt --html report.html > /dev/null

dist: $(DEV)
	rm -rf dist && $(BIN)/python -m build --quiet
	$(BIN)/python tests/packaging/contents.py dist

PYTHONS ?= python3.11 python3.12 python3.13 python3.14
pythons:
	@test -e dist || $(MAKE) dist
	@for python in $(PYTHONS); do \
	  if $$python --version > /dev/null 2>&1; then $$python tests/packaging/trial.py dist || exit 1; \
	  else echo "$$python is not here"; fi; done

SECONDS ?= 60
SEED    ?= 1
fuzz: $(DEV)
	$(BIN)/python tests/fuzzing/fuzz.py --seconds $(SECONDS) --seed $(SEED)

COUNT   ?= 300
mutants: $(DEV)
	$(BIN)/python tests/mutation/mutants.py --count $(COUNT) --seed $(SEED)

docs: $(RUN)
	$(BIN)/pip install --quiet --disable-pip-version-check $(BINARY) -e '.[docs]'
	$(BIN)/python docs/build_site.py

gallery: $(DEV)
	$(BIN)/python docs/gallery.py

# Peers that cannot be installed are named on the page; the others are compared.
conformance: $(DEV)
	-$(BIN)/pip install --quiet $(BINARY) -e '.[peers]'
	-$(BIN)/pip install --quiet $(BINARY) -e '.[eflomal]'
	$(BIN)/python -m conformance

# The page on literal translation needs eflomal.
papers: $(DEV)
	-$(BIN)/pip install --quiet $(BINARY) -e '.[eflomal]'
	TUNING=$(TUNING) $(BIN)/python -m papers

FOLDER   ?= ../shared/data/wmt24
PAIR     ?= en-de
TOKENIZE ?= 13a
leaderboard: $(RUN)
	$(BIN)/python -m leaderboard $(FOLDER) $(PAIR) --tokenize $(TOKENIZE)

bench: $(DEV)
	-$(BIN)/pip install --quiet $(BINARY) -e '.[peers]'
	-$(BIN)/pip install --quiet $(BINARY) -e '.[eflomal]'
	$(BIN)/python benchmarks/run.py --longest $(LONGEST)

$(RUN): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "wordorder needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "Python's venv module is missing; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check $(BINARY) -e .
	touch $(RUN)

$(DEV): $(RUN)
	$(BIN)/pip install --quiet --disable-pip-version-check $(BINARY) -e '.[dev]'
	touch $(DEV)

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
