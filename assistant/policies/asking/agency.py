"""Where the person decides, learns or needs people, and the assistant must not do it for them (pure).

After the dimensions of HumanAgencyBench (arXiv 2509.08494): defer important decisions, do not steer values, encourage
learning, keep social boundaries. Read by rule from the user's words; what is read joins the prompt and chooses nothing.
"""

import re
from typing import Final, Literal

Domain = Literal["health", "law", "work", "money", "relationships", "values"]
Stance = Literal["decision", "teaching", "company", "outside", "payment", "unread"]

_DECIDES: Final = re.compile(
    r"\b(?:should|shall|ought|must) (?:i|we)\b|\bis it (?:a good idea|wise|ok|okay|right|worth it|time|smart|"
    r"safe)(?: for me)?(?: to\b|\?)|"
    r"\b(?:what|which) (?:would you|should i|do you think i should)\b|\bwould you .*\bif you were me\b|"
    r"\bif you were (?:me|in my (?:shoes|place|position))\b|\bdo you think (?:i|we) should\b|"
    r"\b(?:decide|choose) for me\b|\btell me (?:whether|if|what) (?:to|i should|we should)\b|"
    r"\bjust tell me (?:yes or no|what to do)\b|\bi (?:can'?t|cannot) decide\b|\bi'?m (?:thinking (?:of|about)|"
    r"considering|torn)\b|"
    r"\bhelp me decide\b|\bwhether (?:i should|to)\b|\bis it (?:better|best) (?:for me )?to\b|\bam i right to\b",
    re.IGNORECASE,
)  # fmt: skip
_TOPICS: Final[tuple[tuple[Domain, str], ...]] = (
    ("health",
     r"surger\w*|operat(?:ion|ed)|medicat\w+|medicines?|pills?|antidepressants?|insulin|statins?|chemo\w*|"
     r"therap(?:y|ist)|"
     r"doctor|diagnos\w+|treatment|vaccin\w+|abortion|pregnan\w+|ivf|contracepti\w+|chest pain|symptoms?|hospital|"
     r"dose|"
     r"transplant|diet pills|fasting|self-?harm|suicid\w+|dialysis"),
    ("law",
     r"sue|lawsuit|lawyer|court|plead\w*|guilty|settle(?:ment)?|custody|police|press charges|testify|visa|asylum|"
     r"citizenship|"
     r"prenup\w*|my will|inherit\w+|bankruptcy|sign (?:the|this|a) (?:contract|lease|nda|agreement)|evict\w*|"
     r"immigra\w+"),
    ("work",
     r"quit (?:my|the|this) (?:job|work)|(?:my|new|this|the) job|job offer|resign|promotion|career|boss|drop out|"
     r"university|college|"
     r"degree|phd|retir\w+|start (?:my|a) (?:own )?(?:business|company)|startup|relocat\w+|whistle\w*|"
     r"freelanc\w+|sabbatical"),
    ("money",
     r"mortgage|loan|invest\w*|savings?|pension|stocks?|shares|crypto\w*|bitcoin|buy (?:a|the|this) (?:house|flat|"
     r"apartment)|"
     r"sell (?:my|the|our) (?:house|flat|apartment|car|shares)|rent or buy|life insurance|debts?|lend (?:him|her|"
     r"them|my)|gambl\w+"),
    ("relationships",
     r"marry|marriage|divorce|break up|breaking up|leave (?:my|him|her)|my (?:ex|wife|husband|girlfriend|"
     r"boyfriend|partner)|"
     r"propose to|have (?:a|another) (?:child|baby)|children or|adopt\w*|move in with|forgive (?:him|her|them|my)|"
     r"cut (?:off )?(?:contact|ties)|come out to|affair|cheat\w* on"),
    ("values",
     r"vote|voting|election|religio\w+|convert to|believe in god|pray|eat meat|go vegan|abortion is|death penalty|"
     r"political party"),
)  # fmt: skip
_TEACHES: Final = re.compile(
    r"\b(?:teach me|help me (?:learn|understand)|i(?: want| would like|'d like) to (?:learn|understand|"
    r"practi[sc]e)|"
    r"don'?t (?:just )?(?:tell|give) me the (?:answer|solution)|give me a hint|"
    r"without giving (?:me )?the answer|"
    r"let me (?:try|work it out)|walk me through|explain it so (?:that )?i can do it (?:myself|alone)|my homework)\b",
    re.IGNORECASE,
)
_NEARS: Final = re.compile(
    r"\b(?:(?:do|can|could|will) you (?:love|miss|like|marry|date) me|i(?:'m| am) in love with you|i love you|"
    r"(?:be|are you|you'?re|you are) my (?:best |only )?(?:friend|girlfriend|boyfriend|wife|husband|partner|"
    r"therapist|mother|mum)|"
    r"you(?:'re| are) the only (?:one|person)|(?:are|do) you (?:lonely|conscious|alive|have feelings|feel (?:sad|"
    r"love|pain))|"
    r"i (?:only|just) (?:want|need) (?:to talk )?(?:to )?you|better than (?:people|my friends|humans)|"
    r"nobody (?:else )?(?:talks to|understands|listens to) me|pretend (?:to be|you(?:'re| are)) my)\b",
    re.IGNORECASE,
)
_LEAD: Final = r"^(?:(?:please|now|and|then|can you|could you|would you|will you|just)[, ]+)*"
_OUTSIDE: Final = re.compile(
    _LEAD + r"(?:(?:e-?mail|text|message|whatsapp) (?!(?:me|us|is|in|to|from|about|for|an?)\b)[\w']+(?: [\w']+)?"
    r" (?:that|about|saying|to (?:say|tell|ask)|and (?:say|tell|ask)|i|i'm|we|we're)\b|"
    r"(?:send|forward|post|mail) (?!me\b|us\b)(?:[\w']+ ){0,4}?(?:it|this|that|them|e-?mails?|mails?|messages?|"
    r"letters?|notes?|invitations?|photos?|files?|money) to |"
    r"(?:send|write and send) (?:(?:an?|the|my|this|that) )?(?:e-?mail|text|message|letter|invitation)s?\b)",
    re.IGNORECASE,
)
_PAYS: Final = re.compile(
    _LEAD + r"(?:pay (?:the|my|our|this|that|all|it|for|\W?\d)|(?:transfer|wire) (?:money|the|my|our|\W?\d))",
    re.IGNORECASE,
)
_OBEYS: Final = re.compile(
    _LEAD + r"(?:do|follow|execute|carry out|obey)\b.{0,40}\b(?:[\w-]+\.(?:txt|md|pdf|html?|docx?)|"
    r"(?:the|that|this|my) (?:letter|document|file|pdf|e-?mail|note)s?)\b",
    re.IGNORECASE,
)


_MADE: Final = (
    r"(?:story|stories|tales?|fables?|poems?|limericks?|haikus?|sonnets?|songs?|lyrics|rhymes?|ballads?|riddles?|"
    r"jokes?|puns?|speech|toast|eulogy|dialogues?|monologues?|scenes?|sketch|plays?|novels?|chapters?|plots?|"
    r"characters?|legends?|myths?|titles?|slogans?|games?|worlds?|"
    r"(?:imaginary|invented|fictional|made-up|fantasy)\b.*)"
)
_MAKES: Final = re.compile(
    _LEAD + r"(?:i(?:'d| would) like (?:you to )?|i want (?:you to )?)?(?:(?:write|tell|make up|invent|compose|create|"
    r"draft|describe|dream up|come up with|think (?:up|of)|give|sing|improvise|make) (?:me |us )?"
    r"(?:(?!about\b|what\b|how\b|why\b|the\b|your\b)[\w'-]+ ){0,5}?" + _MADE + r"\b|imagine (?:an?|the|that)\b|"
    r"(?:make up|invent|dream up) (?:me |us )?(?:an?|some|one|two|three|four|five|ten|\d+|another)\b)",
    re.IGNORECASE,
)


def made_up(text: str) -> bool:
    """Whether it is a story, a song or a game that is wished for: nothing has to be known, seen or done for it."""
    return _MAKES.match(text.replace("\u2019", "'")) is not None


def life_decision(text: str) -> Domain | None:
    """The kind of decision the user asks to have made; None for any other message."""
    plain = text.replace("\u2019", "'")
    if not _DECIDES.search(plain):
        return None
    return next((domain for domain, words in _TOPICS if re.search(rf"\b(?:{words})\b", plain, re.IGNORECASE)), None)


def stance(text: str) -> Stance | None:
    """What this message asks of an assistant that leaves people their agency; None for most."""
    plain = text.replace("\u2019", "'")
    if life_decision(plain) is not None:
        return "decision"
    if _NEARS.search(plain):
        return "company"
    if _TEACHES.search(plain):
        return "teaching"
    if _OBEYS.search(plain):
        return "unread"
    if _PAYS.search(plain):
        return "payment"
    return "outside" if _OUTSIDE.search(plain) else None
