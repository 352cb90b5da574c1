"""The vocabulary of time: tables, and the pieces of patterns made from them. Everything is lower case."""

from collections.abc import Iterable
from typing import Final

WEEKDAYS: Final = {
    "monday": 0, "mon": 0,
    "tuesday": 1, "tues": 1, "tue": 1,
    "wednesday": 2, "weds": 2, "wed": 2,
    "thursday": 3, "thurs": 3, "thur": 3, "thu": 3,
    "friday": 4, "fri": 4,
    "saturday": 5, "sat": 5,
    "sunday": 6, "sun": 6,
}  # fmt: skip
# Short names that are words of their own: they need a preposition or another piece of time beside them.
WEAK_WORDS: Final = frozenset(
    {"mon", "wed", "sat", "sun", "may", "march", "mar", "august", "dec", "jun", "sec", "second"}
)

MONTHS: Final = {
    "january": 1, "jan": 1, "february": 2, "feb": 2, "march": 3, "mar": 3, "april": 4, "apr": 4, "may": 5,
    "june": 6, "jun": 6,
    "july": 7, "jul": 7, "august": 8, "aug": 8, "september": 9, "sept": 9, "sep": 9, "october": 10, "oct": 10,
    "november": 11, "nov": 11, "december": 12, "dec": 12,
}  # fmt: skip
MONTH_NAMES: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAY_NAMES: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
RRULE_DAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")

UNITS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS: Final = {
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
ORDINAL_UNITS: Final = (
    "zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
)  # fmt: skip
ORDINAL_TENS: Final = {"twentieth": 20, "thirtieth": 30}

# Spans. Days, months and years move along the calendar; hours, minutes and seconds are counted.
SPAN_UNITS: Final = {
    "seconds": "second", "second": "second", "secs": "second", "sec": "second", "s": "second",
    "minutes": "minute", "minute": "minute", "mins": "minute", "min": "minute", "m": "minute",
    "hours": "hour", "hour": "hour", "hrs": "hour", "hr": "hour", "h": "hour",
    "days": "day", "day": "day", "d": "day", "nights": "day", "night": "day",
    "weeks": "week", "week": "week", "wks": "week", "wk": "week", "w": "week",
    "fortnights": "fortnight", "fortnight": "fortnight",
    "months": "month", "month": "month",
    "quarters": "quarter", "quarter": "quarter",
    "years": "year", "year": "year", "yrs": "year", "yr": "year", "y": "year", "decades": "decade", "decade": "decade",
    "weekends": "weekend", "weekend": "weekend",
}  # fmt: skip

# Parts of the day: the field of DefaultTimes, and the hours in which a bare "7" is meant when the word is said with it.
DAY_PARTS: Final = {
    "morning": "morning", "mornings": "morning",
    "noon": "noon", "noons": "noon", "midday": "noon", "mid-day": "noon", "mid day": "noon", "lunchtime": "noon",
    "lunch time": "noon", "lunch-time": "noon",
    "afternoon": "afternoon", "afternoons": "afternoon",
    "evening": "evening", "evenings": "evening", "dinnertime": "evening", "dinner time": "evening",
    "night": "night", "nights": "night", "nighttime": "night", "night-time": "night",
    "tonight": "tonight", "tonite": "tonight",
}  # fmt: skip
# "early morning": (hour, minute); what is not here takes the default of the part itself.
SHADED_PARTS: Final = {
    ("early", "morning"): (8, 0), ("late", "morning"): (11, 0), ("mid", "morning"): (10, 0), ("later",
    "morning"): (11, 0),
    ("early", "afternoon"): (13, 0), ("late", "afternoon"): (16, 0), ("mid", "afternoon"): (14, 0), ("later",
    "afternoon"): (16, 0),
    ("early", "evening"): (18, 0), ("late", "evening"): (21, 0), ("late", "night"): (22, 0),
}  # fmt: skip

# Words in a title that say which half of the day a bare hour is in.
MORNING_TITLES: Final = frozenset({"wake", "breakfast", "sunrise"})
EVENING_TITLES: Final = frozenset(
    {"dinner", "supper", "cinema", "movie", "concert", "party", "theatre", "pub", "drinks", "sunset"}
)

# What may follow "the 5th" or "5th" and makes it something else than a day.
NOT_A_DAY: Final = frozenset({
    "floor", "wave", "birthday", "avenue", "street", "edition", "anniversary", "chapter", "place", "century",
    "grade", "time",
    "quarter", "week", "month", "year", "hour", "minute", "round", "draft", "page", "version", "item", "row", "attempt",
    "element", "amendment", "symphony", "grader", "generation", "person", "one", "half", "world", "law", "aid", "class",
})  # fmt: skip

FIXED_HOLIDAYS: Final = {
    "christmas eve": (12, 24), "christmas day": (12, 25), "christmas": (12, 25), "xmas": (12, 25),
    "boxing day": (12, 26),
    "new year's eve": (12, 31), "new years eve": (12, 31), "new year's day": (1, 1), "new years day": (1, 1),
    "new year's": (1, 1), "new year": (1, 1), "halloween": (10, 31), "valentine's day": (2, 14),
    "valentines day": (2, 14),
}  # fmt: skip


def either(words: Iterable[str]) -> str:
    """An alternation, longest first, so that "monday" is not read as "mon"."""
    return "(?:" + "|".join(sorted(words, key=lambda word: (-len(word), word))) + ")"


GAP: Final = r"\s*+"
END: Final = r"(?![\w])"  # not inside a word
_CARDINAL_WORD: Final = rf"(?:{either(TENS)}(?:[ -]{either(UNITS[1:10])})?|{either(UNITS)})"
_ORDINAL_WORD: Final = (
    rf"(?:{either(ORDINAL_TENS)}|(?:twenty|thirty)[ -]{either(ORDINAL_UNITS[1:10])}|{either(ORDINAL_UNITS[1:])})"
)
NUMBER: Final = rf"(?:\d{{1,4}}(?:[.]\d{{1,2}})?|{_CARDINAL_WORD})"
SMALL: Final = rf"(?:\d{{1,2}}|{_CARDINAL_WORD})"  # an hour, a minute, a day
ORDINAL: Final = rf"(?:\d{{1,3}}(?:st|nd|rd|th)|{_ORDINAL_WORD})"
WEEKDAY: Final = either(WEEKDAYS)
MONTH: Final = either(MONTHS)
SPAN_UNIT: Final = either(SPAN_UNITS)
_YEAR_TAIL: Final = rf"{either(TENS)}(?:[ -]{either(UNITS[1:10])})?|{either(UNITS[10:])}"
YEAR_WORDS: Final = (
    rf"(?:(?:nineteen|twenty)[ -](?:{_YEAR_TAIL})|two thousand(?:(?: and)? (?:{_YEAR_TAIL}|{either(UNITS[1:10])}))?)"
)


def number(text: str) -> float:
    """The value of something NUMBER, SMALL or ORDINAL matched: "2.5", "twenty-one", "21st", "third"."""
    bare = text.strip()
    digits = bare.rstrip("sthndr") if bare[:1].isdigit() else bare
    if digits[:1].isdigit():
        return float(digits)
    total = 0
    for word in bare.replace("-", " ").split():
        if word in TENS:
            total += TENS[word]
        elif word in ORDINAL_TENS:
            total += ORDINAL_TENS[word]
        elif word in UNITS:
            total += UNITS.index(word)
        elif word in ORDINAL_UNITS:
            total += ORDINAL_UNITS.index(word)
    return float(total)


def year(text: str) -> int:
    """The value of a year: "2026", "26", "nineteen seventy eight", "two thousand and thirty two"."""
    bare = text.strip().strip("'").replace("-", " ")
    if bare.isdigit():
        value = int(bare)
        if len(bare) > 2:
            return value
        return 2000 + value if value < 70 else 1900 + value
    words = bare.split()
    if words[:2] == ["two", "thousand"]:
        return 2000 + int(number(" ".join(words[2:]).removeprefix("and ")))
    return (1900 if words[0] == "nineteen" else 2000) + int(number(" ".join(words[1:])))
