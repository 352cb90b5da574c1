"""Is a number the user's? (pure)

A small model fills an amount with one it read somewhere, or with one it likes. A number counts as said when the message
has it in digits; a message with a number in words ("two", "a dozen") may mean it, and what it then means is the model's
to read.
"""

import re
from typing import Final

_DIGITS: Final = re.compile(r"\d+(?:[.,]\d+)*")
_AFTERNOON: Final = re.compile(r"\b(\d{1,2})(?:[:.]\d\d)? ?p\.?m\b", re.IGNORECASE)
_WORDS: Final = re.compile(
    r"\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|"
    r"seventy|eighty|ninety|hundred|thousand|million|dozen|half|quarter|couple|pair|both|once|twice|double|single)\b",
    re.IGNORECASE,
)


def is_number_said(value: float, message: str) -> bool:
    """ "1.200" and "1,200" are twelve hundred or one and a fifth: whichever the value is, it was said; "7pm" is 19."""
    written = [*_DIGITS.findall(message), *(str(int(hour) + 12) for hour in _AFTERNOON.findall(message))]
    return _WORDS.search(message) is not None or any(value in _readings(one) for one in written)


def _readings(written: str) -> set[float]:
    """As digits in groups, and with the last sign as the point of a fraction."""
    whole = float(re.sub(r"[.,]", "", written))
    head, sign, tail = re.sub(r"[.,](?=.*[.,])", "", written).replace(",", ".").rpartition(".")
    return {whole, float(f"{head}.{tail}")} if sign else {whole}
