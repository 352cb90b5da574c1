"""One language's way of saying things, compiled from its table (assistant/languages/*.toml). Pure.

A table names patterns with `{macros}`; docs/languages.md explains it. A mistake in a table is found when it is
compiled, with the name of what is wrong.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memory.preferences import Kind, Polarity, Sensitivity, Strength
from memory.slots import SLOTS

Pattern = re.Pattern[str]

_MACRO = re.compile(r"\{([a-z_]+)\}")
_KINDS: Mapping[str, Kind] = {
    "preference": "preference",
    "constraint": "constraint",
    "instruction": "instruction",
    "identity": "identity",
    "fact": "fact",
    "goal": "goal",
    "habit": "habit",
}
_POLARITIES: Mapping[int, Polarity] = {-1: -1, 0: 0, 1: 1}
_STRENGTHS: Mapping[int, Strength] = {1: 1, 2: 2, 3: 3, 4: 4}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A way of saying something about oneself. `slot` "?x": by the words of the object, else x; "!g": only when the
    object is known to the lexicon, in the slots of group g."""

    name: str
    pattern: Pattern
    slot: str
    object: str = "{object}"
    polarity: Polarity = 1
    strength: Strength = 2
    kind: Kind | None = None
    sensitivity: Sensitivity | None = None
    many: bool = False  # the object may be a list of several
    nothing: bool = False  # fits so that nothing else does
    only: str = ""  # the object has to be one of this lexicon entry
    habits: Mapping[str, str] = field(default_factory=dict)  # slot by the verb
    strip_verb: frozenset[str] = frozenset()
    bare: Mapping[str, str] = field(default_factory=dict)  # object when the verb stands alone
    need_known: frozenset[str] = frozenset()  # verbs after which the object has to be in the lexicon


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """What a wish about answers can be about."""

    slot: str
    object: str
    pattern: Pattern
    only_after_answer: bool = False
    absolute: bool = False  # "too long" already says which way; a negation does not turn it around


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite:
    pattern: Pattern
    into: str

    def apply(self, text: str) -> str | None:
        """The text said the other way, if it fits."""
        match = self.pattern.match(text)
        if match is None:
            return None
        return self.into.format(**match.groupdict(default="")) + text[match.end() :]


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    code: str
    name: str
    numbers: Mapping[str, int]
    answer_languages: Mapping[str, str]
    patterns: Mapping[str, Pattern]
    rules: tuple[Rule, ...]
    topics: tuple[Topic, ...]
    lapses: tuple[Rewrite, ...]
    person_verbs: tuple[Rewrite, ...]
    filler: frozenset[str]
    lexicon: Mapping[str, str]  # words to slot
    groups: Mapping[str, frozenset[str]]
    favourites: Mapping[str, str]
    shunned: Mapping[str, tuple[str, ...]]  # words that dishes for a diet do not hold
    joined: tuple[str, ...]
    longest: int  # words of the longest lexicon entry


_PATTERNS = (
    "own_words",
    "objects",
    "commands",
    "instructions",
    "family",
    "special",
    "sharing",
    "notice",
    "diets",
)


def compile_language(table: Mapping[str, Any]) -> Language:
    """Raises ValueError naming the entry that is wrong."""
    macros = dict(table["macros"])
    numbers = {str(word): int(value) for word, value in table["numbers"].items()}
    languages = {str(word): str(value) for word, value in table["answer_languages"].items()}
    macros["number"] = r"(?:\d{1,3}|" + "|".join(word for word in numbers if len(word) > 1) + ")"
    macros["answer_language"] = "(?:" + "|".join(languages) + ")"
    macros["instruction_verbs"] = str(table["instructions"]["verbs"])
    expand = _Expander(macros)
    lexicon = {
        word.strip(): slot for slot, words in table["lexicon"].items() for word in words.split(",") if word.strip()
    }
    unknown = [slot for slot in lexicon.values() if slot not in SLOTS]
    if unknown:
        raise ValueError(f"the lexicon names a slot that does not exist: {unknown[0]}")
    return Language(
        code=table["code"],
        name=table["name"],
        numbers=numbers,
        answer_languages=languages,
        patterns={
            f"{section}.{name}": expand.compiled(f"{section}.{name}", text)
            for section in _PATTERNS
            for name, text in table[section].items()
            if isinstance(text, str) and name not in ("filler", "joined", "verbs", "meat", "fish", "animal")
        },
        rules=tuple(_rule(row, expand) for row in table["rule"]),
        topics=tuple(_topic(row, expand) for row in table["topic"]),
        lapses=tuple(_rewrite(pair, expand, "lapse") for pair in table["commands"]["lapse"]),
        person_verbs=tuple(_rewrite(pair, expand, "family.verbs") for pair in table["family"]["verbs"]),
        filler=frozenset(table["instructions"]["filler"].split()),
        lexicon=lexicon,
        groups={name: frozenset(slots.split()) for name, slots in table["lexicon_groups"].items()},
        favourites=dict(table["favourites"]),
        shunned=_shunned(table["diets"]),
        joined=tuple(table["objects"]["joined"].split("|")),
        longest=max(len(words.split()) for words in lexicon),
    )


@dataclass(frozen=True, slots=True)
class _Expander:
    macros: Mapping[str, str]

    def text(self, name: str, pattern: str) -> str:
        for _ in range(3):  # macros may use macros
            pattern = _MACRO.sub(lambda match: self._value(name, match[1]), pattern)
        return pattern.replace("{{", "{").replace("}}", "}")

    def compiled(self, name: str, pattern: str, flags: int = 0) -> Pattern:
        try:
            return re.compile(self.text(name, pattern), flags)
        except re.error as error:
            raise ValueError(f"the pattern of {name} is wrong: {error}") from error

    def _value(self, name: str, macro: str) -> str:
        if macro not in self.macros:
            raise ValueError(f"the pattern of {name} uses an unknown macro: {macro}")
        return self.macros[macro]


def _rule(row: Mapping[str, Any], expand: _Expander) -> Rule:
    name = str(row["name"])
    slot = str(row.get("slot", ""))
    if slot and not slot.startswith("!") and slot.removeprefix("?") not in SLOTS:
        raise ValueError(f"the rule {name} names a slot that does not exist: {slot}")
    return Rule(
        name=name,
        pattern=expand.compiled(name, row["pattern"]),
        slot=slot,
        object=str(row.get("object", "{object}")),
        polarity=_POLARITIES[int(row.get("polarity", 1))],
        strength=_STRENGTHS[int(row.get("strength", 2))],
        kind=_KINDS[row["kind"]] if "kind" in row else None,
        sensitivity="special" if row.get("sensitivity") == "special" else None,
        many=bool(row.get("list", False)),
        nothing=bool(row.get("nothing", False)),
        only=str(row.get("only", "")),
        habits=_pairs(row.get("habits", "")),
        strip_verb=frozenset(str(row.get("strip_verb", "")).split()),
        bare=_pairs(row.get("bare", "")),
        need_known=frozenset(str(row.get("need_known", "")).split()),
    )


def _shunned(table: Mapping[str, Any]) -> Mapping[str, tuple[str, ...]]:
    return {
        diet: tuple(word.strip() for group in groups.split() for word in table[group].split(","))
        for diet, groups in table["shunned"].items()
    }


def _pairs(text: str) -> Mapping[str, str]:
    return dict(pair.split("=", 1) for pair in text.split())


def _topic(row: Mapping[str, Any], expand: _Expander) -> Topic:
    if row["slot"] not in SLOTS:
        raise ValueError(f"a topic names a slot that does not exist: {row['slot']}")
    return Topic(
        slot=row["slot"],
        object=row["object"],
        pattern=expand.compiled(f"topic {row['object']}", row["pattern"]),
        only_after_answer=bool(row.get("only_after_answer", False)),
        absolute=bool(row.get("absolute", False)),
    )


def _rewrite(pair: list[str], expand: _Expander, name: str) -> Rewrite:
    return Rewrite(pattern=expand.compiled(name, pair[0], re.IGNORECASE), into=pair[1])
