"""`steward config`: list, get, set, reset, edit."""

import sys
from dataclasses import asdict

import click

from ui.configuration import Entry, entries, get, read_text, reset, set_value, template, write_text
from ui.errors import ConfigError, NeedsTerminal
from ui.output import print_json, print_line, print_table
from ui.wiring import Options, open_home, resolve_home


@click.group(invoke_without_command=True)
@click.pass_context
def config(ctx: click.Context) -> None:
    """Show or change settings.

    Without a command it lists them. A change takes effect at the next start.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_settings)


@config.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array.")
@click.option("--changed", is_flag=True, help="Only settings that differ from their default.")
@click.pass_obj
def list_settings(options: Options, as_json: bool = False, changed: bool = False) -> None:
    """Every setting, its value, its meaning and what it may be."""
    found = [entry for entry in entries(resolve_home(options).config_file) if entry.changed or not changed]
    if as_json:
        print_json([_as_json(entry) for entry in found])
        return
    for entry in found:
        mark = f"   (default: {_shown(entry.default)})" if entry.changed else ""
        print_line(f"{entry.key} = {_shown(entry.value)}{mark}")
        print_line(f"    {entry.description} [{entry.allowed}]")


@config.command("get")
@click.argument("key")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_obj
def get_setting(options: Options, key: str, as_json: bool) -> None:
    """The value of one setting, such as ui.theme."""
    entry = get(resolve_home(options).config_file, key)
    if as_json:
        print_json(_as_json(entry))
    else:
        print_line(_shown(entry.value))


@config.command("set")
@click.argument("key")
@click.argument("value")
@click.pass_obj
def set_setting(options: Options, key: str, value: str) -> None:
    """Change one setting. The comments in config.toml stay.

    \b
    Examples:
      steward config set ui.theme light
      steward config set assistant.instructions "Answer in British English."
    """
    entry = set_value(open_home(options).config_file, key, value)
    print_line(f"{entry.key} = {_shown(entry.value)}")


@config.command("reset")
@click.argument("key")
@click.pass_obj
def reset_setting(options: Options, key: str) -> None:
    """Give one setting its default again."""
    entry = reset(open_home(options).config_file, key)
    print_line(f"{entry.key} = {_shown(entry.value)}")


@config.command("edit")
@click.pass_obj
def edit_settings(options: Options) -> None:
    """Open config.toml in your editor ($VISUAL, $EDITOR); it is kept only if it is right."""
    if not sys.stdin.isatty():
        raise NeedsTerminal("config edit needs a terminal.", "Use: steward config set KEY VALUE")
    path = open_home(options).config_file
    text = read_text(path) or template()
    while True:
        edited = click.edit(text, extension=".toml", require_save=True)
        if edited is None:
            print_line("Nothing changed.")
            return
        try:
            write_text(path, edited)
        except ConfigError as error:
            print_table([("not kept:", error.message), ("", error.hint)])
            if not click.confirm("Edit again? (No drops the change)", default=True):
                return
            text = edited
        else:
            print_line(f"{path} is changed. It takes effect at the next start.")
            return


def _shown(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case None:
            return "(not set)"
        case str():
            return value or '""'
        case dict() if not value:
            return "{}"
        case _:
            return str(value)


def _as_json(entry: Entry) -> dict[str, object]:
    return asdict(entry) | {"changed": entry.changed}
