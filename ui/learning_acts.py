"""Learning on and off, as a whole or for a domain: /learning, `steward learning`, the data screen."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.learning_switch import LearningSwitch, domains_in
from memory.preferences import DOMAINS, Domain
from ui.configuration import load, set_value
from ui.errors import UiError

if TYPE_CHECKING:
    from memory.data_dir import Home
    from ui.wiring import Services

USAGE = "/learning off, /learning on, /learning off health, /learning on health"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    on: bool
    domains: tuple[Domain, ...]  # (): all of it


def read_wanted(words: str) -> Wanted:
    """ "off", "on health". Raises UiError."""
    first, _, rest = words.strip().partition(" ")
    if first.lower() not in ("on", "off"):
        raise UiError(f"Learning is on or off, not {first!r}.", USAGE)
    try:
        domains = tuple(domains_in(rest))
    except ValueError as error:
        raise UiError(f"{str(error)[:1].upper()}{str(error)[1:]}.", USAGE) from error
    return Wanted(on=first.lower() == "on", domains=domains)


def changed(switch: LearningSwitch, wanted: Wanted) -> LearningSwitch:
    if not wanted.domains:
        return LearningSwitch(on=wanted.on, closed=switch.closed)
    named = frozenset(wanted.domains)
    return LearningSwitch(on=switch.on, closed=switch.closed - named if wanted.on else switch.closed | named)


def keep_learning(home: "Home", wanted: Wanted) -> LearningSwitch:
    """Write it to config.toml; how things stand then. Blocks. Raises ConfigError, HomeUnusable, StoreFull."""
    switch = changed(LearningSwitch.of(load(home.config_file).assistant), wanted)
    if wanted.domains:
        closed = ", ".join(domain for domain in DOMAINS if domain in switch.closed)
        set_value(home.config_file, "assistant.learn_not", closed)
    else:
        set_value(home.config_file, "assistant.learn", "true" if switch.on else "false")
    return switch


def set_learning(services: "Services", words: str) -> str:
    """At once and from now on; in a run that keeps nothing only for that run. Blocks. Raises UiError, StoreError."""
    wanted = read_wanted(words)
    if services.options.keeps_nothing:
        switch = changed(services.switch, wanted)
    else:
        switch = keep_learning(services.home, wanted)
    services.switch.on, services.switch.closed = switch.on, switch.closed
    return switch_words(switch)


def learning_words(services: "Services") -> str:
    return switch_words(services.switch)


def switch_words(switch: LearningSwitch) -> str:
    if not switch.on:
        return "Learning is off: nothing is learned from what you write. /remember still keeps what you tell it to."
    if not switch.closed:
        return "Learning is on. /learning off pauses it; /learning off health closes one domain."
    closed = ", ".join(domain.replace("_", " ") for domain in DOMAINS if domain in switch.closed)
    return f"Learning is on, but not about: {closed}."
