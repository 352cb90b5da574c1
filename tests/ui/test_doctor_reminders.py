"""doctor: will a reminder be told? What is due and was not, who tells it, how, and the time zones."""

from dataclasses import replace
from datetime import timedelta

import pytest

from memory.errors import StoreDamaged
from tests.support.clock import MONDAY
from ui.checks.reminders import (
    Tellers,
    Waiting,
    check_daemon,
    check_notifications,
    check_reminders,
    check_zones,
)
from ui.checks.result import Check

HOUR = timedelta(hours=1)
NOBODY = Tellers()
OPEN = Tellers(owner="chat")
DAEMON = Tellers(owner="daemon", looked_at=MONDAY - timedelta(seconds=10), start="systemctl start it", notifies=True)
SOON = Waiting(active=2, next_at=MONDAY + HOUR)
OVERDUE = Waiting(active=2, next_at=MONDAY - HOUR)


@pytest.mark.parametrize(
    ("waiting", "tellers", "state", "words"),
    [
        (Waiting(active=0, next_at=None), NOBODY, "ok", "none is to come"),
        (Waiting(active=3, next_at=None), NOBODY, "ok", "3 kept, none with a time"),
        (SOON, NOBODY, "note", "nothing runs that would tell it"),
        (SOON, replace(NOBODY, start="systemctl start it"), "note", "nothing runs"),
        (SOON, OPEN, "ok", "2 kept, the next is due at"),
        (SOON, DAEMON, "ok", "2 kept"),
        (OVERDUE, NOBODY, "note", "one was due at"),
        (OVERDUE, DAEMON, "broken", "was not told"),
        (replace(OVERDUE, next_at=MONDAY - timedelta(seconds=30)), DAEMON, "ok", "2 kept"),
        (StoreDamaged("x", "y"), DAEMON, "note", "in trouble"),
    ],
)
def test_what_is_due_and_who_tells_it(
    waiting: Waiting | StoreDamaged, tellers: Tellers, state: str, words: str
) -> None:
    found = check_reminders(waiting, tellers, MONDAY)
    assert (found.state, words in found.detail) == (state, True), found
    assert found.fix or state == "ok" or isinstance(waiting, StoreDamaged)


@pytest.mark.parametrize(
    ("tellers", "state", "words"),
    [
        (NOBODY, "ok", "none; reminders are told while Steward is open"),
        (replace(NOBODY, start="systemctl start it"), "note", "installed, and not running"),
        (DAEMON, "ok", "starts at login"),
        (replace(DAEMON, start=""), "ok", "does not start at login"),
        (replace(DAEMON, owner="chat", looked_at=MONDAY - HOUR), "ok", "it waits while Steward is open"),
        (replace(DAEMON, looked_at=MONDAY - HOUR), "broken", "has not looked for 60 minutes"),
    ],
)
def test_the_daemon(tellers: Tellers, state: str, words: str) -> None:
    found = check_daemon(tellers, MONDAY)
    assert (found.state, words in found.detail) == (state, True), found


def test_a_way_to_notify_matters_only_with_a_daemon() -> None:
    def notified(tellers: Tellers, platform: str = "linux") -> Check:
        return check_notifications(tellers, platform)

    assert notified(NOBODY).state == "ok"
    assert notified(DAEMON).state == "ok"
    silent = replace(DAEMON, notifies=False)
    assert "no desktop session" in notified(silent).detail
    assert "libnotify-bin" in notified(replace(silent, session_bus=True)).fix
    assert notified(silent, "win32").state == "note"


def test_zones() -> None:
    assert check_zones("Europe/Berlin").state == "ok"
    found = check_zones("Mars/Olympus")
    assert (found.state, "tzdata" in found.fix) == ("broken", True)
