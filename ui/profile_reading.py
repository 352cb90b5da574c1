"""What a file with a profile holds, of whatever kind it is. Pure."""

from dataclasses import dataclass

from assistant.policies.cleaning import clean
from memory.portable import loose, markdown, own_json, pam
from memory.portable.drafts import Foreign
from memory.portable.text_in import Unreadable, json_of, looks_like_json, text_of, whole_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    kind: str
    document: own_json.OwnProfile | Foreign
    notes: tuple[str, ...] = ()


def read_profile(content: bytes) -> Read:
    """Raises Unreadable."""
    text = text_of(content)
    if not looks_like_json(text):
        if markdown.is_ours(text):
            return Read(kind="Steward's own Markdown", document=markdown.read(text, clean))
        return Read(kind="a list of sentences", document=loose.read(text, clean))
    try:
        value = json_of(text)
    except Unreadable as error:
        saved = own_json.salvaged(whole_lines(text), clean) if f'"{own_json.FORMAT}"' in text[:500] else None
        if saved is None or not saved.items:
            raise
        note = f"{error.message} What stands whole on its line is read; the rest is not."
        return Read(kind="a damaged profile of Steward's", document=saved, notes=(note,))
    if own_json.is_own(value):
        return Read(kind="a profile of Steward's", document=own_json.read(value, clean))
    if pam.is_pam(value):
        return Read(kind="Portable AI Memory", document=pam.read(value, clean))
    if is_history(value):
        raise Unreadable("It is a history of conversations, not a profile.", "Import it: steward history import FILE")
    listed = loose.read_json(value, clean)
    if listed is None:
        raise Unreadable(
            "It is JSON, but none of the kinds that are known.",
            "Known: a profile of Steward's, Portable AI Memory 1.0, a list of sentences.",
        )
    return Read(kind="a list in JSON", document=listed)


def is_history(value: object) -> bool:
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and bool({"mapping", "chat_messages", "conversations"} & first.keys())
