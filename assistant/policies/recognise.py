"""What the user says about themselves, and how they want to be answered: recognised at once, without a model. Pure.

A typed message gives statements ("I'm vegetarian"), wishes about answers ("no bullets"), commands ("remember that ...",
"forget ...") and corrections right after an answer ("shorter"), each with its verbatim quote. What is not the user
speaking for themselves is left out before (assistant/policies/passages.py); when in doubt, nothing is recognised.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from assistant.policies.language import Language, Rule
from assistant.policies.objects import (
    is_worth_keeping,
    parts_of,
    slot_for,
    slot_of,
    tidy_object,
    without_article,
)
from assistant.policies.passages import Clause, own_words
from assistant.policies.said import Said
from assistant.policies.sensitivity import sensitivity_of
from assistant.policies.wishes import standing_instruction, wishes_in
from memory.preferences import Scope
from memory.slots import slot as slot_row

SHORTEST, LONGEST = 3, 300  # characters of a statement
ALWAYS_ACTIVE = ("food.allergy", "food.diet")  # special, but not using them would harm


_AND_MORE = re.compile(r"[,;:]|\b(?:and|then|but)\b")  # "the weather, tell me a joke"


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """The user wants something forgotten: `about` in their words, or everything."""

    about: str
    everything: bool = False
    whole: bool = False  # all that is remembered about it, however much that is


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    because: Literal["secret", "rule_breaking", "too_long"]
    words: str  # "" for a secret


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognition:
    """`said` lasts; `for_now` are wishes about this answer only, never stored."""

    said: tuple[Said, ...] = ()
    for_now: tuple[Said, ...] = ()
    forget: tuple[Forget, ...] = ()
    refused: tuple[Refused, ...] = ()
    only_wishes: bool = False  # nothing but wishes about answers: no task, no statement
    only_forget: bool = False  # nothing but that something be forgotten


NOTHING = Recognition()


def recognise(text: str, language: Language, *, after_answer: bool = False, earlier: Sequence[str] = ()) -> Recognition:
    """`text` was typed. `after_answer`: it follows an answer, so that a bare "shorter" means something. `earlier`: the
    user's messages before it, oldest first."""
    passage = own_words(text, language, earlier=earlier)
    said: list[Said] = []
    forget: list[Forget] = []
    refused: list[Refused] = []
    others = 0  # clauses that are no wish about answers
    for clause in passage.clauses:
        if (wanted := _forget(clause, language)) is not None:
            forget.append(wanted)
            continue
        found = tuple(_from_clause(clause, language, after_answer=after_answer, asks=passage.asks))
        others += not (any(one.domain == "reply_style" for one in found) or _is_filler(clause, language))
        for one in found:
            reason = _refusal(one, language)
            if reason is None:
                said.append(one)
            else:
                refused.append(Refused(because=reason, words="" if reason == "secret" else one.quote))
    unique = tuple(dict.fromkeys(said))
    return Recognition(
        said=tuple(one for one in unique if one.duration == "lasting"),
        for_now=tuple(one for one in unique if one.duration == "this_turn"),
        forget=tuple(forget),
        refused=tuple(dict.fromkeys(refused)),
        only_wishes=bool(unique) and not (others or forget or refused or passage.asks),
        only_forget=bool(forget)
        and not (others or unique or refused or passage.asks)
        and not any(_AND_MORE.search(one.about) for one in forget),
    )


def _is_filler(clause: Clause, language: Language) -> bool:
    """ "please", "thanks": nothing by itself."""
    return all(word in language.filler for word in re.findall(r"[\w'-]+", clause.plain))


def people_in(text: str, language: Language) -> tuple[Scope, ...]:
    """The people a text speaks of ("my wife"), as scopes whose items may matter."""
    found = language.patterns["family.word"].finditer(text.lower()[:4_000])
    return tuple(dict.fromkeys(Scope(type="person", value=match["who"]) for match in found))


def _refusal(said: Said, language: Language) -> Literal["secret", "rule_breaking", "too_long"] | None:
    if said.sensitivity == "secret":
        return "secret"
    if language.patterns["instructions.against_rules"].search(said.quote.lower()):
        return "rule_breaking"
    return "too_long" if len(said.statement) > LONGEST else None


def _from_clause(clause: Clause, language: Language, *, after_answer: bool, asks: bool) -> Iterator[Said]:
    command = language.patterns["commands.remember"].match(clause.plain)
    if command is not None and not language.patterns["commands.not_remember"].match(command["rest"]):
        yield from _remembered(replace(clause, said=clause.said[command.start("rest") :]), language)
        return
    if command is not None:
        return
    wishes = tuple(wishes_in(clause, language, after_answer=after_answer, asks=asks))
    if wishes:
        yield from wishes
        return
    if clause.passing or clause.wished or clause.instruction_only:
        return
    stated = tuple(statements_in(clause, language))
    yield from stated or standing_instruction(clause, language)


def _remembered(clause: Clause, language: Language) -> Iterator[Said]:
    """What follows "remember that": always something, whoever it is about."""
    about_person = tuple(_about_person(clause, language))
    found = (
        about_person
        or tuple(wishes_in(clause, language, after_answer=False, asks=False, asked_for=True))
        or tuple(statements_in(clause, language))
        or tuple(standing_instruction(clause, language))
        or (_plain_fact(clause, language),)
    )
    for one in found:
        source = "explicit" if one.source == "inferred" else one.source
        yield replace(one, requested=True, duration="lasting", source=source)


def _plain_fact(clause: Clause, language: Language) -> Said:
    slot = slot_of(clause.said, language)
    row = slot_row(slot) if slot else None
    return _said(
        clause,
        language,
        slot="other.fact",
        rule="remember",
        polarity=0,
        kind="fact",
        domain=row.domain if row else "other",
    )


def _about_person(clause: Clause, language: Language) -> Iterator[Said]:
    """Somebody else's preference, kept under that person and never as the user's own."""
    named = language.patterns["family.name_pattern"].match(clause.plain)
    match = named or language.patterns["family.pattern"].match(clause.plain)
    if match is None:
        return
    who = match["who"].split(" ", 1)[1]
    scope = Scope(type="person", value=who)
    slot = {"wife": "people.partner", "husband": "people.partner", "partner": "people.partner"}.get(who, "people.other")
    if named:
        name = clause.said[named.start("name") : named.end("name")]
        yield _said(clause, language, slot=slot, rule="person-name", object=name, polarity=0, kind="fact", scope=scope)
        return
    rest = clause.said[match.start("rest") :]
    for verb in language.person_verbs:
        first = verb.apply(rest)
        if first is None:
            continue
        for one in statements_in(replace(clause, said=first), language):
            yield replace(one, statement=clause.said, scope=scope, rule="person-" + one.rule)
        return
    yield _said(clause, language, slot="people.other", rule="person", polarity=0, kind="fact", scope=scope)


def statements_in(clause: Clause, language: Language) -> Iterator[Said]:
    """What the clause says about the user, also that something is over ("I no longer like Vim")."""
    if not language.patterns["commands.lapse_is_avoidance"].match(clause.plain):
        for lapse in language.lapses:
            before = lapse.apply(clause.said.replace("’", "'"))
            if before is not None:
                over = replace(clause, said=before)
                for one in _by_rules(over, language):
                    yield replace(one, statement=clause.said, stance="withdraws", rule="over-" + one.rule)
                return
    yield from _by_rules(clause, language)


def _by_rules(clause: Clause, language: Language) -> Iterator[Said]:
    for rule in language.rules:
        match = rule.pattern.match(clause.plain)
        if match is None:
            continue
        if rule.nothing:
            return
        found = tuple(_applied(rule, match, clause, language))
        if found:
            yield from found
            return


def _applied(rule: Rule, match: re.Match[str], clause: Clause, language: Language) -> Iterator[Said]:
    group = next((name for name in match.groupdict() if name.startswith("object") and match[name] is not None), None)
    start, stop = match.span(group) if group else (len(clause.said), len(clause.said))
    verb = match.groupdict().get("verb") or ""
    text, condition = tidy_object(clause.said[start:stop], language)
    first, _, rest = text.partition(" ")
    if not verb and first.lower() in rule.habits:
        verb = first.lower()
    if first.lower() in rule.strip_verb and rest:
        text = rest.removeprefix("to ")
    text = text or rule.bare.get(verb, "")
    if not is_worth_keeping(text, language):
        return
    parts = parts_of(text, language) if rule.many else (text,)
    whole = len(parts) == 1
    for part in parts:
        name = without_article(part, language) if rule.polarity != 0 or rule.many else part
        slot = _slot(rule, match, verb, part, language)  # "the sea" is a place, "sea" is not
        if slot is None or not is_worth_keeping(name, language):
            continue
        if verb in rule.need_known and slot_of(name, language) is None:
            continue
        if rule.only and slot_of(name, language, frozenset((rule.only,))) != rule.only:
            continue
        yield _said(
            clause,
            language,
            slot=slot,
            rule=rule.name,
            object=rule.object.format(object=name),
            polarity=rule.polarity,
            kind=rule.kind,
            strength=rule.strength,
            condition=condition,
            statement=clause.said if whole else clause.said[:start] + part,
            sensitive=rule.sensitivity == "special",
        )


def _slot(rule: Rule, match: re.Match[str], verb: str, name: str, language: Language) -> str | None:
    kind_of_thing = match.groupdict().get("class")
    if kind_of_thing:
        words = kind_of_thing.split()
        named = language.favourites.get(words[-1]) or language.favourites.get(kind_of_thing)
        return named or slot_of(kind_of_thing, language) or slot_of(name, language) or "other.taste"
    return slot_for(rule, verb, name, language)


def _said(
    clause: Clause,
    language: Language,
    *,
    slot: str,
    rule: str,
    statement: str = "",
    sensitive: bool = False,
    **fields: object,
) -> Said:
    row = slot_row(slot)
    sensitivity = sensitivity_of(clause.text, slot, language)
    if sensitive and sensitivity != "secret":
        sensitivity = "special"
    waits = sensitivity == "special" and slot not in ALWAYS_ACTIVE
    kind = fields.pop("kind", None) or row.kind
    made: dict[str, object] = {
        "domain": row.domain,
        "kind": kind,
        "source": "inferred" if waits else "explicit",
        **fields,
    }
    return Said(
        statement=(statement or clause.said).strip(" .!?,;:"),
        quote=clause.text,
        start=clause.start,
        stop=clause.stop,
        slot=slot,
        rule=rule,
        language=language.code,
        sensitivity=sensitivity,
        **made,  # type: ignore[arg-type]
    )


def _forget(clause: Clause, language: Language) -> Forget | None:
    patterns = language.patterns
    match = patterns["commands.forget"].match(clause.plain)
    if match is None:
        return None
    rest = match["rest"].strip(" .!?,;:")
    if patterns["commands.forget_all"].match(rest):
        return Forget(about=rest, everything=True)
    if patterns["commands.not_forget"].match(rest):
        return None
    if patterns["commands.forget_verbs_only_memory"].match(clause.plain) and not patterns[
        "commands.memory_named"
    ].search(clause.plain):
        return None
    return Forget(about=rest, whole=bool(match["whole"]))
