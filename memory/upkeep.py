"""What time does to memory: expiry by date, slow loss of confidence. Pure; at most a few changes a run.

Decay ranks and demotes, it never deletes, and being shown does not count as being true: only words of the user
reinforce (a memory that strengthens itself by use confirms its own mistakes).
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from memory.changes import Change, Demote, Expire
from memory.preferences import LIVE, Preference, Source

HALF_LIFE: dict[Source, timedelta | None] = {
    "explicit": None,
    "corrected": None,
    "confirmed": timedelta(days=730),
    "imported": timedelta(days=180),
    "inferred": timedelta(days=60),
}
INFERRED_HABIT_HALF_LIFE = timedelta(days=30)
DEMOTE_BELOW = 0.35
LOOK_AGAIN_AFTER = timedelta(days=365)
MOST_CHANGES = 10


def confidence_at(preference: Preference, now: datetime) -> float:
    """alpha / (alpha + beta), halved every half-life since the user last said it; 0..1."""
    half_life = HALF_LIFE[preference.source]
    if half_life is not None and preference.source == "inferred" and preference.kind == "habit":
        half_life = INFERRED_HABIT_HALF_LIFE
    if half_life is None:
        return preference.confidence
    age = now - (preference.last_reinforced_at or preference.recorded_at)
    return preference.confidence * float(0.5 ** (max(age, timedelta()) / half_life))


def upkeep(known: Iterable[Preference], now: datetime) -> tuple[Change, ...]:
    """Expire what its date ended, demote inferred items that faded; the most overdue first, MOST_CHANGES at most."""
    expired: list[Change] = []
    demoted: list[tuple[float, Change]] = []
    for preference in sorted(known, key=lambda preference: (preference.valid_to or now, preference.id)):
        ended = preference.valid_to is not None and preference.valid_to <= now
        if ended and preference.status in LIVE and preference.contests is None:
            expired.append(Expire(id=preference.id, reason="its time has passed"))
        elif preference.status == "active" and preference.source == "inferred" and not preference.protected:
            confidence = confidence_at(preference, now)
            if confidence < DEMOTE_BELOW:
                demoted.append((confidence, Demote(id=preference.id, reason="not heard of for long")))
    demoted.sort(key=lambda pair: pair[0])
    return (*expired, *(change for _, change in demoted))[:MOST_CHANGES]


def due_for_review(preference: Preference, now: datetime) -> bool:
    """Worth asking whether it still holds: its review date passed, or nobody spoke of it for a year."""
    if preference.status != "active" or preference.kind == "identity":
        return False
    if preference.review_after is not None:
        return preference.review_after <= now
    return now - (preference.last_reinforced_at or preference.recorded_at) > LOOK_AGAIN_AFTER
