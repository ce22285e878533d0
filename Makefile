# make dev       create .venv with an editable install and the tools for tests, linting and documentation
# make demo      train on Wikipedia articles; print neighbours and scores, write pictures and a report to demo/
# make test      run the linters, build the documentation and run the tests, as continuous integration does
# make lint      run ruff, mypy, cython-lint and import-linter
# make docs      build the documentation: open build/html/docs/index.html
# make faults    kill, interrupt and damage runs, writers and files, and check what is left; prints tables
# make clients   run programs written for Word2Vec with both models, in environments of their own; updates docs/clients.md
# make sanitize  run the kernel tests under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer
# make test-oldest  run tests with the oldest version of each dependency, in .venv-oldest
# make wheel     build a wheel for each Python on the PATH and try it in an empty environment
# make wheels    build and test the wheels of this system for all Pythons with cibuildwheel (on Linux, in containers)
# make sdist     build the source distribution
# make clean     remove .venv and everything that was built
#
# All targets use .venv and create it if it is missing. It is updated only when pyproject.toml changes.

VENV ?= .venv
ifeq ($(OS),Windows_NT)
PYTHON ?= python
BIN := $(VENV)/Scripts
else
PYTHON ?= python3
BIN := $(VENV)/bin
# meson-python looks for meson and ninja on the PATH
export PATH := $(abspath $(BIN)):$(PATH)
endif

OLDEST := $(abspath $(VENV))-oldest
# tests that need no package beyond those of .ci/oldest.txt
TESTS_OLDEST := kernels test_training.py test_model.py test_cooccurrence.py test_checkpoints.py test_counting.py \
	test_corpus.py test_evaluation.py test_keyedvectors.py test_subwords.py test_sklearn.py test_system.py

INSTALL := pip install --quiet --no-build-isolation --check-build-dependencies --editable

.PHONY: help dev demo test lint docs faults clients sanitize test-oldest wheel wheels sdist clean

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

dev: $(VENV)/.dev

demo: $(VENV)/.installed
	python -m gensim_wordrank.demo demo

# linters, documentation and system packages are independent of each other; the tests share two processes
test: $(VENV)/.dev
	$(MAKE) --jobs=3 --output-sync lint docs $(VENV)/.system
	pytest -m "not clients" -n 2 --dist worksteal

lint: $(VENV)/.dev
	ruff check .
	ruff format --check .
	mypy
	mypy --platform win32 # finds calls that only POSIX has
	cython-lint cython_src
	python .ci/lint_imports.py --no-logo

docs: $(VENV)/.dev
	sphinx-build --quiet --fresh-env --fail-on-warning --nitpicky -c docs . build/html

faults: $(VENV)/.installed
	python tests/faults.py $(FAULTS)

clients: $(VENV)/.installed
	python tests/clients/run.py --page docs/clients.md $(CLIENTS)

sanitize: $(VENV)/.dev
	python tests/sanitize.py

test-oldest:
	test -x $(OLDEST)/bin/python || $(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/pip install --quiet 'pip>=25.1'
	$(OLDEST)/bin/pip install --quiet --only-binary=:all: --requirement .ci/oldest.txt --group test-wheel meson-python ninja cython==3.1.2
	PATH=$(OLDEST)/bin:$$PATH $(OLDEST)/bin/pip install --quiet --no-build-isolation --no-deps .
	$(OLDEST)/bin/pytest -W default $(addprefix tests/,$(TESTS_OLDEST))

wheel: $(VENV)/.wheels
	python tests/wheel.py

wheels: $(VENV)/.wheels
	$(BIN)/python -m cibuildwheel --output-dir dist

sdist: $(VENV)/.wheels
	$(BIN)/python -m build --sdist

clean:
	rm -rf $(VENV) $(OLDEST) demo dist build .hypothesis .import_linter_cache .mypy_cache .ruff_cache .pytest_cache

# the package and what the demo needs
$(VENV)/.installed: pyproject.toml
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	pip install --quiet --upgrade 'pip>=25.1' meson-python ninja 'cython>=3.1.2,!=3.2.6,!=3.2.7,!=3.2.8,!=3.2.9'
	$(INSTALL) '.[plot]'
	touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/.installed
	$(INSTALL) '.[plot,sklearn,distributed]' --group test --group lint --group docs
	touch $@

# works on Windows, too, where the other targets do not
$(VENV)/.wheels: pyproject.toml
	test -d $(BIN) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet "pip>=25.1"
	$(BIN)/python -m pip install --quiet --group wheels
	touch $@

# programs that are not Python packages; tests that need a missing one are skipped
$(VENV)/.system: | $(VENV)/.installed
	.ci/install-programs
	touch $@
