"""What becomes of a candidate: the table of cases, forgetting, and bad input."""

from dataclasses import replace
from datetime import timedelta
from typing import cast

import pytest

from memory.changes import (
    Add,
    Contest,
    Deny,
    Dispute,
    Expire,
    Ignore,
    Pin,
    Refine,
    Reinforce,
    Retract,
    Supersede,
)
from memory.keys import tombstone_keys
from memory.preferences import Candidate, Scope, Strength
from memory.reconcile import STATEMENT_LIMIT, reconcile
from memory.transitions import denied
from tests.support.clock import MONDAY
from tests.support.memories import a_candidate, after, an_item, by_status, learned, said
from tests.support.reconciling import LATER, decide

# --- the table -----------------------------------------------------------------------------------------------


def test_what_the_user_says_is_active_at_once_and_keeps_its_quote() -> None:
    item = an_item(a_candidate("I hate coriander", polarity=-1))
    assert item.preference.status == "active"
    assert item.evidence == (said("I hate coriander"),)


@pytest.mark.parametrize("source", ["inferred", "imported"])
def test_what_nobody_said_outright_is_a_candidate(source: str) -> None:
    item = an_item(replace(a_candidate(), source=source))  # type: ignore[arg-type]
    assert item.preference.status == "candidate"


def test_saying_it_again_reinforces_and_keeps_the_old_words() -> None:
    known = an_item(a_candidate("I love coriander"))
    items = learned(a_candidate("coriander is the best", message=2), known=[known])
    (item,) = items
    assert item.preference.statement == "I love coriander"
    assert item.preference.confidence > known.preference.confidence
    assert [evidence.quote for evidence in item.evidence] == ["I love coriander", "coriander is the best"]


def test_the_opposite_supersedes_and_both_stay() -> None:
    items = learned(
        a_candidate("I love Chinese food", object="Chinese food"),
        a_candidate("I hate Chinese food", object="Chinese food", polarity=-1, message=2),
    )
    assert by_status(items) == {"superseded": ["I love Chinese food"], "active": ["I hate Chinese food"]}
    old = next(item.preference for item in items if item.preference.status == "superseded")
    assert old.superseded_by is not None
    assert old.valid_to is not None


def test_three_corrections_in_a_row_leave_the_last_and_a_chain() -> None:
    items = learned(
        a_candidate("call yourself Max", "reply_style.other", "assistant name: Max"),
        a_candidate("call me Ann", "identity.name", "Ann", message=2),
        a_candidate("no, call me Anna", "identity.name", "Anna", message=3, source="corrected"),
        a_candidate("FINAL: Anne", "identity.name", "Anne", message=4, source="corrected"),
    )
    names = {item.id: item.preference for item in items if item.preference.slot == "identity.name"}
    (current,) = (name for name in names.values() if name.status == "active")
    assert current.object == "Anne"
    chain = [name.superseded_by for name in names.values() if name.status == "superseded"]
    assert set(chain) <= set(names)
    assert len(set(chain)) == 2


def test_a_single_slot_holds_one_wanted_value() -> None:
    items = learned(
        a_candidate("I'm vegetarian", "food.diet", "vegetarian"),
        a_candidate("I eat fish now", "food.diet", "pescatarian", message=2),
    )
    assert by_status(items) == {"superseded": ["I'm vegetarian"], "active": ["I eat fish now"]}


def test_refusals_stand_beside_the_wanted_value_of_a_single_slot() -> None:
    items = learned(
        a_candidate("use numbered steps", "reply_style.format", "numbered steps"),
        a_candidate("no tables", "reply_style.format", "tables", -1, message=2),
        a_candidate("no headings", "reply_style.format", "headings", -1, message=3),
    )
    assert by_status(items) == {"active": ["no headings", "no tables", "use numbered steps"]}


def test_an_inferred_contradiction_is_one_question_and_changes_nothing() -> None:
    known = an_item(a_candidate("I love olives", object="olives"))
    first = a_candidate("olives again, yuck", object="olives", polarity=-1, source="inferred", message=2)
    items = learned(first, replace(first, evidence=said("olives, no", 3)), known=[known])
    assert by_status(items) == {"active": ["I love olives"], "disputed": ["olives again, yuck"]}
    disputed = next(item for item in items if item.preference.status == "disputed")
    assert disputed.preference.contests == known.id
    assert len(disputed.evidence) == 2


@pytest.mark.parametrize("strength", [2, 4])
def test_what_is_pinned_or_a_hard_limit_is_never_replaced_without_asking(strength: int) -> None:
    limit = a_candidate("never peanuts", "food.allergy", "peanuts", -1, strength=cast("Strength", strength))
    known = an_item(limit)
    if strength != 4:
        (known,) = after([known], [Pin(id=known.id)], LATER)
    change = decide(a_candidate("peanuts are fine", "food.allergy", "peanuts", 1, message=5), known)
    assert isinstance(change, Dispute)
    assert change.item.preference.contests == known.id


def test_a_narrower_scope_or_another_condition_coexists() -> None:
    items = learned(
        a_candidate("answer briefly", "reply_style.length", "short"),
        a_candidate(
            "long answers for the thesis",
            "reply_style.length",
            "long",
            message=2,
            scope=Scope(type="project", value="thesis"),
        ),
        a_candidate("long answers in maths", "reply_style.length", "long", message=3, condition="maths"),
    )
    assert list(by_status(items)) == ["active"]
    assert len(items) == 3


def test_no_longer_retracts_and_keeps_the_words_that_say_so() -> None:
    items = learned(
        a_candidate("I like Vim", "programming.editor", "Vim"),
        a_candidate("I no longer like Vim", "programming.editor", "Vim", message=2, stance="withdraws"),
    )
    (item,) = items
    assert item.preference.status == "retracted"
    assert [evidence.stance for evidence in item.evidence] == ["supports", "withdraws"]


def test_no_longer_ends_the_value_of_a_single_slot_without_naming_it() -> None:
    items = learned(
        a_candidate("answer in German", "reply_style.language", "German"),
        a_candidate("stop with that language", "reply_style.language", "", 0, message=2, stance="withdraws"),
    )
    assert by_status(items) == {"retracted": ["answer in German"]}


def test_the_end_of_something_unknown_is_kept_as_ended() -> None:
    change = decide(a_candidate("I no longer like Vim", "programming.editor", "Vim", stance="withdraws"))
    assert isinstance(change, Add)
    assert change.item.preference.status == "retracted"


def test_no_longer_of_a_pinned_item_asks() -> None:
    known = an_item(a_candidate("I'm vegetarian", "food.diet", "vegetarian"))
    (known,) = after([known], [Pin(id=known.id)], LATER)
    change = decide(
        a_candidate("I'm not vegetarian any more", "food.diet", "vegetarian", message=4, stance="withdraws"), known
    )
    assert isinstance(change, Dispute)


def test_a_withdrawal_touches_its_own_object_only() -> None:
    likes = learned(a_candidate("I like olives", object="olives"), a_candidate("I like nuts", object="nuts", message=2))
    (change,) = reconcile(
        likes, [a_candidate("no olives any more", object="olives", stance="withdraws", message=3)], (), LATER
    )
    assert isinstance(change, Retract)
    assert change.id == next(item.id for item in likes if item.preference.object == "olives")


def test_three_supports_in_two_sessions_make_it_active() -> None:
    def noticed(message: int, session: str) -> Candidate:
        return a_candidate(f"said {message}", message=message, session=session, source="inferred")

    items = learned(noticed(1, "s1"), noticed(2, "s1"))
    assert by_status(items) == {"candidate": ["said 1"]}
    still_one_session = learned(noticed(3, "s1"), known=items)
    assert by_status(still_one_session) == {"candidate": ["said 1"]}
    assert by_status(learned(noticed(3, "s2"), known=items)) == {"active": ["said 1"]}


def test_health_and_the_like_are_never_promoted_by_counting() -> None:
    def noticed(message: int) -> Candidate:
        return a_candidate(
            f"said {message}", "health.condition", "asthma", message=message, session=f"s{message}", source="inferred",
            sensitivity="special",
        )  # fmt: skip

    assert by_status(learned(*map(noticed, range(1, 9)))) == {"candidate": ["said 1"]}


def test_a_promotion_that_would_contradict_becomes_a_question() -> None:
    shown = [
        a_candidate(f"long {n}", "reply_style.length", "long", message=n, session=f"s{n}", source="inferred")
        for n in (1, 2)
    ]
    items = learned(*shown, a_candidate("short please", "reply_style.length", "short", message=3))
    changes = reconcile(
        items,
        [a_candidate("long 4", "reply_style.length", "long", message=4, session="s4", source="inferred")],
        (),
        LATER,
    )
    assert [type(change) for change in changes] == [Reinforce, Contest]


def test_the_users_own_word_makes_a_candidate_active() -> None:
    items = learned(
        a_candidate("olives?", object="olives", source="inferred"),
        a_candidate("I like olives", object="olives", message=2),
    )
    (item,) = items
    assert (item.preference.status, item.preference.source) == ("active", "explicit")
    assert item.preference.confidence >= 0.9


def test_said_more_strongly_is_kept_at_the_greater_strength() -> None:
    known = an_item(a_candidate("I'd rather not have nuts", object="nuts", polarity=-1))
    change = decide(a_candidate("never nuts", object="nuts", polarity=-1, strength=4, message=2), known)
    assert isinstance(change, Refine)
    (item,) = after([known], [change], LATER)
    assert item.preference.strength == 4


def test_what_was_said_earlier_does_not_undo_what_was_said_later() -> None:
    known = an_item(a_candidate("short answers", "reply_style.length", "short", message=9))
    change = decide(a_candidate("long answers", "reply_style.length", "long", message=3), known)
    assert isinstance(change, Add)
    assert change.item.preference.status == "superseded"
    assert change.item.preference.superseded_by == known.id


def test_a_clock_that_jumped_back_does_not_make_new_words_old() -> None:
    known = an_item(a_candidate("short answers", "reply_style.length", "short", message=9))
    back = MONDAY - timedelta(days=400)
    change = decide(a_candidate("long answers", "reply_style.length", "long", message=10, at=back), known)
    assert isinstance(change, Supersede)


def test_what_is_over_by_date_gives_way() -> None:
    known = an_item(
        a_candidate("short this week", "reply_style.length", "short", valid_to=MONDAY + timedelta(minutes=9))
    )
    changes = reconcile([known], [a_candidate("long ones", "reply_style.length", "long", message=20)], (), LATER)
    assert [type(change) for change in changes] == [Expire, Add]


def test_contradictory_imports_are_candidates_side_by_side_until_the_user_decides() -> None:
    items = learned(
        a_candidate("likes olives", object="olives", source="imported", message=None),
        a_candidate("dislikes olives", object="olives", polarity=-1, source="imported", message=None),
    )
    assert by_status(items) == {"candidate": ["dislikes olives", "likes olives"]}


def test_what_the_user_denied_is_not_proposed_again_but_may_be_said() -> None:
    inferred = an_item(a_candidate("olives?", object="olives", source="inferred"))
    (item,) = after([inferred], [Deny(id=inferred.id)], LATER)
    assert denied(item)
    again = decide(a_candidate("olives!", object="olives", source="inferred", message=7), item)
    assert isinstance(again, Ignore)
    assert again.because == "denied"
    assert isinstance(decide(a_candidate("I do like olives", object="olives", message=8), item), Add)


# --- forgetting, bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["explicit", "inferred", "imported"])
def test_a_tombstone_keeps_it_from_being_learned_again(source: str) -> None:
    forgotten = tombstone_keys(an_item(a_candidate("I hate olives", object="olives", polarity=-1)).preference)
    same_words = replace(a_candidate("i hate  OLIVES", object="", polarity=-1), source=source)  # type: ignore[arg-type]
    same_thing = replace(a_candidate("olives: never", object="olives", polarity=-1), source=source)  # type: ignore[arg-type]
    for candidate in (same_words, same_thing):
        (change,) = reconcile([], [candidate], forgotten, LATER)
        assert isinstance(change, Ignore)
        assert change.because == "forgotten"


def test_asking_to_remember_lifts_the_tombstone() -> None:
    candidate = a_candidate("I hate olives", object="olives", polarity=-1, requested=True)
    (change,) = reconcile([], [candidate], tombstone_keys(candidate), LATER)
    assert isinstance(change, Add)
    assert change.lifts == tombstone_keys(candidate)


@pytest.mark.parametrize(
    ("statement", "because"),
    [
        ("", "empty"),
        (" \n\t ", "empty"),
        ("!?!", "empty"),
        ("x" * (STATEMENT_LIMIT + 1), "too_long"),
        ("word " * 2_000, "too_long"),
        ("I like \x00\x01\x02", "unreadable"),
        ("I like \ud800", "unreadable"),
        ("ELF\ufffd\ufffd", "unreadable"),
    ],
)
def test_what_cannot_be_a_statement_is_refused(statement: str, because: str) -> None:
    change = decide(a_candidate(statement))
    assert isinstance(change, Ignore)
    assert change.because == because


@pytest.mark.parametrize(
    "statement", ["Я не ем мясо", "我不吃香菜", "لا أحب القهوة", "मैं शाकाहारी हूँ", "I ♥ 👩‍👩‍👧", "می‌خواهم"]
)
def test_other_scripts_are_stored_as_they_are(statement: str) -> None:
    assert an_item(a_candidate(statement, object="")).preference.statement == statement


def test_secrets_are_never_stored_even_when_asked_for() -> None:
    change = decide(a_candidate("my key is 1234", sensitivity="secret", requested=True))
    assert isinstance(change, Ignore)
    assert change.because == "secret"
