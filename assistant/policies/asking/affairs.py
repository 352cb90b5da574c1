"""Questions about the user's own affairs, which no model can know: when my dentist is, what the lease says.

Read by rule, so that what is kept here is looked at before anything is answered, and what nothing here says is not made
up (pure). English; a question in another language goes on as it is.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from memory.words import stem, words_of

Asks = Literal["when", "where", "who", "how much", "whether", "what"]

LONGEST: Final = 24  # words; a longer question tells its own facts
_LEAD: Final = re.compile(
    r"^(?:(?:hey|hi|hello|ok|okay|so|and|but|please|steward|quick question)[,:! ]+)*"
    r"(?:(?:(?:can|could|would) you )?(?:please )?(?:tell me|remind me|look up|check|find out)(?: again)? "
    r"(?=wh|how|if|at |on )"
    r"|do you (?:know|remember|happen to know) |i(?:'ve| have)? (?:forgot(?:ten)?|forget) |i (?:want|need) to know )?",
    re.IGNORECASE,
)
_ASKS: Final[tuple[tuple[Asks, str], ...]] = (
    ("when", r"when(?:'s|'re)?\b|(?:(?:at|by|until|till|from) )?(?:what|which) (?:time|day|date|week|month|weekday)\b"
             r"|(?:at |by |until |till )(?:when|what time)\b|(?:on|in) (?:what|which) (?:day|date|week|month|year)\b"),
    ("where", r"where(?:'s|'re)?\b"
              r"|(?:in |at )?(?:what|which) (?:place|room|address|street|restaurant|hotel|gate|platform)\b"),
    ("who", r"who(?:'s|m|se)?\b|with whom\b"),
    ("how much", r"how (?:much|many|long|big|old|far|often|high|large)\b"),
    ("whether", r"(?:is|are|was|were|am|do|does|did|has|have|had|may|can|if|whether)\b"),
    ("what", r"what(?:'s|s|'re)?\b|which\b"),
)  # fmt: skip
_OWN: Final = re.compile(r"\b(?:my|our|mine|ours)\b", re.IGNORECASE)
_SELF: Final = re.compile(
    r"\bam i (?!being\b|going (?:to|mad|crazy)\b|getting\b)(?:\w+ing|supposed|due|booked|invited|free|busy|expected)\b"
    r"|\b(?:do|did) (?:i|we) (?:already )?(?:have|get|got) "
    r"(?:any(?:thing|one|body)?|something|plans?|an? (?:\w+ )?(?:appointment|meeting"
    r"|date|lesson|class|call|reservation|booking|reminder|task|note))\b"
    r"|\b(?:did|have|had) (?:i|we) (?:already |ever )?(?:write|written|noted?|put|park(?:ed)?|leave|left|say|said|pay"
    r"|paid|book(?:ed)?|call(?:ed)?|order(?:ed)?|lend|lent|stored?|keep|kept|promised?|agreed?|arranged?|meet|met|send|sent)\b"
    r"|\b(?:is|are) there (?:an?|any|another|anything|something) .*"
    r"\b(?:reminder|calendar|note|task|list|appointment)s?\b"
    r"|\bam i \w+ing\b.*\b(?:today|tomorrow|tonight|this|next|on) ",
    re.IGNORECASE,
)
_GATHERINGS: Final = (
    r"(?:meeting|appointment|rehearsal|practice|practise|training|check-?up|interview|exam|lesson|class|session|viewing|"
    r"inspection|evening|party|dinner|lunch|brunch|breakfast|reunion|wedding|concert|delivery|collection|pick-?up|"
    r"deadline|payment|booking|reservation|barbecue|picnic|assembly|get-together|stand-?up|review|call|visit|trip)"
)
_ARRANGED: Final = re.compile(
    r"\b(?:the|this|that|today's|tomorrow's|next) (?:next |coming |upcoming )?(?:[\w'-]+ ){0,2}?"
    rf"{_GATHERINGS}\b(?! of\b)",
    re.IGNORECASE,
)
_COMERS: Final = re.compile(
    r"\bthe (?:plumber|electrician|caretaker|cleaner|window cleaner|chimney sweep|babysitter|gardener|movers?|painters?"
    r"|handyman|technician|parcel|package|delivery|guests?|visitors?|vet|nurse|landlord|landlady)\b.*"
    r"\b(?:com(?:e|es|ing)|arriv\w+"
    r"|visit\w*|here|due)\b|\b(?:com(?:e|es|ing)|arriv\w+|visit\w*) the (?:plumber|electrician|cleaner)\b",
    re.IGNORECASE,
)
_PAPERS: Final = re.compile(
    r"\b(?:my|the|our|this|that|\w+'s) (?:[\w'’-]+ )?(?:documents?|contract|lease|handbook|manual|policy|pdf|letter|"
    r"minutes|agreement|invoice|notice(?! period)|leaflet|brochure|papers?|tenancy|warranty|house rules)\b",
    re.IGNORECASE,
)
_NAMES_PAPER: Final = re.compile(
    r"\b(?:according to |in |does |do |did |what (?:does|do|did) |is there anything in )?(?:my|the|our|this|[\w-]+'s) "
    r"(?:[\w'-]+ )?(?:document|letter|contract|lease|handbook|manual|policy|pdf|report|statement|minutes|agreement"
    r"|invoice|notice(?! period)|leaflet|brochure|paper|file)s?\b(?: (?:say|mention|state|tell|contain|speak|write)s?\b"
    r"(?: anything)?(?: about| on| of)?)?,?",
    re.IGNORECASE,
)
_GENERAL: Final = re.compile(  # asks for advice, a view or general knowledge, whoever it is about
    r"\b(?:should|shall|would|could|might|ought|best|better|good|ideal|recommend\w*|suggest\w*|advice|advise|think"
    r"|opinion|idea"
    r"|difference|mean(?:s|ing)?|your|you|explain|why|how (?:do|can|to|does) (?:i|we|you)|way to)\b"
    r"|\b(?:do|does|did|will) (?:i|we|my|our)\b[^?]*\bneed\b|\bhave to\b"
    r"|\b(?:my|our) (?:rights?|options?|chances?|odds|purpose|obligations?|alternatives?|body|brain|liver|heart|"
    r"blood|skin|hair|"
    r"horoscope|star sign|zodiac|ip|ip address|browser|screen|prompt|code|function|query|essay|text|sentence|answer|"
    r"name|age|(?:first|last|full) name|galaxy|planet|solar system|sun|universe|species|ancestors|country|culture|"
    r"society|time)\b",
    re.IGNORECASE,
)
_OWED: Final = re.compile(r"\b(?:i|we) (?:have to|still need|must)\b", re.IGNORECASE)  # a duty may be written down here
_FILLS = """
next last coming upcoming time day date week month year place take takes still already planned plan anything something
today tomorrow tonight morning afternoon monday tuesday wednesday thursday friday saturday sunday down may must
supposed write wrote written put scheduled schedule held happen happens happening start starts begin begins end ends
come comes coming called due leave leaves there reminder reminders note notes noted task tasks calendar list
much many long big old often located
"""
_SAYS_NOTHING: Final = frozenset(map(stem, _FILLS.split()))
_KIND_WORDS = """
appointment meeting event call session visit trip party class lesson evening dinner lunch practice number code name
address
"""
_KINDS: Final = frozenset(map(stem, _KIND_WORDS.split()))
_BARE: Final = re.compile(r".*\b(?:expire|pay|call|is|are|do|does)\b", re.IGNORECASE)  # no name of an event


@dataclass(frozen=True, slots=True, kw_only=True)
class Affair:
    """`about`: what it is about, in the user's words. `stems`: what has to be found. `own`: only what the user keeps or
    says can tell; else it is looked at, and answered anyhow. `paper`: it names a document."""

    asks: Asks
    about: str
    stems: frozenset[str]
    own: bool
    paper: bool = False


def affair(text: str) -> Affair | None:
    """None for every other message."""
    said = _LEAD.sub("", " ".join(text.replace("\u2019", "'").split()), count=1).rstrip(" ?!.")
    if "\n" in text.strip() or "`" in text or not 2 <= len(said.split()) <= LONGEST or re.search(r"[.:;!?] ", said):
        return None
    asks = next((name for name, words in _ASKS if re.match(rf"(?:{words})", said, re.IGNORECASE)), None)
    if asks is None:
        said_words = re.match(r"according to (?P<paper>[^,]+), (?P<rest>.+)$", said, re.IGNORECASE)
        inner = affair(said_words["rest"]) if said_words is not None else None
        if inner is None or said_words is None or not _PAPERS.search(said_words["paper"]):
            return None
        stems = inner.stems | _stems(said_words["paper"])
        return Affair(asks=inner.asks, about=inner.about, stems=stems, own=True, paper=True)
    paper = _PAPERS.search(said) is not None
    personal = bool(_OWN.search(said) or _SELF.search(said))
    arranged = asks in ("when", "where", "who", "whether") and bool(_ARRANGED.search(said) or _COMERS.search(said))
    general = _GENERAL.search(said) is not None
    stems = _stems(said)
    if not stems or (general and not (paper or _OWED.search(said))):
        return None
    return Affair(
        asks=asks,
        about=_about(bare(said)) if paper else _about(said),
        stems=stems,
        own=(personal or arranged or paper) and not general,
        paper=paper,
    )


def bare(question: str) -> str:
    """ "Does the lease say who clears the snow?" as "who clears the snow"."""
    return _NAMES_PAPER.sub(" ", question).strip(" ,?.!") or question


def settled_by(asked: Affair) -> str:
    """What would tell, and how to give it."""
    thing = asked.about
    if asked.paper:
        return (
            "What would settle it: the place where it stands, if it does; a paper that is not here yet is added with "
            "`steward documents add PATH`."
        )
    dated = asked.asks == "when" and not _BARE.match(thing)
    own = f"put {thing} in my calendar on ..." if dated else "note that ..."
    return (
        "What would settle it: the letter, invitation or contract where it stands (`steward documents add PATH`), or "
        f"your own word, which is kept: “{own}”."
    )


def specific(stems: frozenset[str]) -> frozenset[str]:
    """Those that tell one thing from another; all of them where none does."""
    return frozenset(stems - _KINDS) or stems


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words_of(text)) - _SAYS_NOTHING


def _about(said: str) -> str:
    """From its first to its last word that says something: "tenants' meeting"."""
    words = said.split()
    telling = [at for at, word in enumerate(words) if _stems(word)]
    return " ".join(words[telling[0] : telling[-1] + 1]) if telling else said
