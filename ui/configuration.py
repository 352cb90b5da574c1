"""config.toml: read, checked, changed. Comments and order of the file are kept; a file that is wrong is never written.

Sections: [model] (models.settings), [assistant] (assistant.settings), [ui] (here). A key is written "section.name".
"""

import os
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError

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
    {"model": ModelSettings, "assistant": AssistantSettings, "ui": UiSettings}
)


def load(path: Path) -> Configuration:
    """The settings in `path`; defaults where the file or a key is missing. Raises ConfigError."""
    return _validated(_parse(path), path)


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
        raise _unknown(key, known, path)
    return known[key]


def set_value(path: Path, key: str, text: str) -> Entry:
    """Change one setting, given as the user typed it; the rest of the file stays as it is. Raises ConfigError."""
    import tomlkit

    get(path, key)
    raw = path.read_text(encoding="utf-8") if path.exists() else ""
    document = tomlkit.parse(raw)
    *tables, name = key.split(".")
    table: Any = document
    for part in tables:
        if part not in table:
            table[part] = tomlkit.table()
        table = table[part]
    table[name] = _typed(key, text)
    _validated(document.unwrap(), path)
    _write(path, tomlkit.dumps(document))
    return get(path, key)


def _parse(path: Path) -> Mapping[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path} is not UTF-8 text", "Save it as UTF-8, or remove it to start from the defaults."
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}", "Mend that line: steward config edit") from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}", "Check its owner and mode.") from error


def _validated(raw: Mapping[str, Any], path: Path) -> Configuration:
    for section, value in raw.items():
        if section not in SECTIONS:
            raise _unknown(section, SECTIONS, path)
        if not isinstance(value, Mapping):
            raise ConfigError(
                f"{path}: {section} must be a section [{section}]", "steward config list shows every setting."
            )
    model, assistant, ui = (_section(name, kind, raw.get(name, {}), path) for name, kind in SECTIONS.items())
    assert isinstance(model, ModelSettings)
    assert isinstance(assistant, AssistantSettings)
    assert isinstance(ui, UiSettings)
    return Configuration(model=model, assistant=assistant, ui=ui)


def _section(name: str, kind: type[BaseModel], raw: Mapping[str, Any], path: Path) -> BaseModel:
    _refuse_unknown(name, kind, raw, path)
    try:
        return kind.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join([name, *(str(part) for part in first["loc"])])
        allowed = dict(_allowed_of(name, kind)).get(key, "")
        said = first["msg"].removeprefix("Value error, ")
        raise ConfigError(
            f"{path}: {key} = {_shown(first['input'])}: {said[:1].lower()}{said[1:]}",
            f"Allowed: {allowed}." if allowed else "steward config list shows every setting.",
        ) from error


def _refuse_unknown(prefix: str, kind: type[BaseModel], raw: Mapping[str, Any], path: Path) -> None:
    for name, value in raw.items():
        known = {f"{prefix}.{field}" for field in kind.model_fields}
        if f"{prefix}.{name}" not in known:
            raise _unknown(f"{prefix}.{name}", dict.fromkeys(known), path)
        inner = _model_in(kind.model_fields[name].annotation)
        if inner is not None and isinstance(value, Mapping):
            _refuse_unknown(f"{prefix}.{name}", inner, value, path)


def _unknown(key: str, known: Mapping[str, Any], path: Path) -> ConfigError:
    close = get_close_matches(key, known, n=1, cutoff=0.6)
    hint = f"Did you mean {close[0]}? " if close else ""
    names = (
        f"Known there: {', '.join(sorted(known))}." if len(known) <= 12 else "steward config list shows every setting."
    )
    return ConfigError(f"{path}: there is no setting {key}", hint + names)


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


def _allowed(annotation: Any, metadata: list[Any]) -> str:
    """The values a setting takes, in words."""
    origin = get_origin(annotation)
    if origin is Literal:
        return f"one of {', '.join(str(choice) for choice in get_args(annotation))}"
    if origin in (Union, types.UnionType):
        parts = (_allowed(part, metadata) for part in get_args(annotation) if part is not type(None))
        return " or ".join(dict.fromkeys(parts))
    plain = {bool: "true or false", int: "a whole number", float: "a number", str: "text", dict: "a table"}
    words = plain.get(origin or annotation, "text")
    limits = _limits(metadata)
    return f"{words} {limits}" if limits else words


def _limits(metadata: list[Any]) -> str:
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


def _write(path: Path, text: str) -> None:
    """Replace the file whole: beside it, flushed, renamed; mode 0600."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise ConfigError(
            f"{path} cannot be written: {error.strerror}", "Check its owner, mode and the free space."
        ) from error
