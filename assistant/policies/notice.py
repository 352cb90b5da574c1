"""What is worth showing to a model in the background, and what of its answers is believed. Pure.

A small model decides badly in prose and well between two words shown by examples. So it only chooses: whether a
sentence says something lasting about its writer, in which direction, and what it is about. It never writes: the
statement is the user's sentence. Whatever is doubtful is dropped; the next time it is said is soon enough.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from statistics import fmean

from assistant.policies.language import Language
from assistant.policies.passages import Clause, own_words
from assistant.policies.recognise import recognise
from assistant.policies.sensitivity import sensitivity_of
from memory.preferences import Candidate, Domain, Evidence, Polarity
from memory.slots import slot as slot_row
from memory.slots import slots_of
from memory.types import Message

LONGEST, SHORTEST_WORDS = 200, 4
MOST_SENTENCES = 5  # of one message
MOST_NEW = 3  # candidates of one conversation
SURE_IT_LASTS, SURE_OF_DIRECTION, SURE_OF_TOPIC = 0.75, 0.60, 0.60
LEAST_GAP = 2.0  # nats between the log-odds of sentences that last and of others, for a model that tells them apart

LASTING = ("always", "once")
DIRECTIONS = ("likes", "avoids", "habit", "nothing")
_POLARITY: dict[str, Polarity] = {"likes": 1, "avoids": -1, "habit": 0}
# The words a small model knows for our domains.
TOPICS: dict[str, Domain] = {
    "animals": "pets",
    "books": "books",
    "clothes": "fashion",
    "fitness": "fitness",
    "food": "food",
    "games": "games",
    "home": "home",
    "learning": "learning",
    "money": "money",
    "music": "music",
    "films": "screen",
    "shopping": "shopping",
    "sports": "sports",
    "technology": "technology",
    "time": "schedule",
    "transport": "transport",
    "travel": "travel",
    "work": "work",
    "other": "other",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """The user's words, verbatim, and where they stand in the message."""

    message: Message
    text: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What the model made of a sentence: the probability that it lasts, then the likeliest answers. A direction that is
    not clear is a "habit": a plain fact about the user, in neither direction."""

    lasts: float
    direction: str = ""
    domain: Domain = "other"


def tells_apart(lasting: Sequence[float], passing: Sequence[float]) -> bool:
    """Whether a model knows what lasts: the probabilities it gave to sentences whose answer is known."""
    if not lasting or not passing:
        return True
    if max(passing) >= SURE_IT_LASTS:
        return False  # it says yes to everything
    return fmean(map(_log_odds, lasting)) - fmean(map(_log_odds, passing)) >= LEAST_GAP


def direction_of(shares: Sequence[float]) -> str:
    """Of the probabilities of DIRECTIONS. That it tells nothing was decided before; small models hold on to it."""
    told = dict(zip(DIRECTIONS, shares, strict=True))
    total = sum(told[one] for one in _POLARITY)
    best = max(_POLARITY, key=lambda one: told[one])
    return best if total > 0 and told[best] / total >= SURE_OF_DIRECTION else "habit"


def domain_of(shares: Sequence[float]) -> Domain:
    """Of the probabilities of TOPICS; "other" where none is clear."""
    share, topic = max(zip(shares, TOPICS, strict=True))
    return TOPICS[topic] if share >= SURE_OF_TOPIC else "other"


def _log_odds(share: float) -> float:
    share = min(max(share, 1e-6), 1 - 1e-6)
    return log(share / (1 - share))


def sentences_to_read(message: Message, language: Language, earlier: Sequence[str] = ()) -> tuple[Sentence, ...]:
    """Sentences in which the user speaks of themselves and that no rule understood; mostly none."""
    if message.role != "user" or message.origin != "typed":
        return ()
    understood = recognise(message.content, language, earlier=earlier)
    known = [(one.start, one.stop) for one in (*understood.said, *understood.for_now)]
    if understood.refused or understood.forget:
        return ()
    found = []
    clauses = own_words(message.content, language, earlier=earlier).clauses
    for whole in _whole_sentences(clauses, message.content):
        start, stop = whole[0].start, whole[-1].stop
        text = message.content[start:stop]
        plain = whole[0].plain if len(whole) == 1 else text.lower().replace("’", "'")
        taken = any(start < end and begin < stop for begin, end in known)
        doubtful = any(clause.passing or clause.instruction_only for clause in whole)
        if not taken and not doubtful and _is_cue(plain, language):
            found.append(Sentence(message=message, text=text, start=start, stop=stop))
    return tuple(found[:MOST_SENTENCES])


def _whole_sentences(clauses: Sequence[Clause], text: str) -> Iterator[list[Clause]]:
    """The clauses of each sentence together: half of one ("my stomach are not friends") says something else."""
    group: list[Clause] = []
    for clause in clauses:
        if group and any(mark in text[group[-1].stop : clause.start] for mark in ".!?…;:\n"):
            yield group
            group = []
        group.append(clause)
    if group:
        yield group


def _is_cue(plain: str, language: Language) -> bool:
    patterns = language.patterns
    if len(plain) > LONGEST or len(plain.split()) < SHORTEST_WORDS or patterns["family.pattern"].match(plain):
        return False  # a relative's tastes are not the user's
    return patterns["notice.cue"].search(plain) is not None and patterns["notice.passing"].search(plain) is None


def candidate_from(sentence: Sentence, opinion: Opinion, language: Language) -> Candidate | None:
    """What is proposed, or None when the model is unsure or contradicts what the words plainly say."""
    if opinion.lasts < SURE_IT_LASTS:
        return None
    polarity = _POLARITY[opinion.direction]
    negative = language.patterns["notice.negative"].search(sentence.text.lower().replace("’", "'")) is not None
    if negative and polarity == 1:
        return None
    known = known_object(sentence.text, language)
    slot = language.lexicon[known.lower()] if known else _general_slot(opinion.domain, polarity)
    sensitivity = sensitivity_of(sentence.text, slot, language)
    if sensitivity in ("special", "secret"):
        return None
    row = slot_row(slot)
    return Candidate(
        statement=sentence.text,
        kind="preference" if polarity else "fact",
        domain=row.domain,
        slot=slot,
        source="inferred",
        evidence=Evidence(
            quote=sentence.text,
            at=sentence.message.created_at,
            message_id=sentence.message.id,
            session_id=sentence.message.session_id,
            start=sentence.start,
            stop=sentence.stop,
        ),
        object=known,
        polarity=polarity,
        strength=1,
        language=language.code,
        sensitivity=sensitivity,
        extractor="model",
    )


def _general_slot(domain: Domain, polarity: Polarity) -> str:
    """The many-valued slot of a domain for tastes, else "other.taste" or "other.fact"."""
    names = [row.name for row in slots_of(domain) if row.cardinality == "multi"]
    wanted = (f"{domain}.taste", f"{domain}.other") if polarity else (f"{domain}.other",)
    return next((name for name in wanted if name in names), "other.taste" if polarity else "other.fact")


def known_object(text: str, language: Language) -> str:
    """The longest words of the lexicon in the sentence, so that another wording of it is the same thing."""
    words = re.findall(r"[\w+#'.-]*[\w+#]", text)
    for size in range(min(len(words), language.longest), 0, -1):
        for start in range(len(words) - size + 1):
            phrase = " ".join(words[start : start + size])
            if phrase.lower() in language.lexicon:
                return phrase
    return ""
