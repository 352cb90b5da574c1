"""Twelve secrets are planted where users put them; none turns up in logs, errors, exports or memory.

The settings, the environment and the messages hold them. Thirty errors are provoked with them in the arguments, and a
real engine answers; then every log, every line that was printed, every profile and every memory is searched. What a
user typed stays where it was typed: in the conversation.
"""

import contextlib
import io
import json
import logging
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.events import TurnFailed
from memory.errors import ChangeRefused
from models.types import Failure
from tests.architecture.source import ROOT
from tests.support.pilot import a_desk, a_home, opened
from tests.support.tiny_model import write_tiny
from tests.ui.test_plain import Lines
from ui.cli import main
from ui.decision_mail import refused
from ui.errors import UiError, explain
from ui.headless import event_as_json
from ui.logs import logging_to, record_crash
from ui.plain import PlainChat
from ui.redaction import redact, without_secrets

ENVIRONMENT = {
    "HF_TOKEN": "hf_CANARYaaaaaaaaaaaaaaaaaaaaaaaa",
    "OPENAI_API_KEY": "sk-proj-CANARYbbbbbbbbbbbbbbbbbbbb",
    "MAIL_PASSWORD": "CANARY plain words of a password",
    "CRM_TOKEN": "CANARYcrm-0192837465",
    "PIP_INDEX_URL": "http://user:CANARYpip@127.0.0.1:9/simple",
}
SETTINGS = {
    "model.name": "http://me:CANARYsettings1@127.0.0.1:9/v1",
    "model.api_key_env": "sk-live-CANARYsettings2222",
    "model.server_model": "token=CANARYsettings3",
}
MESSAGES = (
    "Remember that my password is CANARYhunter2",
    "Remember my api key sk-live-CANARYcccccccccccccccc",
    "Please remember: my login code is CANARY9918",
    "Remember that my token is eyJCANARYdddddddddd.eyJCANARYeeeeeeeeee.CANARYffff",
)
MARK = "CANARY"
SECRETS = (*ENVIRONMENT.values(), *SETTINGS.values(), *MESSAGES)


@pytest.fixture(autouse=True)
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


def errors() -> Iterator[tuple[str, ...]]:
    """Commands that fail, each with a secret in what was typed."""
    key, login = ENVIRONMENT["OPENAI_API_KEY"], "http://me:CANARYlogin@127.0.0.1:9/v1"
    for value in (key, ENVIRONMENT["HF_TOKEN"], ENVIRONMENT["MAIL_PASSWORD"], ENVIRONMENT["CRM_TOKEN"]):
        missing = f"/nowhere/{value}"
        yield ("history", "import", missing)
        yield ("profile", "import", missing)
        yield ("calendar", "import", missing)
        yield ("restore", missing)
        yield ("sessions", "show", value)
        yield ("memory", "show", value)
        yield ("models", "use", missing)
    yield ("models", "use", login)
    yield ("config", "set", "model.name", login)
    yield ("config", "set", "model.api_key_env", key)
    yield ("decisions", "show", key)
    yield (f"token={key}",)
    yield ("tools", "add-mcp", "crm", "--url", f"http://me:CANARYurl@127.0.0.1:9/{key}", "--yes")


def test_there_are_twelve() -> None:
    assert len({*SECRETS}) == 12
    assert all(MARK in secret for secret in SECRETS)


def test_thirty_errors_do_not_say_them(capfd: pytest.CaptureFixture[str], own_home: Path) -> None:
    assert main(["memory", "list"]) == 0
    codes = [(command, main(list(command))) for command in errors()]
    out, err = capfd.readouterr()
    assert len(codes) >= 30
    assert [command for command, code in codes if code == 0] == []
    assert [line for line in (out + err).splitlines() if MARK in line] == []
    assert found_in(own_home) == []


def test_a_broken_setting_is_named_without_its_value(capfd: pytest.CaptureFixture[str], own_home: Path) -> None:
    config = own_home / "config" / "config.toml"
    config.parent.mkdir(parents=True)
    for name, value in SETTINGS.items():
        config.write_text(f'[model]\n{name.partition(".")[2]} = "{value}"\n')
        assert main(["config", "get", "model.threads"]) in (0, 1)
    config.write_text('[model]\nkey = "sk-live-CANARYunknownsetting"\n')
    assert main(["config", "get", "model.threads"]) == 1
    out, err = capfd.readouterr()
    assert "config.toml" in err
    assert MARK not in err
    assert MARK not in out


def test_logs_and_crashes_hold_none_of_them(tmp_path: Path) -> None:
    path = tmp_path / "steward.log"
    logger = logging.getLogger("models.fetch")
    with logging_to(path):
        for name, value in (*ENVIRONMENT.items(), *SETTINGS.items()):
            logger.info("%s=%s", name, value)
            logger.warning("no answer from %s", value)
            try:
                raise ConnectionError(f"refused: {value}")
            except ConnectionError:
                logger.exception("while fetching with %s", value)
        for number, value in enumerate(ENVIRONMENT.values()):
            with pytest.raises(KeyError) as crash:
                dict[str, str]()[value]
            record_crash(crash.value, path if number else tmp_path / "crash.log")
    text = path.read_text() + (tmp_path / "crash.log").read_text()
    assert "Traceback" in text
    assert "while fetching with" in text
    assert [line for line in text.splitlines() if MARK in line] == []


def test_a_run_with_a_real_engine_leaves_them_in_the_conversation_and_nowhere_else(
    tmp_path: Path, own_home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    model = write_tiny(tmp_path / "tiny.gguf", context=2048)
    for text in MESSAGES[:2]:
        done = subprocess.run(
            [sys.executable, "-m", "ui", "--home", str(own_home), "--model", str(model), "ask", text],
            cwd=ROOT,
            env=os.environ.copy(),
            capture_output=True,
            text=True,
            timeout=110,
        )
        assert done.returncode == 0, done.stderr
        assert MARK not in done.stderr
    assert (own_home / "state" / "engine.log").exists()
    assert found_in(own_home / "state") == []
    for text in MESSAGES:
        main(["memory", "add", text])
    for listing in ("memory", "list"), ("memory", "history"), ("memory", "review"):
        assert main([*listing, "--json"]) == 0
    for format in ("json", "pam", "markdown"):
        assert main(["profile", "export", "--format", format, "--include-sensitive", "--yes"]) == 0
    out, err = capfd.readouterr()
    assert MARK not in out
    assert MARK not in err
    assert main(["sessions", "list", "--json"]) == 0
    assert len(json.loads(capfd.readouterr().out)) >= 1


async def test_what_the_screen_says_of_an_error_says_none_of_them(tmp_path: Path) -> None:
    home = a_home(tmp_path)
    home.make()
    async with opened(a_desk(home), (160, 50)) as driver:
        for value in (*ENVIRONMENT.values(), *SETTINGS.values()):
            for severity in ("warning", "error"):
                driver.app.say(f"A toast: {value}", severity)
            await driver.until(lambda: len(driver.notices()) >= 2)
            assert MARK not in "".join(driver.notices())
            driver.chat.show_alert(f"An alert: {value}", f"Its hint: {value}")
            await driver.until(lambda: "Its hint: " in driver.screen_text())
            assert MARK not in driver.screen_text()


async def test_what_line_mode_and_json_say_of_an_error_says_none_of_them(tmp_path: Path) -> None:
    home, out = a_home(tmp_path), io.StringIO()
    home.make()
    chat = PlainChat(a_desk(home), Lines(()), out)
    for value in (*ENVIRONMENT.values(), *SETTINGS.values()):
        chat.failure(f"It failed: {value}", f"Look at {value}")
        failed = Failure(kind="unreachable", message=f"It failed: {value}", hint=f"Look at {value}")
        event = event_as_json(TurnFailed(failure=failed, retryable=False))
        assert event["failure"]["message"].startswith("It failed: ")
        out.write(json.dumps(event))
        out.write(json.dumps(refused(ChangeRefused(f"It failed: {value}", value)).value))
    assert out.getvalue().count("It failed: ") == 24
    assert MARK not in out.getvalue()


def test_the_search_finds_what_is_planted(tmp_path: Path) -> None:
    """The control."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "steward.log").write_text("key sk-live-CANARY")
    assert found_in(tmp_path) == [str(tmp_path / "a" / "steward.log")]
    assert MARK in logging.Formatter("%(message)s").format(
        logging.LogRecord("x", logging.INFO, "x", 1, "%s", (ENVIRONMENT["HF_TOKEN"],), None)
    )


@pytest.mark.parametrize(
    "words",
    [
        "The password of the backup is wrong.",
        "There is no token for this server.",
        "The secret conversation was not kept.",
        "Give the passphrase again.",
        "There is no file /home/anna/keys/notes.txt.",
        "config.toml: model.api_key_env: use letters",
    ],
)
def test_words_for_people_stay_as_they_are(words: str) -> None:
    assert without_secrets(words) == words
    said = explain(UiError(words, words))
    assert said is not None
    assert (said.message, said.hint) == (words, words)


def test_a_log_loses_more_than_the_screen() -> None:
    assert redact("password hunter2hunter2") == "password ***"
    assert redact(f"{Path.home()}/x").startswith("~") or len(str(Path.home())) < 2


def found_in(folder: Path) -> list[str]:
    """Files, however deep, whose bytes hold a planted secret."""
    found = []
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            if stat.S_ISREG(path.lstat().st_mode) and MARK.encode() in path.read_bytes():
                found.append(str(path))
    return sorted(found)
