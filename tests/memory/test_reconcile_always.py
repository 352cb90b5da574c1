"""Reconciling, whatever comes in: what always holds."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from memory.changes import (
    Ignore,
    Refine,
    Reinforce,
)
from memory.keys import subject_key
from memory.preferences import Candidate
from memory.reconcile import reconcile
from memory.transitions import clash, same_evidence
from tests.support.clock import MONDAY
from tests.support.memories import after, candidates, learned
from tests.support.reconciling import LATER

# --- what always holds ---------------------------------------------------------------------------------------

batches = st.lists(candidates(), max_size=8).map(
    lambda batch: sorted(batch, key=lambda candidate: candidate.evidence.message_id or 0)
)


@given(batches, batches)
def test_asking_again_changes_nothing(before: list[Candidate], batch: list[Candidate]) -> None:
    known = learned(*before)
    items = after(known, reconcile(known, batch, (), LATER), LATER)
    again = reconcile(items, batch, (), LATER)
    assert [change for change in again if not isinstance(change, Ignore)] == []


@given(batches, batches)
def test_no_evidence_is_ever_dropped(before: list[Candidate], batch: list[Candidate]) -> None:
    known = learned(*before)
    items = after(known, reconcile(known, batch, (), LATER), LATER)
    for item in known:
        (now,) = (other for other in items if other.id == item.id)
        assert all(any(same_evidence(one, other) for other in now.evidence) for one in item.evidence)


@given(batches, candidates())
def test_a_new_fact_is_always_stored(before: list[Candidate], candidate: Candidate) -> None:
    known = learned(*before)
    changes = reconcile(known, [candidate], (), LATER)
    if any(isinstance(change, Ignore) for change in changes):
        return
    items = after(known, changes, LATER)
    assert any(same_evidence(candidate.evidence, one) for item in items for one in item.evidence)


@given(batches, candidates(spoken=True))
def test_the_users_word_never_ends_in_nothing(before: list[Candidate], candidate: Candidate) -> None:
    """After "I love it" and "I hate it" the store is never empty of the subject (mem0 issue 4536)."""
    candidate = replace(candidate, stance="supports")
    items = after(known := learned(*before), reconcile(known, [candidate], (), LATER), LATER)
    about = [
        item.preference.status
        for item in items
        if item.preference.slot == candidate.slot and subject_key(item.preference) == subject_key(candidate)
    ]
    assert {"active", "disputed", "superseded"} & set(about)


@given(batches, batches)
def test_opposites_are_never_merged(before: list[Candidate], batch: list[Candidate]) -> None:
    known = learned(*before)
    state = {item.id: item for item in known}
    for candidate in batch:
        for change in reconcile(state.values(), [candidate], (), LATER):
            if isinstance(change, Reinforce | Refine) and candidate.stance == "supports":
                assert state[change.id].preference.polarity == candidate.polarity
            state = {item.id: item for item in after(state.values(), [change], LATER)}


@given(batches, candidates())
def test_another_slot_scope_or_condition_is_never_touched(before: list[Candidate], candidate: Candidate) -> None:
    known = learned(*before)
    items = after(known, reconcile(known, [candidate], (), LATER), LATER)
    place = (candidate.slot, candidate.scope, candidate.condition)
    for item in known:
        if (item.preference.slot, item.preference.scope, item.preference.condition) != place:
            assert item in items


@given(batches, batches)
def test_pinned_items_and_hard_limits_stay_in_force(before: list[Candidate], batch: list[Candidate]) -> None:
    known = learned(*(replace(one, valid_to=None) for one in before))
    guarded = [item for item in known if item.preference.status == "active" and item.preference.protected]
    items = {item.id: item for item in after(known, reconcile(known, batch, (), LATER), LATER)}
    assert all(items[item.id].preference.status == "active" for item in guarded)


@given(batches)
def test_nothing_in_force_contradicts_anything_else_in_force(batch: list[Candidate]) -> None:
    active = [item.preference for item in learned(*batch) if item.preference.status == "active"]
    assert not any(clash(one, other) for one in active for other in active if one.id != other.id)


@given(batches)
def test_a_batch_and_its_candidates_one_by_one_end_alike(batch: list[Candidate]) -> None:
    together = after((), reconcile((), batch, (), MONDAY), MONDAY)
    assert sorted(together, key=lambda item: item.id) == sorted(learned(*batch), key=lambda item: item.id)


@given(st.lists(candidates(spoken=False), max_size=12))
def test_a_model_alone_makes_nothing_active_that_contradicts_or_is_private(batch: list[Candidate]) -> None:
    for item in learned(*batch):
        if item.preference.status == "active":
            sessions = {evidence.session_id for evidence in item.evidence}
            assert len(item.evidence) >= 3
            assert len(sessions) >= 2
            assert item.preference.sensitivity != "special"
            assert item.preference.source == "inferred"
