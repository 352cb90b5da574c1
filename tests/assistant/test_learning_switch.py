"""What is off or closed is not learned; what the user keeps by hand is."""

from dataclasses import replace

import pytest

from assistant.learning_switch import LearningSwitch, domains_in
from assistant.settings import AssistantSettings
from memory.preferences import DOMAINS
from tests.support.memories import a_candidate
from ui.errors import UiError
from ui.learning_acts import changed, read_wanted, switch_words


def test_closed_domains_let_nothing_in() -> None:
    health, food = replace(a_candidate(), domain="health"), replace(a_candidate(), domain="food")
    assert LearningSwitch().admitted([health, food]) == (health, food)
    assert LearningSwitch(closed=frozenset({"health"})).admitted([health, food]) == (food,)
    assert LearningSwitch(on=False).admitted([health, food]) == ()


def test_settings_name_domains() -> None:
    assert LearningSwitch.of(AssistantSettings(learn_not="health, reply-style")).closed == {"health", "reply_style"}
    assert domains_in(", ".join(DOMAINS)) == DOMAINS
    with pytest.raises(ValueError, match="no domain 'astrology'"):
        AssistantSettings(learn_not="astrology")


def test_words_change_it() -> None:
    switch = changed(LearningSwitch(), read_wanted("off health, people"))
    assert switch_words(switch) == "Learning is on, but not about: people, health."
    switch = changed(switch, read_wanted("on people"))
    assert switch.closed == {"health"}
    switch = changed(switch, read_wanted("off"))
    assert not switch.on
    assert switch.closed == {"health"}
    for wrong in ("maybe", "off astrology"):
        with pytest.raises(UiError):
            read_wanted(wrong)
