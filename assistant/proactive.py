"""Speaks first, rarely: finds opportunities, decides about them, claims one, words it. No model for silence.

The engine holds no truth of its own: everything is in the store, and a process that owns the home afterwards goes on
where this one ended. What it keeps between ticks is thrown away when the store's version has grown.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from assistant.policies.proactive.decide import decide
from assistant.policies.proactive.detectors import detect, moot
from assistant.policies.proactive.digest import MOST, choose_for_digest, digest_mark, due_digest
from assistant.policies.proactive.drafting import template
from assistant.policies.proactive.features import SIZE, features_at
from assistant.policies.proactive.habits import usual_hours
from assistant.policies.proactive.intentions import settled
from assistant.policies.proactive.learning import faded, predict, topic_of
from assistant.policies.proactive.mask import hours_held, most_today
from assistant.policies.proactive.rules import read_rule
from assistant.policies.proactive.situation import Situation, minute_of
from assistant.policies.proactive.topics import named_topic
from assistant.policies.proactive.why import counterfactual
from assistant.policies.when.zones import zone_exists
from assistant.proactive_drafting import Drafter, TemplateDrafter
from assistant.proactive_facts import Lookout
from assistant.proactive_fitting import Fitting
from assistant.proactive_steps import Known, for_the_digest, is_same_rule, learned_from, named_in, spoken_from
from assistant.proactive_types import (
    NOBODY,
    Digest,
    HoursQuestion,
    Learned,
    NotARule,
    Presence,
    Preview,
    Proposed,
    Spoken,
    State,
    Why,
)
from memory.suggestion_store import SuggestionStore
from memory.suggestions import (
    Answer,
    Decision,
    Feedback,
    Held,
    Opportunity,
    Posteriors,
    Reason,
    Rule,
    RuleId,
    Settings,
    Suggestion,
    SuggestionId,
    Told,
)
from memory.types import MessageId

LOOK_EVERY = timedelta(minutes=10)
USUAL_EVERY = timedelta(hours=1)
DECIDE_EVERY = timedelta(minutes=10)  # where nothing happened; a breakpoint is decided about at once
REMEMBERED = timedelta(days=30)  # of what was said, for gaps, dosage and freshness
KEPT = timedelta(days=180)  # what is over
SNOOZE = timedelta(hours=3)
_IN_THREAD = 200  # opportunities from which deciding is not done on the event loop


class ProactiveEngine:
    """Implements assistant.proactive_port.Proactive. `here` names the user's zone and may read files: it is asked in a
    thread. `drafter` None: templates."""

    def __init__(
        self, store: SuggestionStore, lookout: Lookout, here: Callable[[], str], drafter: Drafter | None = None
    ) -> None:
        self._store = store
        self._lookout = lookout
        self._here = here
        self._drafter = drafter or TemplateDrafter()
        self._ticking = asyncio.Lock()
        self._looked_at: datetime | None = None
        self._decided_at: datetime | None = None
        self._seen = MessageId(-1)
        self._first = True
        self._last_row: tuple[object, ...] = ()
        self._known: Known | None = None
        self._fitting = Fitting(store)
        self._usual_at: datetime | None = None
        self._usual: tuple[float, ...] = ()

    async def tick(self, now: datetime, presence: Presence = NOBODY) -> tuple[Spoken, ...]:
        async with self._ticking:
            left = await self._left_over(now) if self._first else ()
            if not (await self._read()).settings.on:
                return left
            await self._look(now)
            if left or not self._is_time(now, presence):
                return left
            self._decided_at = now
            return await self._decide(now, presence)

    def _is_time(self, now: datetime, presence: Presence) -> bool:
        if presence.typing or presence.generating:
            return False
        last = self._decided_at
        return presence.breakpoint != "clock" or last is None or not timedelta(0) <= now - last < DECIDE_EVERY

    async def _left_over(self, now: datetime) -> tuple[Spoken, ...]:
        """What a process that ended had claimed and nobody saw, so far as its time is not over."""
        self._first = False
        found = []
        for told in await self._store.unshown():
            if told.opportunity.closes_at <= now:
                await self._store.set_state([told.opportunity.id], "expired")
                continue
            found.append(await self._worded(told, now) if not told.suggestion.text else spoken_from(told))
        return tuple(found)

    # --- finding ---

    async def _look(self, now: datetime) -> None:
        newest = await self._lookout.newest()
        last = self._looked_at
        if last is not None and newest == self._seen and timedelta(0) <= now - last < LOOK_EVERY:
            return
        read = int(await self._store.noted("read") or 0)
        facts, reached = await self._lookout.facts(now, await self._zone(), MessageId(read))
        known = await self._store.open()
        found = await asyncio.to_thread(detect, facts)
        over = [one.id for one in known if one.closes_at <= now]
        done = {*settled(facts.said, known), *await asyncio.to_thread(moot, facts, known)}
        if found:
            await self._store.keep(found)
        if over:
            await self._store.set_state(over, "expired")
        if done:
            await self._store.set_state(sorted(done), "closed")
        if last is None or last.date() != now.date():
            await self._store.purge(now - KEPT)
        if reached > read:
            await self._store.note("read", str(reached))
        self._looked_at, self._seen = now, newest

    async def _zone(self) -> str:
        return await asyncio.to_thread(self._zone_loaded)

    def _zone_loaded(self) -> str:
        """Its file is read here, in the thread; on the event loop it is known then."""
        zone = self._here()
        zone_exists(zone)
        return zone

    async def _read(self) -> Known:
        version = await self._store.version()
        if self._known is None or self._known.version != version:
            self._known = Known(
                version=version,
                settings=await self._store.settings(),
                rules=await self._store.rules(),
                learned=await self._store.posteriors(),
                opportunities=await self._store.open(),
            )
        return self._known

    async def _usual_hours(self, now: datetime, zone: str, known: Known) -> tuple[float, ...]:
        """Anew once an hour; where windows are stated nobody asks for it."""
        if known.settings.windows:
            return ()
        if self._usual_at is None or not timedelta(0) <= now - self._usual_at < USUAL_EVERY:
            since = known.learned.since
            wrote = await self._lookout.moments(now)
            moments = [at for at in wrote if since is None or at >= since]
            self._usual = await asyncio.to_thread(usual_hours, moments, zone, known.settings)
            self._usual_at = now
        return self._usual

    async def _situation(self, now: datetime, presence: Presence = NOBODY) -> Situation:
        known = await self._read()
        zone = await self._zone()
        learned = faded(known.learned, now) if known.learned.drifted_at else known.learned
        return Situation(
            now=now,
            zone=zone,
            settings=known.settings,
            rules=known.rules,
            learned=learned,
            spoken=await self._store.spoken_since(now - REMEMBERED),
            breakpoint=presence.breakpoint,
            typing=presence.typing,
            generating=presence.generating,
            last_input_at=presence.last_input_at,
            session_began_at=presence.session_began_at,
            usual=await self._usual_hours(now, zone, known),
        )

    # --- deciding ---

    async def _decide(self, now: datetime, presence: Presence) -> tuple[Spoken, ...]:
        situation = await self._situation(now, presence)
        opportunities = (await self._read()).opportunities
        if len(opportunities) > _IN_THREAD:
            verdict = await asyncio.to_thread(decide, situation, opportunities)
        else:
            verdict = decide(situation, opportunities)
        for told in await self._store.claim(verdict.inbox, channel="inbox", at=now):
            await self._store.word(told.suggestion.id, template(told.opportunity, now, situation.zone), "template")
        if verdict.decision.action != "speak":
            await self._note(verdict.decision)
            return ()
        claimed = await self._store.claim([verdict.decision], channel="spoken", at=now)
        self._last_row = ()
        return tuple([await self._worded(told, now) for told in claimed])

    async def _note(self, decision: Decision) -> None:
        """A row where something changed, not one a tick."""
        row = (
            decision.action,
            decision.opportunity_id,
            tuple((held.by, held.opportunity_id) for held in decision.held),
        )
        if row != self._last_row:
            self._last_row = row
            await self._store.record(decision)

    async def _worded(self, told: Told, now: datetime) -> Spoken:
        text, made_by = await self._drafter.draft(told.opportunity, now, await self._zone())
        await self._store.word(told.suggestion.id, text, made_by)
        return spoken_from(replace(told, suggestion=replace(told.suggestion, text=text, made_by=made_by)))

    async def mark_shown(self, ids: tuple[SuggestionId, ...]) -> None:
        await self._store.mark_shown(ids)

    async def preview(self, at: datetime) -> Preview:
        situation = await self._situation(at)
        known = (await self._read()).opportunities
        read = int(await self._store.noted("read") or 0)
        facts, _ = await self._lookout.facts(at, situation.zone, MessageId(read))
        ids = {one.id for one in known}
        found = await asyncio.to_thread(detect, facts)
        known = (*known, *(one for one in found if one.id not in ids))
        verdict = await asyncio.to_thread(decide, situation, known)
        named = {one.id: one for one in known}
        would = tuple(named[id] for id in named_in([verdict.decision]) if verdict.decision.action == "speak")
        return Preview(
            at=at,
            would_say=would,
            decision=verdict.decision,
            drafts=tuple(template(one, at, situation.zone) for one in would),
            to_inbox=tuple(named[id] for id in named_in(verdict.inbox)),
            considered=known,
        )

    # --- learning ---

    async def rate(
        self, id: SuggestionId, answer: Answer, reason: Reason = "", *, at: datetime, until: datetime | None = None
    ) -> Learned:
        told = await self._store.told(id)
        before = await self._store.posteriors()
        settings = await self._store.settings()
        answered = replace(told.suggestion, answer=answer, reason=reason, answered_at=at)
        if told.suggestion.answer is None:
            after = learned_from(before, answered, told.decision, settings)
        else:  # another answer to the same: as if the first had never been
            rows = [row for row in await self._store.rated(before.since) if row[0].id != id]
            after = Posteriors(since=before.since)
            for suggestion, decision in (*rows, (answered, told.decision)):
                after = learned_from(after, suggestion, decision, settings)
        rule = Rule(kind="mute_topic", said=told.suggestion.topic, at=at, topic=told.suggestion.topic)
        muted = answer == "mute" and rule.topic not in {one.topic for one in await self._store.rules()}
        when = (until or at + SNOOZE) if answer == "snooze" else None
        feedback = Feedback(suggestion_id=id, answer=answer, at=at, reason=reason, until=when)
        kept = await self._store.rate(feedback, after, rule if muted else None)
        return await self._change(kept, told, before, after, at, rule if muted else None)

    async def _change(
        self, kept: Suggestion, told: Told, before: Posteriors, after: Posteriors, at: datetime, rule: Rule | None
    ) -> Learned:
        situation = await self._situation(at)
        settings, x = situation.settings, told.decision.features
        first, last = (topic_of(one, kept.topic, settings).mean for one in (before, after))
        return Learned(
            answer=kept.answer or "ignored",
            reason=kept.reason,
            suggestion=kept,
            topic=kept.topic,
            time_before=predict(before, x) if len(x) == SIZE else 0.0,
            time_after=predict(after, x) if len(x) == SIZE else 0.0,
            topic_before=first,
            topic_after=last,
            gap_factor=after.gap_factor,
            most_today=most_today(situation),
            limit_until=after.fewer_until,
            rule=rule,
            asks=await self._fitting.question(at, raise_it=kept.reason == "time"),
        )

    async def why(self, id: SuggestionId) -> Why:
        told = await self._store.told(id)
        factors = told.decision.factors
        return Why(
            told=told,
            settings=await self._store.settings(),
            window=factors.window if factors else None,
            good=factors.good if factors else 0,
            rated=factors.rated if factors else 0,
            counterfactual=counterfactual(factors) if factors else "",
            held=await self._named(told.decision.held),
            rules=await self._store.rules(undone=True),
        )

    async def _named(self, held: tuple[Held, ...]) -> tuple[tuple[Held, Opportunity | None], ...]:
        known = {one.id: one for one in (await self._read()).opportunities}
        return tuple((one, known.get(one.opportunity_id) if one.opportunity_id else None) for one in held)

    async def propose_rule(self, text: str, *, at: datetime) -> Proposed | NotARule:
        found = read_rule(text, at, await self._zone(), named_topic)
        if not isinstance(found, Rule):
            return NotARule(because=found)
        rules = await self._store.rules()
        return Proposed(rule=found, already=any(is_same_rule(found, one) for one in rules))

    async def confirm_rule(self, rule: Rule) -> Rule:
        return await self._store.add_rule(rule)

    async def undo_rule(self, id: RuleId) -> Rule:
        return await self._store.undo_rule(id)

    async def hours_question(self, now: datetime) -> HoursQuestion | None:
        return await self._fitting.question(now)

    async def hours_fit(self, now: datetime) -> None:
        await self._fitting.keep(now)

    async def settings(self) -> Settings:
        return await self._store.settings()

    async def save_settings(self, settings: Settings) -> None:
        await self._store.save_settings(settings)

    # --- looking back ---

    async def inbox(self, *, limit: int = 100) -> tuple[Spoken, ...]:
        return tuple(spoken_from(told) for told in await self._store.list(limit=limit))

    async def digest(self, now: datetime) -> Digest | None:
        situation = await self._situation(now)
        which = due_digest(situation, await self._store.noted("digest"))
        if which is None:
            return None
        held = hours_held(situation, minute_of(situation.local), situation.local.weekday())
        if held is not None and held.by != "outside_windows":
            return None
        await self._store.note("digest", digest_mark(which, now, situation.zone))
        items = await self._for_digest(situation)
        return Digest(which=which, at=now, items=items[:MOST], more=max(0, len(items) - MOST)) if items else None

    async def _for_digest(self, situation: Situation) -> tuple[Told, ...]:
        chosen = choose_for_digest(situation, (await self._read()).opportunities)
        new = [for_the_digest(situation, one) for one in chosen if one.state == "open"]
        for told in await self._store.claim(new, channel="digest", at=situation.now):
            text = template(told.opportunity, situation.now, situation.zone)
            await self._store.word(told.suggestion.id, text, "template")
        order = {one.id: place for place, one in enumerate(chosen)}
        waiting = await self._store.list(channels=["inbox", "digest"])
        return tuple(sorted(waiting, key=lambda told: order.get(told.opportunity.id, len(order))))

    async def away(self, since: datetime, now: datetime) -> Digest | None:
        came = [told for told in await self._store.list() if since <= told.suggestion.claimed_at <= now]
        return Digest(which="away", at=now, items=tuple(came[:MOST]), more=max(0, len(came) - MOST)) if came else None

    async def state(self, now: datetime) -> State:
        situation = await self._situation(now)
        hours = (situation.day_began + timedelta(hours=hour) for hour in range(24))
        return State(
            settings=situation.settings,
            rules=situation.rules,
            posteriors=situation.learned,
            hours=tuple(predict(situation.learned, features_at(situation, at)) for at in hours),
            most_today=most_today(situation),
            spoken_today=len(situation.today),
            asks=await self._fitting.question(now),
        )

    async def reset(self, at: datetime) -> None:
        await self._store.save_posteriors(Posteriors(since=at))
