"""Files for the user: private, whole or not at all, never over another."""

import stat
import sys
from pathlib import Path

import pytest

from ui.errors import UiError
from ui.new_file import new_file


def test_it_is_private_and_whole(tmp_path: Path) -> None:
    with new_file(tmp_path / "a.txt") as file:
        file.write("one\n")
        assert not (tmp_path / "a.txt").exists()
    assert (tmp_path / "a.txt").read_text("utf-8") == "one\n"
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == 0o600
    assert len(list(tmp_path.iterdir())) == 1


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError), new_file(tmp_path / "a.txt"):
        raise ValueError
    assert list(tmp_path.iterdir()) == []


def test_what_came_meanwhile_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with pytest.raises(UiError, match="there already"), new_file(path):
        path.write_text("theirs")
    assert path.read_text() == "theirs"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_that_leads_nowhere_is_something_too(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.symlink_to(tmp_path / "nowhere")
    with pytest.raises(UiError), new_file(path):
        pass
    assert not (tmp_path / "nowhere").exists()


def test_where_nothing_can_be_written_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(UiError, match="cannot be written"), new_file(tmp_path / "no" / "a.txt"):
        pass
