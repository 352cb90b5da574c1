"""What the commands of models show in numbers: a benchmark, progress, the table."""

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

from models.catalog import load_catalogue
from models.fetch.types import FetchProgress, SourceSkipped
from models.gguf import read_header
from models.hardware import Hardware
from models.settings import ModelSettings
from models.types import Failure
from tests.support.tiny_model import write_tiny
from ui.model_choice import FileModel
from ui.model_rows import rows_of, table_of
from ui.pulling import ProgressLine

ROOT = Path(__file__).resolve().parents[2]


def test_benchmark_of_a_real_child(own_home: Path, tmp_path: Path) -> None:
    path = write_tiny(tmp_path / "tiny.gguf", context=2048)
    command = [sys.executable, "-m", "ui", "--model", str(path), "models", "benchmark", "--sentences", "5"]
    done = subprocess.run(
        [*command, "--json", "--runs", "2", "--tokens", "16"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    measured: dict[str, Any] = json.loads(done.stdout)
    assert done.stderr == ""
    assert (measured["model"], measured["backend"]) == ("tiny.gguf", "CPU")
    assert measured["reading_tokens_per_second"] > 0
    assert len(measured["runs"]) == 2
    assert all(run["tokens_read"] > 100 for run in measured["runs"]), "nothing comes from the cache"
    done = subprocess.run([*command, "--runs", "1"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert [line.split()[0] for line in done.stdout.splitlines()][:3] == ["model", "runs", "loading"]


def progress(done: int, stage: str = "fetching") -> FetchProgress:
    assert stage in ("fetching", "checking", "verifying")
    return FetchProgress(file="a.gguf", stage=stage, done=done, total=1000, source="model hub")  # type: ignore[arg-type]


def test_progress_on_a_terminal_is_one_line() -> None:
    out, clock = StringIO(), iter(range(100))
    line = ProgressLine(out, redraw=True, now=lambda: float(next(clock)))
    for done in (0, 250, 500):
        line.watch(progress(done))
    line.watch(SourceSkipped(file="a.gguf", reason="the hub\x1b[31m sleeps"))
    line.watch(progress(1000, "verifying"))
    line.clear()
    text = out.getvalue()
    assert "50 %, 500 B of 1.0 kB, 250 B/s, 2 s left" in text
    assert text.count("\n") == 1
    assert "\x1b" not in text
    assert text.endswith("\r")


def test_progress_elsewhere_is_a_line_every_few_seconds() -> None:
    out, now = StringIO(), [0.0]
    line = ProgressLine(out, redraw=False, now=lambda: now[0])
    for second in range(11):
        now[0] = float(second)
        line.watch(progress(second * 100))
    line.watch(progress(1000, "verifying"))
    said = out.getvalue().splitlines()
    assert len(said) == 5
    assert said[0] == "fetching a.gguf from the model hub: 0 %, 0 B of 1.0 kB"
    assert said[-1] == "verifying a.gguf from the model hub: 100 %, 1.0 kB of 1.0 kB"
    assert "\r" not in out.getvalue()


def test_the_table_fits_the_terminal(tmp_path: Path) -> None:
    chosen = FileModel(name="x", path=tmp_path / "x.gguf")
    chosen.path.write_bytes(b"1")
    rows = rows_of(load_catalogue(), (), Hardware(system="Linux", machine="x86_64"), ModelSettings(), chosen)
    for width in (60, 80, 120):
        table = table_of(rows[:-1], width)
        widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
        assert sum(widths) + 2 * (len(widths) - 1) <= max(width, 78)
    assert len(table_of(rows, None)[0]) == 7
    none = rows_of(
        load_catalogue(),
        (),
        Hardware(system="Linux", machine="x86_64"),
        ModelSettings(),
        Failure(kind="model_missing", message="none", hint="pull"),
    )
    assert not any(row.in_use for row in none)
    assert read_header(write_tiny(tmp_path / "t.gguf")).architecture == "llama"
