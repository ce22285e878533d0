# make demo   train on a small real text and look at the result
# make test   lint, build, install, build the pages and run the whole suite
# make faults kill, interrupt, damage, fill the disk and take the memory of runs at random moments; prints a table
# make sanitize   run the tests of the kernels under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer
# make docs   build the pages: open build/html/docs/index.html
# Everything happens in .venv, which is made at the first call; a second call downloads nothing.

PYTHON ?= python3
VENV ?= .venv
ROOT := $(CURDIR)
# the build tools and the linters are found by name
export PATH := $(abspath $(VENV))/bin:$(PATH)

SOURCES := pyproject.toml README.md $(shell find . -name meson.build -not -path './.venv/*') \
	$(wildcard gensim_wordrank/*.* gensim_wordrank/*/*.* cython_src/*)
CHROMIUM := DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=60 install --yes --no-install-recommends chromium
# what is compiled stays in build/meson, so that nothing is compiled twice
INSTALL := pip install --quiet --no-build-isolation --check-build-dependencies -C build-dir=build/meson

.PHONY: demo test faults sanitize docs lint clean

demo: $(VENV)/.installed
	python -m gensim_wordrank.demo demo

# in an empty directory, so that the installed package is tested and not the source folder; on two processes, of which each
# begins with half of the tests, file by file, and takes over some of the other's when it is done
test: $(VENV)/.test-tools $(VENV)/.installed
	$(MAKE) --jobs=3 --output-sync lint docs $(VENV)/.browser
	cd "$$(mktemp -d)" && pytest -c "$(ROOT)/pyproject.toml" --rootdir "$(ROOT)" -n 2 --dist worksteal "$(ROOT)/tests"

faults: $(VENV)/.installed
	cd "$$(mktemp -d)" && python "$(ROOT)/tests/faults.py" $(FAULTS)

sanitize: $(VENV)/.test-tools
	python tests/sanitize.py

docs: $(VENV)/.test-tools $(VENV)/.installed
	sphinx-build --quiet --fresh-env --fail-on-warning --nitpicky -c docs . build/html

lint: $(VENV)/.test-tools
	ruff check .
	ruff format --check .
	mypy
	cython-lint cython_src

$(VENV)/.build-tools: pyproject.toml
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	pip install --quiet --upgrade 'pip>=24' meson-python ninja 'cython>=3.1.2,!=3.2.6,!=3.2.7,!=3.2.8,!=3.2.9'
	$(INSTALL) '.[plot]'
	touch $@

# setuptools builds Annoy, which has no wheels; before 70.1 it cannot without another package
$(VENV)/.test-tools: pyproject.toml | $(VENV)/.build-tools
	pip install --quiet 'setuptools>=70.1'
	$(INSTALL) '.[test,lint,docs]'
	touch $@

# pages are tested in Chromium; the download may take its time, but what was begun to be installed is not cut short
$(VENV)/.browser: | $(VENV)/.test-tools
	command -v chromium > /dev/null \
		|| (timeout 100 sh -c 'apt-get -qq update && $(CHROMIUM) --download-only' && $(CHROMIUM)) > /dev/null \
		|| echo "Chromium cannot be installed here: tests of pages will be skipped."
	touch $@

$(VENV)/.installed: $(SOURCES) | $(VENV)/.build-tools
	$(INSTALL) --no-deps --force-reinstall .
	touch $@

clean:
	rm -rf $(VENV) demo dist build .hypothesis .mypy_cache .ruff_cache .pytest_cache
