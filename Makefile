# Needs make and Python 3.11 or newer with venv; everything else goes into .venv, but for two things that are
# installed for the machine if root runs make: Java, 17 or newer, which the tests and benchmarks with Spark
# need, and Chromium, in which the tests open pages.

# Names to try, in order; or say which: make demo PYTHON=/opt/python/bin/python3
PYTHON ?= python3.13 python3.12 python3.11 python3

BIN := .venv/bin
# Modules are compiled when they are first used: to compile all of them takes longer than to fetch them.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

.PHONY: help demo test suite thorough snapshots same bench lint format clean java browser
.DEFAULT_GOAL := help

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

demo: .venv/.core  ## evaluate two models on the shipped data set
	@$(BIN)/tallymark demo

# Two at a time: packages of the machine beside those of Python, then types, which take one core, beside the tests.
test:  ## the linters and every test
	@$(MAKE) --no-print-directory --jobs=2 java browser .venv/.dev
	@$(MAKE) --no-print-directory --jobs=2 lint suite

# Tests that share something costly, as a session of Spark or a browser, are run by one worker: --dist loadgroup.
suite: .venv/.dev
	$(BIN)/pytest -n auto --dist loadgroup

thorough: java browser .venv/.dev  ## every test, slow ones and simulations included; ten minutes
	$(BIN)/pytest -n auto --dist loadgroup --thorough tests benchmarks/simulations

snapshots: .venv/.dev  ## write anew the texts in tests/snapshots, to be reviewed as a diff
	$(BIN)/pytest --snapshots -q

same: .venv/.dev  ## version 0.1 beside the working tree: every difference must be in tests/differences.toml
	$(BIN)/python tools/same

bench: java browser .venv/.dev  ## speed as ratios, and the measured coverage of every interval
	$(BIN)/pytest -n auto benchmarks/simulations
	$(BIN)/python benchmarks

lint: .venv/.dev  ## style, types and the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/.dev  ## put the code in the house style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:  ## remove .venv, caches and builds
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage
	find . -name .git -prune -o -type d -name __pycache__ -prune -exec rm -rf {} +

# JAVA_HOME goes before PATH, as Spark has it; where it is set, nothing that is installed would be used.
# Of the two packages a machine may have the second alone: what Debian calls default is newer each time.
java:
	@enough() { \
		found=$$("$${JAVA_HOME:+$$JAVA_HOME/bin/}java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p'); \
		test "$${found:-0}" -ge 17; \
	}; \
	enough && exit; \
	if [ -z "$$JAVA_HOME" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing Java ..." >&2; \
		export DEBIAN_FRONTEND=noninteractive; \
		apt-get update -qq >/dev/null; \
		for package in openjdk-17-jre-headless default-jre-headless; do \
			apt-get install -qq -y --no-install-recommends $$package >/dev/null 2>&1 && break; \
		done; \
		enough && exit; \
	fi; \
	echo "Java 17 or newer is needed for Spark; found: $${found:-none}$${JAVA_HOME:+ at JAVA_HOME=$$JAVA_HOME}. Hint: sudo apt-get install openjdk-17-jre-headless, and set JAVA_HOME to it or not at all" >&2; \
	exit 2

# CHROMIUM goes before PATH, as in tests/browser; where it is set, nothing that is installed would be used.
# Each name is run, not looked up: Ubuntu's chromium-browser may be a note that says where to get it.
# After Java, for a machine installs one package at a time.
browser: | java
	@found() { \
		for name in chromium chromium-browser google-chrome; do \
			"$${CHROMIUM:-$$name}" --version >/dev/null 2>&1 && return; \
		done; \
		return 1; \
	}; \
	found && exit; \
	if [ -z "$$CHROMIUM" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing Chromium ..." >&2; \
		export DEBIAN_FRONTEND=noninteractive; \
		apt-get update -qq >/dev/null; \
		apt-get install -qq -y --no-install-recommends chromium >/dev/null 2>&1; \
		found && exit; \
	fi; \
	echo "Chromium is needed to open pages; found: none$${CHROMIUM:+ at CHROMIUM=$$CHROMIUM}. Hint: sudo apt-get install chromium, or set CHROMIUM to a Chromium or Chrome that you have" >&2; \
	exit 2

# Each name is run, not looked up: a version manager can put a name on PATH that fails when called.
# ensurepip is asked for because Debian leaves it, not venv, out of its plain python3.
.venv/.made:
	@for name in $(PYTHON); do \
		"$$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
		"$$name" -m venv --clear .venv && touch $@; \
		exit; \
	done; \
	for name in $(PYTHON); do \
		found=$$("$$name" -c 'import sys; print("python%d.%d" % sys.version_info[:2]); sys.exit(sys.version_info < (3, 11))' 2>/dev/null) || continue; \
		echo "$$name is new enough but cannot make a virtual environment. Hint: sudo apt install $$found-venv" >&2; \
		exit 2; \
	done; \
	echo "Python 3.11 or newer is needed; tried: $(PYTHON). Hint: sudo apt install python3 python3-venv, or name yours: make PYTHON=/path/to/python3" >&2; \
	exit 2

.venv/.core: pyproject.toml .venv/.made
	@echo "Installing tallymark into .venv ..." >&2
	@$(PIP) --editable '.[plots,validate]'
	@touch $@

# --group is known to pip since 25.1.
.venv/.dev: pyproject.toml .venv/.core
	@echo "Installing the development tools into .venv ..." >&2
	@$(PIP) 'pip>=25.1'
	@$(PIP) --group dev
	@touch $@
