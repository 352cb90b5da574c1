"""Counting in an answer: bullets, sentences, words, headings; its language. Code blocks are left out. Pure."""

import re
from collections import Counter
from collections.abc import Mapping

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_BULLET = re.compile(r"^[ \t]*[-*+•–][ \t]+\S.*$", re.MULTILINE)
_NUMBERED = re.compile(r"^[ \t]*\d{1,2}[.)][ \t]+\S.*$", re.MULTILINE)
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+\S.*$|^[ \t]{0,3}\*\*[^*\n]{2,60}\*\*:?[ \t]*$", re.MULTILINE)
_TABLE = re.compile(r"^[ \t]*\|.*\|[ \t]*$", re.MULTILINE)
_SENTENCE_END = re.compile(
    r"(?<=[.!?…])[\"'”’)]*\s+(?=[\"'“‘(]?[^\W\d_a-z])|\n\s*\n|\n(?=[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t])"
)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_EMOJI = re.compile("[\U0001f300-\U0001faff\U00002600-\U000027bf\U0001f1e6-\U0001f1ff\u2b50\u2b55\u203c\u2049]")

# The most frequent function words; enough to tell these languages apart within a sentence or two.
_FREQUENT: Mapping[str, str] = {
    "English": "the and of to is in that it for you with are this not can or as be have an was by from",
    "German": "der die das und ist nicht ein eine zu mit von den im sich auf für es dem auch wird sie sind",
    "French": "le la les et est des une un du en pour que qui dans pas sur vous ce il au avec sont par",
    "Spanish": "el la los las y es de que en un una por con para no se del al lo como su son está",
    "Italian": "il la lo gli le e è di che un una per con non si del della sono da in nel più come",
    "Portuguese": "o a os as e é de que em um uma para com não se do da no na por mais são como",
    "Dutch": "de het een en van is niet dat op te in zijn voor met je er aan ook als wordt naar",
}
_FUNCTION_WORDS = {name: frozenset(words.split()) for name, words in _FREQUENT.items()}
LEAST_WORDS = 12  # fewer say nothing about the language
LEAST_SHARE = 0.12
LEAD = 1.25  # how much ahead the best has to be


def prose(text: str) -> str:
    return _FENCE.sub("", text)


def is_mostly_code(text: str) -> bool:
    return len(prose(text)) < len(text) / 2


def bullets(text: str) -> list[str]:
    return _BULLET.findall(prose(text))


def numbered(text: str) -> list[str]:
    return _NUMBERED.findall(prose(text))


def headings(text: str) -> list[str]:
    return _HEADING.findall(prose(text))


def table_rows(text: str) -> int:
    return len(_TABLE.findall(prose(text)))


def sentences(text: str) -> list[str]:
    return [part for part in _SENTENCE_END.split(prose(text).strip()) if _WORD.search(part)]


def words(text: str) -> list[str]:
    return _WORD.findall(prose(text))


def has_emoji(text: str) -> bool:
    return _EMOJI.search(text) is not None


def without_emoji(text: str) -> str:
    return re.sub(r"[ \t]*(?:" + _EMOJI.pattern + "[\ufe0f\u200d\U0001f3fb-\U0001f3ff]*)+", "", text)


def language_of(text: str) -> str | None:
    """The language of an answer, or None when it is too short or not clear."""
    found = [word.lower() for word in words(text)]
    if len(found) < LEAST_WORDS:
        return None
    counts = Counter({name: sum(word in known for word in found) for name, known in _FUNCTION_WORDS.items()})
    (best, most), (_, second) = counts.most_common(2)
    return best if most / len(found) >= LEAST_SHARE and most >= second * LEAD else None
