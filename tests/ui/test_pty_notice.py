"""A notice on the screen of a real terminal; Textual shows none to its own test driver."""

from pathlib import Path

import pytest

from tests.support.terminal import in_terminal


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (80, 30)])
def test_a_notice_stands_above_what_is_being_written(tmp_path: Path, columns: int, rows: int) -> None:
    written = "in the middle of a sentence that is written to the end"
    with in_terminal("-m", "ui", "--home", str(tmp_path), "--demo", columns=columns, rows=rows) as screen:
        screen.until_text("Ask anything.")
        screen.send(written)
        screen.until_text(written)
        screen.send("\x1bOS")  # F4
        screen.until_text("Theme: ")
        assert written in screen.text()
        screen.send("\x11")
        assert screen.ended() == 0
