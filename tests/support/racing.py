"""Two processes that race for one home: a line on stdin is a race, a line on stdout what one of them did in it."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def two_racers(script: str, home: Path) -> Iterator[list["subprocess.Popen[str]"]]:
    """`script` gets the home as its argument, and says "ready" first."""
    command = [sys.executable, "-c", script, str(home)]
    started = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    yield started
    for process in started:
        process.kill()
        process.communicate()


def raced(racers: list["subprocess.Popen[str]"], races: int) -> Iterator[tuple[int, list[str]]]:
    """Each race by its number, and what the two said of it: how much they did, or "refused"."""
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    for race in range(races):
        for racer in racers:
            assert racer.stdin is not None
            racer.stdin.write(f"{race}\n")
            racer.stdin.flush()
        yield race, [racer.stdout.readline().strip() for racer in racers if racer.stdout is not None]
