"""Runs every benchmark and writes docs/performance.md: `make benchmark`.

Needs a real model: `--model PATH`, else STEWARD_TEST_MODEL, else the one a chat would use. Values are compared within
one run only; the document names the machine. Exit code 1 when a bar is missed.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ui.model_choice import FileModel, which_model
from ui.versions import versions
from ui.wiring import Options, load_configuration, resolve_home

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "performance.md"
TEXT_KEYS = ("name", "value", "bar", "passed", "model")  # the rest of a line is shown behind its verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    module: str
    title: str
    wants_model: bool = False


SCRIPTS = (
    Script(module="startup", title="Starting"),
    Script(module="history", title="10,000 conversations"),
    Script(module="importing", title="Importing a history"),
    Script(module="profiles", title="A profile out and in"),
    Script(module="backing_up", title="A backup of 1 GB while somebody talks"),
    Script(module="remembering", title="Memory in a turn, and its index"),
    Script(module="encrypting", title="An encrypted home beside the same one in the clear"),
    Script(module="suggesting", title="Deciding to speak first"),
    Script(module="interface", title="The terminal UI"),
    Script(module="waits", title="What must not be waited for"),
    Script(module="engine", title="The engine", wants_model=True),
    Script(module="asking", title="Questions from the shell", wants_model=True),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--only", help="names of scripts, comma separated; nothing is written then")
    given = parser.parse_args()
    wanted = [script for script in SCRIPTS if not given.only or script.module in given.only.split(",")]
    model = given.model or default_model() if any(script.wants_model for script in wanted) else None
    results = {script: run(script, model) for script in wanted}
    if not given.only:
        DOCUMENT.write_text(document(results, model), encoding="utf-8")
    lines = [line for found in results.values() for line in found]
    return 0 if lines and all(line["passed"] for line in lines) else 1


def default_model() -> Path:
    named = os.environ.get("STEWARD_TEST_MODEL")
    if named:
        return Path(named)
    home = resolve_home(Options())
    chosen = which_model(load_configuration(home).model, home)
    if not isinstance(chosen, FileModel):
        sys.exit("There is no model to measure with. Name one: make benchmark ARGS='--model PATH'")
    return chosen.path


def run(script: Script, model: Path | None) -> list[dict[str, Any]]:
    """The JSON lines of one script; they are passed on while they come."""
    command = [sys.executable, "-m", f"tests.benchmarks.{script.module}"]
    if script.wants_model:
        command += ["--model", str(model)]
    found = []
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            found.append(json.loads(line))
    if process.returncode not in (0, 1) or not found:
        sys.exit(f"tests.benchmarks.{script.module} ended with {process.returncode}")
    return found


def document(results: dict[Script, list[dict[str, Any]]], model: Path | None) -> str:
    parts = [
        "# Performance\n\nWritten by `make benchmark`. Values are the best of several, comparable within one run.\n"
        f"\n{machine(model)}\n"
    ]
    for script, lines in results.items():
        rows = [f"| {row['name'].replace('_', ' ')} | {row['value']:g} | {row['bar']} | {said(row)} |" for row in lines]
        parts.append(
            f"\n## {script.title}\n\n| measure | value | bar | |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"
        )
    return "".join(parts)


def said(row: dict[str, Any]) -> str:
    further = [f"{key.replace('_', ' ')} {value}" for key, value in row.items() if key not in TEXT_KEYS]
    verdict = "" if row["bar"] == "-" else "met" if row["passed"] else "**missed**"
    return ", ".join(filter(None, [verdict, *further]))


def machine(model: Path | None) -> str:
    facts = {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "processor": f"{processor()}, {os.cpu_count()} cores",
        "memory": f"{memory_gigabytes():.0f} GB",
        "system": f"{platform.system()} {platform.machine()}",
        "load average": f"{os.getloadavg()[1]:.1f} over the last 5 minutes of the run",
        "versions": ", ".join(f"{name} {version}" for name, version in versions().items()),
        "model": model.name if model is not None else "none",
    }
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in facts.items())])


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def memory_gigabytes() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9


if __name__ == "__main__":
    sys.exit(main())
