"""Markdown as rows: the same rows however the answer arrived, nothing lost, nothing obeyed, and bounded work."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.work import Calls
from ui.drawing.answer_lines import HEAD_ROWS, MOST_CHARACTERS, TAIL_ROWS, AnswerLines, answer_rows, excerpt
from ui.lines import Line, width_of

WIDTH = 60
DOCUMENT = """# Title

Some *emph*, **bold**, ~~gone~~ and `code`, a [link](http://example.org/x) and <b>html</b>.
A second line, and a bare https://example.org/y.

- one
- two
  - nested
- three

1. first

   second paragraph
2. next

> a quote
> goes on

```python
def f(x):
    return "s"  # c

y = 1
```

| a | b |
|:--|--:|
| 1 | two |

---
Last words."""
FRAGMENTS = st.sampled_from(
    [
        "word ",
        "word",
        "\n",
        "\n\n",
        "- ",
        "* ",
        "1. ",
        "  ",
        "    ",
        "# ",
        "```",
        "~~~",
        "```python\n",
        "> ",
        "| a | b |\n",
        "|---|---|\n",
        "**",
        "_",
        "`",
        "[x](http://e.org)",
        "![i](http://e.org)",
        "---",
        "[/",
        "<b>",
        "漢字",
        "👩\u200d🚀",
        "\t",
        "&#x202e;",
        "x" * 90,
    ]
)
DOCUMENTS = st.lists(FRAGMENTS, max_size=60).map("".join)


def texts(rows: list[Line]) -> list[str]:
    return [row.text for row in rows]


def streamed(text: str, places: list[int]) -> list[Line]:
    answer = AnswerLines(WIDTH)
    for end in sorted({place % (len(text) + 1) for place in places}):
        answer.grow(text[:end])
        answer.rows()
    answer.grow(text)
    answer.finish()
    return answer.rows()


@given(DOCUMENTS, st.lists(st.integers(0, 5_000), max_size=20))
def test_any_split_of_a_stream_gives_the_rows_of_the_whole(text: str, places: list[int]) -> None:
    assert streamed(text, places) == answer_rows(text, WIDTH)


@pytest.mark.parametrize("step", [1, 7, 64])
def test_a_real_document_is_the_same_in_any_steps(step: int) -> None:
    lines, words = (20, 100) if step == 1 else (150, 900)
    code = "x = 1  # a\n" * lines
    long = f"{DOCUMENT}\n\n```python\n{code}```\n\n" + "word " * words + f"\n\n{DOCUMENT}"
    assert streamed(long, list(range(0, len(long), step))) == answer_rows(long, WIDTH)


@given(DOCUMENTS)
def test_every_word_is_there(text: str) -> None:
    shown = "".join(texts(answer_rows(text, WIDTH)))
    assert shown.count("word") == text.count("word")
    assert shown.count("漢字") == text.count("漢字")


@given(DOCUMENTS, st.integers(20, 100))
def test_no_row_is_wider_than_the_screen(text: str, width: int) -> None:
    assert all(width_of(row.text) <= width for row in answer_rows(text, width))


def test_what_stands_behind_a_fence_is_shown_whole_and_within_the_screen() -> None:
    assert texts(answer_rows("```python title two\nx\n```", WIDTH)) == ["python title two", "x"]
    rows = texts(answer_rows(f"```{'y' * 50}\nx\n```", 20))
    assert "".join(rows) == "y" * 50 + "x"
    assert max(map(len, rows)) <= 20


def test_a_document_looks_as_expected() -> None:
    assert texts(answer_rows(DOCUMENT, WIDTH)) == [
        "Title",
        "",
        "Some emph, bold, gone and code, a link",
        "(http://example.org/x) and <b>html</b>.",
        "A second line, and a bare https://example.org/y.",
        "",
        "• one",
        "• two",
        "  • nested",
        "• three",
        "",
        "1. first",
        "   ",
        "   second paragraph",
        "2. next",
        "",
        "│ a quote",
        "│ goes on",
        "",
        "python",
        "def f(x):",
        '    return "s"  # c',
        "",
        "y = 1",
        "",
        "a   │   b",
        "────┼────",
        "1   │ two",
        "",
        "─" * WIDTH,
        "",
        "Last words.",
    ]


def test_code_is_highlighted() -> None:
    rows = answer_rows("```python\ndef f():\n    return 1\n```", WIDTH)
    assert ("def", "keyword") in [(text, look.tone) for text, look in rows[1].runs]
    assert all(row.block for row in rows)


@pytest.mark.parametrize(
    "text",
    ["[/", "[@click=app.quit]x[/]", "[bold]x", "see [1] and [bold", "[[self view] do:[self x]]", '[1,"3"] [b + 3'],
)
def test_brackets_are_letters(text: str) -> None:
    assert texts(answer_rows(text, WIDTH)) == [text]


def test_images_and_definitions_are_text() -> None:
    assert texts(answer_rows("![cat](http://e.org/c.png)", WIDTH)) == ["[image: cat] (http://e.org/c.png)"]
    assert texts(answer_rows("[foo]: http://e.org", WIDTH)) == ["[foo]: http://e.org"]


def test_a_link_shows_where_it_leads() -> None:
    (row,) = answer_rows("[bank](http://evil.example/bank)", WIDTH)
    assert row.text == "bank (http://evil.example/bank)"
    assert {look.link for _, look in row.runs if look.link} == {"http://evil.example/bank"}


def test_an_address_as_its_own_text_is_shown_once() -> None:
    assert texts(answer_rows("<https://e.org/a>", WIDTH)) == ["https://e.org/a"]


@pytest.mark.parametrize("address", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd"])
def test_addresses_of_other_kinds_are_no_links(address: str) -> None:
    assert all(not look.link for row in answer_rows(f"[x]({address})", WIDTH) for _, look in row.runs)


def test_entities_cannot_bring_control_characters_back() -> None:
    shown = "".join(texts(answer_rows("&#x202e;a&#27;b&#x9b;c&#xE0041;", WIDTH)))
    assert not set(shown) & {"\u202e", "\x1b", "\x9b", "\U000e0041"}


def test_a_table_too_wide_becomes_records() -> None:
    names = [f"c{number}" for number in range(13)]
    table = f"|{'|'.join(names)}|\n|{'-|' * 13}\n|{'|'.join('v' + name for name in names)}|"
    assert texts(answer_rows(table, WIDTH))[:2] == ["c0: vc0", "c1: vc1"]


def test_cells_are_wrapped_not_cut() -> None:
    rows = texts(answer_rows("| a | b |\n|---|---|\n| x | " + "many words " * 12 + "|", 40))
    assert sum(row.count("many") for row in rows) == 12
    assert all(width_of(row) <= 40 for row in rows)


def test_deep_nesting_is_shown_as_it_is() -> None:
    deep = "> " * 60 + "bottom"
    assert "bottom" in "".join(texts(answer_rows(deep, WIDTH)))


def test_a_number_in_a_paragraph_begins_no_list() -> None:
    assert texts(answer_rows("I was born in\n1986. What a year.", WIDTH)) == ["I was born in", "1986. What a year."]


def test_a_long_answer_is_folded_in_the_middle_and_says_so() -> None:
    text = "\n".join(f"line {number}" for number in range(20_000))
    rows = texts(answer_rows(f"```\n{text}\n```", WIDTH))
    assert len(rows) == HEAD_ROWS + TAIL_ROWS + 3
    assert rows[0] == "line 0"
    assert rows[-1] == "line 19999"
    folded = next(row for row in rows if "folded" in row)
    assert int(folded.split()[1].replace(",", "")) == 20_000 - HEAD_ROWS - TAIL_ROWS
    assert "o shows the whole text" in folded


def test_a_long_answer_folds_while_it_is_written_too() -> None:
    text = "\n\n".join(f"paragraph {number}" for number in range(2_000))
    answer = AnswerLines(WIDTH)
    for end in range(0, len(text), 500):
        answer.grow(text[:end])
        assert len(answer.rows()) <= HEAD_ROWS + TAIL_ROWS + 3
    answer.grow(text)
    answer.finish()
    assert answer.rows()[-1].text == "paragraph 1999"


@given(st.text(alphabet="ab\n`~ ", max_size=300), st.integers(10, 200))
def test_an_excerpt_keeps_both_ends(text: str, limit: int) -> None:
    head, skipped, tail = excerpt(text, limit)
    if skipped:
        assert text.startswith(head)
        assert text.endswith(tail.split("\n", 1)[-1])
        assert len(head) <= limit
    else:
        assert (head, tail) == (text, "")


HOSTILE = {
    "one line of 1 MB": "a" * 1_000_000,
    "1 MB of words": "word " * 200_000,
    "20,000 lines of code": "```python\n" + "print('hello', 1)\n" * 20_000,
    "10,000 paragraphs": "short\n\n" * 10_000,
    "open brackets": "[" * MOST_CHARACTERS,
    "emphasis": "*a _b " * 10_000,
    "joined emoji": "👨\u200d👩\u200d👧\u200d👦" * 9_000,
    "rows of a table": "|a|b|\n|-|-|\n" + "|x|y|\n" * 20_000,
    "columns of a table": "|a" * 5_000 + "\n" + "|-" * 5_000 + "\n",
    "quotes": "> " * 20_000,
    "items": "- " * 20_000,
    "backticks": "`" * MOST_CHARACTERS,
    "links": "[a](b " * 10_000,
    "combining marks": "a" + "\u0301" * 50_000,
}


def longest_slice(text: str) -> int:
    """Python calls of the longest stretch between two looks at the event loop: a measure that no busy machine moves."""
    answer, longest = AnswerLines(76), 0
    with Calls() as calls:
        for _ in answer.draw(text):
            longest = max(longest, calls.lap())
        longest = max(longest, calls.lap())
    assert len(answer.rows()) <= HEAD_ROWS + TAIL_ROWS + 3
    return longest


@pytest.mark.parametrize("name", HOSTILE)
def test_drawing_goes_in_slices_that_leave_the_loop_alone(name: str) -> None:
    assert longest_slice(HOSTILE[name]) < 1_500_000  # about 0.1 s; the worst measured is 0.94 million, 66 ms


def test_work_grows_with_the_text_and_no_faster() -> None:
    def work(tokens: int) -> int:
        answer, text = AnswerLines(76), ""
        with Calls() as calls:
            for number in range(tokens):
                text += "word, " if number % 40 else "\n\nNew *paragraph* with `code`. "
                if number % 5 == 0:
                    answer.grow(text)
                    answer.rows()
        return calls.count

    work(200)  # what is made once is made here
    assert work(4_000) < work(1_000) * 4 * 1.25
