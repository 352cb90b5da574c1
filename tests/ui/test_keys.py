"""The table of keys: consistent, documented, and the user's own in it."""

from collections import Counter

import pytest

from tests.support.keys_page import PAGE
from ui.app import StewardApp
from ui.errors import ConfigError
from ui.keys import KEYS, PLACES, as_markdown, check, shown, with_own
from ui.screens.chat import ChatScreen
from ui.screens.data import DataScreen
from ui.screens.decisions import DecisionsScreen
from ui.screens.memory import MemoryScreen
from ui.screens.page import Page
from ui.screens.plans import PlansPage
from ui.screens.profile_import import ProfileImport
from ui.screens.reminders import RemindersScreen
from ui.screens.sessions import SessionsScreen
from ui.screens.suggestions import SuggestionSettingsScreen, SuggestionsScreen
from ui.widgets.decision_card import DecisionCard
from ui.widgets.prompt import Prompt, prompt_keys
from ui.widgets.transcript import Transcript


def test_names_are_unique() -> None:
    assert [name for name, count in Counter(key.name for key in KEYS).items() if count > 1] == []


@pytest.mark.parametrize("place", PLACES)
def test_no_key_means_two_things_in_one_place(place: str) -> None:
    keys = [part for key in KEYS if key.place == place for part in key.keys.split(",")]
    assert [key for key, count in Counter(keys).items() if count > 1] == []


def test_no_key_hides_one_that_works_everywhere() -> None:
    everywhere = {part for key in KEYS if key.place == "everywhere" for part in key.keys.split(",")}
    others = {part for key in KEYS if key.place != "everywhere" for part in key.keys.split(",")}
    assert everywhere & others == set()


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_every_key_has_an_action(key: object) -> None:
    from ui.keys import Key

    assert isinstance(key, Key)
    namespace, _, name = key.action.rpartition(".")
    method = f"action_{name.partition('(')[0]}"
    owners = {"app": (StewardApp,), "screen": (ChatScreen, Page)}.get(namespace) or {
        "prompt": (Prompt,),
        "messages": (Transcript,),
        "sessions": (SessionsScreen,),
        "memory": (MemoryScreen,),
        "reminders": (RemindersScreen,),
        "suggestions": (SuggestionsScreen,),
        "suggestion settings": (SuggestionSettingsScreen,),
        "decision": (DecisionCard,),
        "decisions": (DecisionsScreen,),
        "plans": (PlansPage,),
        "data": (DataScreen,),
        "profile": (ProfileImport,),
        "text": (Page,),
        "everywhere": (StewardApp,),
    }[key.place]
    assert all(hasattr(owner, method) for owner in owners), f"{key.name}: {method}"


def test_the_page_of_keys_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == as_markdown()


@pytest.mark.parametrize(
    ("keys", "words"),
    [("ctrl+j,alt+enter", "Ctrl+J, Alt+Enter"), ("f1", "F1"), ("end,G", "End, G"), ("left,less_than_sign", "Left, <")],
)
def test_keys_are_written_as_people_write_them(keys: str, words: str) -> None:
    assert shown(keys) == words


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(ConfigError) as refused:
        check({"sesions": "f2"})
    assert refused.value.message == "ui.keys: there is no action 'sesions'"
    assert refused.value.hint == "Did you mean sessions?"


def test_an_empty_key_is_refused() -> None:
    with pytest.raises(ConfigError, match="names no key"):
        check({"sessions": " "})


def test_own_keys_take_the_place_of_the_defaults() -> None:
    assert next(key.keys for key in with_own({"help": "f12"}) if key.name == "help") == "f12"
    assert prompt_keys({"newline": "f9"})["f9"] == "newline"
    assert "ctrl+j" not in prompt_keys({"newline": "f9"})
