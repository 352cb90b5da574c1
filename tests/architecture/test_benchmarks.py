"""The collection of benchmarks: none is forgotten, and a missed bar is seen in the document."""

from tests.architecture.source import ROOT
from tests.benchmarks.run import SCRIPTS, Script, document


def test_every_script_is_run() -> None:
    here = {path.stem for path in (ROOT / "tests" / "benchmarks").glob("*.py")} - {"run", "__init__"}
    assert here == {script.module for script in SCRIPTS}


def test_the_document_shows_values_bars_and_what_was_missed() -> None:
    lines = [
        {"name": "first_paint", "value": 410.0, "bar": "<= 1000 ms", "passed": True, "processor_ms": 300.0},
        {"name": "slow", "value": 2.5, "bar": "<= 1", "passed": False},
        {"name": "tokens", "value": 9.5, "bar": "-", "passed": True, "model": "m.gguf"},
    ]
    text = document({Script(module="startup", title="Starting"): lines}, None)
    assert "| first paint | 410 | <= 1000 ms | met, processor ms 300.0 |" in text
    assert "| slow | 2.5 | <= 1 | **missed** |" in text
    assert "| tokens | 9.5 | - |  |" in text
    assert "## Starting" in text
    for fact in ("processor", "memory", "versions", "python"):
        assert fact in text
