"""What a user types about a memory, understood: its words, where it holds, what it is about. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from difflib import get_close_matches

from assistant.policies.cleaning import clean, clean_line
from assistant.policies.language import Language
from assistant.policies.recognise import recognise
from assistant.policies.said import Said, as_candidate
from assistant.policies.sensitivity import holds_a_secret, sensitivity_of
from memory.changes import Edit
from memory.preferences import DOMAINS, EVERYWHERE, Candidate, Evidence, Polarity, PreferenceId, Scope, Strength
from memory.slots import SLOTS, slot
from ui.errors import UiError
from ui.memory_receipts import REFUSED

LEAD_IN = "remember that "  # what makes the recogniser take a sentence for meant to be kept
_UNSORTED = "other.fact"
_NOT_UNDERSTOOD = ("remember", "person")  # rules that keep the words and understand nothing about them


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """What the user said about a memory beside its words; None leaves a field as it is."""

    slot: str | None = None
    object: str | None = None
    polarity: Polarity | None = None
    strength: Strength | None = None
    scope: Scope | None = None
    condition: str | None = None
    until: datetime | None = None

    @property
    def given(self) -> bool:
        return self != AS_IT_IS


AS_IT_IS = Fields()


def proposed(text: str, fields: Fields, language: Language, now: datetime) -> tuple[Candidate, ...]:
    """Candidates of what the user typed to be kept: as they described it, else as it is understood; several for
    "I hate olives and leeks". Raises UiError when there is nothing to keep, or it must not be kept."""
    words = typed(text)
    evidence = Evidence(quote=words, at=now, stop=len(words))
    understood = _understood(words, language)
    if fields.slot is not None or fields.object is not None or not understood:
        first = understood[0] if understood else None
        row = slot(fields.slot or (first.slot if first else _UNSORTED))
        made = Candidate(
            statement=words,
            kind=row.kind,
            domain=row.domain,
            slot=row.name,
            source="explicit",
            evidence=evidence,
            polarity=first.polarity if first else 1,
            sensitivity=sensitivity_of(words, row.name, language),
            requested=True,
            extractor="typed",
        )
        return (_described(made, fields),)
    return tuple(_described(one, fields) for one in _candidates(understood, words, evidence))


def _understood(words: str, language: Language) -> tuple[Said, ...]:
    """Raises UiError for what must not be kept, also where no rule understands it."""
    if holds_a_secret(words):
        raise UiError(*REFUSED["secret"])
    found = recognise(LEAD_IN + words, language)
    if found.refused and not found.said:
        raise UiError(*REFUSED[found.refused[0].because])
    return found.said


def _candidates(said: tuple[Said, ...], words: str, evidence: Evidence) -> Iterator[Candidate]:
    for one in said:
        yield replace(
            as_candidate(one, evidence),
            statement=words if len(said) == 1 else one.statement,
            source="explicit",
            requested=True,
            extractor=one.rule,
        )


def _described(made: Candidate, fields: Fields) -> Candidate:
    """What the user said in so many words goes before what was understood."""
    return replace(
        made,
        object=made.object if fields.object is None else fields.object,
        polarity=made.polarity if fields.polarity is None else fields.polarity,
        strength=fields.strength or made.strength,
        scope=made.scope if fields.scope is None else fields.scope,
        condition=made.condition if fields.condition is None else fields.condition,
        valid_to=fields.until,
    )


def edited(id: PreferenceId, text: str | None, fields: Fields, language: Language) -> Edit:
    """The change that gives a memory other words or fields; new words bring their own meaning with them. Raises
    UiError when nothing is to change, or the words must not be kept."""
    words = None if text is None else typed(text)
    if words is None and not fields.given:
        raise UiError("There is nothing to change.", "Give the new words, or an option such as --avoid.")
    meant = None if words is None else _meaning(words, language)
    name = fields.slot or (meant.slot if meant else None)
    row = None if name is None else slot(name)
    return Edit(
        id=id,
        statement=words,
        domain=None if row is None else row.domain,
        kind=None if row is None else row.kind,
        slot=name,
        object=fields.object if fields.object is not None or meant is None else meant.object,
        polarity=fields.polarity if fields.polarity is not None or meant is None else meant.polarity,
        strength=fields.strength if fields.strength is not None or meant is None else meant.strength,
        scope=fields.scope,
        condition=fields.condition if fields.condition is not None or meant is None else meant.condition,
        valid_to=fields.until,
        reason="you rewrote it",
    )


def _meaning(words: str, language: Language) -> Said | None:
    """What the words say, where they say one thing and it is understood."""
    said = _understood(words, language)
    return said[0] if len(said) == 1 and said[0].rule not in _NOT_UNDERSTOOD else None


def typed(text: str) -> str:
    """One line. Raises UiError when there are no words."""
    words = " ".join(clean(text).split())
    if not words:
        raise UiError("There are no words to remember.", 'Say it in one sentence: steward memory add "I hate olives"')
    return words


def parse_scope(text: str, now: datetime) -> tuple[Scope, datetime | None]:
    """ "global", "domain:food", "project:NAME", "person:NAME", "session:ID", "until:2026-05-01". Raises UiError."""
    kind, _, value = text.strip().partition(":")
    value = clean_line(value, 80)
    match kind.lower():
        case "global" | "everywhere" if not value:
            return EVERYWHERE, None
        case "domain" if value in DOMAINS:
            return Scope(type="domain", value=value), None
        case "domain":
            near = get_close_matches(value, DOMAINS, n=1)
            hint = f"Did you mean domain:{near[0]}?" if near else f"Domains: {', '.join(DOMAINS)}"
            raise UiError(f"There is no domain {value!r}.", hint)
        case "project" if value:
            return Scope(type="project", value=value), None
        case "person" if value:
            return Scope(type="person", value=value), None
        case "session" if value:
            return Scope(type="session", value=value), None
        case "until" if value:
            return Scope(type="until"), parse_day(value, now)
        case _:
            raise UiError(
                f"{clean_line(text, 60)!r} is no scope.",
                "Scopes: global, domain:NAME, project:NAME, person:NAME, session:ID, until:YYYY-MM-DD",
            )


def parse_day(text: str, now: datetime) -> datetime:
    """The end of that day where the user is, aware. Raises UiError."""
    try:
        wanted = date.fromisoformat(text.strip())
    except ValueError:
        raise UiError(f"{clean_line(text, 40)!r} is no date.", "Write it as YYYY-MM-DD.") from None
    end = datetime.combine(wanted + timedelta(days=1), time()).astimezone()
    if end <= now:
        raise UiError(f"{text.strip()} has passed.", "Give a day that is still to come.")
    return end


def parse_slot(name: str) -> str:
    """Raises UiError naming near ones."""
    wanted = name.strip().lower()
    if wanted in SLOTS:
        return wanted
    near = get_close_matches(wanted, SLOTS, n=3, cutoff=0.5)
    near = near or [known for known in SLOTS if known.partition(".")[2] == wanted]
    hint = f"Did you mean {' or '.join(near)}?" if near else f"Slots begin with a domain: {', '.join(DOMAINS)}"
    raise UiError(f"There is no slot {clean_line(name, 40)!r}.", hint)
