"""One thing the user said about themselves or about how they want to be answered, recognised but not yet stored."""

from dataclasses import dataclass
from typing import Literal

from memory.preferences import (
    EVERYWHERE,
    Candidate,
    Domain,
    Evidence,
    Kind,
    Polarity,
    Scope,
    Sensitivity,
    Source,
    Stance,
    Strength,
)

Duration = Literal["lasting", "this_turn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """`quote` is verbatim, from `start` to `stop` of the message; `statement` is made of its words only.
    `source` "inferred": it waits for the user's yes."""

    statement: str
    quote: str
    start: int
    stop: int
    kind: Kind
    domain: Domain
    slot: str
    rule: str
    object: str = ""
    polarity: Polarity = 1
    strength: Strength = 2
    scope: Scope = EVERYWHERE
    condition: str = ""
    duration: Duration = "lasting"
    stance: Stance = "supports"
    sensitivity: Sensitivity = "normal"
    source: Source = "explicit"
    requested: bool = False
    language: str = "en"


def as_candidate(said: Said, evidence: Evidence) -> Candidate:
    """What memory is asked to keep of it."""
    return Candidate(
        statement=said.statement,
        kind=said.kind,
        domain=said.domain,
        slot=said.slot,
        source=said.source,
        evidence=evidence,
        object=said.object,
        polarity=said.polarity,
        strength=said.strength,
        scope=said.scope,
        condition=said.condition,
        language=said.language,
        sensitivity=said.sensitivity,
        stance=said.stance,
        requested=said.requested,
        extractor=f"rule:{said.rule}",
    )
