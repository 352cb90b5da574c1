"""A reading in words: weekday, date, time and zone, always."""

from datetime import datetime

from assistant.policies.when.types import Reading


def describe(reading: Reading, now: datetime) -> str:
    """For example "Sun 6 Dec 2026 18:00 (Europe/Berlin), in 4 days". `parse` reads it back."""
    raise NotImplementedError
