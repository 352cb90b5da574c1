"""The hard mask: when nothing may be said, and what may not be said now. No learning overrides it. Pure."""

from collections.abc import Collection
from datetime import timedelta

from assistant.policies.proactive.situation import Situation, is_within, minute_of, next_change
from memory.suggestions import Held, HeldBy, Hours, Opportunity, Rule, Settings

HARD_CAP = 5  # a day, whatever is stated
BACK_OFF = timedelta(hours=48)
UNWELCOME_IN_A_ROW = 3
FIRST_ONES = 3  # messages: where no windows are stated, they come one a day


def held_now(situation: Situation, *, pressing: bool = False) -> Held | None:
    """Why nothing may be said at this moment; None where something may. `pressing`: without what passes by itself in a
    moment (typing, an answer being written)."""
    if not situation.settings.on:
        return Held(by="off")
    if not pressing and situation.typing:
        return Held(by="typing")
    if not pressing and situation.generating:
        return Held(by="generating")
    return hours_held(situation, minute_of(situation.local), situation.local.weekday()) or _amount_held(situation)


def hours_held(situation: Situation, minute: int, weekday: int) -> Held | None:
    """What holds a minute (0..1439) of a weekday (0 Monday): rules in the user's words, quiet hours, windows."""
    for rule in situation.rules_now:
        if _rule_holds(rule, minute, weekday):
            by: HeldBy = "day_off" if rule.kind == "day_off" else "off" if rule.kind == "off" else "rule"
            until = next_change(situation, rule.start) if rule.kind == "not_before" and rule.start else rule.until
            return Held(by=by, rule_id=rule.id, until=until)
    settings = situation.settings
    if settings.quiet is not None and is_within(minute, settings.quiet):
        return Held(by="quiet_hours", until=next_change(situation, settings.quiet.stop))
    if settings.windows and window_at(settings, minute) is None:
        return Held(by="outside_windows", until=min(next_change(situation, each.start) for each in settings.windows))
    return None


def window_at(settings: Settings, minute: int) -> Hours | None:
    return next((hours for hours in settings.windows if is_within(minute, hours)), None)


def _rule_holds(rule: Rule, minute: int, weekday: int) -> bool:
    if rule.days and rule.kind != "day_off" and weekday not in rule.days:
        return False
    match rule.kind:
        case "off":
            return True
        case "day_off":
            return weekday in rule.days
        case "not_before":
            return rule.start is not None and minute < minute_of(rule.start)
        case "not_after":
            return rule.start is not None and minute >= minute_of(rule.start)
        case "not_between" | "only_between":
            if rule.start is None or rule.stop is None:
                return False
            inside = is_within(minute, Hours(start=rule.start, stop=rule.stop))
            return inside == (rule.kind == "not_between")
        case _:
            return False


def _amount_held(situation: Situation) -> Held | None:
    if len(situation.today) >= most_today(situation):
        by: HeldBy = "backing_off" if len(situation.today) < _stated_most(situation) else "budget"
        return Held(by=by, until=situation.day_ends)
    last = situation.last_spoken_at
    gap = gap_now(situation)
    if last is not None and situation.now < last + gap and last <= situation.now:
        return Held(by="gap", until=last + gap)
    return None


def gap_now(situation: Situation) -> timedelta:
    """Between two messages; "too often" made it longer."""
    stated = [situation.settings.gap, *(rule.span for rule in situation.rules_now if rule.kind == "gap" and rule.span)]
    return max(stated) * situation.learned.gap_factor


def _stated_most(situation: Situation) -> int:
    numbers = [rule.number for rule in situation.rules_now if rule.kind == "most_a_day" and rule.number is not None]
    if not situation.settings.windows and len(situation.spoken) < FIRST_ONES:
        numbers.append(1)  # nobody said when
    return max(0, min(HARD_CAP, situation.settings.most_a_day, *numbers))


def most_today(situation: Situation) -> int:
    """Of what is spoken. Only ever below what is stated: "too often" takes one off, three unwelcome in a row halve."""
    learned, most = situation.learned, _stated_most(situation)
    less = learned.fewer_for_good
    if learned.fewer_until is not None and situation.now < learned.fewer_until:
        less += learned.fewer_by
    if most > 0:
        most = max(1, most - less)
    return most // 2 if is_backing_off(situation) else most


def is_backing_off(situation: Situation) -> bool:
    """The last three answers were unwelcome, the last of them less than 48 h ago."""
    answered = [one for one in situation.spoken if one.answer is not None][:UNWELCOME_IN_A_ROW]
    if len(answered) < UNWELCOME_IN_A_ROW:
        return False
    last = answered[0].answered_at or answered[0].claimed_at
    unwelcome = all(one.answer in ("not", "dismissed", "ignored") for one in answered)
    return unwelcome and situation.now - last < BACK_OFF


def muted_topics(situation: Situation) -> frozenset[str]:
    ruled = {rule.topic for rule in situation.rules_now if rule.kind == "mute_topic"}
    return frozenset((*situation.settings.muted, *ruled))


def opportunity_held(one: Opportunity, situation: Situation, muted: Collection[str]) -> Held | None:
    """Why this one may not be told now."""
    if one.topic in muted:
        rule = next((each for each in situation.rules_now if each.topic == one.topic), None)
        return Held(by="topic_muted", opportunity_id=one.id, rule_id=rule.id if rule else None)
    if one.state in ("told", "closed"):
        return Held(by="told_before", opportunity_id=one.id)
    if one.state == "expired" or situation.now >= one.closes_at:
        return Held(by="expired", opportunity_id=one.id)
    if situation.now < one.opens_at:
        return Held(by="too_early", opportunity_id=one.id, until=one.opens_at)
    if one.snoozed_until is not None and situation.now < one.snoozed_until:
        return Held(by="snoozed", opportunity_id=one.id, until=one.snoozed_until)
    return None
