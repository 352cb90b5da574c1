"""The wheel: exactly our four packages with their data, the same bytes each time it is built, and a command that works
once it is installed."""

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from tests.architecture.source import PACKAGES, ROOT

READS_ITS_DATA = """
import assistant.deps, models.catalog, ui.cli
models.catalog.load_catalogue()
assistant.deps.Prompts.load()
print(ui.cli.__file__)
"""


PARTS = (*PACKAGES, "README.md", "LICENSE", "CHANGELOG.md", "constraints.txt", "pyproject.toml")


def build(tree: Path, target: str, folder: Path, **environment: str) -> Path:
    """With what is installed, without a network."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(folder)],
        cwd=tree,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env=os.environ | environment,
    )
    (built,) = folder.glob("steward*")
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from this tree."""
    return build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


def copied(tree: Path, *, at: int, mode: int) -> Path:
    """What is built from, as another clone has it: another folder, other times, other rights of the group."""
    tree.mkdir()
    for name in PARTS:
        source, here = ROOT / name, tree / name
        if source.is_dir():
            shutil.copytree(source, here, ignore=shutil.ignore_patterns("__pycache__", ".ruff_cache"))
        else:
            shutil.copyfile(source, here)
    for path in tree.rglob("*"):
        if path.is_file():
            path.chmod(mode)
            os.utime(path, (at, at))
    return tree


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("target", ["wheel", "sdist"])
def test_it_is_the_same_bytes_each_time(target: str, tmp_path: Path) -> None:
    """Built in two clones, a year apart, under another zone, language and order of sets; and once at another moment
    that is named, which has to make a difference, or nothing was compared."""
    one, other = (
        copied(tmp_path / "one", at=1_700_000_000, mode=0o644),
        copied(tmp_path / "b", at=1_800_000_000, mode=0o664),
    )
    moment = {"SOURCE_DATE_EPOCH": "1760000000"}
    first = build(one, target, tmp_path / "first", **moment, TZ="UTC", PYTHONHASHSEED="1", LC_ALL="C")
    again = build(other, target, tmp_path / "again", **moment, TZ="Asia/Tokyo", PYTHONHASHSEED="2", LC_ALL="C.UTF-8")
    later = build(other, target, tmp_path / "later", SOURCE_DATE_EPOCH="1770000000")
    assert first.name == again.name
    assert sha256(first) == sha256(again)
    assert sha256(later) != sha256(first)


def test_it_ships_exactly_the_four_packages(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)


def test_every_module_and_every_data_file_is_in_it(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    here = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and not {"__pycache__", ".ruff_cache"} & set(path.parts) and path.name != "ruff.toml"
    }
    assert here - names == set()
    assert {Path(name).suffix for name in here} >= {".py", ".txt", ".toml", ".tcss"}


def test_it_names_its_licence_command_and_python(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        text = {
            name.rpartition("/")[2]: archive.read(name).decode() for name in archive.namelist() if "dist-info" in name
        }
    assert "Name: steward-assistant" in text["METADATA"]
    assert "License-Expression: Apache-2.0" in text["METADATA"]
    assert "Requires-Python: >=3.11" in text["METADATA"]
    assert "steward = ui.cli:main" in text["entry_points.txt"]
    assert "LICENSE" in text


def test_the_installed_command_works(wheel: Path, tmp_path: Path) -> None:
    """In an environment of its own; the dependencies come from the one that runs the tests."""
    place = tmp_path / "env"
    venv.create(place, with_pip=False)
    run = [sys.executable, "-m", "pip", "--python", str(place), "install", "--no-deps", "--no-index", "--quiet"]
    subprocess.run([*run, str(wheel)], capture_output=True, text=True, timeout=120, check=True)
    packages = next(place.glob("lib*/python*/site-packages"))
    (packages / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    environment = os.environ | {"STEWARD_HOME": str(tmp_path / "home")}
    environment.pop("PYTHONPATH", None)

    def steward(*arguments: str) -> str:
        command = [str(place / "bin" / "steward"), *arguments]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=60, check=True
        )
        return done.stdout

    assert steward("--version").startswith("steward ")
    assert str(tmp_path / "home") in steward("where")
    assert "Talk in the terminal" in steward("--help")
    assert "ui.theme" in steward("config", "list")
    done = subprocess.run(
        [str(place / "bin" / "python"), "-P", "-c", READS_ITS_DATA],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
        timeout=60,
        check=True,
    )
    assert Path(done.stdout.strip()).is_relative_to(place)
