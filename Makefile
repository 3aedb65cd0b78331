# make demo [HAND=n] [SPEED=x]   play a hand on the simulated table, from shuffle to scored result
# make test                      lint, types and every test
# make test-rp2040               the chip's own build on an emulated Pico (builds it first, from Debian's sources)
# make bench / soak / docs       figures / long runs / the generated pages
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
HAND ?= 1
SPEED ?= 4
SEED ?= 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: setup demo test test-rp2040 lint bench soak docs clean

setup: $(READY)

# Debian ships python3 without venv; everything else comes with pip, pinned by constraints.txt.
$(READY): constraints.txt requirements-dev.txt host_tools/pyproject.toml hardware/pyproject.toml firmware/lib/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: set PYTHON=..."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { apt-get -qq update && apt-get -qq install -y python3-venv && $(PYTHON) -m venv --clear $(VENV); }
	@echo "Installing into $(VENV) ..."
	@$(BIN)/python -m pip install -q -c constraints.txt -r requirements-dev.txt -e firmware/lib -e hardware -e host_tools
	@touch $@

demo: setup
	@$(BIN)/paiju demo --hand $(HAND) --speed $(SPEED) --seed $(SEED)

test: lint
	$(BIN)/python -m pytest -n auto --dist worksteal

test-rp2040: setup
	tools/build_micropython.sh
	tests/rp2040/install.sh $(BIN)/python
	PAIJU_BUILT=1 $(BIN)/python -m pytest tests/rp2040

lint: setup
	$(BIN)/ruff check .
	$(BIN)/python hardware/generate.py --check
	$(BIN)/mypy host_tools/src/paiju hardware/twin --exclude 'hardware/twin/shim'
	$(BIN)/python -m twin.firmware
	$(BIN)/python firmware/check_types.py

bench: setup
	$(BIN)/python tests/bench/run.py

soak: setup
	$(BIN)/python tests/soak/run.py

docs: setup
	$(BIN)/python hardware/generate.py
	$(BIN)/python -m tablelink.document > docs/protocol.md

clean:
	rm -rf $(VENV) build .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
