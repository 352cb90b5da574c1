import pytest

from ui.foot import foot_words

KEYS = ("Esc closes", "Enter done", "s snooze", "e change", "n new", "x delete", "u undo")


@pytest.mark.parametrize("width", range(40, 100))
def test_it_fits_and_says_where_the_others_are(width: int) -> None:
    words = foot_words(KEYS, width)
    assert len(words) <= width
    assert words.startswith(" Esc closes · Enter done")
    assert words.endswith(" · ? all")


def test_all_of_them_stand_where_there_is_room() -> None:
    assert foot_words(KEYS, 100) == f" {' · '.join(KEYS)} · ? all"
