"""Three themes as tables of colours, and what a `Look` means in each. Text has a contrast of at least 4.5 to 1 on every
background it stands on (WCAG 2.1, 1.4.3); a test computes it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

from rich.style import Style
from textual.theme import Theme

from ui.lines import Look, Tone

ThemeName = Literal["dark", "light", "high-contrast"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Colours:
    """Backgrounds first, then what is written on them."""

    background: str
    surface: str  # code, prompt, dialogs
    panel: str  # header and status line
    marked: str  # the chosen row of a list, selected text
    text: str
    dim: str
    accent: str
    you: str
    assistant: str
    link: str
    warning: str
    error: str
    good: str
    rule: str  # lines between things: no text
    keyword: str
    name: str
    string: str
    number: str


COLOURS: Mapping[ThemeName, Colours] = MappingProxyType(
    {
        "dark": Colours(
            background="#14161b",
            surface="#1e2129",
            panel="#272b35",
            marked="#2f4468",
            text="#e8e6e1",
            dim="#adb4c1",
            accent="#8cc8ff",
            you="#ffc777",
            assistant="#8fd9b6",
            link="#8cc8ff",
            warning="#ffcf70",
            error="#ff9c94",
            good="#8fd9b6",
            rule="#5a6273",
            keyword="#d3b0ff",
            name="#8cc8ff",
            string="#a8dc8c",
            number="#ffb38a",
        ),
        "light": Colours(
            background="#fcfbf8",
            surface="#f2f0ea",
            panel="#e7e4db",
            marked="#cfe0f7",
            text="#1d2026",
            dim="#4d5561",
            accent="#0a4fa3",
            you="#7d4100",
            assistant="#0a5c3e",
            link="#0a4fa3",
            warning="#714a00",
            error="#a3111b",
            good="#0a5c3e",
            rule="#a7a497",
            keyword="#6a2ba8",
            name="#0a4fa3",
            string="#26601a",
            number="#8a3a06",
        ),
        "high-contrast": Colours(
            background="#000000",
            surface="#000000",
            panel="#1a1a1a",
            marked="#00326e",
            text="#ffffff",
            dim="#e0e0e0",
            accent="#ffe600",
            you="#ffe600",
            assistant="#6dffb0",
            link="#7fdfff",
            warning="#ffe600",
            error="#ffb0b0",
            good="#6dffb0",
            rule="#ffffff",
            keyword="#ffb8ff",
            name="#7fdfff",
            string="#b0ff90",
            number="#ffd0a0",
        ),
    }
)
BACKGROUNDS = ("background", "surface", "panel", "marked")
NOT_TEXT = ("rule",)

_CODE_TONES: Mapping[Tone, str] = MappingProxyType(
    {"heading": "accent", "code": "text", "comment": "dim", "operator": "text"}
)


def colour_of(colours: Colours, tone: Tone) -> str:
    value = getattr(colours, _CODE_TONES.get(tone, tone))
    assert isinstance(value, str)
    return value


def themes() -> tuple[Theme, ...]:
    """The themes for Textual, with every derived text colour replaced by one that was checked."""
    return tuple(_theme(name, colours) for name, colours in COLOURS.items())


def _theme(name: ThemeName, colours: Colours) -> Theme:
    own = {f"steward-{field.name}": getattr(colours, field.name) for field in fields(colours)}
    return Theme(
        name=name,
        primary=colours.accent,
        secondary=colours.assistant,
        accent=colours.accent,
        warning=colours.warning,
        error=colours.error,
        success=colours.good,
        foreground=colours.text,
        background=colours.background,
        surface=colours.surface,
        panel=colours.panel,
        dark=name != "light",
        variables={
            **own,
            "text": colours.text,
            "text-muted": colours.dim,
            "text-disabled": colours.dim,
            "foreground-muted": colours.dim,
            "foreground-disabled": colours.dim,
            "block-cursor-background": colours.marked,
            "block-cursor-foreground": colours.text,
            "block-cursor-text-style": "bold",
            "block-cursor-blurred-background": colours.marked,
            "block-cursor-blurred-foreground": colours.text,
            "input-cursor-background": colours.text,
            "input-cursor-foreground": colours.background,
            "input-selection-background": colours.marked,
            "input-selection-foreground": colours.text,
            "screen-selection-background": colours.marked,
            "screen-selection-foreground": colours.text,
            "border": colours.rule,
            "border-blurred": colours.rule,
            "scrollbar": colours.rule,
            "scrollbar-hover": colours.accent,
            "scrollbar-active": colours.accent,
            "scrollbar-background": colours.background,
            "scrollbar-background-hover": colours.background,
            "scrollbar-background-active": colours.background,
            "footer-background": colours.panel,
            "footer-foreground": colours.text,
            "footer-key-foreground": colours.accent,
            "footer-description-foreground": colours.text,
            "link-color": colours.link,
        },
    )


class Palette:
    """What a `Look` is in one theme. Made anew when the theme changes."""

    def __init__(self, name: str) -> None:
        self.colours = COLOURS[name] if name in COLOURS else COLOURS["dark"]  # type: ignore[index]  # any theme name
        self.resolve = lru_cache(maxsize=512)(self._resolve)

    def _resolve(self, look: Look, background: str) -> Style:
        """`background` is the name of one of the backgrounds."""
        return Style(
            color=colour_of(self.colours, look.tone),
            bgcolor=getattr(self.colours, background),
            bold=look.bold or None,
            italic=look.italic or None,
            underline=look.underline or None,
            strike=look.strike or None,
            meta={"steward_link": look.link} if look.link else None,
        )


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two #rrggbb colours, 1 to 21 (WCAG 2.1)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def theme_for(setting: str, environment: Mapping[str, str]) -> ThemeName:
    """The theme of a setting; "auto" asks COLORFGBG, which some terminals set to "foreground;background"."""
    if setting in COLOURS:
        return setting  # type: ignore[return-value]  # checked by membership
    background = environment.get("COLORFGBG", "").rpartition(";")[2]
    return "light" if background in ("7", "15") else "dark"
