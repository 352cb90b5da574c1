"""Words of a text for matching: folded, without those that say nothing. Pure tables and functions."""

import re

from memory.text import folded

WORD = re.compile(r"[^\W_]+")
MOST_WORDS = 24
NAMED_SCORE = 4.0  # of an object named in a text whose script has no spaces, beside bm25

# Function words of English, German, French, Spanish and Italian, and the words of asking itself.
_SAY_NOTHING = """
a about after again all also am an and any are as at be been before being but by can could did do does doing for
from had has have having he her here hers him his how i if in into is it its just me more most my myself no nor not
now of off on once only or other our ours out over own please s same she should so some such t than that the their
them then there these they this those through to too under until up very was we were what when where which while
who whom why will with would you your yours d ll m re ve don doesn didn isn aren wasn weren won
give help let like make need tell want get good best know show think thing things something anything
recommend suggest suggestion suggestions recommendation recommendations advice idea ideas looking
der die das den dem des ein eine einer eines einem einen und oder aber ich du er sie es wir ihr mich mir dich dir
nicht kein keine mit von zu zum zur im auf fur ist sind war bin hat haben wie was wer wo wann bitte
le la les un une des et ou mais je tu il elle nous vous ils elles ne pas que qui dans pour sur avec est sont
el los las una unos unas y o pero yo ella nosotros ellos en con por para es son
lo gli uno e ma io lui lei noi voi loro non che di da per su
"""
STOP_WORDS = frozenset(_SAY_NOTHING.split())


def words_of(text: str, *, most: int = MOST_WORDS) -> tuple[str, ...]:
    """Different folded words in order of appearance, stop words left out."""
    found = dict.fromkeys(word for word in WORD.findall(folded(text)) if word not in STOP_WORDS)
    return tuple(found)[:most]


def stem(word: str) -> str:
    """A light stem for English plurals and verb endings; other languages lose at most an ending on both sides."""
    for ending, rest in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith(("ss", "us")):
            return word[: len(word) - len(ending)] + rest
    return word


def stems_of(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words_of(text, most=200))


def any_of(text: str) -> str:
    """For FTS5: rows with any of the words; "" when there is no word to look for."""
    return " OR ".join(f'"{word}"' for word in words_of(text))
