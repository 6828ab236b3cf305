# run: the app on the sample town · test: everything that CI runs · check: lint and types alone · bench: ratios
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TOWN ?= build/sample
PORT ?= 8501

.PHONY: run test check docs bench browser clean

run: $(VENV)/run.stamp $(TOWN)/town.toml
	$(BIN)/python -m mapping serve $(TOWN) --port $(PORT)

$(TOWN)/town.toml: | $(VENV)/run.stamp
	$(BIN)/python -m mapping demo $(TOWN)

test: $(VENV)/dev.stamp browser
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest

check: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/dev.stamp
	$(BIN)/python -m tests.make_docs

# Debian's Chromium where there is none; without it the browser tests skip and say so
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -y -qq chromium fonts-dejavu-core; } || \
	  echo "no Chromium here: the browser tests will skip"

$(VENV)/run.stamp: requirements.txt
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

$(VENV)/dev.stamp: requirements-dev.txt $(VENV)/run.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@

clean:
	rm -rf build .mypy_cache .ruff_cache .pytest_cache .hypothesis

bench: $(VENV)/dev.stamp
	$(BIN)/python -m benchmarks.build
