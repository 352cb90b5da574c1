"""The command line as a whole: help that teaches, wrong usage, expected errors, bugs, interrupts."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from memory.data_dir import Home
from memory.errors import HomeInUse, StoreDamaged
from models.errors import HashMismatch, ModelMissing
from models.types import Failure
from tests.architecture.test_documents import broken, words_of
from tests.support.command_line import Run
from ui.cli import COMMANDS, LazyGroup, main, steward
from ui.errors import DecisionWaiting, UiError, explain
from ui.examples import EXAMPLES
from ui.wiring import Options

ROOT = Path(__file__).resolve().parents[2]


def steward_with(command: click.Command) -> click.Group:
    """A `steward` that has only this one command, whatever its name."""

    class OneCommand(LazyGroup):
        def resolve_command(
            self, ctx: click.Context, args: list[str]
        ) -> tuple[str | None, click.Command | None, list[str]]:
            return args[0], command, args[1:]

    return OneCommand(callback=steward.callback, params=steward.params, invoke_without_command=True)


def failing_with(error: BaseException) -> click.Group:
    @click.command()
    def fail() -> None:
        raise error

    return steward_with(fail)


def test_help_names_every_command_with_its_line_and_shows_examples(run: Run) -> None:
    code, out, err = run("--help")
    assert (code, err) == (0, "")
    for name, (_, line) in COMMANDS.items():
        assert f"{name} " in out
        assert line in out
    assert 'steward ask "What is a leap second?"' in out


def every_command() -> Iterator[tuple[str, click.Command]]:
    """With its whole name, groups first."""
    waiting: list[tuple[str, click.Command]] = [("", steward)]
    while waiting:
        name, command = waiting.pop()
        yield name, command
        if isinstance(command, click.Group):
            context = click.Context(command)
            below = [(one, command.get_command(context, one)) for one in command.list_commands(context)]
            waiting += [(f"{name} {one}".strip(), found) for one, found in below if found is not None]


def test_every_help_has_an_example_that_is_a_command_line_and_fits_80_columns(run: Run) -> None:
    names = []
    for name, command in every_command():
        text = command.get_help(click.Context(command, info_name=f"steward {name}".strip(), terminal_width=80))
        assert all(len(line) <= 80 for line in text.splitlines()), name
        if not isinstance(command, click.Group):
            names.append(name)
            assert f"  steward {name}" in text.partition("\n\n")[2], name
    assert len(names) > 100
    assert set(EXAMPLES) <= set(names)
    wrong = {line: what for line in EXAMPLES.values() if (what := broken(words_of(line)))}
    assert wrong == {}


def test_the_help_of_all_says_what_the_exit_codes_mean(run: Run) -> None:
    assert "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 another Steward uses this home,\n" in run("--help")[1]


@pytest.mark.parametrize("name", ["config", "daemon", "evaluate", "memory", "models", "reminders", "sessions"])
def test_no_line_in_an_overview_is_cut(name: str, run: Run) -> None:
    code, out, _ = run(name, "--help")
    assert code == 0
    assert "..." not in out.partition("Commands:")[2]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_in_the_overview_is_the_first_line_of_the_commands_own_help(name: str, run: Run) -> None:
    command = steward.get_command(click.Context(steward), name)
    assert command is not None
    assert command.help is not None
    assert (command.short_help or command.help.splitlines()[0]) == COMMANDS[name][1]
    code, out, _ = run(name, "--help")
    assert code == 0
    assert f"Usage: steward {name}" in out


def test_an_unknown_command_names_near_ones(run: Run) -> None:
    code, out, err = run("sesions")
    assert (code, out) == (2, "")
    assert err == (
        "steward: There is no command 'sesions'. Did you mean sessions?\n"
        "  steward --help shows what can be given here.\n"
    )


def test_an_unknown_option_names_near_ones(run: Run) -> None:
    code, out, err = run("where", "--jsn")
    assert (code, out) == (2, "")
    assert "'--jsn'" in err
    assert "'--json'" in err
    assert "steward where --help" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ("--home", "HERE", "sessions", "list"),
        ("sessions", "--home", "HERE", "list"),
        ("sessions", "list", "--home", "HERE"),
    ],
)
def test_global_options_may_stand_anywhere(arguments: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    """A damaged database in that home shows which home was looked at."""
    home = Home.resolve(str(tmp_path), {})
    home.make()
    home.database.write_bytes(b"no database" * 500)
    code, _, err = run(*(str(tmp_path) if argument == "HERE" else argument for argument in arguments))
    assert code == 1
    assert str(home.database) in err


LISTING = ("sessions", "memory", "reminders", "decisions", "plans", "calendar", "tasks", "notes", "documents", "data")


@pytest.mark.parametrize("name", [*LISTING, "suggestions", "tools", "models", "encryption", "config"])
def test_what_lists_without_a_command_takes_the_options_of_its_list(name: str, run: Run) -> None:
    code, out, err = run(name, "--json")
    assert (code, err) == (0, "")
    assert isinstance(json.loads(out), dict | list)


def test_an_option_that_the_list_does_not_have_either_is_wrong_usage(run: Run) -> None:
    code, _, err = run("memory", "--nonsense")
    assert code == 2
    assert err.endswith("steward memory list --help shows what can be given here.\n")


def test_global_options_are_added_once(run: Run) -> None:
    for _ in range(2):
        code, out, err = run("where", "--plain", "--incognito", "--demo", "--model", "x")
        assert (code, err) == (0, "")
    command = steward.get_command(click.Context(steward), "where")
    assert command is not None
    assert len(command.params) == len({name for parameter in command.params for name in parameter.opts})


@pytest.mark.parametrize(
    ("error", "code", "lines"),
    [
        (UiError("it broke", "mend it"), 1, "steward: it broke\n  mend it\n"),
        (DecisionWaiting("a question waits"), 4, "steward: a question waits\n"),
        (HomeInUse("process 7 is here", "end it", holder_pid=7), 3, "steward: process 7 is here\n  end it\n"),
        (StoreDamaged("cannot read it", "doctor"), 1, "steward: cannot read it\n  doctor\n"),
        (HashMismatch("wrong bytes", "again"), 1, "steward: wrong bytes\n  again\n"),
        (
            ModelMissing(Failure(kind="model_missing", message="no model", hint="pull one")),
            1,
            "steward: no model\n  pull one\n",
        ),
        (ExceptionGroup("several", [ValueError(), UiError("inside")]), 1, "steward: inside\n"),
        (UiError("two\nlines \x1b[31mred\x1b[0m"), 1, "steward: two lines \ufffd[31mred\ufffd[0m\n"),
    ],
)
def test_an_expected_error_is_one_line_a_hint_and_its_exit_code(
    error: Exception, code: int, lines: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fail"], failing_with(error)) == code
    out, err = capsys.readouterr()
    assert (out, err) == ("", lines)


def test_a_bug_shows_no_traceback_but_where_it_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    group = failing_with(ZeroDivisionError("oops sk-abcdefgh12345678"))
    assert main(["--home", str(tmp_path), "fail"], group) == 1
    err = capsys.readouterr().err
    log = tmp_path / "state" / "steward.log"
    assert err == (
        "steward: something went wrong (ZeroDivisionError).\n"
        f"  Details are in {log}. STEWARD_DEBUG=1 shows them here.\n"
    )
    text = log.read_text()
    assert "Traceback" in text
    assert "ZeroDivisionError: oops" in text
    assert "sk-abcdefgh12345678" not in text
    assert log.stat().st_mode & 0o777 == 0o600


def test_a_bug_shows_its_traceback_when_asked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STEWARD_DEBUG", "1")
    assert main(["--home", str(tmp_path / "not made"), "fail"], failing_with(ZeroDivisionError("oops"))) == 1
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert err.endswith("Run it again with STEWARD_DEBUG=1 to see where.\n")


def test_ctrl_c_ends_with_130() -> None:
    assert main(["fail"], failing_with(KeyboardInterrupt())) == 130


def test_a_bug_is_not_explained() -> None:
    assert explain(ValueError("x")) is None
    assert explain(ExceptionGroup("x", [ValueError()])) is None


def test_options_reach_the_command_and_its_result_is_the_exit_code() -> None:
    seen: list[Options] = []

    @click.command()
    @click.pass_obj
    def look(options: Options) -> int:
        seen.append(options)
        return 4

    given = ["--home", "/h", "--plain", "--incognito", "--demo", "--model", "m.gguf", "look"]
    assert main(given, steward_with(look)) == 4
    assert seen == [Options(home_override="/h", plain=True, incognito=True, demo=True, model="m.gguf")]


def test_a_closed_pipe_is_quiet(own_home: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "ui", "config", "list"],
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=os.environ | {"STEWARD_HOME": str(own_home)},
            check=False,
        )
    finally:
        os.close(writing)
    assert done.stderr == ""


def test_where_prints_every_place_as_json(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("--home", str(tmp_path), "where", "--json")
    assert code == 0
    places = json.loads(out)
    assert places["config"] == str(tmp_path / "config")
    assert places["database"] == str(tmp_path / "data" / "steward.db")
    assert not (tmp_path / "config").exists()


def test_where_prints_every_place_as_lines(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("--home", str(tmp_path), "where")
    assert code == 0
    assert f"models      {tmp_path}/data/models" in out.splitlines()
