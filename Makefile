# Everything a person does with this tree. The first target makes .venv; the ones after it start at once.
#
#   make run         open Steward (the first time: install, then find or fetch a model)
#   make test        the whole suite
#   make check       format, lint, types, import rules, then the suite
#   make check-nightly   crashes, faults and attacks in larger numbers (docs/reliability.md)
#   make check-release   the whole suite with the largest numbers
#   make check-versions  the rooms with every library at its lowest allowed version, then at the newest there is, and
#                    homes of the one opened by the other (two more environments; docs/reliability.md)
#   make release     dist/: wheel, source archive, list of all parts (CycloneDX), hashes; the same bytes each time
#   make lock        write locked.txt anew: every pin of constraints.txt with the hashes of its files
#   make install-locked  .venv-locked from locked.txt, nothing taken whose hash is not in it
#   make evaluate    measure memory and suggestions; ARGS="--notice" asks your model too (docs/evaluation.md), and
#                    STEWARD_TEST_MODEL=FILE.gguf runs the known cases on it
#   make demo        the terminal UI on a scripted model, no weights
#   make snap        draw the pictures in docs/pictures from the real app
#   make benchmark   measure, and write docs/performance.md
#   make fix         let ruff format and mend what it can; write docs/rooms.md and docs/cases.md anew
#   make clean       remove the environments and caches

# llama.cpp is built for a generic x86-64 with AVX2 instead of this machine's own CPU: kernels chosen by "native" crash on
# virtual machines that announce AMX (steward doctor explains). Set CMAKE_ARGS yourself for CUDA, Vulkan or Metal.
CMAKE_ARGS ?= -DGGML_NATIVE=OFF
export CMAKE_ARGS
# With SOURCE_DATE_EPOCH set, ggml switches AVX off altogether.
unexport SOURCE_DATE_EPOCH

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
ARGS ?=
# Processes that run the tests; 0 is this one alone.
WORKERS ?= auto

# What is tried in larger numbers at night, and how often.
PROOFS := tests/crash tests/attacks tests/cases tests/memory/test_kills.py tests/memory/test_migration_kills.py \
	tests/memory/test_index_kills.py tests/memory/test_encrypting.py tests/memory/test_vector_index.py \
	tests/memory/test_index_rebuilding.py tests/memory/test_index_process.py tests/memory/test_salvage.py \
	tests/memory/test_owner_lock.py tests/memory/importing tests/memory/portable tests/memory/test_backups.py \
	tests/memory/test_forget.py tests/memory/test_database.py tests/memory/test_data_dir.py \
	tests/assistant/test_reminder_kills.py tests/assistant/test_suggestion_kills.py \
	tests/assistant/test_decision_kills.py tests/assistant/test_plan_kills.py tests/assistant/test_scheduler.py tests/assistant/policies/test_due.py \
	tests/assistant/policies/test_sharing.py tests/assistant/policies/asking tests/assistant/tools/mcp \
	tests/models/test_worker_faults.py tests/models/test_gguf.py tests/models/test_child_file_template.py \
	tests/models/test_child_words.py tests/ui/test_profile_acts.py tests/ui/test_offline.py tests/ui/test_app_naughty.py \
	tests/ui/test_pty_life.py tests/ui/test_pty_safety.py tests/ui/test_data_commands.py tests/ui/test_reminders_command.py
NIGHTLY := STEWARD_KILLS=1000 STEWARD_RACES=100 STEWARD_KILL_EVERY=5 STEWARD_INDEX_KILLS=200 STEWARD_FAULT_REPEATS=17 \
	STEWARD_IMAGES=1500 STEWARD_REFUSE_EVERY=1 STEWARD_TICK_EVERY=1 STEWARD_TURNS=3000 STEWARD_ATTACKS=all
RELEASE := STEWARD_KILLS=3000 STEWARD_RACES=100 STEWARD_KILL_EVERY=1 STEWARD_INDEX_KILLS=400 STEWARD_FAULT_REPEATS=50 \
	STEWARD_IMAGES=6000 STEWARD_REFUSE_EVERY=1 STEWARD_TICK_EVERY=1 STEWARD_TURNS=10000 STEWARD_ATTACKS=all \
	HYPOTHESIS_PROFILE=search

LOWEST := .venv-lowest
HIGHEST := .venv-highest
LOCKED := .venv-locked
VERSIONS := tests/memory tests/models tests/assistant tests/ui
# They only write files beside the tree, and are in no environment that runs Steward.
UV := uv==0.13.9
SBOM := cyclonedx-bom==7.5.0
PIP := -m pip install --quiet --disable-pip-version-check

.PHONY: run test check check-nightly check-release check-versions release lock install-locked evaluate demo snap benchmark setup fix clean

run: $(STAMP)
	@$(BIN)/steward $(ARGS)

test: $(STAMP)
	@$(BIN)/python -m pytest -n $(WORKERS) $(ARGS)

check: $(STAMP)
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n $(WORKERS) $(ARGS)

check-nightly: $(STAMP)
	$(NIGHTLY) $(BIN)/python -m pytest -n $(WORKERS) --timeout 3600 $(PROOFS) $(ARGS)

check-release: $(STAMP)
	$(RELEASE) $(BIN)/python -m pytest -n $(WORKERS) --timeout 14400 $(ARGS)

check-versions: $(LOWEST)/.installed
	@echo "The newest versions there are go into $(HIGHEST)."
	@$(BIN)/python -m venv $(HIGHEST)
	@$(HIGHEST)/bin/python $(PIP) --upgrade pip
	@$(HIGHEST)/bin/python $(PIP) --upgrade --upgrade-strategy eager --editable . --group dev
	$(LOWEST)/bin/python -m pytest -n $(WORKERS) $(VERSIONS) $(ARGS)
	$(HIGHEST)/bin/python -m pytest -n $(WORKERS) $(VERSIONS) $(ARGS)
	$(BIN)/python -m tests.versions.across $(LOWEST) $(HIGHEST)

$(LOWEST)/.installed: $(STAMP)
	@echo "The lowest versions that pyproject.toml allows go into $(LOWEST)."
	@$(BIN)/python -m venv --clear $(LOWEST)
	@$(BIN)/python -m tests.versions.bounds > $(LOWEST)/pins.txt
	@$(LOWEST)/bin/python $(PIP) --upgrade pip
	@$(LOWEST)/bin/python $(PIP) --constraint $(LOWEST)/pins.txt --editable . --group dev
	@touch $@

release: $(STAMP)
	@rm -rf dist build/release build/sbom
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m hatchling build --directory dist
	@$(BIN)/python -m venv build/release && build/release/bin/python $(PIP) --constraint constraints.txt dist/*.whl
	@$(BIN)/python -m venv build/sbom && build/sbom/bin/python $(PIP) $(SBOM)
	build/sbom/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --output-file dist/sbom.json \
		build/release/bin/python
	@cd dist && sha256sum *.whl *.tar.gz sbom.json > SHA256SUMS && cat SHA256SUMS

lock: $(STAMP)
	@$(BIN)/python -m venv build/lock && build/lock/bin/python $(PIP) $(UV)
	@build/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
		--no-emit-index-url --no-emit-find-links --group dev --constraint constraints.txt --output-file locked.txt pyproject.toml

install-locked:
	@$(PYTHON) -m venv --clear $(LOCKED)
	$(LOCKED)/bin/python $(PIP) --require-hashes --no-deps --requirement locked.txt
	$(LOCKED)/bin/python $(PIP) --no-index --no-deps --no-build-isolation .
	$(LOCKED)/bin/python -m pip check

evaluate: $(STAMP)
	@$(BIN)/steward evaluate memory $(ARGS)
	@$(BIN)/steward evaluate proactive
	@test -z "$$STEWARD_TEST_MODEL" || $(BIN)/python -m pytest -m real_model -s tests/cases

demo: $(STAMP)
	@$(BIN)/steward --demo $(ARGS)

snap: $(STAMP)
	$(BIN)/python -m tests.snap $(ARGS)

benchmark: $(STAMP)
	$(BIN)/python -m tests.benchmarks.run $(ARGS)

setup: $(STAMP)

fix: $(STAMP)
	$(BIN)/ruff format
	$(BIN)/ruff check --fix
	$(BIN)/python -m tests.architecture.rooms
	$(BIN)/python -m tests.cases.listing

clean:
	rm -rf $(VENV) $(LOWEST) $(HIGHEST) $(LOCKED) .mypy_cache .ruff_cache .hypothesis .import_linter_cache build dist

$(STAMP): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "Steward needs Python 3.11 or newer, and none is on the PATH."; \
		echo "  Debian, Ubuntu: sudo apt install python3 python3-venv    macOS: brew install python"; exit 1; }
	@command -v c++ >/dev/null 2>&1 || command -v g++ >/dev/null 2>&1 || command -v clang++ >/dev/null 2>&1 || { \
		echo "Steward builds llama.cpp and needs a C and C++ compiler, and none is on the PATH."; \
		echo "  Debian, Ubuntu: sudo apt install build-essential    Fedora: sudo dnf install gcc-c++ make    macOS: xcode-select --install"; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV) || { rm -rf $(VENV); \
		echo "$(PYTHON) cannot make a virtual environment."; \
		echo "  Debian, Ubuntu: sudo apt install python3-venv"; exit 1; }
	@echo "Installing into $(VENV). The first build of llama.cpp takes about 4 minutes on 2 cores; later ones use pip's cache."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --upgrade pip
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable . --group dev || { \
		echo "The installation is not finished. The same command goes on from here; what is above says why."; \
		echo "  Without a network it needs one once; a compiler error: see docs/troubleshooting.md"; exit 1; }
	@touch $@
