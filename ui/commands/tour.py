"""`steward tour`: what Steward does, shown in two minutes on a script."""

import sys

import click

from ui.wiring import Options


@click.command()
@click.pass_obj
def tour(options: Options) -> int:
    """See what Steward does, in two minutes; keeps nothing.

    Line by line, with Enter to go on; over a pipe it does not wait. The model is a script, all the rest is real: the
    memory, the reminder, the decision that waits. It needs no model, and nothing of yours is read or changed.
    """
    import asyncio

    from ui.tour import run_tour

    return asyncio.run(run_tour(options, stdin=sys.stdin, out=sys.stdout))
