"""The `steward` command: global options, lazily loaded commands, one place where errors become words and exit codes.

A command is a click command in ui/commands/. It takes `Options` by `@click.pass_obj`, and its return value is the exit
code (None is 0). It lets every expected error fly: `main` says it.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import wraps
from importlib import import_module
from typing import Any

import click

from ui.errors import EXIT_DONE, EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE
from ui.wiring import Options

# name -> (module:attribute, one line for `steward --help`). The line equals the command's own short help (tested).
COMMANDS = {
    "chat": ("ui.commands.chat:chat", "Talk in the terminal (what plain `steward` does)."),
    "tour": ("ui.commands.tour:tour", "See what Steward does, in two minutes; keeps nothing."),
    "ask": ("ui.commands.ask:ask", "Ask one thing and print the answer."),
    "sessions": ("ui.commands.sessions:sessions", "List, show, search, rename, export or delete conversations."),
    "history": ("ui.commands.history:history", "Bring in what you said to ChatGPT or Claude."),
    "memory": ("ui.commands.memory:memory", "See, correct and forget what is remembered about you."),
    "profile": ("ui.commands.profile:profile", "Export, import or undo importing what is known about you."),
    "remind": ("ui.commands.remind:remind", "Remind you of something, at a time in your own words."),
    "reminders": ("ui.commands.reminders:reminders", "List, finish, snooze, change, delete or export reminders."),
    "suggestions": (
        "ui.commands.suggestions:suggestions",
        "What Steward says first, why, and how often.",
    ),
    "decisions": (
        "ui.commands.decisions:decisions",
        "Decisions that wait: list, show, answer, cancel, prices.",
    ),
    "plans": ("ui.commands.plans:plans", "Plans of several steps: list, show, resume, stop, undo."),
    "calendar": ("ui.commands.calendar:calendar", "Your calendar: list, add in words, import and export ICS."),
    "tasks": ("ui.commands.tasks:tasks", "What you have to do: list, add, finish, change or delete tasks."),
    "notes": ("ui.commands.notes:notes", "Your notes: list, add, show, search, change or delete them."),
    "documents": (
        "ui.commands.documents:documents",
        "Your documents: add files and folders, search and cite them.",
    ),
    "daemon": ("ui.commands.daemon:daemon", "Fire reminders while Steward is not open."),
    "tools": ("ui.commands.tools:tools", "List tools, add MCP servers, see and revoke permissions."),
    "models": ("ui.commands.models:models", "List, fetch, choose or remove models."),
    "backup": ("ui.commands.backup:backup", "Back up everything that is kept, also while Steward runs."),
    "backups": ("ui.commands.backup:backups", "List the backups, newest first."),
    "restore": ("ui.commands.restore:restore", "Put a backup in the place of what is kept, after a preview."),
    "learning": (
        "ui.commands.learning:learning",
        "Pause learning, or close a domain to it.",
    ),
    "data": ("ui.commands.data:data", "See how much is kept and where, or delete all of it."),
    "encryption": ("ui.commands.encryption:encryption", "Encrypt what is kept, or no longer; change the passphrase."),
    "config": ("ui.commands.config:config", "Show or change settings."),
    "where": ("ui.commands.where:where", "Print where Steward keeps its files."),
    "evaluate": ("ui.commands.evaluate:evaluate", "Measure memory, asking and speaking first on cases."),
    "doctor": ("ui.commands.doctor:doctor", "Check engine, model, terminal, data, and say how to mend them."),
}

_WHOLE = 1_000  # click cuts the line of a command in an overview where it would not fit on one row

EXAMPLES = """\b
Examples:
  steward                                  chat
  steward tour                             see what it does, in two minutes
  steward --demo                           look around without a model
  steward ask "What is a leap second?"     one answer, streamed
  git diff | steward ask - --json          text from a pipe, events as JSON
  steward sessions search passport         find an old conversation
  steward memory                           what is remembered about you
  steward remind "call mum at 6pm"         the reading is said back to you
  steward models pull                      fetch the model that fits
  steward doctor                           what works here, and what does not

\b
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 another Steward uses this home,
4 a decision waits for you. Errors are one line, and the next step under it.
"""


class LazyGroup(click.Group):
    """Loads a command's module only when that command is used, so that `--help` stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module_name, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(module_name), attribute)
        assert isinstance(command, click.Command)
        return with_global_options(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not ctx.resilient_parsing:
            raise click.UsageError(f"There is no command {name!r}.{_near(name)}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:  # noqa: BLE001  the crash screen of the command line: no traceback reaches the user
            return _failed(error, ctx.find_object(Options) or Options())

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


def with_global_options(command: click.Command) -> click.Command:
    """The command, and every one below it, takes the global options too: people write them where they think of them."""
    own = {name for parameter in command.params for name in parameter.opts}
    command.params += [option for option in _hidden_options() if not own & set(option.opts)]
    if isinstance(command, click.Group):
        for below in command.commands.values():
            below.short_help = below.get_short_help_str(_WHOLE)
            with_global_options(below)
        _pass_on(command)
    elif command.callback is not None:
        command.callback = _unlocking(command.callback)
        _teach(command)
    return command


def _pass_on(group: click.Group) -> None:
    """A group that lists when it is given no command also takes the options of its list: `steward memory --json`."""
    by_itself = next((name for name in ("list", "show", "status") if name in group.commands), "")
    if not group.invoke_without_command or not by_itself:
        return

    def parse_args(ctx: click.Context, args: list[str]) -> list[str]:
        given = [*args]
        try:
            return click.Group.parse_args(group, ctx, args)
        except click.NoSuchOption:
            return click.Group.parse_args(group, ctx, [by_itself, *given])

    group.parse_args = parse_args  # type: ignore[method-assign]  # click asks the command itself for it


def _teach(command: click.Command) -> None:
    """An example ends its help, where there is none in it. They are loaded when help is read."""
    if "    steward " in (command.help or ""):
        return

    def format_epilog(ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from ui.examples import EXAMPLES as OTHERS

        example = OTHERS.get(ctx.command_path.partition(" ")[2])
        if example is not None:
            with formatter.section("Example"):
                formatter.write(f"  {example}\n")
        click.Command.format_epilog(command, ctx, formatter)

    command.format_epilog = format_epilog  # type: ignore[method-assign]  # click asks the command itself for it


def _unlocking(act: Callable[..., Any]) -> Callable[..., Any]:
    """An encrypted home is opened before its command begins: nobody is asked in the middle of something."""
    if hasattr(act, "unlocks"):
        return act

    @wraps(act)
    def unlocked(*arguments: Any, **given: Any) -> Any:
        context = click.get_current_context()
        options = context.find_object(Options) or Options()
        nothing = given.get("incognito") or given.get("demo")
        _unlock(replace(options, incognito=True) if nothing else options, context.command_path, given.values())
        return act(*arguments, **given)

    unlocked.unlocks = True  # type: ignore[attr-defined]  # a command is made ready once
    return unlocked


def _unlock(options: Options, path: str, given: Iterable[Any] = ()) -> None:
    from ui.unlocking import unlock_first

    reads_stdin = any(value == "-" or (isinstance(value, tuple) and "-" in value) for value in given)
    unlock_first(options, path.partition(" ")[2], stdin_is_text=reads_stdin)


def _hidden_options() -> list[click.Option]:
    hidden: dict[str, Any] = {"hidden": True, "expose_value": False, "callback": _override}
    return [
        click.Option(["--home", "home_override"], **hidden),
        click.Option(["--model", "model"], **hidden),
        *(click.Option([f"--{name}", name], is_flag=True, **hidden) for name in ("plain", "incognito", "demo")),
    ]


def _override(ctx: click.Context, option: click.Parameter, value: Any) -> None:
    root = ctx.find_root()
    if value and isinstance(root.obj, Options) and option.name is not None:
        root.obj = replace(root.obj, **{option.name: value})
        ctx.obj = root.obj


def _near(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, COMMANDS, n=2, cutoff=0.8)
    return f" Did you mean {' or '.join(close)}?" if close else ""


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from ui.versions import steward_version

        click.echo(f"steward {steward_version()}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    epilog=EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--home", "home_override", metavar="DIR", help="Keep everything under DIR (also: STEWARD_HOME).")
@click.option("--plain", is_flag=True, help="Line by line, no full screen: for screen readers, pipes and logs.")
@click.option("--incognito", is_flag=True, help="Keep nothing of this run, and read nothing kept before.")
@click.option("--demo", is_flag=True, help="A scripted model that needs no weights; keeps nothing.")
@click.option("--model", metavar="NAME|PATH|URL", help="Use this model for this run.")
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version and exit."
)
@click.pass_context
def steward(
    ctx: click.Context, home_override: str | None, plain: bool, incognito: bool, demo: bool, model: str | None
) -> Any:
    """A personal assistant that lives in your terminal and on your machine."""
    ctx.obj = Options(home_override=home_override, plain=plain, incognito=incognito, demo=demo, model=model)
    if ctx.invoked_subcommand is None:
        from ui.commands.chat import chat

        _unlock(ctx.obj, "steward chat")
        return ctx.invoke(chat)
    return None


def main(args: Sequence[str] | None = None, group: click.Group = steward) -> int:
    """Run one command and return its exit code. Nothing but SystemExit ever leaves here."""
    try:
        result = group.main(args=args, prog_name="steward", standalone_mode=False)
    except click.exceptions.Abort as abort:
        return EXIT_INTERRUPTED if isinstance(abort.__cause__, KeyboardInterrupt) else EXIT_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except click.ClickException as error:
        return _wrong_usage(error)
    return result if isinstance(result, int) else EXIT_DONE


def _wrong_usage(error: click.ClickException) -> int:
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context else "steward"
    _say(error.format_message(), f"{path} --help shows what can be given here.")
    return EXIT_USAGE


def _failed(error: Exception, options: Options) -> int:
    from ui.errors import explain

    explained = explain(error)
    if explained is not None:
        _say(explained.message, explained.hint)
        return explained.exit_code
    from ui.logs import record_crash
    from ui.wiring import resolve_home

    _say(f"something went wrong ({type(error).__name__}).", record_crash(error, resolve_home(options).log))
    return EXIT_FAILED


def _say(message: str, hint: str) -> None:
    from assistant.policies.cleaning import clean
    from ui.redaction import without_secrets

    sys.stderr.write(f"steward: {' '.join(without_secrets(clean(message)).split())}\n")
    if hint:
        sys.stderr.write(f"  {clean(hint)}\n")
