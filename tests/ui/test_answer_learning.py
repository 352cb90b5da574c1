"""An answer that tends to be the same again is held as a candidate, with its words; three times in two sessions, or a
yes in the review, and it is used."""

from datetime import timedelta
from pathlib import Path

from assistant.reports import Carried
from memory.decisions import DecisionOption, NewDecision, PlannedCall
from memory.preferences import Filter
from memory.types import SessionMode
from tests.support.clock import MONDAY
from ui.acting_wiring import without_model
from ui.acting_words import carried_words
from ui.deciding import Deciding
from ui.wiring import Options, Services, owned


async def asked(
    services: Services, number: int, mode: SessionMode = "normal", said: str = "Bella on Friday at 7"
) -> Carried:
    """A conversation in which a table is to be booked, and the answer to its question."""
    at = MONDAY + timedelta(hours=number)
    session = await services.transcript.create_session(at=at, title="t", mode=mode)
    wish = await services.transcript.add_user_message(session.id, None, "Book the table", at=at, origin="typed")
    decision = await services.decisions.raise_decision(
        NewDecision(
            kind="clarify",
            effect="undoable",
            question="Where and when is the table?",
            why_now="",
            options=(DecisionOption(key="1", label="leave the place and time open"),),
            call=PlannedCall(
                tool="tasks.arrange", arguments='{"answer":"","place":null,"time":null,"what":"table"}', hash="x"
            ),
            argument="answer",
            allow_other=True,
            session_id=session.id,
            message_id=wish.id,
        ),
        at=at,
    )
    report = await Deciding(lambda: services, without_model).answer(decision.id, said, source="card")
    assert isinstance(report, Carried)
    return report


async def test_it_is_a_candidate_with_the_answer_as_evidence(own_home: Path) -> None:
    async with owned(Options(), "chat") as services:
        report = await asked(services, 1)
        assert report.noted
        assert "/review" in carried_words(report)
        (kept,) = await services.preferences.list(Filter(statuses=("candidate",)))
        assert kept.statement == "our usual place for the table is Bella"
        (evidence,) = (await services.preferences.item(kept.id)).evidence
        assert evidence.quote == "Bella on Friday at 7"
        await asked(services, 2, said="Bella")
        await asked(services, 3, said="Bella, tomorrow at 8")
        (used,) = await services.preferences.list(Filter(statuses=("active",)))
        assert used.id == kept.id


async def test_nothing_is_noted_where_nothing_is_learned(own_home: Path) -> None:
    async with owned(Options(), "chat") as services:
        assert not (await asked(services, 1, "no_learn")).noted
        services.switch.on = False
        assert not (await asked(services, 2)).noted
        services.switch.on = True
        assert not (await asked(services, 3, said="leave the place and time open")).noted
        assert await services.preferences.list(Filter(statuses=("candidate", "active"))) == ()
