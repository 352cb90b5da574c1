"""All checks of `steward doctor`, in the order in which a chat needs them. Each is asked even when others fail."""

import asyncio
import shutil
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from memory.backups import Backups
from memory.data_dir import Home, holder_of
from memory.errors import StoreError
from memory.key_file import key_of
from memory.sqlite_health import Health, look_over
from memory.sqlite_memory_health import MemoryHealth, look_over_memory
from models.crash_memory import crash_memory_here
from models.embedder import MiniLmEmbedder
from models.engine_facts import EngineFacts, engine_facts
from models.errors import FetchError
from models.hardware import Hardware, detect
from models.settings import ModelSettings
from models.types import Failure
from ui.checks.engine import check_engine
from ui.checks.home import (
    check_backups,
    check_clock,
    check_database,
    check_modes,
    check_owner,
    check_room,
    check_settings,
    check_writable,
    is_running,
)
from ui.checks.memory import check_memory
from ui.checks.model import check_model, look_at
from ui.checks.reminders import (
    MOST_COUNTED,
    Tellers,
    Waiting,
    check_daemon,
    check_notifications,
    check_reminders,
    check_zones,
)
from ui.checks.result import Check, broken, ok
from ui.checks.secrecy import check_encryption
from ui.checks.terminal import check_terminal, terminal_facts
from ui.configuration import Configuration, load
from ui.daemon_sign import living_daemon
from ui.daemon_units import start_of_unit
from ui.encryption_acts import status_of
from ui.errors import ConfigError
from ui.local_zone import local_zone
from ui.model_choice import FileModel, which_model
from ui.notify import find_notifier, has_session
from ui.reading import reading_reminders
from ui.terminal_probe import TerminalAnswers
from ui.wiring import Options, resolve_home

OLDEST_PYTHON = (3, 11)


def examine(
    options: Options, answers: TerminalAnswers | None, env: Mapping[str, str], *, verify: bool
) -> tuple[Check, ...]:
    """Reads only. `answers` is what the terminal said when asked, if it was."""
    home = resolve_home(options)
    settings, config_error = _settings(home)
    hardware = detect(home.models)
    crash = crash_memory_here(home.state / "engine_crashes.json").recall()
    facts, health, remembered, waiting = asyncio.run(_ask(home, options))
    newest = health.newest if isinstance(health, Health) else None
    now = datetime.now(UTC)
    holder = holder_of(home)
    tellers = _tellers(home, env)
    groups = (
        asked("python", _check_python),
        asked("settings", lambda: check_settings(home, config_error)),
        asked("engine", lambda: check_engine(facts, crash, hardware)),
        asked("model", lambda: _model(settings, home, options, hardware, verify)),
        asked("terminal", lambda: check_terminal(terminal_facts(answers), env)),
        asked("home", lambda: check_writable(home)),
        asked("modes", lambda: check_modes(home)),
        asked("encryption", lambda: check_encryption(status_of(home))),
        asked("owner", lambda: check_owner(holder, alive=is_running(holder))),
        asked("database", lambda: check_database(health)),
        asked("backups", lambda: _backups(home, health, now)),
        asked("memory", lambda: _memory(remembered, home)),
        asked("disk", lambda: check_room(_free(home.data))),
        asked("clock", lambda: check_clock(now, newest, now.astimezone().tzname())),
        asked("reminders", lambda: check_reminders(waiting, tellers, now)),
        asked("daemon", lambda: check_daemon(tellers, now)),
        asked("notify", lambda: check_notifications(tellers, sys.platform)),
        asked("zones", lambda: check_zones(local_zone())),
    )
    return tuple(check for group in groups for check in group)


def asked(name: str, look: Callable[[], Check | tuple[Check, ...]]) -> tuple[Check, ...]:
    """What `look` finds; where the system does not let it look, that is the finding."""
    try:
        found = look()
    except OSError as error:
        reason = f"cannot be looked at: {error.strerror or error}"
        return (broken(name, reason, "Check owner and mode of the folders that steward where prints."),)
    except StoreError as error:
        return (broken(name, error.message, error.hint or "steward where prints the folders it means."),)
    return found if isinstance(found, tuple) else (found,)


async def _ask(
    home: Home, options: Options
) -> tuple[EngineFacts | Failure, Health | StoreError | None, MemoryHealth | StoreError | None, Waiting | StoreError]:
    """What other processes and threads have to say, at the same time."""
    return await asyncio.gather(engine_facts(), _health(home), _remembered(home), _waiting(options))


async def _waiting(options: Options) -> Waiting | StoreError:
    try:
        async with reading_reminders(options) as store:
            return Waiting(active=len(await store.list(limit=MOST_COUNTED)), next_at=await store.next_at())
    except StoreError as error:
        return error


def _tellers(home: Home, env: Mapping[str, str]) -> Tellers:
    holder, sign = holder_of(home), living_daemon(home)
    return Tellers(
        owner=holder.what if holder is not None and is_running(holder) else "",
        looked_at=sign.looked_at if sign is not None else None,
        start=start_of_unit(env),
        notifies=find_notifier(env) is not None,
        session_bus=has_session(env),
    )


def _backups(home: Home, health: Health | StoreError | None, now: datetime) -> Check:
    holds = isinstance(health, StoreError) or (health is not None and health.messages > 0)
    try:
        return check_backups(Backups(home).list(), now, holds=holds)
    except StoreError as error:
        return broken("backups", error.message, error.hint)


def _memory(remembered: MemoryHealth | StoreError | None, home: Home) -> Check:
    return check_memory(remembered, embedder=MiniLmEmbedder.in_folder(home.models).available)


def _check_python() -> Check:
    version = ".".join(str(part) for part in sys.version_info[:3])
    if sys.version_info < OLDEST_PYTHON:
        return broken("python", version, "Install Python 3.11 or newer and make the environment again.")
    return ok("python", version)


def _settings(home: Home) -> tuple[ModelSettings, ConfigError | None]:
    """The settings of the model; the defaults where config.toml is wrong."""
    try:
        configuration: Configuration = load(home.config_file)
    except ConfigError as error:
        return ModelSettings(), error
    return configuration.model, None


def _model(
    settings: ModelSettings, home: Home, options: Options, hardware: Hardware, verify: bool
) -> tuple[Check, ...]:
    try:
        chosen = which_model(settings, home, options.model)
    except FetchError as error:
        return check_model(error, None, settings, hardware)
    facts = look_at(chosen.path, verify=verify) if isinstance(chosen, FileModel) else None
    return check_model(chosen, facts, settings, hardware)


async def _health(home: Home) -> Health | StoreError | None:
    try:
        return await look_over(home.database, await asyncio.to_thread(key_of, home))
    except StoreError as error:
        return error


async def _remembered(home: Home) -> MemoryHealth | StoreError | None:
    try:
        return await look_over_memory(home.database, await asyncio.to_thread(key_of, home))
    except StoreError as error:
        return error


def _free(folder: Path) -> int | None:
    place = next((path for path in (folder, *folder.parents) if path.exists()), None)
    try:
        return None if place is None else shutil.disk_usage(place).free
    except OSError:
        return None
