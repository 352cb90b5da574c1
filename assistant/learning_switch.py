"""What may be learned from what the user writes: nothing while it is off, and never from domains the user closed.

One object a run, read at each message, so that a change holds at once. What the user keeps by hand (`/remember`, the
memory screen, an import) is not learning and is not stopped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory.preferences import DOMAINS

if TYPE_CHECKING:
    from assistant.settings import AssistantSettings
    from memory.preferences import Candidate, Domain


@dataclass(slots=True)
class LearningSwitch:
    on: bool = True
    closed: frozenset[Domain] = frozenset()

    @classmethod
    def of(cls, settings: AssistantSettings) -> LearningSwitch:
        return cls(on=settings.learn, closed=frozenset(domains_in(settings.learn_not)))

    def admitted(self, candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
        """Those that may be learned."""
        return tuple(one for one in candidates if self.admits(one.domain))

    def admits(self, domain: Domain) -> bool:
        return self.on and domain not in self.closed


def domains_in(text: str) -> Sequence[Domain]:
    """ "health, people" as domains. Raises ValueError for a word that is none."""
    words = [word.strip().lower().replace("-", "_").replace(" ", "_") for word in text.split(",") if word.strip()]
    known = {domain: domain for domain in DOMAINS}
    for word in words:
        if word not in known:
            raise ValueError(f"there is no domain {word!r}; there are {', '.join(DOMAINS)}")
    return tuple(known[word] for word in words if word in known)
