"""What the tour shows, step by step, and what its scripted model answers. Everything else in it is the real Steward."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.scripted import Step, words
from models.types import Failure, GenerationRequest

_NO_FORMS = Failure(
    kind="bad_schema",
    message="The script of the tour cannot fill in a form.",
    hint="Start Steward without it to use a real model.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TourStep:
    """`says` is read before the lines of `types` are typed one after another."""

    title: str
    says: str
    types: tuple[str, ...]


STEPS: tuple[TourStep, ...] = (
    TourStep(
        title="Talking",
        says="You write, the model on this machine answers. In the tour the answers come from a script; "
        "all the rest is the real program, and nothing is kept.",
        types=("What is a leap second?",),
    ),
    TourStep(
        title="What it remembers",
        says="What you say about yourself is kept in your own words, with a receipt. Nothing is learned from what you "
        "paste, quote or ask. /memory shows each thing, and why it is there.",
        types=("I'm vegetarian. And I hate coriander.", "What could I cook tonight?", "/why", "/memory", "/memory 1"),
    ),
    TourStep(
        title="Forgetting",
        says="Every change can be undone; forgetting is for good, and shows first what goes.",
        types=("/forget coriander", "2", "/memory"),
    ),
    TourStep(
        title="A reminder",
        says="Times are read in plain words and said back with weekday, date and zone. What has two readings is asked. "
        "A reminder comes while Steward is open, or while its daemon runs: steward daemon install.",
        types=("Remind me to call mum tomorrow at 6pm", "/reminders"),
    ),
    TourStep(
        title="Doing something",
        says="What is clear and can be taken back is done at once, and told. /undo takes it back.",
        types=("Add a task: water the plants tomorrow", "/tasks", "/undo"),
    ),
    TourStep(
        title="A decision that waits",
        says="What reaches other people, costs money or cannot be undone is never done by itself. It waits, also until "
        "tomorrow, and if nobody answers nothing happens. This mail is part of the tour; none can be sent.",
        types=("Send a mail to Ann: I am late", "/decisions", "/decide 1 no"),
    ),
    TourStep(
        title="Speaking first",
        says="Steward speaks first only after you said yes once, at most three times a day, never in quiet hours, and "
        "only about what you told it. A preview shows what would come, and what is held back by which rule.",
        types=("/suggestions on", "I have to renew my passport in two days", "/suggestions preview tomorrow at 18:30"),
    ),
    TourStep(
        title="Where your data is",
        says="All of it is in four folders of yours, readable by you alone. steward data shows how much it is and "
        "deletes all of it; steward backup copies it. Nothing leaves this machine unless you choose a server.",
        types=("/where",),
    ),
)

GOODBYE = (
    "That was the tour; nothing of it was kept. steward begins, steward --demo lets you try more without a model, "
    "/help or F1 names everything."
)

_ANSWERS: tuple[tuple[str, str], ...] = (
    (
        "leap second",
        "A leap second is one second that is added to the clocks of the world now and then, so that they stay with the "
        "turning of the Earth.",
    ),
    ("cook tonight", "Lentils with lemon and parsley over rice: no meat, and no coriander. It takes half an hour."),
    ("vegetarian", "Good to know: nothing with meat, then, and no coriander."),
    ("passport", "Two days are short for a passport. Many offices have an express service; ask for it by telephone."),
)
_OTHERWISE = "I am the script of the tour, and this is not in it."


def tour_reply(request: GenerationRequest) -> Sequence[Step]:
    """The prepared answer to the user's last message."""
    if request.json_schema is not None:
        return (_NO_FORMS,)
    asked = next((one.content.lower() for one in reversed(request.messages) if one.role == "user"), "")
    found = next((answer for words_of_it, answer in _ANSWERS if words_of_it in asked), _OTHERWISE)
    return words(found)
