"""Line mode has every feature of the full screen: each key and each command of it is found there, or has a reason."""

import re

import pytest

from ui.actions import COMMANDS as TYPED_IN_FULL_SCREEN
from ui.keys import KEYS, Key
from ui.plain_commands import COMMANDS
from ui.plain_memory import SUBCOMMANDS
from ui.suggestion_typed import USES

# What each key is in line mode: a command (with what is typed after it), or how the same thing happens there.
AS_COMMAND = {
    "help": "/help", "help-here": "/help", "palette": "/help", "sessions": "/sessions", "new-session": "/new",
    "context": "/context",
    "models": "/model", "memory": "/memory", "retry": "/again", "reminders": "/reminders", "decisions": "/decisions",
    "data": "/data", "suggestions": "/suggestions", "suggestion-yes": "/suggestions y",
    "suggestion-no": "/suggestions n",
    "suggestion-why": "/suggestions why", "due-done": "/done", "due-snooze": "/snooze", "quit": "/quit",
    "unfold": "/paste", "newline": "/paste", "messages": "/show", "up": "/show", "down": "/show", "copy": "/copy",
    "copy-code": "/code", "edit": "/edit", "regenerate": "/again", "branch": "/branch", "previous": "/branch previous",
    "next": "/branch next", "why": "/why", "undo-saved": "/undo", "open": "/show", "thoughts": "/thoughts",
    "links": "/links", "first": "/show", "last": "/show",
    "open-session": "/open", "rename": "/rename", "export": "/export", "delete": "/delete",
    "memory-open": "/memory", "memory-confirm": "/memory confirm", "memory-edit": "/memory edit",
    "memory-pin": "/memory pin", "memory-scope": "/memory scope", "memory-merge": "/memory merge",
    "memory-forget": "/forget", "memory-undo": "/undo", "memory-review": "/review", "memory-narrow": "/memory",
    "reminder-done": "/reminders done", "reminder-snooze": "/reminders snooze", "reminder-edit": "/reminders edit",
    "reminder-new": "/remind", "reminder-delete": "/reminders delete", "reminder-undo": "/reminders undo",
    "suggestion-useful": "/suggestions y", "suggestion-not": "/suggestions n", "suggestion-time": "/suggestions n",
    "suggestion-topic": "/suggestions n", "suggestion-often": "/suggestions n", "suggestion-style": "/suggestions n",
    "suggestion-later": "/suggestions z", "suggestion-mute": "/suggestions m", "suggestion-done": "/suggestions d",
    "suggestion-reasons": "/suggestions why", "suggestion-preview": "/suggestions preview",
    "suggestion-settings": "/suggestions settings", "rule-add": "/suggestions rule",
    "rule-remove": "/suggestions unrule", "learned-reset": "/suggestions reset",
    "profile-take": "/profile import",
    "decision-1": "/decide", "decision-2": "/decide", "decision-3": "/decide", "decision-4": "/decide",
    "decision-answer": "/decide", "decision-other": "/decide", "decision-you-decide": "/decide",
    "decision-why": "/decisions", "decision-needless": "/decisions needless", "decision-always": "/decide",
    "decision-stop": "/decide", "decision-list": "/decisions",
    "plans": "/plans", "plan-stop": "/plans stop", "plan-resume": "/plans resume", "plan-undo": "/plans undo",
    "plan-next": "/plans ID", "plan-before": "/plans ID",
    "decisions-answer": "/decide", "decisions-whole": "/decisions", "decisions-prices": "/decisions prices",
    "decisions-reset": "/decisions reset", "decisions-grants": "/tools grants",
    "data-backup": "/backup", "data-learning": "/learning", "data-encryption": "/encryption",
    "data-delete": "/delete-everything",
    "copy-text": "/copy",
}  # fmt: skip
REASONS = {
    "theme": "there is no colour",
    "mouse": "the mouse is the terminal's own",
    "terminal-copy": "the terminal's own selection copies; nothing is drawn over it",
    "interrupt": "Ctrl+C is the same key here",
    "stop": "Ctrl+C stops an answer; nothing else is open",
    "page-up": "the terminal scrolls",
    "page-down": "the terminal scrolls",
    "end": "the last line is always the newest",
    "send": "Enter is the same key here",
    "older": "the line editor's own history (Up)",
    "newer": "the line editor's own history (Down)",
    "editor": "text of an editor comes in with steward ask - or /paste",
    "write": "one is always writing",
    "memory-why-up": "the terminal scrolls",
    "memory-why-down": "the terminal scrolls",
    "decision-up": "the terminal scrolls",
    "decision-down": "the terminal scrolls",
    "decision-later": "an empty answer leaves it where it is",
    "data-encrypted": "steward backup --encrypt: a passphrase is not typed where lines are echoed",
}


REASONS_OF_COMMANDS = {"theme": REASONS["theme"], "mouse": REASONS["mouse"]}
# Acts that a command lists in its own help (/memory help, /suggestions of an unknown act) instead of in /help.
MORE_ACTS = {"memory": " ".join(SUBCOMMANDS), "suggestions": USES}


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_every_key_is_a_command_or_has_a_reason(key: Key) -> None:
    assert (key.name in AS_COMMAND) != (key.name in REASONS), f"{key.name}: {key.label}"


@pytest.mark.parametrize("typed", sorted(set(AS_COMMAND.values())))
def test_what_is_named_exists(typed: str) -> None:
    name, _, act = typed.removeprefix("/").partition(" ")
    assert name in COMMANDS
    command = COMMANDS[name]
    assert not act or named(act, f"{command.takes} {command.does} {MORE_ACTS.get(name, '')}"), command.does


def named(act: str, text: str) -> bool:
    return act in re.split(r"[^\w-]+", text)


def test_nothing_is_listed_that_is_gone() -> None:
    assert (AS_COMMAND.keys() | REASONS.keys()) - {key.name for key in KEYS} == set()


def test_every_typed_command_of_the_full_screen_is_one_here() -> None:
    here = COMMANDS.keys() | REASONS_OF_COMMANDS.keys()
    assert {command.name for command in TYPED_IN_FULL_SCREEN} - here == set()
    assert REASONS_OF_COMMANDS.keys() - {command.name for command in TYPED_IN_FULL_SCREEN} == set()
