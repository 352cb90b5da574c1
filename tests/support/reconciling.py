"""Candidates reconciled with what is known, for tests."""

from datetime import timedelta

from memory.changes import Change
from memory.preferences import Candidate, Item
from memory.reconcile import reconcile
from tests.support.clock import MONDAY

LATER = MONDAY + timedelta(hours=1)


def decide(candidate: Candidate, *known: Item) -> Change:
    (change,) = reconcile(known, [candidate], (), LATER)
    return change
