"""The log: private, small, without secrets, and gone with the run."""

import logging
from pathlib import Path

import pytest

from ui.logs import MAX_BYTES, logging_to, record_crash

logger = logging.getLogger("assistant.turn")


def test_it_holds_what_was_logged_meanwhile_and_no_more(tmp_path: Path) -> None:
    path = tmp_path / "steward.log"
    with logging_to(path):
        logger.info("a turn began")
        logger.debug("words of the user")
    logger.warning("afterwards")
    text = path.read_text()
    assert "INFO assistant.turn: a turn began" in text
    assert "words of the user" not in text
    assert "afterwards" not in text
    assert path.stat().st_mode & 0o777 == 0o600


def test_secrets_are_taken_out_of_messages_and_tracebacks(tmp_path: Path) -> None:
    path = tmp_path / "steward.log"
    with logging_to(path):
        try:
            raise ValueError("api_key=abcdefgh12345678")
        except ValueError:
            logger.exception("Authorization: Bearer %s", "abcdefgh12345678")
    assert "abcdefgh12345678" not in path.read_text()
    assert "Traceback" in path.read_text()


def test_a_full_log_becomes_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "steward.log"
    for start in ("first", "second", "third"):
        path.write_text(start + " " * MAX_BYTES)
        with logging_to(path):
            logger.info("new")
    assert {file.name for file in tmp_path.iterdir()} == {"steward.log", "steward.log.1"}
    assert (tmp_path / "steward.log.1").read_text().startswith("third")
    assert len(path.read_text()) < 200


def test_a_place_that_cannot_be_written_is_no_reason_to_stop(tmp_path: Path) -> None:
    with logging_to(tmp_path / "missing" / "steward.log"):
        logger.info("nowhere")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_no_reason_to_write_over_the_screen(capfd: pytest.CaptureFixture[str]) -> None:
    with logging_to(Path("/dev/full")):
        for _ in range(500):
            logger.info("words that find no place " * 20)
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")


def test_a_crash_that_cannot_be_written_says_how_to_see_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "STEWARD_DEBUG=1" in record_crash(ValueError("x"), tmp_path / "missing" / "steward.log")
    monkeypatch.setenv("STEWARD_DEBUG", "1")
    record_crash(ValueError("seen"), tmp_path / "missing" / "steward.log")
    assert "seen" in capsys.readouterr().err
