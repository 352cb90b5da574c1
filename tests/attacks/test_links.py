"""Links and images in answers: 200 of them are drawn, each shows where it leads, and nothing is fetched or started."""

import os
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from ui.drawing.answer_lines import answer_rows

ROOT = Path(__file__).parents[2]
SHAPES = (
    "![picture]({target})",
    "[click here]({target})",
    "[https://bank.example/login]({target})",
    "<{target}>",
    "see {target} please",
    "[![picture]({target})]({target})",
    "| a | b |\n|---|---|\n| [x]({target}) | 1 |",
    "> - [quoted]({target})",
    "# [title]({target})",
    '<img src="{target}">',
)
TARGETS = (
    *(f"https://evil.example/{number}?p=secret" for number in range(12)),
    "http://169.254.169.254/latest/meta-data",
    "http://127.0.0.1:11434/api/tags",
    "https://evil.example/" + "x" * 200,
    "https://xn--bnk-example-0za.example/",
    "https://user:pass@evil.example/",
    "https://evil.example/%0d%0aSet-Cookie:a=b",
    "http://evil.example:8080/#secret",
    "https://evil.example/?q=" + "a%20" * 30,
)
PAYLOADS = [shape.format(target=target) for shape, target in product(SHAPES, TARGETS)]
DRAW = (
    "from tests.attacks.test_links import PAYLOADS\n"
    "from ui.drawing.answer_lines import answer_rows\n"
    "print(sum(len(answer_rows(text, 80)) for text in PAYLOADS))\n"
)


def test_each_shows_where_it_leads() -> None:
    assert len(PAYLOADS) == 200
    for shape, target in product(SHAPES, TARGETS):
        shown = "".join(row.text for row in answer_rows(shape.format(target=target), 80))
        assert target.replace(" ", "")[:60] in shown.replace(" ", "").replace("│", ""), (shape, target)


def traced(tmp_path: Path, code: str) -> list[str]:
    """Connections and programs that the code causes, besides itself."""
    trace = tmp_path / "trace"
    strace = ["strace", "-f", "-qq", "-e", "trace=connect,execve", "-o", str(trace)]
    try:
        done = subprocess.run(
            [*strace, sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True
        )
    except FileNotFoundError:
        pytest.skip("strace is not installed")
    if done.returncode:
        pytest.skip(f"strace may not trace here: {done.stderr[-200:]!r}")
    return [line for line in trace.read_text().splitlines()[1:] if "AF_INET" in line or "execve" in line]


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_nothing_is_fetched_or_started(tmp_path: Path) -> None:
    assert traced(tmp_path, DRAW) == []


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_a_program_that_follows_links_would_be_noticed(tmp_path: Path) -> None:
    """The control."""
    assert traced(tmp_path, "import subprocess; subprocess.run(['true'])")
    look = "import socket; s = socket.socket(); s.settimeout(1); s.connect_ex(('127.0.0.1', 9))"
    assert traced(tmp_path, look)
