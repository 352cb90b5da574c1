"""When a recurring thing happens next."""

from datetime import UTC, datetime, timedelta
from itertools import islice

from dateutil.rrule import rrule, rrulestr

from assistant.policies.when.types import Recurrence
from assistant.policies.when.zones import resolve, to_local


def next_occurrences(recurrence: Recurrence, after: datetime, limit: int) -> tuple[datetime, ...]:
    """At most `limit` instants (aware UTC, ascending, distinct) strictly after the aware `after`.

    Expanded in naive wall time and then placed by `resolve`: the wall time stays through changes of clocks, one occurrence
    a local date. Rules by the hour, minute or second count elapsed time instead.
    """
    raise NotImplementedError
