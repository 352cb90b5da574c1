"""Names, one-line summaries, and which of the user's words are about a tool (pure).

The model and the rules read no more of a server's text than the user was shown when they approved it.
"""

import re
import unicodedata
from collections.abc import Sequence

from assistant.policies.cleaning import REPLACEMENT, clean_line
from assistant.tools.mcp.types import ListedTool
from assistant.tools.types import Effect, ToolName

SUMMARY = 160
_GRAVE = frozenset(
    ("pay", "payment", "transfer", "purchase", "buy", "checkout", "order", "refund", "donate", "withdraw", "invest")
)
_STOP = frozenset(
    re.findall(
        r"\w+",
        "a an and any are as at be by can data for from get has have how i if in into is it its list me my of on or our"
        " please returns return some that the their them then there these this to tool tools use used uses using via"
        " was what when where which who will with you your all given one out up new set make show tell run do does",
    )
)
_ASKS = re.compile(
    r"^\W*(?:please\b|(?:can|could|would|will) you\b|i(?:'d| would) like (?:you )?to\b|i (?:want|need) (?:you )?to\b"
    r"|let's\b|go ahead and\b|what\b|which\b|who\b|where\b|when\b|how\b|is there\b|are there\b|do (?:i|we) have\b)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|```.*?```", re.DOTALL)


def tool_name(server: str, tool: str, taken: Sequence[str] = ()) -> ToolName:
    """ "mcp.mail.send_message": namespaced, so that no server can pass for another or for a built-in tool."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", tool)
    base = f"mcp.{server}.{re.sub(r'[^a-z0-9]+', '_', split.lower()).strip('_') or 'tool'}"
    name, number = base, 2
    while name in taken:
        name, number = f"{base}_{number}", number + 1
    return ToolName(name)


def summary_of(server: str, tool: ListedTool) -> str:
    """One line: the first sentence of its description, with what is invisible made visible, and whose tool it is."""
    said = visible(tool.description or tool.title or tool.name)
    first = re.split(r"(?<=[.!?])\s", said, maxsplit=1)[0]
    return f"{server}: {clean_line(first, SUMMARY)}"


def visible(text: str) -> str:
    """One line in which nothing hides: zero-width characters show as a replacement, runs of blanks are one."""
    shown = "".join(REPLACEMENT if unicodedata.category(one) == "Cf" else one for one in text)
    return clean_line(shown, 2_000)


def proposed_effect(tool: ListedTool) -> Effect:
    """Heavier for what sounds like money; never lighter for what a server claims."""
    return "grave" if _GRAVE & set(_split(tool.name)) else "external"


def is_about(text: str, tool: ListedTool) -> bool:
    """Whether a request in the user's words may mean this tool: it asks for something, and it says all words of the
    tool's name, or one of them and another of its description."""
    words = _split(_QUOTED.sub(" ", text))
    if not words:
        return False
    name = {word for word in _split(tool.name) if word not in _STOP}
    said = {word for word in words if word not in _STOP}
    described = {
        word for word in _split(f"{tool.title} {visible(tool.description)[:SUMMARY]}") if word not in _STOP
    } - name
    in_name = name & said
    if not in_name or not (_ASKS.match(text) or words[0] in name | described):
        return False
    return in_name == name or bool(described & said)


def _split(text: str) -> list[str]:
    """Words without their commonest endings: "sends" and "sending" are "send"."""
    parts = re.findall(r"[a-z]+|\d+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text).lower())
    return [_stem(part) for part in parts]


def _stem(word: str) -> str:
    for ending in ("ing", "es", "s", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 4 and not word.endswith("ss"):
            return word[: -len(ending)]
    return word
