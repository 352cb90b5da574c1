"""`steward learning`: whether anything is learned from what you write, and about what it is not."""

import click

from assistant.learning_switch import LearningSwitch
from memory.preferences import DOMAINS
from ui.learning_acts import keep_learning, read_wanted, switch_words
from ui.output import print_json, print_line
from ui.wiring import Options, load_configuration, open_home, resolve_home


@click.command(epilog=f"Domains: {', '.join(DOMAINS)}")
@click.argument("words", nargs=-1, metavar="[on|off] [DOMAIN]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_obj
def learning(options: Options, words: tuple[str, ...], as_json: bool) -> None:
    """Pause learning, or close a domain to it.

    Without words it says how things stand. A Steward that is open hears of it at its next start; there, /learning
    works at once.
    """
    if words:
        wanted = read_wanted(" ".join(words))
        switch = keep_learning(open_home(options), wanted)
    else:
        switch = LearningSwitch.of(load_configuration(resolve_home(options)).assistant)
    if as_json:
        print_json({"on": switch.on, "not_about": [domain for domain in DOMAINS if domain in switch.closed]})
        return
    print_line(switch_words(switch))
