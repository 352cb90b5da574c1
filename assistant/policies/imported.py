"""What a sentence of a foreign file means, and which must not come in at all. Pure.

Files speak of the user in the first person or, as other assistants do, in the third ("User prefers short answers").
Whatever a sentence says, it becomes data that waits for a yes; one that would have the model leave its rules, or that
holds a secret, is refused with a reason.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from assistant.policies.language import Language
from assistant.policies.personalise import is_against_rules
from assistant.policies.recognise import recognise
from assistant.policies.said import Said, as_candidate
from assistant.policies.sensitivity import holds_a_secret, sensitivity_of
from memory.portable.difference import Proposal
from memory.portable.drafts import Draft, Meant
from memory.portable.own_json import Refused
from memory.preferences import EVERYWHERE, Candidate, Evidence, Item
from memory.reconcile import STATEMENT_LIMIT
from memory.slots import slot

SECRET = "it looks like a password or a key"
AGAINST_RULES = "it would have Steward ignore its own rules"
TOO_LONG = f"it is over {STATEMENT_LIMIT} characters: too long for one memory"
OVER = "it says that something no longer holds"

_LEAD_IN = "remember that "
_UNSORTED = "other.fact"
_PLAIN = ("remember", "person")  # rules that keep the words and understand nothing about them
# How other assistants write about their user, as the user would say it; the first that fits.
_FIRST_PERSON = tuple(
    (re.compile(pattern, re.IGNORECASE), said)
    for pattern, said in (
        (r"^(?:the )?user(?:'s|’s) ", "my "),
        (r"^(?:the )?user (?:is|’s|'s) ", "I am "),
        (r"^(?:the )?user has ", "I have "),
        (r"^(?:the )?user does(?:n't| not|n’t) ", "I don't "),
        (r"^(?:the )?user (?:can't|cannot|can not) ", "I can't "),
        (r"^(?:the )?user was ", "I was "),
        (r"^(?:the )?user (?P<verb>\w+?(?:sh|ch|ss|x))es ", r"I \g<verb> "),
        (r"^(?:the )?user (?P<verb>\w+?)ies ", r"I \g<verb>y "),
        (r"^(?:the )?user (?P<verb>\w+?)s ", r"I \g<verb> "),
        (r"^(?P<verb>prefer|like|love|hate|dislike|enjoy|want|avoid|use|live|work)s ", r"I \g<verb> "),
    )
)


def proposals_of(draft: Draft, language: Language, now: datetime) -> tuple[Proposal, ...] | Refused:
    """Candidates of one sentence; several for "I hate olives and leeks"."""
    words = draft.statement
    why = unfit_words(words, language)
    if why or len(words) > STATEMENT_LIMIT:
        return Refused(where=draft.where, why=why or TOO_LONG)
    at = now if draft.at is None or draft.at > now else draft.at
    evidence = Evidence(quote=words, at=at, stop=len(words))
    if draft.meant is not None:
        candidates: tuple[Candidate, ...] = (_as_written(words, draft.meant, evidence, language),)
    else:
        said = recognise(_LEAD_IN + first_person(words), language).said
        if any(one.stance == "withdraws" for one in said):
            return Refused(where=draft.where, why=OVER)
        candidates = tuple(_candidates(said, words, evidence, language))
    return tuple(Proposal(candidate=one, where=draft.where, known_id=draft.id, ended=draft.ended) for one in candidates)


@dataclass(slots=True)
class Gate:
    """Which memories of a profile may come in. Each text is judged once: quotes mostly repeat the statement."""

    language: Language
    _judged: dict[str, str] = field(default_factory=dict)

    def unfit(self, item: Item) -> str:
        """Why it must not come in; "" when it may."""
        one = item.preference
        fields = (one.statement, one.object, one.condition, one.scope.value, one.slot)
        for text in (*fields, *(evidence.quote for evidence in item.evidence)):
            if text and (why := self._why(text)):
                return why
        return ""

    def _why(self, text: str) -> str:
        if text not in self._judged:
            self._judged[text] = unfit_words(text, self.language)
        return self._judged[text]


def unfit_words(text: str, language: Language) -> str:
    if holds_a_secret(text):
        return SECRET
    against = is_against_rules(text) or language.patterns["instructions.against_rules"].search(text.lower())
    return AGAINST_RULES if against else ""


def first_person(words: str) -> str:
    for pattern, said in _FIRST_PERSON:
        told, changed = pattern.subn(said, words, count=1)
        if changed:
            return told
    return words


def _as_written(words: str, meant: Meant, evidence: Evidence, language: Language) -> Candidate:
    row = slot(meant.slot)
    return Candidate(
        statement=words,
        kind=meant.kind,
        domain=row.domain,
        slot=row.name,
        source="imported",
        evidence=evidence,
        object=meant.object,
        polarity=meant.polarity,
        strength=meant.strength,
        condition=meant.condition,
        scope=meant.scope or EVERYWHERE,
        sensitivity=sensitivity_of(words, row.name, language),
        extractor="import",
    )


def _candidates(said: tuple[Said, ...], words: str, evidence: Evidence, language: Language) -> Iterator[Candidate]:
    understood = tuple(one for one in said if one.rule not in _PLAIN)
    for one in understood:
        candidate = replace(
            as_candidate(one, evidence),
            statement=words,
            source="imported",
            stance="supports",
            requested=False,
            extractor="import",
        )
        yield candidate if len(understood) == 1 else replace(candidate, statement=one.statement)
    if not understood:
        row = slot(_UNSORTED)
        yield Candidate(
            statement=words,
            kind=row.kind,
            domain=row.domain,
            slot=row.name,
            source="imported",
            evidence=evidence,
            polarity=0,
            scope=said[0].scope if said else EVERYWHERE,
            sensitivity=sensitivity_of(words, row.name, language),
            extractor="import",
        )
