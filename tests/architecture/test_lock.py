"""What is installed is what was tried: every pin, every library of pyproject.toml, and a hash for each file taken."""

import re
import tomllib
from typing import Any

from tests.architecture.source import ROOT
from tests.versions.bounds import lowest, named, pins

_PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[a-z,]+\])?==([^\s;\\]+)((?: ?;.*?)?) ?\\?$")
_HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}(?: \\)?$")
NOT_HERE = {"colorama", "httpx2-jsfetch", "pywin32", "pywin32-ctypes"}  # of other systems
BROUGHT_ALONG = {"pip"}


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def requirements() -> list[str]:
    return [*project()["project"]["dependencies"], *project()["dependency-groups"]["dev"]]


def tried() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    return {named(line): line.split("==")[1] for line in lines if line and not line.startswith("#")}


def locked() -> tuple[dict[str, str], dict[str, int]]:
    """Version and number of hashes of each package. Fails at a line that is neither."""
    versions: dict[str, str] = {}
    hashes: dict[str, int] = {}
    name = ""
    for line in (ROOT / "locked.txt").read_text("utf-8").splitlines():
        if pin := _PIN.match(line):
            name = named(pin[1])
            versions[name], hashes[name] = pin[2], 0
        else:
            assert _HASH.match(line), line
            hashes[name] += 1
    return versions, hashes


def test_the_lock_holds_the_versions_that_were_tried() -> None:
    versions, hashes = locked()
    assert {name: versions.get(name) for name in tried()} == tried(), "make lock"
    assert versions.keys() - tried().keys() == NOT_HERE | BROUGHT_ALONG
    assert min(hashes.values()) >= 1


def test_every_library_is_pinned() -> None:
    assert {named(one) for one in requirements()} <= tried().keys()


def test_every_library_has_a_lowest_version() -> None:
    """`make check-versions` installs exactly these."""
    dependencies = project()["project"]["dependencies"]
    assert len(lowest(dependencies)) == len(dependencies)
    assert lowest(["numpy>=1.26,<3"]) == ("numpy==1.26",)
    at_the_bound = pins(project(), (ROOT / "constraints.txt").read_text("utf-8"))
    assert len(at_the_bound) == len(requirements())
