"""The card of a decision as its user meets it: it never takes the focus, and no stray key or click answers it."""

import asyncio
import random
from datetime import timedelta
from pathlib import Path

import pytest
from textual import events

from memory.decisions import Decision, NewDecision
from tests.support.clock import MONDAY, FixedClock
from tests.support.decisions import a_mail, a_payment, a_question, use_tools
from tests.support.pilot import Driver, a_desk, a_home, opened
from tests.support.tools import Notebook, mail, pay
from ui.deciding_begins import begin_decisions
from ui.desk import Desk
from ui.messages import RoomChanged
from ui.screens.decisions import DecisionsScreen
from ui.widgets.bars import Rows
from ui.widgets.decision_card import DecisionCard


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def desk(tmp_path: Path, clock: FixedClock) -> Desk:
    return a_desk(a_home(tmp_path), "Fine.", "Yes.", clock=clock)


async def waits(driver: Driver, asked: NewDecision, *, focus: bool = False) -> Decision:
    """Raised, and its card is on the screen, long ago."""
    decision = await driver.app.desk.services.decisions.raise_decision(asked, at=MONDAY)
    driver.app.refresh_decisions()
    await driver.until(lambda: shown(driver) == decision.id)
    await driver.until(lambda: driver.app.guard.shown_at != float("inf"))
    long_ago(driver)
    if focus:
        await driver.press("f11")
        await driver.until(lambda: isinstance(driver.app.focused, DecisionCard))
        long_ago(driver)
    return decision


def long_ago(driver: Driver) -> None:
    """Whatever a card or a typist did, was a minute ago."""
    driver.app.guard.shown_at -= 60
    driver.app.guard.typed_at -= 60


def shown(driver: Driver) -> int | None:
    found = driver.chat.query(DecisionCard)
    return found.first().decision.id if found and found.first().decision is not None else None  # type: ignore[union-attr]


def card_text(driver: Driver) -> str:
    return "\n".join(driver.chat.query_one(f"#decision-{part}", Rows).text for part in ("head", "rows", "foot"))


async def state(driver: Driver, decision: Decision) -> str:
    return (await driver.app.desk.services.decisions.decision(decision.id)).state


async def mark_and_answer(driver: Driver, key: str) -> None:
    """As a person does: not both within a moment."""
    await driver.press(key)
    card = driver.chat.query_one(DecisionCard)
    card._marked_at -= 60
    await driver.press("enter")


async def test_it_shows_everything_and_takes_no_focus(desk: Desk) -> None:
    async with opened(desk) as driver:
        await driver.write("half a sent")
        await waits(driver, a_mail())
        assert driver.chat.prompt.has_focus
        text = card_text(driver)
        for words in ("Send a mail (to: ann@example.org", "Why now", "1 Do it (yes)", "2 Do not (no)", "nothing"):
            assert words in text, text
        assert "If you do not answer: Nothing happens." in text
        assert "recommended" not in text
        assert "1 decision waits (F11)" in driver.header()
        await driver.press("e")
        assert driver.chat.prompt.whole_text == "half a sente"


async def test_a_number_marks_and_enter_answers(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    post = mail()
    use_tools(monkeypatch, post)
    async with opened(desk) as driver:
        decision = await waits(driver, a_mail(), focus=True)
        await driver.press("enter")  # nothing is marked beforehand
        await driver.press("1")
        assert "› 1" in card_text(driver)
        assert post.ran == []
        await mark_and_answer(driver, "1")
        await driver.until(lambda: bool(post.ran))
        await driver.until(lambda: shown(driver) is None)
        assert post.ran == [f"decision-{decision.id}"]
        assert await state(driver, decision) == "done"
        assert driver.chat.prompt.has_focus
        await driver.until(lambda: any("Send a mail" in notice for notice in driver.notices()))


async def test_no_is_an_answer_too(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    post = mail()
    use_tools(monkeypatch, post)
    async with opened(desk) as driver:
        decision = await waits(driver, a_mail(), focus=True)
        await mark_and_answer(driver, "2")
        await driver.until(lambda: shown(driver) is None)
        assert (await state(driver, decision), post.ran) == ("declined", [])


async def test_keys_of_its_first_moment_and_of_a_typist_do_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    post = mail()
    use_tools(monkeypatch, post)
    async with opened(desk) as driver:
        decision = await waits(driver, a_mail(), focus=True)
        driver.app.guard.shown(events.Event().time)  # it is new
        await driver.press("1", "enter")
        assert "›" not in card_text(driver)
        long_ago(driver)
        driver.app.guard.typed(events.Event().time)  # somebody typed elsewhere, a moment ago
        await driver.press("1", "enter", "x", "enter")
        assert "›" not in card_text(driver)
        long_ago(driver)
        await driver.press("1", "enter")  # a burst: Enter right after the mark
        await driver.pilot.pause()
        assert (await state(driver, decision), post.ran) == ("open", [])


async def test_a_thousand_stray_keys_answer_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the prompt, and on the card itself as fast as a cat or a paste types."""
    post, bank = mail(), pay()
    use_tools(monkeypatch, post, bank)
    chance = random.Random(4)
    keys = [*"123456789yYnNuxowla qe", "enter", "space", "tab", "backspace", "left", "right"]
    stray = [chance.choice(keys) for _ in range(500)]
    async with opened(desk) as driver:
        decision = await waits(driver, a_mail())
        for start in range(0, len(stray), 100):
            await driver.press(*(key for key in stray[start : start + 100] if key not in ("enter", "tab")))
        driver.chat.prompt.forget()
        payment = await waits(driver, a_payment(), focus=True)
        for start in range(0, len(stray), 100):
            await driver.press(*stray[start : start + 100])
            while len(driver.app.screen_stack) > 1:
                await driver.press("escape")
        await driver.pilot.pause()
        assert (post.ran, bank.ran) == ([], [])
        assert await state(driver, decision) in ("open", "withdrawn")
        assert await state(driver, payment) in ("open", "withdrawn")


async def test_what_is_grave_is_typed_in_full(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    bank = pay()
    use_tools(monkeypatch, bank)
    async with opened(desk) as driver:
        decision = await waits(driver, a_payment(), focus=True)
        for typed in ("yes", "EUR 90", "EUR 900"):
            assert bank.ran == []
            await driver.press("f11") if not isinstance(driver.app.focused, DecisionCard) else None
            long_ago(driver)
            await mark_and_answer(driver, "1")
            await driver.until(lambda: "in full" in driver.screen_text())
            await driver.press(*("space" if key == " " else key for key in typed), "enter")
            await driver.until(lambda: len(driver.app.screen_stack) == 1)
            await driver.pilot.pause()
        await driver.until(lambda: bool(bank.ran))
        assert await state(driver, decision) == "done"


async def test_what_is_recommended_is_marked_only_where_it_can_be_taken_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook = Notebook("home", "work")
    use_tools(monkeypatch, notebook)
    async with opened(desk) as driver:
        decision = await waits(driver, a_question(), focus=True)
        assert "› 1 home  recommended" in card_text(driver)
        await driver.press("u")
        assert "Enter: you decide" in card_text(driver)
        await driver.press("enter")
        await driver.until(lambda: bool(notebook.ran))
        assert (await driver.app.desk.services.decisions.decision(decision.id)).answer == "1"
        prices = await driver.app.desk.services.decisions.prices()
        assert prices["notes.add:book"].needless == 1


async def test_own_words_later_why_and_not_needed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = Notebook("home", "work")
    use_tools(monkeypatch, notebook)
    async with opened(desk) as driver:
        decision = await waits(driver, a_question(), focus=True)
        await driver.press("w")
        await driver.until(lambda: "right 0.60" in driver.screen_text())
        await driver.press("escape")
        long_ago(driver)
        await driver.press("n")
        await driver.until(lambda: any("I will ask less" in notice for notice in driver.notices()))
        long_ago(driver)
        await driver.press("l")
        await driver.until(lambda: shown(driver) is None)
        assert await state(driver, decision) == "open"
        await driver.press("f11")
        await driver.until(lambda: isinstance(driver.app.focused, DecisionCard))
        await driver.until(lambda: driver.app.guard.shown_at != float("inf"))
        long_ago(driver)
        await driver.press("o")
        await driver.until(lambda: "own words" in driver.screen_text())
        await driver.press(*"garden", "enter")
        await driver.until(lambda: bool(notebook.ran))
        assert (await driver.app.desk.services.decisions.decision(decision.id)).answer == "garden"


async def test_stopping_needs_two_keys_and_does_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    post = mail()
    use_tools(monkeypatch, post)
    async with opened(desk) as driver:
        decision = await waits(driver, a_mail(), focus=True)
        await driver.press("x")
        assert await state(driver, decision) == "open"
        await mark_and_answer(driver, "x")
        await driver.until(lambda: shown(driver) is None)
        assert (await state(driver, decision), post.ran) == ("withdrawn", [])


async def test_a_sentence_typed_while_it_waits_is_a_message(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    post = mail()
    use_tools(monkeypatch, post)
    async with opened(desk) as driver:
        decision = await waits(driver, a_mail())
        await driver.send("yes")
        assert (await state(driver, decision), post.ran) == ("open", [])
        assert [message.content for message in await driver.path()] == ["yes", "Fine."]
        assert shown(driver) == decision.id


async def test_the_click_that_brings_the_window_back_is_swallowed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    post = mail()
    use_tools(monkeypatch, post)
    async with opened(desk) as driver:
        decision = await waits(driver, a_mail())
        driver.app.post_message(events.AppBlur())
        driver.app.post_message(events.AppFocus())
        await driver.pilot.pause()
        long_ago(driver)
        await driver.pilot.click("#decision-rows", offset=(5, 3))
        assert "›" not in card_text(driver)
        long_ago(driver)
        for row in range(2, 6):
            await driver.pilot.click("#decision-rows", offset=(5, row))
            long_ago(driver)
        assert "›" in card_text(driver)  # a click marks, and never answers
        await driver.pilot.pause()
        assert (await state(driver, decision), post.ran) == ("open", [])


async def test_it_expires_without_anything_happening(
    desk: Desk, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    post = mail()
    use_tools(monkeypatch, post)
    async with opened(desk) as driver:
        decision = await waits(driver, a_mail(expires_at=MONDAY + timedelta(hours=1)))
        clock.advance(timedelta(hours=2))
        lines = await begin_decisions(desk.services, desk.model)
        assert lines == (f"Decision {decision.id} has expired; nothing was done: {decision.asked.question}",)
        driver.app.refresh_decisions()
        await driver.until(lambda: shown(driver) is None)
        assert (await state(driver, decision), post.ran) == ("expired", [])


async def test_it_is_there_again_after_a_restart(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    post = mail()
    use_tools(monkeypatch, post)
    decision = await desk.services.decisions.raise_decision(a_mail(), at=MONDAY)
    async with opened(desk) as driver:
        await driver.until(lambda: shown(driver) == decision.id)
        assert post.ran == []


async def test_what_it_rests_on_has_changed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    post = mail()
    post.state = "noisy"
    use_tools(monkeypatch, post)
    async with opened(desk) as driver:
        first = await waits(driver, a_mail(), focus=True)
        await mark_and_answer(driver, "1")
        await driver.until(lambda: shown(driver) not in (None, first.id))
        assert "state was quiet, is noisy" in card_text(driver)
        assert post.ran == []


async def test_always_allow_is_narrow_and_answers_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    post = mail()
    use_tools(monkeypatch, post)
    async with opened(desk) as driver:
        decision = await waits(driver, a_mail(), focus=True)
        await driver.press("a")
        await driver.until(lambda: "Allow what from now on?" in driver.screen_text())
        await driver.press("3")  # any text, to Ann
        await driver.until(lambda: "This will also allow" in driver.screen_text())
        await driver.press("2")
        await driver.until(lambda: any("Allowed until" in notice for notice in driver.notices()))
        (grant,) = await desk.services.decisions.grants()
        assert grant.fixed == (("to", '"ann@example.org"'),)
        assert grant.expires_at == MONDAY + timedelta(days=7)
        assert (await state(driver, decision), post.ran) == ("open", [])


async def test_the_list_has_what_waits_and_what_is_over(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    use_tools(monkeypatch, mail())
    async with opened(desk) as driver:
        over = await desk.services.decisions.raise_decision(a_question(), at=MONDAY)
        await desk.deciding.withdraw(over.id)
        decision = await waits(driver, a_mail())
        await driver.send_command("/decisions")
        await driver.until(lambda: isinstance(driver.app.screen, DecisionsScreen))
        await driver.until(lambda: "Waiting for you" in driver.screen_text())
        text = driver.screen_text()
        assert "Which book?" in text
        assert "(withdrawn)" in text
        assert "exact arguments" in text
        await driver.press("enter")
        await driver.until(lambda: isinstance(driver.app.focused, DecisionCard))
        assert shown(driver) == decision.id


async def test_prices_are_shown_and_put_back(desk: Desk) -> None:
    async with opened(desk) as driver:
        await driver.send("Stop asking so much")
        assert "I will ask less: a question counts x1.65" in driver.transcript_text()
        await driver.send_command("/decisions prices")
        await driver.until(lambda: "every other question: x1.65" in driver.screen_text())
        await driver.press("escape", "r")
        await driver.until(lambda: "Forget what was learned" in driver.screen_text())
        await driver.press("2")
        await driver.until(lambda: "Put back" in driver.screen_text())
        assert await desk.services.decisions.prices() == {}


async def test_decide_and_undo_as_commands(desk: Desk, clock: FixedClock, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = Notebook("home", "work")
    use_tools(monkeypatch, notebook)
    async with opened(desk) as driver:
        decision = await waits(driver, a_question())
        await driver.send_command(f"/decide {decision.id} 2")
        await driver.until(lambda: bool(notebook.ran))
        clock.advance(timedelta(minutes=1))
        await driver.send_command("/remember I like olives")
        await driver.until(lambda: any("olives" in notice for notice in driver.notices()))
        await driver.send_command("/undo")
        await driver.until(lambda: any("is undone" in notice for notice in driver.notices()))
        assert notebook.undone == []
        await driver.send_command("/undo")
        await driver.until(lambda: bool(notebook.undone))
        await driver.send_command("/undo")
        await driver.until(lambda: any("nothing to take back" in notice for notice in driver.notices()))
        await driver.send_command("/decide soon")
        await driver.until(lambda: any("Say which and what" in notice for notice in driver.notices()))
        await driver.send_command("/decide 99 yes")
        await driver.until(lambda: any("There is no decision 99" in notice for notice in driver.notices()))


async def test_an_incognito_conversation_has_decisions_of_its_own(desk: Desk) -> None:
    async with opened(desk) as driver:
        await waits(driver, a_mail())
        await driver.send_command("/incognito")
        await driver.until(lambda: shown(driver) is None)
        await driver.press("ctrl+n")
        await driver.until(lambda: shown(driver) is not None)


@pytest.mark.parametrize("size", [(60, 16), (80, 24)])
async def test_there_is_room_left_for_the_prompt(desk: Desk, size: tuple[int, int]) -> None:
    async with opened(desk, size) as driver:
        await waits(driver, a_mail(), focus=True)
        assert driver.chat.prompt.region.height >= 1
        assert driver.chat.prompt.region.bottom <= size[1]
        assert driver.chat.query_one(DecisionCard).region.height < size[1] - 3
        await asyncio.sleep(0)


async def test_a_size_told_after_the_end_is_taken_in_peace(desk: Desk) -> None:
    async with opened(desk) as driver:
        await driver.pilot.pause()
    assert driver.app.screen_stack == []
    driver.app.room_changed(RoomChanged())
