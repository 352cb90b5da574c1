"""What must not be kept, and what is kept only with care. Pure.

Secrets (keys, passwords, card and account numbers) are refused always, whoever asks: a memory that is shown, exported
and put into prompts is no place for them. Special categories (health, belief, politics, sexuality, origin) are kept
because they matter (an allergy does), but flagged, and without "remember" they wait for a yes.
"""

import re

from assistant.policies.language import Language
from memory.preferences import Sensitivity
from memory.slots import slot as slot_row

_KEYS = re.compile(
    r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{16,}"  # API keys of several services
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"
    r"|\bhf_[A-Za-z0-9]{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{30,}"
    r"|\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*"  # a signed token
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
)
_NAMED = re.compile(
    r"\b(?:pass ?(?:word|phrase|code)|passwd|pwd|pin(?: code| number)?|cvv|cvc|tan|secret(?: key)?|api[ -]?key"
    r"|access[ -]?token|auth(?:entication)?[ -]?token|private[ -]?key|seed phrase|recovery (?:code|phrase)"
    r"|security code|login code|kennwort|passwort|mot de passe|contraseña)\b"
    r"[\w ']{0,30}?(?:\s*(?:=|:|\b(?:is|are|ist|est|es)\b)\s*|\s+(?=\S*\d))[\"'`]?(?!managers?\b|for\b)\S{3,}",
    re.IGNORECASE,
)
_LONG = re.compile(r"[\w-]{13}")  # there is no key in what has nothing so long
# Each way to name a secret holds one of these; looking for a few letters takes a tenth of the time.
_NAMES = ("pass", "pwd", "pin", "cvv", "cvc", "tan", "secret", "key", "token", "phrase", "code", "kennwort", "contrase")
_DIGITS = re.compile(r"(?<![\d.])\d(?:[ -]?\d){11,18}(?![\d.])")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
_SOCIAL_SECURITY = re.compile(r"\b\d{3}-\d{2}-\d{4}\b")
_RANDOM = re.compile(r"\b(?=\w*\d)(?=\w*[a-z])(?=\w*[A-Z])[A-Za-z0-9_-]{24,}\b")


def holds_a_secret(text: str) -> bool:
    """Whether anything in the text looks like a key, a password, or the number of a card or an account."""
    if (_LONG.search(text) or "-----BEGIN" in text) and (_KEYS.search(text) or _RANDOM.search(text)):
        return True
    if (_may_name_one(text) and _NAMED.search(text)) or _SOCIAL_SECURITY.search(text):
        return True
    cards = (re.sub(r"\D", "", match[0]) for match in _DIGITS.finditer(text))
    if any(13 <= len(digits) <= 19 and _luhn(digits) for digits in cards):
        return True
    return any(_is_iban(match[0].replace(" ", "")) for match in _IBAN.finditer(text))


def _may_name_one(text: str) -> bool:
    low = text.lower()
    return not text.isascii() or any(name in low for name in _NAMES)


def sensitivity_of(text: str, slot: str, language: Language) -> Sensitivity:
    if holds_a_secret(text):
        return "secret"
    if slot_row(slot).sensitivity == "special" or language.patterns["special.words"].search(text.lower()):
        return "special"
    return slot_row(slot).sensitivity


def _luhn(digits: str) -> bool:
    """The check digit of payment cards (ISO/IEC 7812-1)."""
    total = 0
    for index, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if index % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _is_iban(text: str) -> bool:
    """ISO 13616: the number modulo 97 is 1."""
    if not 15 <= len(text) <= 34:
        return False
    moved = text[4:] + text[:4]
    return int("".join(str(int(character, 36)) for character in moved)) % 97 == 1
