"""`steward profile`: take what Steward knows about you with you, and bring it in from elsewhere."""

import asyncio
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from memory.sealed import is_sealed, seal, unseal
from ui.errors import NeedsTerminal
from ui.output import print_json, print_line
from ui.passphrase import known_passphrase, new_passphrase
from ui.profile_acts import FORMATS, Export, FileThere, Format, Plan, Taken, read_file
from ui.profile_wiring import own_profile, reading_profile
from ui.profile_words import (
    ASK_EVERYTHING,
    export_lines,
    plan_lines,
    plan_value,
    taken_line,
    undone_line,
    written_line,
)
from ui.wiring import Options

_MOST_FROM_STDIN = 64 * 1024 * 1024 + 1


@click.group()
def profile() -> None:
    """Export, import or undo importing what is known about you."""


@profile.command("export")
@click.option("--format", "format", type=click.Choice(FORMATS), default="json", show_default=True, help="Which kind.")
@click.option("--output", "output", metavar="FILE", default="-", help="Where to; - is standard output.")
@click.option("--include-sensitive", "everything", is_flag=True, help="Also health, money, other people; asks first.")
@click.option("--preview", is_flag=True, help="Only say what would go.")
@click.option("--encrypt", is_flag=True, help="Encrypt it with a passphrase (age format).")
@click.option("--passphrase-stdin", is_flag=True, help="Read the passphrase from the first line of stdin.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def export_profile(
    options: Options,
    format: Format,
    output: str,
    everything: bool,
    preview: bool,
    encrypt: bool,
    passphrase_stdin: bool,
    yes: bool,
) -> int | None:
    """Write what is known about you to a file: json (whole), pam or markdown.

    What is sensitive or about other people stays here unless --include-sensitive says otherwise. What goes and what
    stays is said first, by category. The file is readable by you only, and is never written over without a question.
    """
    export = asyncio.run(_prepared(options, format, everything))
    for line in export_lines(export):
        print_line(line, err=output == "-" and not preview)
    if preview:
        return None
    if everything and not yes and not _typed_yes(f"{ASK_EVERYTHING}: "):
        print_line("Nothing was written.", err=True)
        return 1
    sealed = seal(export.text.encode(), new_passphrase(passphrase_stdin)) if encrypt or passphrase_stdin else None
    if output == "-":
        sys.stdout.buffer.write(export.text.encode() if sealed is None else sealed)
        sys.stdout.buffer.flush()
        return None
    if not asyncio.run(_saved(options, export, Path(output), yes, sealed)):
        print_line("Nothing was written.", err=True)
        return 1
    print_line(written_line(export, output) if sealed is None else f"{written_line(export, output)} Encrypted.")
    return None


async def _prepared(options: Options, format: Format, everything: bool) -> Export:
    async with reading_profile(options) as acts:
        return await acts.export(format, everything=everything)


async def _saved(options: Options, export: Export, path: Path, yes: bool, sealed: bytes | None) -> bool:
    async with reading_profile(options) as acts:
        try:
            await acts.save(export, path, overwrite=yes, sealed=sealed)
        except FileThere:
            if not sys.stdin.isatty():
                raise
            if not await asyncio.to_thread(click.confirm, "The file is there already. Replace it?"):
                return False
            await acts.save(export, path, overwrite=True, sealed=sealed)
    return True


@profile.command("import")
@click.argument("file")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print the diff as JSON (docs/formats.md) and nothing else.")
@click.option("--all", "every", is_flag=True, help="Show every line of the diff.")
@click.option("--passphrase-stdin", is_flag=True, help="Read the passphrase of an encrypted FILE from stdin.")
@click.pass_obj
def import_profile(
    options: Options, file: str, dry_run: bool, yes: bool, as_json: bool, every: bool, passphrase_stdin: bool
) -> int | None:
    """Bring in a profile: Steward's own, Portable AI Memory, Markdown, MEMORY.md, or a list of sentences.

    FILE may be - for standard input, such as a pasted list. What would change is shown first. A profile of Steward's
    own comes in as it is; sentences from anywhere else wait for your yes. Importing twice changes nothing.

    An encrypted one asks for its passphrase.

    \b
      steward profile import profile.json --dry-run
      steward profile import MEMORY.md
    """
    content = sys.stdin.buffer.read(_MOST_FROM_STDIN) if file == "-" else read_file(Path(file))
    if is_sealed(content):
        content = unseal(content, known_passphrase(passphrase_stdin and file != "-"))
    if dry_run:
        _show(asyncio.run(_looked(options, content)), as_json, every)
        return None
    return asyncio.run(_import(options, content, yes=yes, as_json=as_json, every=every, can_ask=file != "-"))


async def _looked(options: Options, content: bytes) -> Plan:
    async with reading_profile(options) as acts:
        return await acts.look(content)


async def _import(
    options: Options, content: bytes, *, yes: bool, as_json: bool, every: bool, can_ask: bool
) -> int | None:
    async with own_profile(options) as acts:
        plan = await acts.look(content)
        if not as_json:
            _show(plan, as_json, every)
        if plan.empty:
            _end(plan, None, as_json, "Nothing to take in.")
            return None
        if not yes and not (can_ask and sys.stdin.isatty()):
            raise NeedsTerminal("Importing asks first, and there is nobody to ask.", "Add --yes, or --dry-run to look.")
        if not yes and not await asyncio.to_thread(click.confirm, "Take this in?"):
            print_line("Nothing was taken in.")
            return 1
        taken = await acts.take_in(plan)
    _end(plan, taken, as_json, taken_line(taken))
    return None


def _end(plan: Plan, taken: Taken | None, as_json: bool, words: str) -> None:
    if as_json:
        print_json({**plan_value(plan), "taken": 0 if taken is None else taken.memories})
        return
    print_line()
    print_line(words)
    if taken is not None and (taken.entry is not None or taken.sections):
        print_line("Undo: steward profile undo")


def _show(plan: Plan, as_json: bool, every: bool) -> None:
    if as_json:
        print_json(plan_value(plan))
        return
    _print(plan_lines(plan, 1_000_000) if every else plan_lines(plan))


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print_line(line)


@profile.command("undo")
@click.pass_obj
def undo_import(options: Options) -> None:
    """Take back the last import: its memories, rules and prices, in one step."""

    async def undo() -> Taken:
        async with own_profile(options) as acts:
            return await acts.undo()

    print_line(undone_line(asyncio.run(undo())))


def _typed_yes(question: str) -> bool:
    if not sys.stdin.isatty():
        raise NeedsTerminal("This asks first, and there is nobody to ask.", "Add --yes to put everything in.")
    answer: str = click.prompt(question.rstrip(": "), default="", show_default=False, err=True)
    return answer.strip().lower() == "yes"
