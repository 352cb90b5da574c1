"""Standing permissions: which, what it also allows, and taking one back. Each first offer does no harm."""

from typing import TYPE_CHECKING

from memory.decisions import Decision
from memory.effects import GrantId
from ui.grant_acts import DAYS, allow, allowed_words, grant_offers
from ui.screens.dialog import Choice, Offer
from ui.tool_lines import grant_line

if TYPE_CHECKING:
    from ui.app import StewardApp
    from ui.wiring import Services


async def ask_grant(app: "StewardApp", decision: Decision, services: "Services") -> str:
    """In words, what was allowed; "" when nothing was. Raises StoreError."""
    offers = grant_offers(decision)
    if not offers:
        return "There is no standing permission for this; it always waits for your own word."
    choices = [Offer(name="", words="Nothing; ask me every time")]
    choices += [Offer(name=str(number), words=offer.words) for number, offer in enumerate(offers, start=1)]
    answer = await app.push_screen_wait(Choice("Allow what from now on?", (), choices))
    if not answer:
        return ""
    offer = offers[int(answer) - 1]
    lines = [offer.words, *(f"This will also allow: {line}" for line in offer.also)]
    sure = (Offer(name="", words="No"), Offer(name="yes", words=f"Yes, for {DAYS} days"))
    if await app.push_screen_wait(Choice(f"Allow it for {DAYS} days?", lines, sure)) != "yes":
        return ""
    grant = await allow(services.decisions, offer, decision, at=services.clock.now())
    return allowed_words(grant)


async def ask_revoke(app: "StewardApp", services: "Services") -> str:
    """Raises StoreError."""
    grants = await services.decisions.grants()
    if not grants:
        return "There is no standing permission."
    choices = [Offer(name="", words="Leave them as they are")]
    choices += [Offer(name=str(grant.id), words=f"Take back {grant_line(grant)}") for grant in grants]
    answer = await app.push_screen_wait(Choice("Standing permissions", (), choices))
    if not answer:
        return ""
    revoked = await services.decisions.revoke_grant(GrantId(int(answer)), at=services.clock.now())
    return f"Taken back: permission {revoked.id}."
