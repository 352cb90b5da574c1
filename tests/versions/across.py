"""Homes made in one environment, opened in another, and opened again where they were made; both ways round.

    python -m tests.versions.across .venv-lowest .venv-highest

Prints what differs between the environments and what became of each home. Exit code 1 when anything in a home was lost
or changed.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.versions.bounds import ROOT, named


def main() -> int:
    one, other = (Path(argument).absolute() for argument in sys.argv[1:3])
    say(versions(one, other))
    with tempfile.TemporaryDirectory() as folder:
        outcomes = [across(one, other, Path(folder) / "up"), across(other, one, Path(folder) / "down")]
    return 0 if all(outcomes) else 1


def across(maker: Path, opener: Path, folder: Path) -> bool:
    steps = ((maker, "make"), (opener, "check"), (maker, "check"))
    for environment, act in steps:
        done = homes(environment, act, folder)
        told = done.stdout.strip().splitlines()[-1:] if done.returncode == 0 else [done.stderr.strip()]
        say(f"{environment.name} {act}: {'as it was' if done.returncode == 0 else 'FAILED'} ({' '.join(told)})")
        if done.returncode != 0:
            return False
    return True


def homes(environment: Path, act: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [str(environment / "bin" / "python"), "-m", "tests.versions.homes", act, str(folder)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1_800, check=False)


def versions(one: Path, other: Path) -> str:
    """A line for each package that differs: its name, and the version in either."""
    mine, theirs = frozen(one), frozen(other)
    names = sorted(name for name in mine.keys() | theirs.keys() if mine.get(name) != theirs.get(name))
    return "\n".join(f"{name}: {mine.get(name, 'absent')}, {theirs.get(name, 'absent')}" for name in names)


def frozen(environment: Path) -> dict[str, str]:
    command = [str(environment / "bin" / "python"), "-m", "pip", "freeze", "--exclude-editable"]
    text = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    return {named(line): line.split("==")[1] for line in text.splitlines() if "==" in line}


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
