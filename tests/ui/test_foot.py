import pytest

from ui.foot import foot_rows, foot_words, head_runs
from ui.lines import DIM, Look, width_of

KEYS = ("Esc closes", "Enter done", "s snooze", "e change", "n new", "x delete", "u undo")


@pytest.mark.parametrize("width", range(40, 100))
def test_it_fits_and_says_where_the_others_are(width: int) -> None:
    words = foot_words(KEYS, width)
    assert len(words) <= width
    assert words.startswith(" Esc closes · Enter done")
    assert words.endswith(" · ? all")


def test_all_of_them_stand_where_there_is_room() -> None:
    assert foot_words(KEYS, 100) == f" {' · '.join(KEYS)} · ? all"


@pytest.mark.parametrize("width", range(30, 120, 7))
def test_no_row_ends_between_a_key_and_its_word(width: int) -> None:
    rows = foot_rows(" · ".join(KEYS), width)
    assert all(len(row) <= width for row in rows)
    assert [key for row in rows for key in row.strip().split(" · ")] == list(KEYS)


HEAD = (
    (" Agenda", Look(bold=True)),
    ("  4 reminders", DIM),
    (" · 3 events in two weeks", DIM),
    (" · 60 tasks", DIM),
    ("  1 waiting for you", Look(tone="warning")),
)


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (80, " Agenda  4 reminders · 3 events in two weeks · 60 tasks  1 waiting for you"),
        (60, " Agenda  4 reminders  1 waiting for you"),
        (30, " Agenda  1 waiting for you"),
        (20, " Agenda  4 reminders"),
    ],
)
def test_a_head_drops_details_before_what_stands_out(width: int, words: str) -> None:
    shown = head_runs(HEAD, width)
    assert "".join(text for text, _ in shown) == words
    assert width_of(words) <= width
