"""Words for suggestions, the same on the command line, in line mode, in the terminal UI and in notifications. Pure.

Whatever comes from outside (a message, a calendar title) is quoted, cut and cleaned.
"""

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import Final

from assistant.policies.cleaning import clean_line
from assistant.policies.when.words import WEEKDAY_NAMES
from assistant.policies.when.zones import to_local
from assistant.proactive_types import Digest, HoursQuestion, Learned, NotARule, Preview, Proposed, Why
from memory.suggestions import (
    Action,
    Answer,
    Evidence,
    Held,
    HeldBy,
    Hours,
    Opportunity,
    OpportunityKind,
    Reason,
    Rule,
    Settings,
    Told,
)
from ui.reminder_words import short_moment

LONGEST: Final = 300
KINDS: Final[dict[OpportunityKind, str]] = {
    "deadline": "a deadline",
    "open_loop": "something you meant to do",
    "routine": "a routine that is missing",
    "follow_up": "a follow-up",
    "conflict": "two things at one time",
    "gap": "free time",
    "stale_memory": "something kept for long",
    "unfinished_task": "an open task",
    "ask_ahead": "a question for later",
}
SOURCES: Final = {
    "message": "you wrote",
    "reminder": "your reminder",
    "preference": "what I remember",
    "event": "in your calendar",
    "task": "on your list",
}
HELD: Final[dict[HeldBy, str]] = {
    "off": "Steward may not speak first",
    "quiet_hours": "quiet hours",
    "outside_windows": "outside your windows",
    "rule": "your rule",
    "day_off": "a day you took out",
    "budget": "as many as you want today were said",
    "gap": "too soon after the last one",
    "typing": "you are typing",
    "generating": "an answer is being written",
    "topic_muted": "you muted this topic",
    "told_before": "it was told already",
    "too_early": "its time has not come",
    "expired": "its time is over",
    "snoozed": "snoozed",
    "backing_off": "the last ones were not welcome, so fewer come",
    "below_threshold": "not sure enough that it is welcome now",
    "better_later": "a better moment comes today",
    "better_in_inbox": "better read than said: it goes to the inbox",
    "not_worth_it": "not worth an interruption",
    "another_first": "one at a time",
}
ACTIONS: Final[dict[Action, str]] = {
    "speak": "say it",
    "inbox": "put it into the inbox",
    "ask": "ask it in the inbox",
    "wait": "wait for a better moment today",
    "silent": "say nothing",
}
ANSWERS: Final[dict[Answer, str]] = {
    "useful": "useful",
    "not": "not useful",
    "snooze": "snoozed",
    "mute": "topic muted",
    "acted": "done",
    "dismissed": "put aside",
    "ignored": "not looked at",
}
REASONS: Final[dict[Reason, str]] = {
    "": "",
    "time": "bad time",
    "topic": "not relevant",
    "often": "too often",
    "style": "style",
}
NOT_A_RULE: Final = {
    "no_rule": "No rule could be read in that.",
    "no_time": "Which hours? The times in that could not be read.",
    "no_number": "How many? There is no number in that.",
    "no_topic": "Which topic? None of those Steward knows is named in that.",
}
RULE_EXAMPLES: Final = 'For example: "not before ten", "max two a day", "stop about fitness", "no weekends".'


def quoted(evidence: Evidence, here: str) -> str:
    """ "you wrote “renew my passport by Friday” (Mon 2 Mar)"."""
    day = to_local(evidence.at, here)
    return f"{SOURCES[evidence.source]} “{clean_line(evidence.quote, 200)}” ({day:%a} {day.day} {day:%b})"


def subject(one: Opportunity) -> str:
    return clean_line(one.subject, 80)


def text_of(told: Told) -> str:
    """What is said; for what was forgotten meanwhile, that it was."""
    return clean_line(told.suggestion.text, LONGEST) or "(what this rested on was forgotten)"


def listed(told: Told, here: str, now: datetime) -> str:
    """One line of a list."""
    suggestion = told.suggestion
    answer = ""
    if suggestion.answer is not None:
        reason = f", {REASONS[suggestion.reason]}" if suggestion.reason else ""
        answer = f" [{ANSWERS[suggestion.answer]}{reason}]"
    when = short_moment(suggestion.claimed_at, here, now)
    return f"{suggestion.id}. {text_of(told)} ({suggestion.topic}, {when}){answer}"


# --- hours, rules, settings ---


def clock_words(at: time) -> str:
    return f"{at:%H:%M}"


def hours_words(hours: Hours) -> str:
    return f"{clock_words(hours.start)}-{clock_words(hours.stop)}"


def hours_question(asked: HoursQuestion) -> str:
    """Whether the stated hours still fit; three of them fit into two short lines."""
    stated = ", ".join(hours_words(one) for one in asked.windows)
    return f"Do your hours {stated} still fit? {asked.bad} came at a bad time."


def hours_answers(command: str) -> str:
    """How to answer it with a command."""
    return f'they do: {command} fit; others: {command} "9-12, 15-18"'


def span_words(span: timedelta) -> str:
    minutes = round(span / timedelta(minutes=1))
    hours, rest = divmod(minutes, 60)
    return f"{hours} h" if not rest else f"{rest} min" if not hours else f"{hours} h {rest} min"


def rule_words(rule: Rule, here: str) -> str:
    """What a rule does, whatever words it was said in."""
    end = ""
    if rule.until is not None:
        until = to_local(rule.until, here)
        end = f", until {until:%a} {until.day} {until:%b} {until:%H:%M}"
    days = f" on {_days(rule.days)}" if rule.days and rule.kind != "day_off" else ""
    return f"{_does(rule)}{days}{end}"


def _does(rule: Rule) -> str:
    start = clock_words(rule.start) if rule.start is not None else "?"
    stop = clock_words(rule.stop) if rule.stop is not None else "?"
    return {
        "not_before": f"nothing is said before {start}",
        "not_after": f"nothing is said from {start} on",
        "not_between": f"nothing is said between {start} and {stop}",
        "only_between": f"only between {start} and {stop} something is said",
        "most_a_day": f"at most {rule.number} a day",
        "gap": f"at least {span_words(rule.span or timedelta(0))} between two",
        "mute_topic": f"nothing about {rule.topic}",
        "day_off": f"nothing on {_days(rule.days)}",
        "off": "nothing is said",
    }[rule.kind]


def _days(days: Sequence[int]) -> str:
    return ", ".join(WEEKDAY_NAMES[day] for day in days)


def rule_line(rule: Rule, here: str) -> str:
    gone = " (taken back)" if rule.state == "undone" else ""
    return f"{rule.id}. {rule_words(rule, here)}: you said “{clean_line(rule.said, 120)}”{gone}"


def proposed_words(found: Proposed | NotARule, here: str) -> str:
    if isinstance(found, NotARule):
        return f"{NOT_A_RULE[found.because]} {RULE_EXAMPLES}"
    words = rule_words(found.rule, here)
    return f"That rule is there already: {words}." if found.already else f"A rule: {words}."


def settings_rows(settings: Settings) -> tuple[tuple[str, str], ...]:
    """(name, value) in the words in which they are set."""
    return (
        ("on", "yes" if settings.on else "no"),
        ("windows", ", ".join(hours_words(one) for one in settings.windows) or "any time outside the quiet hours"),
        ("quiet", hours_words(settings.quiet) if settings.quiet is not None else "none"),
        ("most", f"{settings.most_a_day} a day"),
        ("gap", span_words(settings.gap)),
        ("topics", ", ".join(settings.topics) or "any"),
        ("mute", ", ".join(settings.muted) or "none"),
        ("morning", clock_words(settings.morning) if settings.morning is not None else "off"),
        ("evening", clock_words(settings.evening) if settings.evening is not None else "off"),
    )


# --- why ---


def held_words(held: Held, rules: Sequence[Rule], here: str, now: datetime) -> str:
    words = HELD[held.by]
    rule = next((one for one in rules if one.id == held.rule_id), None) if held.rule_id else None
    if rule is not None:
        words = f"your rule {rule.id}, “{clean_line(rule.said, 120)}”"
    if held.until is not None:
        words = f"{words}, until {short_moment(held.until, here, now)}"
    return words


def why_lines(why: Why, here: str, now: datetime) -> list[str]:
    """From the decision row: evidence, what allowed it, past ratings, how sure; then what was held back."""
    told = why.told
    factors = told.decision.factors
    lines = [text_of(told), f"About {KINDS[told.opportunity.kind]}, topic {told.opportunity.topic}."]
    lines += [f"Because: {quoted(one, here)}" for one in told.opportunity.evidence]
    if factors is not None and told.suggestion.channel == "spoken":
        window = f"your window {hours_words(why.window)}" if why.window is not None else "outside the quiet hours"
        said = f"{factors.spoken_today} of {factors.most_today} were said that day before"
        lines.append(f"Allowed: {window}; {said}.")
    elif told.suggestion.channel != "spoken":
        lines.append("It was put here to read, and interrupted nobody.")
    lines.append(
        f"You found {why.good} of {why.rated} about this topic useful."
        if why.rated
        else "You have rated none about this topic yet."
    )
    if factors is not None and told.suggestion.channel == "spoken":
        depends = _DEPENDS.get(why.counterfactual, "")
        lines.append(f"I was {factors.acceptance:.0%} sure; {factors.threshold:.0%} were needed.{depends}")
    lines.append(_made(told))
    if why.held:
        lines.append("Held back at that moment:")
        lines += held_lines([(held, one) for held, one in why.held], why.rules, here, now)
    return lines


_DEPENDS: Final = {
    "topic": " It hung on the topic: were you indifferent about it, I had said nothing.",
    "time": " It hung on the moment: at one like any other I had said nothing.",
    "need": " It hung on how much it is needed.",
}


def _made(told: Told) -> str:
    if told.suggestion.made_by == "model":
        return "The model worded it, from this evidence alone."
    return "Worded by a fixed sentence; no model took part."


def held_lines(
    held: Sequence[tuple[Held, Opportunity | None]], rules: Sequence[Rule], here: str, now: datetime
) -> list[str]:
    return [
        f"  {subject(one) if one is not None else 'everything'}: {held_words(each, rules, here, now)}"
        for each, one in held
    ]


def preview_lines(preview: Preview, rules: Sequence[Rule], here: str) -> list[str]:
    """What would be said then and why, without saying it."""
    at = to_local(preview.at, here)
    lines = [f"On {at:%A} {at.day} {at:%B %Y} at {at:%H:%M}, as things are now:"]
    for one, draft in zip(preview.would_say, preview.drafts, strict=True):
        lines.append(f"I would say: {clean_line(draft, LONGEST)}")
        lines += [f"  because {quoted(each, here)}" for each in one.evidence]
    if not preview.would_say:
        lines.append(f"I would {ACTIONS[preview.decision.action]}.")
    factors = preview.decision.factors
    if factors is not None and preview.would_say:
        lines.append(f"  I would be {factors.acceptance:.0%} sure; {factors.threshold:.0%} are needed.")
    lines += [f"Into the inbox: {subject(one)}" for one in preview.to_inbox]
    named = {one.id: one for one in preview.considered}
    pairs = [(each, named.get(each.opportunity_id) if each.opportunity_id else None) for each in preview.decision.held]
    if pairs:
        lines.append("Held back:")
        lines += held_lines(pairs, rules, here, preview.at)
    elif not preview.would_say:
        lines.append("There is nothing that could be said.")
    return lines


# --- what changed, digests ---


def learned_words(learned: Learned, here: str, now: datetime) -> str:
    """What a rating changed, in one line."""
    parts = [
        {
            "useful": "Noted as useful",
            "snooze": "It comes again later",
            "mute": f"Nothing more about {learned.topic}; rules take it back",
        }.get(learned.answer, "Noted")
    ]
    if learned.reason:
        parts[0] = f"Noted: {REASONS[learned.reason]}"
    if abs(learned.time_after - learned.time_before) >= 0.005:
        parts.append(f"such a moment {learned.time_before:.0%} → {learned.time_after:.0%}")
    if abs(learned.topic_after - learned.topic_before) >= 0.005:
        parts.append(f"the topic {learned.topic} {learned.topic_before:.0%} → {learned.topic_after:.0%}")
    if learned.reason == "often":
        until = f" until {short_moment(learned.limit_until, here, now)}" if learned.limit_until is not None else ""
        parts.append(f"at most {learned.most_today} a day{until}, and longer gaps")
    if learned.reason == "style":
        parts.append("it changes neither when nor what about")
    return "; ".join(parts)


def digest_words(digest: Digest) -> str:
    """The heading of a digest, and how much there is."""
    many = len(digest.items) + digest.more
    things = "1 thing" if many == 1 else f"{many} things"
    match digest.which:
        case "morning":
            return f"Good morning: {things}"
        case "evening":
            return f"This evening: {things}"
        case "away":
            return f"While you were away: {things}"


def digest_lines(digest: Digest) -> list[str]:
    more = [f"and {digest.more} more in the inbox"] if digest.more else []
    return [*(f"{told.suggestion.id}. {text_of(told)}" for told in digest.items), *more]
