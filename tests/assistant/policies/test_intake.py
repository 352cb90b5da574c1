"""What a line of input is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.intake import Command, Input, Nothing, UnknownCommand, UserTurn, normalise, trim

COMMANDS = {"new", "open", "edit"}


@pytest.mark.parametrize(
    ("raw", "meant"),
    [
        ("hello", UserTurn(text="hello")),
        ("  \n\t\n", Nothing()),
        ("", Nothing()),
        ("/new", Command(name="new")),
        ("/NEW  ", Command(name="new")),
        ("/open 3", Command(name="open", argument="3")),
        ("/edit first\nsecond", Command(name="edit", argument="first\nsecond")),
        ("/hepl", UnknownCommand(name="hepl", text="/hepl")),
        ("//new is a command", UserTurn(text="/new is a command")),
        ("/etc/hosts is empty?", UserTurn(text="/etc/hosts is empty?")),
        ("/", UserTurn(text="/")),
        ("/3", UserTurn(text="/3")),
        (" /new", UserTurn(text=" /new")),
        ("\n\n    indented()\n\n", UserTurn(text="    indented()")),
        ("a\x1b[31mb", UserTurn(text="a\ufffd[31mb")),
    ],
)
def test_typed_input(raw: str, meant: Input) -> None:
    assert normalise(raw, COMMANDS) == meant


def test_pasted_text_is_never_a_command() -> None:
    assert normalise("/new", COMMANDS, origin="pasted") == UserTurn(text="/new", origin="pasted")


@given(st.text(st.characters(exclude_categories=())))
def test_any_input_is_one_of_four(raw: str) -> None:
    assert isinstance(normalise(raw, COMMANDS), UserTurn | Command | UnknownCommand | Nothing)


@given(st.text())
def test_trimming_twice_changes_nothing(text: str) -> None:
    assert trim(trim(text)) == trim(text)
