import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.thinking import TAGS, ThoughtSplitter, answer_only, open_tag_at_end


def split(*chunks: str, open_tag: str | None = None) -> tuple[str, str]:
    """(thoughts, answer) of a stream."""
    splitter = ThoughtSplitter(open_tag)
    parts = [part for chunk in chunks for part in splitter.feed(chunk)] + splitter.finish()
    return "".join(p.text for p in parts if p.thought), "".join(p.text for p in parts if not p.thought)


@pytest.mark.parametrize(("opening", "closing"), TAGS.items())
def test_every_spelling_cut_at_every_offset(opening: str, closing: str) -> None:
    text = f"\n{opening}\nfirst I weigh it\n{closing}\n\nHello < there"
    for cut in range(len(text)):
        assert split(text[:cut], text[cut:]) == ("\nfirst I weigh it\n", "Hello < there")
    assert split(*text) == ("\nfirst I weigh it\n", "Hello < there")


def test_an_opening_tag_in_the_prompt() -> None:
    assert split("so\n", "</thi", "nk>\n\nYes.", open_tag="<think>") == ("so\n", "Yes.")


def test_thoughts_never_closed_leave_no_answer() -> None:
    assert split("<think>", "round and round </thin") == ("round and round </thin", "")


def test_nested_thoughts_stay_thoughts() -> None:
    assert split("<think>a<think>b</think>c</think>d") == ("a<think>b</think>c", "d")


def test_several_thoughts() -> None:
    assert split("<think>a</think>one <think>b</think>two") == ("ab", "one two")


def test_another_spelling_inside_a_thought_is_text() -> None:
    assert split("<think>see <reasoning></think>x") == ("see <reasoning>", "x")


@pytest.mark.parametrize(
    "text",
    [
        "Use `<think>` to open and `</think>` to close.",
        "Like so:\n```xml\n<think>\nhm\n</think>\n```\nThat is all.",
        "a < b and <thin air> and <",
        "``` is a fence and ``<think>`` is code",
    ],
)
def test_tags_in_code_are_text(text: str) -> None:
    assert split(text) == ("", text)
    assert split(*text) == ("", text)


def test_a_tag_alone_between_backticks_ends_no_thought() -> None:
    text = "<think>They ask about `<think>` and `</think>`.</think>It ends one."
    assert split(text) == split(*text) == ("They ask about `<think>` and `</think>`.", "It ends one.")


@pytest.mark.parametrize("thought", ["it is `open", "```\ncode", "so `x`", "ends with `"])
def test_code_that_a_thought_leaves_open_hides_no_end(thought: str) -> None:
    assert split(f"<think>{thought}</think>Yes.") == (thought, "Yes.")
    assert split(f"<think>{thought}</think>") == (thought, "")


def test_a_fence_that_ended_hides_nothing() -> None:
    assert split("```\ncode\n```\n<think>t</think>end") == ("t", "```\ncode\n```\nend")


def test_a_closing_tag_alone_is_dropped() -> None:
    assert split("plan</think>answer") == ("", "plananswer")


def test_a_long_stream_is_released_as_it_comes() -> None:
    splitter = ThoughtSplitter()
    assert [part.text for part in splitter.feed("Hello ")] == ["Hello "]
    assert splitter.feed("<thi") == []
    assert [part.text for part in splitter.feed("stle")] == ["<thistle"]


@given(
    st.lists(st.sampled_from([*TAGS, *TAGS.values(), "a", " ", "\n", "`", "```", "<", "th", "ink>"]), max_size=30),
    st.lists(st.integers(0, 300), max_size=8),
)
def test_chunking_never_changes_the_result(pieces: list[str], cuts: list[int]) -> None:
    text = "".join(pieces)
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    assert split(*(text[a:b] for a, b in zip(edges, edges[1:], strict=False))) == split(text)


@given(st.text(alphabet="ab <>`\n", max_size=60))
def test_text_without_tags_is_kept(text: str) -> None:
    assert answer_only(text) == text.lstrip()


def test_open_tag_at_end() -> None:
    assert open_tag_at_end("<|im_start|>assistant\n<think>\n") == "<think>"
    assert open_tag_at_end("<think>\n\n</think>\n\n") is None
