"""Clocks for tests. Time moves only when a test says so, or by a fixed step at each reading."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@dataclass(slots=True)
class FixedClock:
    """Stands still until `advance` moves it."""

    at: datetime = MONDAY

    def now(self) -> datetime:
        return self.at

    def advance(self, by: timedelta) -> None:
        self.at += by


@dataclass(slots=True)
class StepClock:
    """Each reading is one step later than the one before."""

    at: datetime = MONDAY
    step: timedelta = timedelta(seconds=1)

    def now(self) -> datetime:
        reading = self.at
        self.at += self.step
        return reading
