"""What lies around the code: the documents are there, short where they must be, and name things that exist."""

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.architecture.rooms import DOCUMENT, document
from tests.architecture.source import ROOT, sources
from ui.cli import COMMANDS

DOCUMENTS = ["README.md", "AGENTS.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/rooms.md", "docs/glossary.md"]
PATH_IN_TEXT = re.compile(r"`((?:assistant|memory|models|ui|tests|docs)/[\w./-]+|[A-Z]+\.md|Makefile|pyproject\.toml)`")
LINK_IN_TEXT = re.compile(r"\]\((?!https?:)([^)#\s]+)")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_names_only_files_that_exist(name: str) -> None:
    path = ROOT / name
    text = path.read_text()
    named = [ROOT / found for found in PATH_IN_TEXT.findall(text)]
    linked = [path.parent / found for found in LINK_IN_TEXT.findall(text)]
    assert [str(found) for found in (*named, *linked) if not found.exists()] == []


def test_the_list_of_rooms_is_true() -> None:
    assert DOCUMENT.read_text() == document(), "make fix writes it anew"


def test_every_room_says_its_job() -> None:
    for source in sources():
        if not source.path.endswith("__init__.py"):
            assert ast.get_docstring(source.tree), source.path


def test_the_tour_is_short() -> None:
    assert len((ROOT / "AGENTS.md").read_text().splitlines()) <= 150


def test_the_readme_shows_every_command() -> None:
    text = (ROOT / "README.md").read_text()
    assert [name for name in COMMANDS if f"steward {name}" not in text] == []


def test_the_changelog_has_a_place_for_the_next_release() -> None:
    assert "\n## Unreleased\n" in (ROOT / "CHANGELOG.md").read_text()


def test_every_target_of_the_makefile_is_explained_at_its_top() -> None:
    text = (ROOT / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    assert phony is not None
    head = text.split("\n\n")[0]
    assert [target for target in phony[1].split() if f"make {target}" not in head and target != "setup"] == []


def test_ci_runs_exactly_make_test() -> None:
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    assert [line for line in lines if re.search(r"\bmake\b", line)] == ["exec make test </dev/null"]
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_the_pins_cover_every_dependency_and_carry_no_address() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    pins = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if line and not line.startswith("#")]
    assert [pin for pin in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+]+", pin)] == []
    pinned = {_normal(pin.partition("==")[0]) for pin in pins}
    assert [name for need in wanted if (name := _normal(re.split(r"[<>=\[ ]", need)[0])) not in pinned] == []


def test_decision_notes_are_in_order() -> None:
    """Decision notes are numbered without gaps, and their index links each."""
    folder = ROOT / "docs" / "decisions"
    notes = sorted(path.name for path in folder.glob("[0-9]*.md"))
    assert [int(name[:4]) for name in notes] == list(range(1, len(notes) + 1))
    index = (folder / "README.md").read_text()
    assert [name for name in notes if f"({name})" not in index] == []


def test_nothing_that_was_made_by_a_run_is_kept() -> None:
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("this tree is not a git checkout")
    kept = [Path(name) for name in done.stdout.splitlines() if not {"data", "schemas"} & set(Path(name).parts)]
    assert [str(path) for path in kept if path.suffix in {".gguf", ".db", ".log", ".pyc", ".onnx"}] == []


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
