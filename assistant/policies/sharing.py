"""What of a profile leaves the home by itself, and what only when it is asked for. Pure.

A default export is what one would hand to another assistant without a second thought: nothing that is marked personal
or special, no money, papers, addresses or health by its words, nothing about other people, and none of that in quotes
or earlier states either. It errs on the side of staying at home. Secrets never leave, whatever is asked for.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from assistant.policies.language import Language
from assistant.policies.sensitivity import holds_a_secret
from memory.changes import Delta, HistoryEntry
from memory.portable.sections import Json
from memory.preferences import Domain, Item, Preference, PreferenceId
from memory.profile_state import Snapshot
from memory.slots import slot

Reach = Literal["ordinary", "personal", "special", "others", "secret"]
_WEIGHT: dict[Reach, int] = {"ordinary": 0, "personal": 1, "others": 2, "special": 3, "secret": 4}
_REACHABLE = re.compile(r"[\d@]")
STAYS: tuple[Reach, ...] = ("personal", "special", "others", "secret")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """`snapshot` is what goes. `going`: how many memories of each domain; `staying`: how many of each reach."""

    snapshot: Snapshot
    going: tuple[tuple[Domain, int], ...]
    staying: tuple[tuple[Reach, int], ...]
    quotes_staying: int


@dataclass(slots=True)
class Sharing:
    """Judges texts, each only once: quotes and earlier states mostly repeat the statement."""

    language: Language
    everything: bool = False
    _words: dict[str, Reach] = field(default_factory=dict)
    _left: int = 0

    def share(self, snapshot: Snapshot) -> Shared:
        self._left = 0
        reaches = [(item, self.reach(item.preference)) for item in snapshot.items]
        kept = [item for item, reach in reaches if self._goes(reach)]
        there = {item.id for item in kept}
        out = {item.id for item, _ in reaches} - there
        items = tuple(_linked(self._told(item), there) for item in kept)
        left = self._left
        history = tuple(self._history(snapshot.history, out))
        shown = Snapshot(
            items=items, history=history, tombstones=snapshot.tombstones if self.everything else frozenset()
        )
        domains = Counter(item.preference.domain for item in items)
        staying = Counter(reach for _, reach in reaches if not self._goes(reach))
        return Shared(
            snapshot=shown,
            going=tuple(sorted(domains.items(), key=lambda pair: (-pair[1], pair[0]))),
            staying=tuple((reach, staying[reach]) for reach in STAYS if staying[reach]),
            quotes_staying=left,
        )

    def reach(self, one: Preference) -> Reach:
        parts = (one.statement, one.object, one.condition, one.scope.value)
        words = max((self.words(part) for part in parts if part), key=_WEIGHT.__getitem__)
        marked = one.sensitivity if one.sensitivity != "normal" else slot(one.slot).sensitivity
        if words == "secret" or marked == "secret":
            return "secret"
        if words == "special" or marked == "special":
            return "special"
        if words == "others" or one.domain == "people" or one.scope.type == "person":
            return "others"
        return "personal" if marked == "personal" else "ordinary"

    def words(self, text: str) -> Reach:
        """By the words alone."""
        known = self._words.get(text)
        if known is None:
            known = self._words[text] = _by_words(text, self.language)
        return known

    def value(self, value: Json) -> Json:
        """A section of another part, without the texts that stay and the entries of lists that hold one."""
        if isinstance(value, str):
            return value if self._goes(self.words(value)) else None
        if isinstance(value, Mapping):
            return {key: self.value(one) for key, one in value.items() if not self._stays(one)}
        if isinstance(value, Sequence):
            return [self.value(one) for one in value if not self._entry_stays(one)]
        return value

    def _stays(self, value: Json) -> bool:
        """A text by its words; an object in a list by the words of its own texts."""
        if isinstance(value, str):
            return not self._goes(self.words(value))
        if isinstance(value, Mapping):
            return any(isinstance(one, str) and self._stays(one) for one in value.values())
        return False

    def _entry_stays(self, value: Json) -> bool:
        """An entry of a list stays whole: also for one text in a list of its own."""
        lists = [one for one in value.values() if isinstance(one, list)] if isinstance(value, Mapping) else []
        return self._stays(value) or any(self._stays(one) for texts in lists for one in texts)

    def _goes(self, reach: Reach) -> bool:
        return reach == "ordinary" or (self.everything and reach != "secret")

    def _told(self, item: Item) -> Item:
        """Without the quotes that stay."""
        if all(self._goes(self.words(one.quote)) for one in item.evidence):
            return item
        kept = tuple(one for one in item.evidence if self._goes(self.words(one.quote)))
        self._left += len(item.evidence) - len(kept)
        return replace(item, evidence=kept)

    def _history(self, history: Iterable[HistoryEntry], out: set[PreferenceId]) -> Iterator[HistoryEntry]:
        """Without the changes of what stays; one that is left with nothing to say is not told."""
        for entry in history:
            deltas = tuple(self._delta(delta, out) for delta in entry.deltas if self._may_tell(delta, out))
            if deltas or not entry.deltas:
                yield entry if deltas == entry.deltas else replace(entry, deltas=deltas)

    def _may_tell(self, delta: Delta, out: set[PreferenceId]) -> bool:
        if delta.id in out:
            return False
        states = (delta.before, delta.after)
        return all(state is None or self._goes(self.reach(state.preference)) for state in states)

    def _delta(self, delta: Delta, out: set[PreferenceId]) -> Delta:
        before = None if delta.before is None else _unlinked(self._told(delta.before), out)
        after = None if delta.after is None else _unlinked(self._told(delta.after), out)
        if before is delta.before and after is delta.after:
            return delta
        return replace(delta, before=before, after=after)


def _by_words(text: str, language: Language) -> Reach:
    if holds_a_secret(text):
        return "secret"
    patterns, low = language.patterns, text.lower().replace("’", "'")
    if patterns["special.words"].search(low) or patterns["sharing.private"].search(low):
        return "special"
    if patterns["sharing.foreign"].search(low):
        return "special"
    if _REACHABLE.search(low) and patterns["sharing.contact"].search(low):
        return "special"
    about_others = patterns["sharing.others"].search(low) or patterns["sharing.named"].search(text)
    return "others" if about_others else "ordinary"


def _linked(item: Item, there: set[PreferenceId]) -> Item:
    """With links only to what goes too."""
    one = item.preference
    next_one = one.superseded_by if one.superseded_by in there else None
    contests = one.contests if one.contests in there else None
    if (next_one, contests) == (one.superseded_by, one.contests):
        return item
    return replace(item, preference=replace(one, superseded_by=next_one, contests=contests))


def _unlinked(item: Item, out: set[PreferenceId]) -> Item:
    one = item.preference
    next_one = None if one.superseded_by in out else one.superseded_by
    contests = None if one.contests in out else one.contests
    if (next_one, contests) == (one.superseded_by, one.contests):
        return item
    return replace(item, preference=replace(one, superseded_by=next_one, contests=contests))
