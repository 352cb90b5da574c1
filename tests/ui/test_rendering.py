"""The last gate: nothing a model, file or person wrote reaches the terminal as anything but letters."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.rendering import bytes_text, content, gate, look_at, one_line, plain_rows, seconds_text

BAD = "\x1b]52;c;QUJD\x07\x1b[2J\x9b31m\u202eabc\u2066\x00\x08\x7f\U000e0041"


def is_harmless(text: str) -> bool:
    controls = [c for c in text if unicodedata.category(c) in ("Cc", "Cs")]
    bidi = set(text) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    tags = [c for c in text if 0xE0000 <= ord(c) <= 0xE007F]
    return not (controls or bidi or tags)


@given(st.text())
def test_the_gate_lets_no_control_character_through(text: str) -> None:
    assert is_harmless(gate(text))


@given(st.text())
def test_labels_are_clean(text: str) -> None:
    assert is_harmless(content(text).plain.replace("\n", "").replace("\t", ""))
    assert is_harmless(one_line(text))


@given(st.text(alphabet=st.sampled_from(BAD + "ab\n "), max_size=200))
def test_own_messages_are_shown_literally_and_clean(text: str) -> None:
    assert all(is_harmless(gate(row.text)) for row in plain_rows(text, 40))


@pytest.mark.parametrize("text", ["[/", "[bold]x[/]", "[@click=app.quit]x[/]", "$primary", "[b"])
def test_markup_is_letters(text: str) -> None:
    assert content(text).plain == text
    assert not content(text).spans


def test_a_users_message_is_no_markdown() -> None:
    assert [row.text for row in plain_rows("# not a title\n**stars**", 40)] == ["# not a title", "**stars**"]


def test_a_very_long_message_is_folded() -> None:
    rows = plain_rows("\n".join(f"line {number}" for number in range(20_000)), 40)
    assert len(rows) < 500
    assert rows[0].text == "line 0"
    assert rows[-1].text == "line 19999"
    assert any("folded" in row.text for row in rows)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("http://example.org/a", "not encrypted"),
        ("https://xn--pple-43d.com/", "unusual letters"),
        ("https://аpple.com/", "unusual letters"),
        ("https://bank.example@evil.example/", "The site is evil.example"),
        (f"https://e.org/?q={'x' * 80}", "characters of data"),
        ("javascript:alert(1)", "Only web and mail"),
        ("https://[broken", "not a valid address"),
    ],
)
def test_what_is_odd_about_an_address_is_said(address: str, words: str) -> None:
    assert any(words in warning for warning in look_at(address).warnings)


def test_a_plain_address_has_no_warnings_and_can_be_opened() -> None:
    link = look_at("https://example.org/page?q=1")
    assert link.openable
    assert link.warnings == ()
    assert link.host == "example.org"


def test_only_known_kinds_of_address_can_be_opened() -> None:
    assert not look_at("file:///etc/passwd").openable
    assert not look_at("javascript:alert(1)").openable
    assert look_at("mailto:a@example.org").openable


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (999, "999 B"), (1_500, "1.5 kB"), (98_362_432, "98.4 MB"), (1.1e9, "1.1 GB")]
)
def test_sizes_for_people(size: float, text: str) -> None:
    assert bytes_text(size) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (59, "59 s"), (61, "1 min"), (3_600, "1 h 0 min"), (7_500, "2 h 5 min")]
)
def test_durations_for_people(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text


def test_no_widget_is_given_a_string_that_textual_would_read_as_markup() -> None:
    """Static, Option, Label and notify take Content made by `content`, or are told markup=False."""
    ui = Path(__file__).parent.parent.parent / "ui"
    for path in [*ui.glob("screens/*.py"), *ui.glob("widgets/*.py"), ui / "app.py", ui / "terminal_app.py"]:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for maker in ("Static(", "Option(", "Label("):
                at = line.find(maker)
                if at < 0 or f"class {maker}" in line or line[at - 1 : at].isalnum():
                    continue
                inside = line[at + len(maker) :]
                allowed = ("content(", "self._row(", "paragraph", ")", "")
                assert inside.startswith(allowed) or inside.strip() == "", f"{path.name}:{number}: {line.strip()}"
            if ".notify(" in line:
                assert "markup=False" in line, f"{path.name}:{number}"
