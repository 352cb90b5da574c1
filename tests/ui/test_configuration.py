"""config.toml: what is read, what is refused and how it is said, what is written."""

import json
import re
import string
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.architecture.source import sources
from ui.cli import main
from ui.configuration import SECTIONS, Configuration, entries, get, load, reset, set_value, template, write_text
from ui.errors import ConfigError

KEYS = [entry.key for entry in entries(Path("/nonexistent/config.toml"))]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_without_a_file_everything_is_default(path: Path) -> None:
    configuration = load(path)
    assert configuration == Configuration(**{name: kind() for name, kind in SECTIONS.items()})  # type: ignore[arg-type]  # the names are the fields
    assert not path.exists()


def test_every_setting_is_described_and_says_what_it_may_be(path: Path) -> None:
    for entry in entries(path):
        assert len(entry.description) > 10, entry.key
        assert entry.allowed, entry.key
        assert not entry.changed


@pytest.mark.parametrize("key", KEYS)
def test_no_setting_is_without_effect(key: str) -> None:
    """Something outside the settings themselves reads it."""
    name = key.rpartition(".")[2]
    readers = [source for source in sources() if "settings" not in source.path and source.path != "ui/configuration.py"]
    assert any(re.search(rf"\.{name}\b", source.text) for source in readers)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("[ui\n", "is not valid TOML", "config edit"),
        ("[uii]\n", "there is no setting uii", "Did you mean ui?"),
        ("ui = 3\n", "ui must be a section [ui]", "config list"),
        ("[ui]\nthme = 'dark'\n", "there is no setting ui.thme", "Did you mean ui.theme?"),
        ("[ui]\ntheme = 'pink'\n", "ui.theme cannot be 'pink'", "Allowed: one of auto, dark, light, high-contrast."),
        ("[ui]\nmouse = 'sometimes'\n", "ui.mouse cannot be 'sometimes'", "Allowed: true or false."),
        ("[ui.keys]\nquit = 3\n", "ui.keys cannot be 3", "Allowed: a table"),
        ("[model]\ncontext_length = 3\n", "model.context_length cannot be 3", "a whole number at least 512"),
        ("[model]\nthreads = 0\n", "model.threads cannot be 0", "auto or a whole number at least 1"),
        ("[model]\nname = 'http://u:p@h/v1'\n", "may not hold a key or password", "Allowed: text."),
        ("[assistant]\nseed = -1\n", "assistant.seed cannot be -1", "a whole number at least 0"),
        (f"[ui]\ntheme = '{'x' * 500}'\n", "ui.theme cannot be 'xxx", "Allowed"),
    ],
)
def test_a_wrong_file_is_named_with_key_and_allowed_values_and_left_alone(
    path: Path, text: str, message: str, hint: str
) -> None:
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load(path)
    assert str(path) in caught.value.message
    assert message in caught.value.message
    assert "\n" not in caught.value.message
    assert len(caught.value.message) < len(str(path)) + 200
    assert hint in caught.value.hint
    with pytest.raises(ConfigError):
        set_value(path, "ui.mouse", "false")
    assert path.read_text() == text


def test_bytes_that_are_no_text_are_refused(path: Path) -> None:
    path.write_bytes(b"[ui]\n\xff\xfe")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load(path)


def test_a_folder_in_place_of_the_file_is_refused(path: Path) -> None:
    path.mkdir()
    with pytest.raises(ConfigError, match="cannot be read"):
        load(path)


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("ui.theme", "light", "light"),
        ("ui.mouse", "false", False),
        ("ui.keys", '{quit = "ctrl+x"}', {"quit": "ctrl+x"}),
        ("model.threads", "3", 3),
        ("model.threads", "auto", "auto"),
        ("model.name", "123", "123"),
        ("assistant.temperature", "0", 0.0),
        ("assistant.seed", "7", 7),
        ("assistant.instructions", 'Say "hello"\nfirst.', 'Say "hello"\nfirst.'),
    ],
)
def test_a_setting_is_read_as_its_kind(path: Path, key: str, text: str, value: object) -> None:
    entry = set_value(path, key, text)
    assert entry.value == value
    assert get(path, key).value == value
    assert path.stat().st_mode & 0o777 == 0o600


def test_comments_order_and_other_settings_survive_a_change(path: Path) -> None:
    path.write_text("# mine\n[ui]\nmouse = false  # it beeps\n\n[model]\n# big\ncontext_length = 4096\n")
    set_value(path, "ui.theme", "dark")
    set_value(path, "model.context_length", "2048")
    assert path.read_text() == (
        '# mine\n[ui]\nmouse = false  # it beeps\ntheme = "dark"\n\n[model]\n# big\ncontext_length = 2048\n'
    )


def test_a_wrong_value_changes_nothing(path: Path) -> None:
    set_value(path, "ui.theme", "dark")
    before = path.read_bytes()
    for key, value in (("ui.theme", "pink"), ("model.context_length", "many"), ("ui.nothing", "1")):
        with pytest.raises(ConfigError):
            set_value(path, key, value)
    assert path.read_bytes() == before


def test_reset_takes_a_setting_out_of_the_file(path: Path) -> None:
    path.write_text('# mine\n[ui]\ntheme = "dark"\nmouse = false\n')
    entry = reset(path, "ui.theme")
    assert (entry.value, entry.changed) == ("auto", False)
    assert path.read_text() == "# mine\n[ui]\nmouse = false\n"
    reset(path, "model.threads")
    assert path.read_text() == "# mine\n[ui]\nmouse = false\n"


def test_the_template_is_a_valid_file_that_changes_nothing_and_names_every_setting(path: Path) -> None:
    write_text(path, template())
    assert not [entry for entry in entries(path) if entry.changed]
    for key in KEYS:
        assert f"# {key.partition('.')[2]} = " in template()


def test_every_line_of_the_template_is_right_when_its_mark_is_taken_away(path: Path) -> None:
    lines = [
        line.removeprefix("# ") if " = " in line and not line.rstrip().endswith(")") else line
        for line in template().splitlines()
    ]
    text = "\n".join(line for line in lines if not line.startswith("seed = "))
    write_text(path, text)
    assert not [entry for entry in entries(path) if entry.changed]


def refusal(attempt: Callable[[], object]) -> ConfigError | None:
    try:
        attempt()
    except ConfigError as error:
        return error
    return None


@given(key=st.sampled_from(KEYS), text=st.text(max_size=40))
def test_any_text_for_any_setting_is_taken_or_refused_in_one_line(
    key: str, text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("any") / "config.toml"
    error = refusal(lambda: set_value(path, key, text))
    assert (error is None) == path.exists()
    if error is None:
        assert load(path) is not None
    else:
        assert error.hint


@given(text=st.text(alphabet=string.printable, max_size=200))
def test_any_file_is_read_or_refused(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("any") / "config.toml"
    path.write_text(text)
    error = refusal(lambda: load(path))
    assert error is None or (error.message and error.hint)


class TestCommands:
    def test_set_get_list_and_reset(self, capsys: pytest.CaptureFixture[str], own_home: Path) -> None:
        assert main(["config", "set", "ui.theme", "light"]) == 0
        assert main(["config", "get", "ui.theme"]) == 0
        assert main(["config", "list", "--changed"]) == 0
        assert main(["config", "reset", "ui.theme"]) == 0
        out = capsys.readouterr().out
        assert out == (
            "ui.theme = light\nlight\nui.theme = light   (default: auto)\n"
            "    Colours of the terminal UI. [one of auto, dark, light, high-contrast]\nui.theme = auto\n"
        )
        assert (own_home / "config" / "config.toml").stat().st_mode & 0o777 == 0o600

    def test_list_as_json_has_every_setting(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["config", "list", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert [entry["key"] for entry in found] == KEYS
        assert set(found[0]) == {"key", "value", "default", "description", "allowed", "changed"}

    def test_edit_without_a_terminal_says_what_to_use(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["config", "edit"]) == 1
        assert "steward config set KEY VALUE" in capsys.readouterr().err
