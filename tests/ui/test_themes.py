"""Every text colour is readable on every background: 4.5 to 1 (WCAG 2.1, 1.4.3)."""

from dataclasses import fields

import pytest
from textual.theme import Theme

from ui.lines import Look
from ui.themes import BACKGROUNDS, COLOURS, NOT_TEXT, Colours, Palette, ThemeName, contrast, theme_for, themes

TEXT = [field.name for field in fields(Colours) if field.name not in (*BACKGROUNDS, *NOT_TEXT)]
# What Textual's own widgets write, and on what.
PAIRS = (
    ("text", "background"),
    ("text-muted", "background"),
    ("text-muted", "surface"),
    ("text-muted", "panel"),
    ("text-disabled", "surface"),
    ("foreground", "surface"),
    ("foreground-muted", "surface"),
    ("block-cursor-foreground", "block-cursor-background"),
    ("block-cursor-blurred-foreground", "block-cursor-blurred-background"),
    ("input-cursor-foreground", "input-cursor-background"),
    ("input-selection-foreground", "input-selection-background"),
    ("screen-selection-foreground", "screen-selection-background"),
    ("footer-foreground", "footer-background"),
    ("footer-key-foreground", "footer-background"),
    ("warning", "surface"),
    ("error", "surface"),
    ("accent", "surface"),
)


@pytest.mark.parametrize("name", COLOURS)
@pytest.mark.parametrize("background", BACKGROUNDS)
@pytest.mark.parametrize("text", TEXT)
def test_text_can_be_read(name: ThemeName, background: str, text: str) -> None:
    colours = COLOURS[name]
    assert contrast(getattr(colours, text), getattr(colours, background)) >= 4.5


@pytest.mark.parametrize("theme", themes(), ids=lambda theme: theme.name)
@pytest.mark.parametrize(("text", "background"), PAIRS)
def test_what_textual_derives_can_be_read(theme: Theme, text: str, background: str) -> None:
    variables = theme.to_color_system().generate()
    assert contrast(variables[text], variables[background]) >= 4.5


def test_high_contrast_is_higher() -> None:
    colours = COLOURS["high-contrast"]
    assert min(contrast(getattr(colours, name), colours.background) for name in TEXT) >= 7


def test_contrast_of_black_and_white() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#777777") == pytest.approx(1)


@pytest.mark.parametrize("name", COLOURS)
def test_a_look_becomes_a_style(name: ThemeName) -> None:
    style = Palette(name).resolve(Look(tone="link", underline=True, link="https://e.org"), "background")
    assert style.underline
    assert style.link is None  # no OSC 8 from content
    assert style.meta["steward_link"] == "https://e.org"


@pytest.mark.parametrize(
    ("setting", "environment", "name"),
    [
        ("auto", {}, "dark"),
        ("auto", {"COLORFGBG": "0;15"}, "light"),
        ("auto", {"COLORFGBG": "15;0"}, "dark"),
        ("light", {"COLORFGBG": "15;0"}, "light"),
        ("high-contrast", {}, "high-contrast"),
    ],
)
def test_the_theme_of_a_setting(setting: str, environment: dict[str, str], name: str) -> None:
    assert theme_for(setting, environment) == name
