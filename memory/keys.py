"""Names and hashes of things: what is the same statement, the same object, the same forgotten thing. Pure."""

import hashlib
import unicodedata
from datetime import datetime

from memory.preferences import Candidate, Preference, PreferenceId

# Names for one thing that differ by country. Both sides mean the same in a preference about it.
SAME_THING = {
    "aubergine": "eggplant",
    "cilantro": "coriander",
    "courgette": "zucchini",
    "arugula": "rocket",
    "prawn": "shrimp",
    "soccer": "football",
    "colour": "color",
    "vscode": "vs code",
    "visual studio code": "vs code",
}
ARTICLES = ("the ", "a ", "an ")
KEEPS_FINAL_S = ("ss", "us", "is", "ous")


def content_hash(statement: str) -> str:
    """SHA-256 of the normalised words (the rule of Portable AI Memory 1.0: NFC, lower case, trimmed, single spaces)."""
    normalised = " ".join(unicodedata.normalize("NFC", statement).lower().split())
    return hashlib.sha256(normalised.encode("utf-8", "surrogatepass")).hexdigest()


def object_key(value: str, language: str = "en") -> str:
    """One spelling for one thing: case, spacing, width, English articles and plural."""
    key = " ".join(unicodedata.normalize("NFKC", value).casefold().split()).strip(".,;:!?\"'`()[]“”‘’ ")
    if language != "en":
        return key
    for article in ARTICLES:
        key = key.removeprefix(article)
    if len(key) > 4 and key.endswith("ies"):
        key = key[:-3] + "y"
    elif len(key) > 3 and key.endswith("s") and not key.endswith(KEEPS_FINAL_S):
        key = key[:-1]
    return SAME_THING.get(key, key)


def subject_key(preference: Preference | Candidate) -> str:
    """What an item is about: its object, or its whole statement when it has none."""
    return object_key(preference.object, preference.language) or "=" + content_hash(preference.statement)


def tombstone_keys(preference: Preference | Candidate) -> tuple[str, ...]:
    """Hashes that keep a forgotten item from coming back: its words, and its slot with object and polarity."""
    keys = ["words:" + content_hash(preference.statement)]
    if preference.object:
        about = f"{preference.slot}|{object_key(preference.object, preference.language)}|{preference.polarity}"
        keys.append("about:" + hashlib.sha256(about.encode("utf-8", "surrogatepass")).hexdigest())
    return tuple(keys)


def new_id(candidate: Candidate, at: datetime, ordinal: int) -> PreferenceId:
    """A short name, the same for the same input: 49.5 bits, so 10,000 items collide with probability 6e-8."""
    scope = candidate.scope
    parts = (candidate.statement, candidate.slot, scope.type, scope.value, candidate.condition, candidate.stance)
    seed = "\x1f".join((*parts, at.isoformat(), str(ordinal)))
    number = int.from_bytes(hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()[:8], "big")
    letters = "23456789abcdefghjkmnpqrstuvwxyz"
    digits = []
    for _ in range(10):
        number, index = divmod(number, len(letters))
        digits.append(letters[index])
    return PreferenceId("p" + "".join(digits))
