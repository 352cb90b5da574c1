"""`steward doctor`: looks at everything a chat needs, and says how to mend what is broken or mends what is kept."""

import os
from dataclasses import asdict

import click

from ui.checks.examination import examine
from ui.checks.result import Check
from ui.errors import EXIT_DONE, EXIT_FAILED
from ui.output import print_json, print_line
from ui.redaction import redact
from ui.terminal_probe import probe_terminal
from ui.versions import versions
from ui.wiring import Options

_NAME_WIDTH = 10


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--verify", is_flag=True, help="Read the whole model file again and compare its SHA-256.")
@click.option(
    "--repair", is_flag=True, help="Mend modes, references and search; offer what can be saved of a damaged history."
)
@click.option(
    "--privacy", is_flag=True, help="List every file with what it holds, and every address Steward could talk to."
)
@click.pass_obj
def doctor(options: Options, as_json: bool, verify: bool, repair: bool, privacy: bool) -> int:
    """Check engine, model, terminal, data, and say how to mend them.

    Without --repair it changes nothing, needs no model, and runs beside another Steward. The text has no secrets in it
    and your home directory as ~, so that it can be copied into a bug report. Exit code 1 when something is broken.
    """
    if repair:
        from ui.commands.doctor_repair import repair_home

        return repair_home(options)
    if privacy:
        from ui.commands.doctor_privacy import show_privacy

        return show_privacy(options, as_json)
    answers = None if as_json else probe_terminal()
    checks = examine(options, answers, os.environ, verify=verify)
    sound = not any(check.state == "broken" for check in checks)
    if as_json:
        found = [{name: redact(text) for name, text in asdict(check).items()} for check in checks]
        print_json({"sound": sound, "versions": versions(), "checks": found})
    else:
        _print(checks, sound)
    return EXIT_DONE if sound else EXIT_FAILED


def _print(checks: tuple[Check, ...], sound: bool) -> None:
    print_line(", ".join(f"{name} {version}" for name, version in versions().items()))
    for check in checks:
        print_line(f"{check.state:<6}  {check.name:<{_NAME_WIDTH}}  {redact(check.detail)}")
        if check.fix:
            print_line(f"{'':<{_NAME_WIDTH + 10}}-> {redact(check.fix)}")
    print_line("Everything Steward needs works." if sound else "Something is broken; the arrows say how to mend it.")
