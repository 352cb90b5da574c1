"""config.toml: read, checked, changed. Comments and order of the file are kept; a file that is wrong is never written.

Sections: [model] (models.settings), [assistant] (assistant.settings), [reminders] (assistant.reminder_settings), [ui]
(here). A key is written "section.name".
"""

import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assistant.reminder_settings import ReminderSettings
from assistant.settings import AssistantSettings
from models.settings import ModelSettings
from ui.errors import ConfigError

Theme = Literal["auto", "dark", "light", "high-contrast"]


class UiSettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    theme: Theme = Field(default="auto", description="Colours of the terminal UI.")
    autoscroll: bool = Field(default=True, description="Follow the answer while it is written, until you scroll up.")
    mouse: bool = Field(default=True, description="Let the terminal UI use the mouse.")
    show_thoughts: bool = Field(default=False, description="Unfold what a thinking model thought.")
    keys: dict[str, str] = Field(
        default_factory=dict, description='Own keys, as action = "key" (the help screen names the actions).'
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    model: ModelSettings
    assistant: AssistantSettings
    ui: UiSettings
    reminders: ReminderSettings = ReminderSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One setting as `config list` shows it."""

    key: str
    value: Any
    default: Any
    description: str
    allowed: str  # "true or false", "one of: a, b", "text", ...

    @property
    def changed(self) -> bool:
        return bool(self.value != self.default)


SECTIONS: Mapping[str, type[BaseModel]] = types.MappingProxyType(
    {"model": ModelSettings, "assistant": AssistantSettings, "reminders": ReminderSettings, "ui": UiSettings}
)


def load(path: Path) -> Configuration:
    """The settings in `path`; defaults where the file or a key is missing. Raises ConfigError."""
    return _validated(_parse(read_text(path), path), path)


def entries(path: Path) -> tuple[Entry, ...]:
    """Every setting with its value, default and meaning, in the order of the sections. Raises ConfigError."""
    configuration = load(path)
    return tuple(
        entry
        for section, kind in SECTIONS.items()
        for entry in _entries_of(section, kind, getattr(configuration, section), kind())
    )


def get(path: Path, key: str) -> Entry:
    """One setting. Raises ConfigError when there is no such key."""
    known = {entry.key: entry for entry in entries(path)}
    if key not in known:
        raise _unknown(key, known, "config.toml")
    return known[key]


def set_value(path: Path, key: str, text: str) -> Entry:
    """Change one setting, given as the user typed it; the rest of the file stays as it is.
    Raises ConfigError, HomeUnusable, StoreFull."""
    import tomlkit

    get(path, key)
    document = tomlkit.parse(read_text(path))
    *tables, name = key.split(".")
    table: Any = document
    for part in tables:
        table = table.setdefault(part, tomlkit.table())
    table[name] = _typed(key, text)
    write_text(path, tomlkit.dumps(document))
    return get(path, key)


def reset(path: Path, key: str) -> Entry:
    """Back to the default: the key leaves the file. Raises ConfigError, HomeUnusable, StoreFull."""
    import tomlkit

    get(path, key)
    document = tomlkit.parse(read_text(path))
    *tables, name = key.split(".")
    table: Any = document
    for part in tables:
        table = table.get(part, {})
    if name in table:
        del table[name]
        write_text(path, tomlkit.dumps(document))
    return get(path, key)


def read_text(path: Path) -> str:
    """The file as it is; empty where there is none. Raises ConfigError."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        hint = "Save it as UTF-8, or remove it to start from the defaults."
        raise ConfigError(f"{path} is not UTF-8 text", hint) from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}", "Check its owner and mode.") from error


def write_text(path: Path, text: str) -> Configuration:
    """Replace the file whole, once its content is known to be right. Raises ConfigError, HomeUnusable, StoreFull."""
    from memory.data_dir import atomic_write

    configuration = _validated(_parse(text, path), path)
    atomic_write(path, text.encode())
    return configuration


def template() -> str:
    """A config.toml with every setting commented out, for somebody who edits it the first time."""
    import tomlkit

    document = tomlkit.document()
    for section, kind in SECTIONS.items():
        table = tomlkit.table()
        for entry in _entries_of(section, kind, kind(), kind()):
            table.add(tomlkit.comment(f"{entry.description} ({entry.allowed})"))
            name = entry.key.removeprefix(f"{section}.")
            table.add(tomlkit.comment(f"{name} = {_as_toml(entry.default)}"))
        document[section] = table
    return tomlkit.dumps(document)


def _as_toml(value: Any) -> str:
    import tomlkit

    match value:
        case None:
            return "(not set)"
        case Mapping():
            table = tomlkit.inline_table()
            table.update(value)
            return table.as_string()
        case _:
            return str(tomlkit.item(value).as_string())


def _parse(text: str, path: Path) -> Mapping[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}", "Mend that line: steward config edit") from error


def _validated(raw: Mapping[str, Any], path: Path) -> Configuration:
    for section, value in raw.items():
        if section not in SECTIONS:
            raise _unknown(section, SECTIONS, str(path))
        if not isinstance(value, Mapping):
            raise ConfigError(
                f"{path}: {section} must be a section [{section}]", "steward config list shows every setting."
            )
    found = (_section(name, kind, raw.get(name, {}), path) for name, kind in SECTIONS.items())
    model, assistant, reminders, ui = found
    assert isinstance(model, ModelSettings)
    assert isinstance(assistant, AssistantSettings)
    assert isinstance(reminders, ReminderSettings)
    assert isinstance(ui, UiSettings)
    return Configuration(model=model, assistant=assistant, reminders=reminders, ui=ui)


def _section(name: str, kind: type[BaseModel], raw: Mapping[str, Any], path: Path) -> BaseModel:
    _refuse_unknown(name, kind, raw, path)
    try:
        return kind.model_validate(raw)
    except ValidationError as error:
        raise _wrong_value(name, kind, error, path) from error


def _wrong_value(section: str, kind: type[BaseModel], error: ValidationError, path: Path) -> ConfigError:
    first = error.errors()[0]
    key = _key_of(section, kind, first["loc"])
    said = f": {first['msg'].removeprefix('Value error, ')}" if first["type"] == "value_error" else ""
    return ConfigError(
        f"{path}: {key} cannot be {_shown(first['input'])}{said}", f"Allowed: {dict(_allowed_of(section, kind))[key]}."
    )


def _key_of(prefix: str, kind: type[BaseModel], place: tuple[int | str, ...]) -> str:
    """The setting an error is about; what pydantic adds for branches of unions and items of tables is left out."""
    key = f"{prefix}.{place[0]}"
    inner = _model_in(kind.model_fields[str(place[0])].annotation)
    return _key_of(key, inner, place[1:]) if inner is not None and len(place) > 1 else key


def _refuse_unknown(prefix: str, kind: type[BaseModel], raw: Mapping[str, Any], path: Path) -> None:
    known = tuple(f"{prefix}.{field}" for field in kind.model_fields)
    for name, value in raw.items():
        if f"{prefix}.{name}" not in known:
            raise _unknown(f"{prefix}.{name}", known, str(path))
        inner = _model_in(kind.model_fields[name].annotation)
        if inner is not None and isinstance(value, Mapping):
            _refuse_unknown(f"{prefix}.{name}", inner, value, path)


def _unknown(key: str, known: Iterable[str], where: str) -> ConfigError:
    names = sorted(known)
    close = get_close_matches(key, names, n=1, cutoff=0.6)
    hint = f"Did you mean {close[0]}? " if close else ""
    rest = f"Known there: {', '.join(names)}." if len(names) <= 12 else "steward config list shows every setting."
    return ConfigError(f"{where}: there is no setting {key}", hint + rest)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _entries_of(prefix: str, kind: type[BaseModel], values: BaseModel, defaults: BaseModel) -> Iterator[Entry]:
    for name, field in kind.model_fields.items():
        value, default = getattr(values, name), getattr(defaults, name)
        inner = _model_in(field.annotation)
        if inner is not None and isinstance(value, BaseModel):
            yield from _entries_of(f"{prefix}.{name}", inner, value, default)
            continue
        yield Entry(
            key=f"{prefix}.{name}",
            value=_plain(value),
            default=_plain(default),
            description=field.description or "",
            allowed=_allowed(field.annotation, field.metadata),
        )


def _allowed_of(prefix: str, kind: type[BaseModel]) -> Iterator[tuple[str, str]]:
    for name, field in kind.model_fields.items():
        inner = _model_in(field.annotation)
        if inner is not None:
            yield from _allowed_of(f"{prefix}.{name}", inner)
        yield f"{prefix}.{name}", _allowed(field.annotation, field.metadata)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None


def _allowed(annotation: Any, metadata: Sequence[Any] = ()) -> str:
    """The values a setting takes, in words."""
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *rules = get_args(annotation)
        return _allowed(inner, [found for rule in rules for found in getattr(rule, "metadata", (rule,))])
    if origin is Literal:
        choices = [str(choice) for choice in get_args(annotation)]
        return f"one of {', '.join(choices)}" if len(choices) > 1 else choices[0]
    if origin in (Union, types.UnionType):
        parts = (_allowed(part, metadata) for part in get_args(annotation) if part is not type(None))
        return " or ".join(dict.fromkeys(parts))
    plain = {
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        str: "text",
        dict: 'a table such as {name = "text"}',
    }
    words = plain.get(origin or annotation, "text")
    limits = _limits(metadata)
    return f"{words} {limits}" if limits else words


def _limits(metadata: Sequence[Any]) -> str:
    signs = (("ge", "at least"), ("gt", "above"), ("le", "at most"), ("lt", "below"))
    said = (f"{word} {getattr(rule, name)}" for rule in metadata for name, word in signs if hasattr(rule, name))
    return ", ".join(said)


def _plain(value: Any) -> Any:
    """A value as TOML and JSON have it."""
    match value:
        case Path():
            return str(value)
        case tuple() | list():
            return [_plain(item) for item in value]
        case Mapping():
            return {str(key): _plain(item) for key, item in value.items()}
        case _:
            return value


def _typed(key: str, text: str) -> Any:
    """What the user typed, as the TOML value the setting wants: text stays text, everything else is read as TOML."""
    import tomlkit
    from tomlkit.exceptions import ParseError

    section, *rest = key.split(".")
    kind: Any = SECTIONS[section]
    for name in rest:
        kind = kind.model_fields[name].annotation
    wants_text = str in (kind, *get_args(kind)) or get_origin(kind) is Literal or Path in (kind, *get_args(kind))
    if wants_text and get_origin(kind) is not dict:
        return text
    try:
        return tomlkit.value(text).unwrap()
    except ParseError:
        return text
