"""The fixed text at the head of every prompt."""

import re

from assistant.deps import Prompts
from assistant.policies.cleaning import clean


def test_the_system_text_ships_is_short_and_never_changes_with_the_day() -> None:
    system = Prompts.load().system
    assert 50 < len(system.split()) < 200
    assert system == clean(system)
    assert not re.search(r"\{|\}|\d", system)
