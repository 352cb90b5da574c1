"""Pins for the two ends of what pyproject.toml allows.

    python -m tests.versions.bounds > pins.txt

Each library at its lower bound, and the tools of development as constraints.txt has them: `pip install --constraint` of
that is the lowest environment. The highest needs no pins. Only what the standard library of Python has.
"""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
_REQUIREMENT = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)(?:\[[^]]*\])?>=(?P<least>[0-9][^,;\s]*)(?P<rest>.*)$")


def lowest(requirements: Sequence[str]) -> tuple[str, ...]:
    """ "numpy>=1.26,<3" is "numpy==1.26". Raises ValueError for one without a lower bound."""
    pins = []
    for requirement in requirements:
        if (found := _REQUIREMENT.match(requirement)) is None:
            raise ValueError(f"{requirement} has no lower bound that begins it")
        pins.append(f"{found['name']}=={found['least']}")
    return tuple(pins)


def named(requirement: str) -> str:
    """The name by which two spellings of a package are the same: "types-Pygments>=2" and "types_pygments"."""
    return re.sub(r"[-_.]+", "-", re.split(r"[<>=!~\[; ]", requirement)[0]).lower()


def pins(project: dict[str, Any], constraints: str) -> tuple[str, ...]:
    tools = {named(one) for one in project["dependency-groups"]["dev"]}
    tested = [line for line in constraints.splitlines() if line and not line.startswith("#") and named(line) in tools]
    return (*lowest(project["project"]["dependencies"]), *tested)


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    print("\n".join(pins(project, constraints)))  # noqa: T201


if __name__ == "__main__":
    main()
