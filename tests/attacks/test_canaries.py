"""Secrets come out nowhere: twelve are planted, thirty things go wrong, and each file and all that was said is read."""

import asyncio
import io
import json
import sys
from pathlib import Path

import pytest

from memory.data_dir import Home
from memory.database import Database
from memory.sqlite_preferences import SqlitePreferences
from tests.support.clock import MONDAY
from tests.support.known_user import a_wish
from ui.cli import main

IN_THE_ENVIRONMENT = {
    "HF_TOKEN": "hf_canaryAAAAbbbb1111cccc",
    "HUGGING_FACE_HUB_TOKEN": "hf_canaryDDDDeeee2222ffff",
    "OPENAI_API_KEY": "sk-canaryGGGGhhhh3333iiii",
    "ANTHROPIC_API_KEY": "sk-ant-canaryJJJJkkkk4444",
    "GITHUB_TOKEN": "ghp_canaryLLLLmmmm5555nnnn",
    "AWS_SECRET_ACCESS_KEY": "canaryOOOOpppp6666qqqq/rr",
    "MAIL_PASSWORD": "canary-SSSStttt7777",
    "STEWARD_MODEL_KEY": "canary-UUUUvvvv8888",
}
TYPED = (
    "my password is canary-hunter9999",
    "my API key is sk-canaryWWWWxxxx0000",
    "the PIN of my card is 7391",
    "my card number is 4111 1111 1111 1111",
)
CANARIES = (*IN_THE_ENVIRONMENT.values(), "canary-hunter9999", "sk-canaryWWWWxxxx0000", "7391", "4111 1111 1111 1111")
GOES_WRONG = (
    ("sessions", "show", "nothing-like-it"),
    ("sessions", "export", "nothing-like-it"),
    ("sessions", "delete", "nothing-like-it", "--yes"),
    ("sessions", "rename", "nothing-like-it", "x"),
    ("memory", "show", "nothing"),
    ("memory", "forget", "nothing", "--yes"),
    ("memory", "undo", "99"),
    ("memory", "list", "--status", "nonsense"),
    ("remind", "call mum"),
    ("reminders", "done", "nothing"),
    ("reminders", "snooze", "nothing", "10 minutes"),
    ("decisions", "show", "99"),
    ("decisions", "answer", "99", "yes"),
    ("calendar", "import", "/no/such/file.ics"),
    ("tasks", "done", "nothing"),
    ("notes", "show", "nothing"),
    ("documents", "add", "/no/such/file.pdf"),
    ("tools", "add", "mail", "--", "/no/such/program", "--token", "x"),
    ("models", "remove", "nothing"),
    ("models", "use", "nothing"),
    ("restore", "nothing", "--yes"),
    ("history", "import", "/no/such/export.zip"),
    ("profile", "import", "/no/such/profile.json"),
    ("config", "set", "model.nothing", "x"),
    ("config", "set", "assistant.temperature", "hot"),
    ("learning", "off", "nonsense"),
    ("data", "delete", "--nonsense"),
    ("evaluate", "memory", "--data", "/no/such/file"),
    ("--model", "/no/such/model.gguf", "ask", "hello"),
    ("nonsense",),
)


@pytest.fixture
def planted(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    for name, value in IN_THE_ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    home = Home.resolve(str(own_home), {})
    home.make()

    async def known() -> None:
        async with await Database.open(home.database) as database:
            wish = a_wish("I hate coriander", "food.taste", "coriander", -1)
            await SqlitePreferences(database).learn([wish], actor="user", at=MONDAY)

    asyncio.run(known())
    return home


def found_in(home: Home, said: str, words: tuple[str, ...]) -> list[str]:
    """Where a word stands: a file of the home, or what was said."""
    files = [path for path in Path(home.data).parent.rglob("*") if path.is_file()]
    there = [f"{path.name}: {word}" for path in files for word in words if word.encode() in path.read_bytes()]
    return there + [f"said: {word}" for word in words if word in said]


def test_thirty_failures_say_no_secret_and_keep_none(
    planted: Home, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert (len(CANARIES), len(GOES_WRONG)) == (12, 30)
    monkeypatch.chdir(tmp_path)
    said, failed = "", 0
    for arguments in GOES_WRONG:
        monkeypatch.setattr(sys, "stdin", io.StringIO(""))
        failed += main(arguments) != 0
        said += "".join(capsys.readouterr())
    assert failed >= 28
    for words in TYPED:
        main(("memory", "add", words))
        said += "".join(capsys.readouterr())
    for arguments in (("doctor",), ("where",), ("config",), ("memory", "list", "--json"), ("data",)):
        main(arguments)
        said += "".join(capsys.readouterr())
    main(("profile", "export", str(tmp_path / "profile.json"), "--yes"))
    said += "".join(capsys.readouterr())
    said += "".join(path.read_text() for path in tmp_path.glob("*.json"))
    assert found_in(planted, said, CANARIES) == []


def test_what_is_no_secret_is_found_by_the_same_search(planted: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """The control."""
    main(("memory", "list", "--json"))
    said = capsys.readouterr().out
    assert json.loads(said)
    assert {where.split(":")[0] for where in found_in(planted, said, ("coriander",))} >= {"steward.db", "said"}
