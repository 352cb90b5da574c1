"""Where one wish ends and the next begins: only between what the tools' rules read, and nothing is lost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.stepping.joins import Read, several

_WHOLE = re.compile(
    r"^(?:remind me|add (?:a|another) task|add a task:|put .+ in my calendar|show me my tasks|note:|what time is it)",
    re.I,
)
_MAYBE = re.compile(r"^(?:mail|book|schedule)\b", re.IGNORECASE)
_CLOCK = re.compile(r"\bat \d|\d(?:am|pm)\b", re.IGNORECASE)


def reads(text: str) -> Read:
    return "whole" if _WHOLE.match(text) else "maybe" if _MAYBE.match(text) else ""


def timed(text: str) -> bool:
    return _CLOCK.search(text) is not None and len(_CLOCK.sub("", text).split()) > 2


def wishes(text: str) -> list[str]:
    return [piece.text for piece in several(text, reads, timed) if piece.wish]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "add a task to buy milk and remind me to call mum at 6pm",
            ["add a task to buy milk", "remind me to call mum at 6pm"],
        ),
        ("remind me to eat at 6pm and to sleep at 10pm", ["remind me to eat at 6pm", "remind me to sleep at 10pm"]),
        (
            "remind me to call mum at 6pm and dad at 7pm",
            ["remind me to call mum at 6pm", "remind me to call dad at 7pm"],
        ),
        ("add a task to buy milk and to call Bo", ["add a task to buy milk", "add a task to call Bo"]),
        ("add a task to buy milk, and another to call Bo", ["add a task to buy milk", "add a task to call Bo"]),
        ("add these tasks: milk, bread, call Bo", ["add a task: milk", "add a task: bread", "add a task: call Bo"]),
        ("Add these tasks:\n- milk\n- call Bo", ["add a task: milk", "add a task: call Bo"]),
        (
            "book a table at Bella at 7 and put it in my calendar",
            ["book a table at Bella at 7", "put a table at Bella at 7 in my calendar"],
        ),
        (
            "Please do these:\n1. remind me to go at 5pm\n2. show me my tasks",
            ["remind me to go at 5pm", "show me my tasks"],
        ),
        ("buy milk\nadd a task to pay rent", ["add a task: buy milk", "add a task to pay rent"]),
        (
            "add a task to call Dr. Smith and then show me my tasks",
            ["add a task to call Dr. Smith", "show me my tasks"],
        ),
        ("mail Ann that I am late and add a task to go", ["mail Ann that I am late", "add a task to go"]),
        (
            'note: she said "add a task and remind me at six" and add a task to ask her',
            ['note: she said "add a task and remind me at six"', "add a task to ask her"],
        ),
    ],
)
def test_it_is_parted(text: str, expected: list[str]) -> None:
    assert wishes(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "remind me to buy milk and call mum at 6pm",
        "add a task to buy milk and eggs",
        "add a task to write the report and mail it to Ann",
        "remind me to take the pill at 8pm and at 9pm",
        "How do I write a note and add a task to my list?",
        "I told Ann to call me, and she said that she would add a task",
        "What is a fugue, and who wrote the best ones?",
        "tell me a joke and sing",
        "",
    ],
)
def test_it_stays_whole(text: str) -> None:
    assert several(text, reads, timed) == ()


def test_what_stands_between_is_kept() -> None:
    text = "Add a task to buy milk. I am so tired. Remind me to go at 5pm. What is a good soup?"
    assert [(piece.text, piece.wish) for piece in several(text, reads, timed)] == [
        ("Add a task to buy milk.", True),
        ("I am so tired.", False),
        ("Remind me to go at 5pm.", True),
        ("What is a good soup?", False),
    ]


def test_one_wish_beside_a_question_is_both() -> None:
    pieces = several("Add a task to buy milk. What is a good soup?", reads, timed)
    assert [piece.wish for piece in pieces] == [True, False]


@given(
    st.lists(
        st.sampled_from(["add a task to buy milk", "remind me to go at 5pm", "show me my tasks", "I am tired", "why?"]),
        max_size=6,
    ),
    st.sampled_from([". ", "\n", "; "]),
)
def test_no_wish_and_no_word_is_lost(parts: list[str], joint: str) -> None:
    found = several(joint.join(parts), reads, timed)
    if found:
        said = " ".join(piece.text for piece in found)
        assert [word for part in parts for word in part.split()] == [word.strip(".;") for word in said.split()]
        assert sum(piece.wish for piece in found) == sum(bool(reads(part)) for part in parts)


@given(st.text(max_size=300))
def test_any_text_is_taken(text: str) -> None:
    several(text, reads, timed)
