"""Arithmetic as people write it, exactly (pure): + - * / ^ %, parentheses, thousands separators.

Numbers are fractions, so that 0.1 + 0.2 is 0.3. A percentage is a hundredth, and after + or - it is of what stands
before: 80 + 25% is 100. Everything is bounded: length, depth, size of numbers. No name and no code is ever read.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

MOST_CHARACTERS: Final = 500
MOST_DEPTH: Final = 50
MOST_BITS: Final = 20_000  # of numerator and denominator
MOST_EXPONENT: Final = 10_000
DIGITS: Final = 12  # shown of a fraction that does not end

_NUMBER: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[_' ]\d{3})*(?:\.\d+)?|\.\d+")
_SIGN: Final = re.compile(r"\*\*|[-+*/^%()]")
_SPOKEN: Final = {
    "×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "**": "^",
}  # fmt: skip


class NoSum(Exception):
    """What cannot be worked out, and why, in words."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """`text`: the value as it is shown. `exact`: whether that is all of it."""

    value: Fraction
    text: str
    exact: bool


def evaluate(text: str) -> Result:
    """Raises NoSum."""
    if len(text) > MOST_CHARACTERS:
        raise NoSum(f"That is longer than {MOST_CHARACTERS} characters.")
    reader = _Reader(_tokens(text))
    value = reader.sum(0)
    if reader.here != "":
        raise NoSum(f"{reader.here!r} does not belong there.")
    return _shown(value)


def _tokens(text: str) -> list[str]:
    for spoken, sign in _SPOKEN.items():
        text = text.replace(spoken, sign)
    tokens: list[str] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        match = _NUMBER.match(text, at) or _SIGN.match(text, at)
        if match is None:
            raise NoSum(f"{text[at]!r} is neither a number nor one of + - * / ^ % ( ).")
        tokens.append(match.group())
        at = match.end()
    if not tokens:
        raise NoSum("There is nothing to work out.")
    return tokens


class _Reader:
    """Recursive descent over sum, product, sign, power, percent."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0

    @property
    def here(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        token = self.here
        self._at += 1
        return token

    def sum(self, depth: int) -> Fraction:
        if depth > MOST_DEPTH:
            raise NoSum(f"That is nested more than {MOST_DEPTH} deep.")
        value = self._product(depth)[0]
        while self.here in ("+", "-") and self.here:
            sign = self._take()
            right, percent = self._product(depth)
            if percent:
                right *= value
            value = _bounded(value + right if sign == "+" else value - right)
        return value

    def _product(self, depth: int) -> tuple[Fraction, bool]:
        """The value, and whether it is a percentage alone."""
        value, percent = self._signed(depth)
        while self.here in ("*", "/"):
            sign = self._take()
            right, _ = self._signed(depth)
            if sign == "/" and right == 0:
                raise NoSum("A division by zero has no result.")
            value = _bounded(value * right if sign == "*" else value / right)
            percent = False
        return value, percent

    def _signed(self, depth: int) -> tuple[Fraction, bool]:
        sign = 1
        while self.here in ("+", "-"):
            sign = -sign if self._take() == "-" else sign
        value, percent = self._power(depth)
        return sign * value, percent

    def _power(self, depth: int) -> tuple[Fraction, bool]:
        base, percent = self._percent(depth)
        if self.here != "^":
            return base, percent
        self._take()
        if depth > MOST_DEPTH:
            raise NoSum(f"That is nested more than {MOST_DEPTH} deep.")
        negative = False
        while self.here in ("+", "-"):
            negative = negative != (self._take() == "-")
        exponent, _ = self._power(depth + 1)
        return _raised(base, -exponent if negative else exponent), False

    def _percent(self, depth: int) -> tuple[Fraction, bool]:
        value, percent = self._atom(depth), False
        while self.here == "%":
            self._take()
            value, percent = value / 100, True
        return value, percent

    def _atom(self, depth: int) -> Fraction:
        token = self._take()
        if token == "(":
            value = self.sum(depth + 1)
            if self._take() != ")":
                raise NoSum("A parenthesis is not closed.")
            return value
        if token == "" or not (token[0].isdecimal() or token[0] == "."):
            raise NoSum("A number is missing at the end." if token == "" else f"A number is missing before {token!r}.")
        return Fraction(re.sub(r"[,_' ]", "", token))


def _raised(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1:
        raise NoSum("Only whole exponents can be worked out exactly.")
    if base == 0 and exponent < 0:
        raise NoSum("A division by zero has no result.")
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(exponent) > MOST_EXPONENT or size * abs(exponent) > MOST_BITS and size > 1:
        raise NoSum("That number is too large.")
    return Fraction(base ** int(exponent))


def _bounded(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MOST_BITS:
        raise NoSum("That number is too large.")
    return value


def _shown(value: Fraction) -> Result:
    if value.denominator == 1:
        return Result(value=value, text=f"{value.numerator}", exact=True)
    whole, rest = divmod(abs(value), 1)
    scaled, left = divmod(rest.numerator * 10**DIGITS, rest.denominator)
    exact = left == 0
    if not exact and 2 * left >= rest.denominator:
        scaled += 1
        if scaled == 10**DIGITS:
            whole, scaled = whole + 1, 0
    sign = "-" if value < 0 else ""
    decimals = f"{scaled:0{DIGITS}d}".rstrip("0") or "0"
    return Result(value=value, text=f"{sign}{whole}.{decimals}", exact=exact)
