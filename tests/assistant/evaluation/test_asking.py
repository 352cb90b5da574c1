"""The evaluation of asking: its tasks and users, that it tells good from bad, and that the policy holds its bars."""

from collections import Counter

import pytest

from assistant.evaluation.asking import asking, bootstrap, deciding, order_flips
from assistant.evaluation.asking_agents import Run
from assistant.evaluation.asking_tasks import asking_tasks
from assistant.evaluation.asking_tools import same
from assistant.evaluation.asking_users import MANNERS, User
from ui.evaluating_asking import own_suites, spread
from ui.wiring import Options

OPTIONS = Options(home_override=None, plain=True, incognito=False, demo=False, model=None)


def test_there_are_tasks_of_every_kind() -> None:
    tasks, tools = asking_tasks()
    kinds = Counter(task.label for task in tasks)
    assert len(tasks) >= 240
    assert min(kinds.values()) >= 10
    assert len({task.text for task in tasks}) >= len(tasks) - 20
    assert {task.mask for task in tasks} == {"", "goal", "constraint", "input", "context"}
    assert sum(task.irreversible for task in tasks) >= 40
    assert {tool.effect for tool in tools} == {"undoable", "soft", "external", "grave"}
    for task in tasks:
        if task.label == "clear":
            assert task.tool is not None
            assert set(task.hidden) == set(task.tool.fields)


@pytest.mark.parametrize("manner", MANNERS)
def test_users_answer_as_long_as_they_like(manner: str) -> None:
    user = User(manner=next(one for one in MANNERS if one == manner))
    answers = [user.answer(["8 pm"], ["7 pm", "8 pm"]) for _ in range(5)]
    assert answers[-1] is None
    assert ("2" in answers) is (manner not in ("contradictory", "deferring"))


async def test_the_policy_holds_its_bars_on_a_perfect_reader() -> None:
    """Each 7th task; the whole set is for `steward evaluate`."""
    suites = await own_suites(OPTIONS, live=None, every=7, told=lambda line: None)
    measured = {measure.name: measure for suite in suites for measure in suite.measures}
    assert [name for name, one in measured.items() if one.passed is False] == []
    assert measured["success, clear tasks"].value >= 0.95
    assert measured["acts without a yes, always act"].value > 0  # what the bar is there for


def test_a_reckless_and_a_timid_way_miss_them() -> None:
    tasks, _ = asking_tasks()
    final = next(task for task in tasks if task.irreversible and task.label == "clear")
    clear = next(task for task in tasks if task.label == "clear" and not task.needs_pause)
    reckless = [Run(task=final, unasked=True) for _ in MANNERS]
    timid = [Run(task=clear, questions=1, paused=True) for _ in MANNERS]
    runs = dict.fromkeys(("ours", "always act", "always ask", "ask on gap"), reckless + timid)
    missed = {one.name for suite in (asking(runs), deciding(runs)) for one in suite.measures if one.passed is False}
    assert {"questions per clear task", "irreversible acts that waited for a yes", "pauses that were needed"} <= missed


def test_no_order_of_options_changes_the_outcome() -> None:
    tasks, _ = asking_tasks()
    choices = [task for task in tasks if task.table]
    assert order_flips(choices) == (0, 3 * len(choices))


def test_small_things_of_measuring() -> None:
    low, high = bootstrap([[0.0, 1.0]] * 40)
    assert low <= 0.5 <= high
    assert same("8 PM", "8 pm")
    assert not same(None, "8 pm")
    tasks, _ = asking_tasks()
    assert len(spread(tasks, 10)) == 10
    assert spread(tasks, 10_000) == tasks
