"""Acting, wired: who carries out what was said, and what a decision was answered with."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from assistant.later import later

if TYPE_CHECKING:
    from assistant.acting import Actor
    from assistant.ports import ChatModel
    from assistant.stepping import Stepper
    from memory.database import Database
    from memory.decision_store import DecisionStore
    from ui.chat_plans import Planning
    from ui.plan_line import PlanWatch
    from ui.wiring import Services

MOST_STATEMENTS = 6
HABITS = "usual usually always normally favourite favorite"


def no_decisions() -> "DecisionStore":
    """Decisions that end with the process."""
    from memory.decisions_in_memory import InMemoryDecisions

    return InMemoryDecisions()


def kept_decisions(database: "Database") -> "DecisionStore":
    def make() -> "DecisionStore":
        from memory.sqlite_decisions import SqliteDecisions

        return SqliteDecisions(database)

    return later(make)


def actor_of(services: "Services", model: "ChatModel") -> "Actor":
    """Blocks for some milliseconds."""
    from assistant.acting import Actor, as_it_is
    from assistant.reading_calls import ActingPrompts, CallReader
    from ui.local_zone import local_zone
    from ui.tool_wiring import registry_of

    prompts = services.prompts.acting if services.prompts is not None else None
    return Actor(
        registry_of(services),
        services.decisions,
        model,
        services.clock,
        zone=local_zone,
        reader=CallReader(model, prompts or ActingPrompts.load()),
        remembered=_statements(services),
        refresh=services.mcp.refresh if services.mcp is not None else as_it_is,
    )


def planning_of(services: "Services", model: "ChatModel", actor: "Actor") -> "Planning":
    """Plans in a conversation."""
    from assistant.step_drafts import Drafter
    from ui.chat_plans import Planning

    stepper = stepper_of(services, actor)
    return Planning(drafter=Drafter(actor, model), stepper=stepper, store=services.decisions)


def stepper_of(services: "Services", actor: "Actor") -> "Stepper":
    from assistant.stepping import Stepper

    return Stepper(actor, services.decisions, services.clock, run=services.run, moved=services.plan_watch.moved)


def plan_watch() -> "PlanWatch":
    """That nobody looks at yet."""
    from ui.plan_line import PlanWatch

    return PlanWatch()


def new_run() -> str:
    """A name for this run of the process."""
    from memory.text import random_id

    return random_id()


def without_model() -> "ChatModel":
    """For an answer from the shell: what it needs is in the row, so no model is loaded."""
    from models.absent import AbsentModel
    from models.types import Failure

    return AbsentModel(Failure(kind="model_missing", message="No model takes part in this.", hint="Ask in the chat."))


def _statements(services: "Services") -> Callable[[str], Awaitable[Sequence[str]]]:
    """What is known about the user and matters for a question, in the user's words."""

    async def remembered(question: str) -> Sequence[str]:
        from memory.recall import MemoryRecall

        ranking = services.ranking or MemoryRecall(store=services.preferences)
        found = await ranking.recall(question, at=services.clock.now(), limit=MOST_STATEMENTS)
        # a habit may be worded without any word of the wish: "our usual is Bella at 7", "book the table"
        habits = await services.preferences.search(f"{HABITS} {question}", limit=MOST_STATEMENTS)
        said = [*(one.preference.statement for one in found), *(hit.preference.statement for hit in habits)]
        return tuple(dict.fromkeys(said))[:MOST_STATEMENTS]

    return remembered
