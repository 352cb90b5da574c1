"""What a simulated user wants of answers, checked by rules of its own that share nothing with the product's. Pure."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from assistant.evaluation.reading import Profile

_ITEM = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+\S", re.MULTILINE)
_NUMBERED = re.compile(r"^\s*\d{1,2}[.)]\s+\S", re.MULTILINE)
_HEADING = re.compile(r"^(?:#{1,6}\s+\S|\*\*[^*\n]{2,60}\*\*:?\s*$)", re.MULTILINE)
_END = re.compile(r"[.!?]+(?=\s|$)")
_PERCENT = re.compile(r"\b\d{1,3} ?%|\bper ?cent\b", re.IGNORECASE)
_SURE = re.compile(r"confiden|certain|sure", re.IGNORECASE)
_PLEASANT = re.compile(
    r"\b(?:sorry|apologi[sz]e|certainly|of course|absolutely|glad|happy to|great question|thank you|thanks(?! to)"
    r"|please feel|hope (?:this|that)|welcome|delighted)\b",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"\b(?:next step|you (?:might|may|could) (?:also|want)|would you like|let me know|feel free|if you (?:want|need)"
    r"|do you want|i can also)\b",
    re.IGNORECASE,
)


_SUMMARY = re.compile(r"tl;? ?dr", re.IGNORECASE)
_NEXT = re.compile(rf"{_OFFER.pattern}|\?\W*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """`words` is what the user says, once, when an answer breaks it; `holds` decides over an answer."""

    name: str
    words: str
    holds: Callable[[str], bool]


def sentences(text: str) -> int:
    plain = re.sub(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+", "", text, flags=re.MULTILINE)
    return max(len(_END.findall(plain)), sum(1 for line in plain.splitlines() if line.strip()))


def _last_line(text: str, *, but: re.Pattern[str]) -> str:
    """The last, or the one before it when another wish (a summary, a next step) has the last."""
    lines = [line for line in text.splitlines() if line.strip()] or [""]
    return lines[-2] if len(lines) > 1 and but.search(lines[-1]) else lines[-1]


def _last_paragraph(text: str) -> str:
    """Where an offer stands: "if you want it crisper" in a recipe is none."""
    return re.split(r"\n\s*\n", text.strip())[-1]


DEMANDS: Mapping[str, Demand] = {
    demand.name: demand
    for demand in (
        Demand(name="bullets", words="Please use bullet points.", holds=lambda text: bool(_ITEM.search(text))),
        Demand(name="numbered", words="Please use numbered steps.", holds=lambda text: bool(_NUMBERED.search(text))),
        Demand(name="headings", words="Please use headings.", holds=lambda text: bool(_HEADING.search(text))),
        Demand(
            name="three sentences", words="At most three sentences, please.", holds=lambda text: sentences(text) <= 3
        ),
        Demand(
            name="summary at the end",
            words="Please end with a TL;DR.",
            holds=lambda text: bool(_SUMMARY.search(_last_line(text, but=_OFFER))),
        ),
        Demand(
            name="confidence",
            words="Please always say how confident you are, as a percentage.",
            holds=lambda text: bool(_PERCENT.search(text) and _SURE.search(text)),
        ),
        Demand(name="blunt", words="No pleasantries, please.", holds=lambda text: not _PLEASANT.search(text)),
        Demand(
            name="only what was asked",
            words="Don't offer next steps or further help.",
            holds=lambda text: not _OFFER.search(_last_paragraph(text)),
        ),
        Demand(
            name="next step",
            words="Please always end with a suggestion for the next step.",
            holds=lambda text: bool(_NEXT.search(_last_line(text, but=_SUMMARY))),
        ),
    )
}

# A phrase of each sentence of MultiSessionCollab's profiles that a rule can check.
_SIGNS = {
    "in bullet-point format": "bullets",
    "numbered steps": "numbered",
    "headings for each section": "headings",
    "no longer than three sentences": "three sentences",
    "one-line TL;DR at the end": "summary at the end",
    "confidence estimates": "confidence",
    "blunt without pleasantries": "blunt",
    "respond to only your request": "only what was asked",
    "always end responses with a proactive suggestion": "next step",
}
_CLASH = ({"numbered", "three sentences"}, {"headings", "three sentences"}, {"next step", "only what was asked"})

# Our own users: three demands each that one answer can meet.
USERS: tuple[tuple[str, ...], ...] = (
    ("bullets", "blunt", "summary at the end"),
    ("three sentences", "blunt", "only what was asked"),
    ("numbered", "only what was asked", "summary at the end"),
    ("headings", "bullets", "next step"),
    ("three sentences", "confidence", "blunt"),
    ("bullets", "confidence", "only what was asked"),
)


def own_users() -> tuple[tuple[Demand, ...], ...]:
    return tuple(tuple(DEMANDS[name] for name in names) for names in USERS)


def demands_of(profile: Profile) -> tuple[Demand, ...]:
    """Those of a profile that can be checked by a rule; those that no one answer can meet together are left out."""
    names = [name for text in profile.preferences for sign, name in _SIGNS.items() if sign in text]
    kept: list[str] = []
    for name in names:
        if not any({name, other} in _CLASH for other in kept):
            kept.append(name)
    return tuple(DEMANDS[name] for name in kept)


def users_of(profiles: Sequence[Profile], *, least: int = 2) -> tuple[tuple[Demand, ...], ...]:
    """The users with enough checkable demands, in their order."""
    users = (demands_of(profile) for profile in profiles)
    return tuple(demands for demands in users if len(demands) >= least)
