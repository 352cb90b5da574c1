"""`steward suggestions`: what a person sees, what a program reads, and that nothing is said before a yes."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.policies.proactive.prior import MEAN
from memory import suggestion_mailbox
from memory.data_dir import Home, OwnerLock
from memory.settled import Settled
from memory.suggestion_mailbox import SuggestionLetter
from memory.suggestions import Feedback, OpportunityKind, Posteriors
from tests.support.command_line import Run
from tests.support.suggestions import an_opportunity, some_factors, spoken
from ui import suggestion_mail
from ui.cli import main
from ui.suggestion_mail import SuggestionPost
from ui.wiring import Options, owned

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
FEATURES = (1.0,) + (0.0,) * (len(MEAN) - 1)


@pytest.fixture(autouse=True)
def in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """The zone of whoever runs the tests says nothing."""
    monkeypatch.setenv("TZ", "UTC")


async def said(
    *subjects: str, kind: OpportunityKind = "deadline", tell: bool = True, at: datetime | None = None
) -> None:
    """As if each had been found in a message (`at`: then, else now), and spoken an hour ago."""
    async with owned(Options(), "suggestions") as services:
        now = at or services.clock.now()
        session = await services.transcript.create_session(at=now)
        parent = None
        for number, subject in enumerate(subjects):
            message = await services.transcript.add_user_message(session.id, parent, "hello", at=now)
            parent = message.id
            one = an_opportunity(
                f"op{number}", message=message.id, subject=subject, kind=kind, opens_at=now - HOUR,
                closes_at=now + 5 * DAY, deadline=now + 5 * DAY,
            )  # fmt: skip
            await services.suggestions.keep([one])
            if tell:
                (told,) = await services.suggestions.claim(
                    [spoken(one, features=FEATURES)], channel="spoken", at=now - HOUR
                )
                await services.suggestions.word(told.suggestion.id, f"You meant to {subject}.", "template")
                await services.suggestions.mark_shown([told.suggestion.id])


def on(run: Run, *more: str) -> None:
    assert run("suggestions", "settings", "--on", "--quiet", "none", *more)[0] == 0


def test_an_empty_home_says_how_to_begin_and_makes_nothing(run: Run, own_home: Path) -> None:
    code, out, _ = run("suggestions")
    assert (code, out) == (0, "Steward does not speak first. To let it: steward suggestions settings --on\n")
    assert run("suggestions", "list", "--json")[1] == "[]\n"
    assert not json.loads(run("suggestions", "settings", "--json")[1])["settings"]["on"]
    assert not own_home.exists()


def test_what_was_said_is_listed_explained_and_rated(run: Run, home: Home) -> None:
    asyncio.run(said("renew my passport", "call the bank"))
    assert "1. You meant to renew my passport." in run("suggestions")[1]
    (latest, first) = json.loads(run("suggestions", "list", "--json")[1])
    assert (latest["id"], first["about"]["evidence"][0]["quote"]) == (2, "I must renew my passport by Friday")
    code, out, _ = run("suggestions", "why", "1")
    assert code == 0
    assert "Because: you wrote “I must renew my passport by Friday”" in out
    assert "1 of 3 were said" in out
    assert "60% sure; 35% were needed" in out
    assert json.loads(run("suggestions", "why", "1", "--json")[1])["decision"]["factors"]["acceptance"] == 0.6
    code, out, _ = run("suggestions", "rate", "1", "n", "--because", "topic")
    assert code == 0
    assert out.startswith("Noted: not relevant; ")
    assert "the topic travel" in out
    assert [told["id"] for told in json.loads(run("suggestions", "list", "--json")[1])] == [2]
    assert "[not useful, not relevant]" in run("suggestions", "list", "--all")[1]
    rated = json.loads(run("suggestions", "rate", "1", "y", "--json")[1])
    assert (rated["answer"], rated["state"]) == ("useful", "answered")
    learned = json.loads(run("suggestions", "settings", "--json")[1])["learned"]
    assert (learned["rated"], learned["topics"][0]["good"]) == (1, 1)
    assert "travel:" in run("suggestions", "settings")[1]
    assert run("suggestions", "settings", "--reset-learned")[0] == 0
    assert json.loads(run("suggestions", "settings", "--json")[1])["learned"]["rated"] == 0


def test_a_mute_is_a_rule_and_a_snooze_has_a_time(run: Run, home: Home) -> None:
    asyncio.run(said("renew my passport", "call the bank"))
    assert "Nothing more about travel" in run("suggestions", "rate", "1", "mute")[1]
    assert "nothing about travel" in run("suggestions", "rules")[1]
    assert run("suggestions", "rate", "2", "z", "--until", "tomorrow at 10:00")[0] == 0


def test_rules_in_plain_words(run: Run, home: Home) -> None:
    code, out, _ = run("suggestions", "rules", "add", "not", "before", "ten")
    assert (code, out.splitlines()[0]) == (0, "Rule 1: nothing is said before 10:00.")
    assert run("suggestions", "rules", "add", "not before 10")[2].startswith("steward: That rule is there already")
    assert json.loads(run("suggestions", "rules", "add", "max two a day", "--json")[1])["number"] == 2
    assert [rule["kind"] for rule in json.loads(run("suggestions", "rules", "--json")[1])] == [
        "not_before", "most_a_day",
    ]  # fmt: skip
    assert run("suggestions", "rules", "remove", "1")[1] == "Taken back: nothing is said before 10:00.\n"
    assert run("suggestions", "rules", "remove", "1")[0] == 1
    assert run("suggestions", "rules", "remove", "9")[2].startswith("steward: There is no rule 9.")
    code, _, err = run("suggestions", "rules", "add", "the moon is nice")
    assert code == 1
    assert "No rule could be read" in err


def test_preview_says_what_would_be_said_and_what_holds_the_rest_back(run: Run, home: Home) -> None:
    looked = datetime.now(UTC).replace(hour=10, minute=30, second=0, microsecond=0) + DAY
    at = looked.isoformat(timespec="minutes")[:16]
    asyncio.run(said("renew my passport", "call the bank", tell=False, at=looked - 2 * DAY))
    assert "Steward may not speak first" in run("suggestions", "preview", "--at", at)[1]
    on(run)
    code, out, _ = run("suggestions", "preview", "--at", at)
    assert code == 0
    assert "you wrote that this has to be done" in out
    assert "because you wrote “I must renew my passport by Friday”" in out
    assert ": one at a time" in out or ": a better moment comes today" in out
    preview = json.loads(run("suggestions", "preview", "--at", at, "--json")[1])
    assert preview["decision"]["action"] == "speak"
    assert len(preview["considered"]) == 2
    assert run("suggestions")[1].startswith("Nothing waits.")  # nothing was said by it
    run("suggestions", "rules", "add", "not before eleven")
    held = run("suggestions", "preview", "--at", at)[1]
    assert "your rule 1, “not before eleven”, until 11:00" in held
    on(run, "--windows", "15-18")
    run("suggestions", "rules", "remove", "1")
    assert "outside your windows, until 15:00" in run("suggestions", "preview", "--at", at)[1]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("rate", "99", "y"), "There is no suggestion 99"),
        (("rate", "1", "maybe"), "'maybe' is no answer"),
        (("rate", "1", "y", "--because", "time"), "A reason goes with a no"),
        (("rate", "1", "z", "--until", "blah"), "'blah' is no moment"),
        (("why", "99"), "There is no suggestion 99"),
        (("preview", "--at", "the moon"), "'the moon' is no moment"),
        (("settings", "--windows", "25-3"), "windows: '25' could not be read"),
        (("settings", "--most", "50"), "most: '50' could not be read"),
        (("settings", "--gap", "0"), "gap: '0' could not be read"),
        (("settings", "--mute", "qwertz"), "no topic is known as 'qwertz'"),
        (("settings", "--morning", "\x1b[31m"), "morning:"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_line(run: Run, home: Home, args: tuple[str, ...], words: str) -> None:
    asyncio.run(said("renew my passport"))
    code, _, err = run("suggestions", *args)
    assert code == 1
    assert words in err
    assert len(err.splitlines()) == 2
    assert "\x1b" not in err


def test_nothing_of_several_settings_is_kept_when_one_is_wrong(run: Run, home: Home) -> None:
    assert run("suggestions", "settings", "--on", "--most", "2", "--gap", "long")[0] == 1
    found = json.loads(run("suggestions", "settings", "--json")[1])["settings"]
    assert (found["on"], found["most_a_day"]) == (False, 3)


def test_looking_works_beside_an_owner_and_what_it_cannot_take_at_once_waits(
    run: Run, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suggestion_mail, "WAIT_SECONDS", 0.1)
    asyncio.run(said("renew my passport"))
    with OwnerLock(home, what="chat"):
        assert "renew my passport" in run("suggestions")[1]
        assert run("suggestions", "preview")[0] == 0
        code, out, _ = run("suggestions", "rate", "1", "y")
        assert (code, out) == (0, "It waits for the Steward that is running here; it is kept, and done once.\n")
    on(run)
    assert "[useful]" in run("suggestions", "list", "--all")[1]
    monkeypatch.setattr(suggestion_mailbox, "UNREAD_SECONDS", -1.0)
    on(run)  # what nobody came to read is not kept
    assert list((home.state / "suggestions").iterdir()) == []


async def beside_an_owner(*commands: tuple[str, ...]) -> tuple[list[int], list[Settled]]:
    """Exit codes of commands while a Steward that runs takes what they hand over."""
    heard: list[Settled] = []

    async def told(settled: Settled) -> None:
        heard.append(settled)

    async with owned(Options(), "chat") as services:
        post = SuggestionPost(services, told)
        asked = asyncio.create_task(asyncio.to_thread(lambda: [main(command) for command in commands]))
        while not asked.done():  # as the ticker does
            await post.drain()
            await asyncio.sleep(0.01)
        return await asked, heard


def test_answers_rules_and_settings_go_to_the_steward_that_runs(
    home: Home, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suggestion_mail, "WAIT_SECONDS", 60.0)
    asyncio.run(said("renew my passport"))
    codes, heard = asyncio.run(
        beside_an_owner(
            ("suggestions", "rate", "1", "n", "--because", "time"),
            ("suggestions", "rules", "add", "not before ten"),
            ("suggestions", "rules", "add", "not before ten"),
            ("suggestions", "rules", "remove", "1"),
            ("suggestions", "settings", "--most", "2", "--json"),
            ("suggestions", "rate", "99", "y"),
        )
    )
    out, err = capsys.readouterr()
    assert codes == [0, 0, 1, 0, 0, 1]
    assert [settled.code for settled in heard] == codes
    assert "Noted: bad time" in out
    assert "Rule 1: nothing is said before 10:00." in out
    assert "Taken back: nothing is said before 10:00." in out
    assert '"most_a_day": 2' in out
    assert "That rule is there already" in err
    assert "There is no suggestion 99." in err
    assert list((home.state / "suggestions").iterdir()) == []


async def test_a_letter_taken_twice_does_nothing_twice(home: Home) -> None:
    await said("renew my passport")
    async with owned(Options(), "chat") as services:
        post = SuggestionPost(services)
        at = services.clock.now()
        mute = SuggestionLetter(act="rate", at=at, id=1, answer="z", until="tomorrow at 9:00")
        rule = SuggestionLetter(act="add_rule", at=at, text="not before ten")
        for letter in (mute, rule):
            first, second = await post.settled(letter), await post.settled(letter)
            assert (first.code, second.code) == (0, 0)
        assert len(await services.suggestions.rules()) == 1
        assert (await services.suggestions.posteriors()).rated == 0
        (one,) = await services.suggestions.open()
        assert one.snoozed_until is not None


async def test_what_is_no_letter_is_put_aside(home: Home) -> None:
    folder = home.state / "suggestions"
    folder.mkdir(mode=0o700)
    (folder / f"{1:020}-abcdefgh.json").write_text('{"act": "rate", "at": "now"}')
    (folder / f"{2:020}-abcdefgh.json").write_text('{"act": "delete_everything", "at": "2026-03-02T09:00:00Z"}')
    async with owned(Options(), "chat") as services:
        assert await SuggestionPost(services).drain() == 0
    assert sorted(path.suffix for path in folder.iterdir()) == [".unreadable", ".unreadable"]


async def thrice_at_a_bad_time() -> None:
    """Three were said within the stated hours; two of them were rated as a bad time."""
    async with owned(Options(), "suggestions") as services:
        store, now = services.suggestions, services.clock.now()
        (window,) = (await store.settings()).windows
        session = await services.transcript.create_session(at=now)
        message = await services.transcript.add_user_message(session.id, None, "hello", at=now)
        for number in range(3):
            one = an_opportunity(f"bad{number}", message=message.id, opens_at=now - HOUR, closes_at=now + 5 * DAY)
            await store.keep([one])
            decision = spoken(one, factors=some_factors(window=window))
            (told,) = await store.claim([decision], channel="spoken", at=now - HOUR)
            await store.mark_shown([told.suggestion.id])
            if number < 2:
                feedback = Feedback(suggestion_id=told.suggestion.id, answer="not", reason="time", at=now)
                await store.rate(feedback, Posteriors())


def test_three_bad_times_ask_whether_the_hours_fit_and_one_word_answers(run: Run, home: Home) -> None:
    on(run, "--windows", "00:00-23:59", "--quiet", "none")
    asyncio.run(thrice_at_a_bad_time())
    code, out, _ = run("suggestions", "rate", "3", "n", "--because", "time")
    assert code == 0
    assert "Do your hours 00:00-23:59 still fit? 3 came at a bad time." in out
    assert "they do: steward suggestions settings --windows fit" in out
    assert json.loads(run("suggestions", "settings", "--json")[1])["asks"]["bad"] == 3
    assert "still fit?" in run("suggestions", "settings")[1]
    assert run("suggestions", "settings", "--windows", "fit")[0] == 0
    settings = json.loads(run("suggestions", "settings", "--json")[1])
    assert (settings["asks"], settings["settings"]["windows"]) == (None, [["00:00", "23:59"]])
    code, _, err = run("suggestions", "settings", "--windows", "fit")
    assert code == 1
    assert "Nothing is asked about your hours." in err
