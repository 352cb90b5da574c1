"""What a message or a thing is about, as one of the domains of memory. Pure.

Words of errands come first: the exemplars of `memory.routing` are questions, and "send", "call" or "return" occur in
some of them by chance.
"""

from types import MappingProxyType
from typing import Final

from memory.preferences import DOMAINS
from memory.routing import route_by_words
from memory.text import folded
from memory.words import WORD, stem

_SURE: Final = 0.9  # share of the best domain; below it nothing is claimed
_NOT_TOPICS: Final = ("other", "reply_style", "identity")
_TABLE: Final = """
work: report slides presentation boss colleague meeting client job interview office deadline project invoice contract
learning: thesis exam essay homework course study studying lecture school university
money: tax rent bank bill insurance loan mortgage salary payment finance finances budget
health: dentist doctor appointment medicine prescription vaccination checkup therapist physio sleep meditate
fitness: gym workout workouts run jog marathon exercise training yoga 5k 10k swim
sports: sport football tennis match
people: mum mom dad mother father sister brother grandma grandpa birthday anniversary wedding friend friends family kids
travel: passport visa flight flights hotel trip holiday vacation luggage trips holidays
home: plants laundry clean dishes kitchen garden furniture lamp roof heating rubbish bins repair
vehicles: bike car tyre tyres motorbike
food: cook cooking groceries recipe recipes dinner lunch bake eating diet
books: novel book reading
screen: film films movie movies series tv
music: song guitar piano concert playlist
pets: dog cat vet
programming: code coding bug deploy
fashion: clothes shoes dress
shopping: buy gift order shop
schedule: calendar appointments
"""
_WORDS: Final = MappingProxyType(
    {
        stem(word): topic
        for topic, _, words in reversed([line.partition(": ") for line in _TABLE.strip().splitlines()])
        for word in words.split()
    }
)
_VERBS: Final = ("send", "call", "finish", "hand", "return", "get", "take", "bring", "make", "run", "book", "leave")
_EVERYDAY: Final = frozenset(stem(word) for word in _VERBS)


def topic_of_text(text: str) -> str:
    """The domain of a sentence; "other" where none is clear."""
    return named_topic(text) or "other"


def named_topic(words: str) -> str:
    """The topic that a few words name; "" where none is clear."""
    plain = words.lower().strip(" .!")
    if plain in DOMAINS and plain not in _NOT_TOPICS:
        return plain
    found = [stem(word) for word in WORD.findall(folded(words))]
    for word in (*(one for one in found if one not in _EVERYDAY), *found):
        if word in _WORDS and (word not in ("buy", "order") or len(found) < 3):
            return _WORDS[word]
    shares = route_by_words(" ".join(word for word in found if word not in _EVERYDAY))
    best = max(shares, key=lambda domain: shares[domain]) if shares else "other"
    return "" if best in _NOT_TOPICS or shares[best] < _SURE else best
