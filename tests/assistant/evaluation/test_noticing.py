"""Candidates of the background: what counts as right, and that the shipped cases reach the model."""

import asyncio

import pytest

from assistant.evaluation.fixtures import Noticed, noticed
from assistant.evaluation.noticing import noticing
from assistant.policies.notice import Opinion
from tests.support.english import english

CASES = (
    Noticed(text="My evenings usually end with a pot of peppermint tea.", sign="+"),
    Noticed(text="Spicy dishes and my stomach are not friends.", sign="-"),
    Noticed(text="My train leaves from platform nine.", sign="n"),
    Noticed(text="My sister adores reality shows.", sign="n"),
)


async def test_right_wrong_and_missed() -> None:
    async def ask(text: str) -> Opinion:
        return Opinion(lasts=0.1 if "Spicy" in text else 0.9, direction="habit")

    suite = await noticing(CASES, ask, english(), name="noticing")
    right, found, unread, ruled = suite.measures
    assert (right.value, right.of) == (0.5, 2)  # the train is no habit
    assert (found.value, found.of) == (0.5, 2)
    assert unread.value == 1  # a sister's taste is not shown to the model
    assert ruled.value == 0
    assert suite.misses == (
        "noticed as +0: My train leaves from platform nine.",
        "not noticed: Spicy dishes and my stomach are not friends.",
    )


async def test_the_opposite_direction_is_wrong() -> None:
    async def ask(text: str) -> Opinion:
        return Opinion(lasts=0.9, direction="avoids")

    suite = await noticing((Noticed(text="I will never tire of the sea.", sign="+"),), ask, english(), name="noticing")
    assert suite.misses == ("noticed as -1: I will never tire of the sea.",)


@pytest.mark.parametrize(("file", "least"), [("noticed.txt", 25), ("noticed_held_out.txt", 40)])
def test_most_of_the_cases_reach_the_model(file: str, least: int) -> None:
    asked: list[str] = []

    async def ask(text: str) -> Opinion:
        asked.append(text)
        return Opinion(lasts=0.0)

    asyncio.run(noticing(noticed(file), ask, english(), name=file))
    assert len(asked) >= least
