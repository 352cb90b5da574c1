"""`steward evaluate`: how good memory is on this machine, in numbers."""

import asyncio
from pathlib import Path

import click

from assistant.evaluation.reading import FORMATS, Format
from assistant.evaluation.results import Suite, as_lines, as_value
from ui.evaluating import Evaluation, Living
from ui.memory_words import EMBEDDER_FIX, EMBEDDER_MISSING
from ui.output import print_json, print_line
from ui.wiring import Options, build_model, find_embedder, owned, resolve_home

EVERYBODY = 6


@click.group()
def evaluate() -> None:
    """Measure memory with our own cases, or with public ones you have."""


@evaluate.command("memory")
@click.option("--data", metavar="PATH", type=click.Path(exists=True, path_type=Path), help="A file or folder of cases.")
@click.option("--format", "kind", type=click.Choice(FORMATS), help="What --data is.")
@click.option("--live", type=click.IntRange(min=0), help="Also simulate so many users on your model (minutes each).")
@click.option("--notice", is_flag=True, help="Also measure what your model notices in the background (minutes).")
@click.option("--sessions", type=click.IntRange(min=4), default=6, show_default=True, help="Of each simulated user.")
@click.option("--questions", type=click.IntRange(min=1), default=2, show_default=True, help="In each session.")
@click.option("--misses", is_flag=True, help="Also list what went wrong.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (docs/evaluation.md).")
@click.pass_obj
def evaluate_memory(
    options: Options,
    data: Path | None,
    kind: Format | None,
    live: int | None,
    notice: bool,
    sessions: int,
    questions: int,
    misses: bool,
    as_json: bool,
) -> None:
    """What is stored, what is merged, what comes back, and how little a user has to repeat.

    Uses the files of this installation or those of --data (LoCoMo, PrefEval, MemoryCode, MultiSessionCollab), and a
    temporary folder: your own memory is neither read nor changed. Nothing is fetched.
    """
    if (data is None) != (kind is None):
        raise click.UsageError("--data and --format belong together.")
    users = live if live is not None else EVERYBODY if kind == "multisessioncollab" else 0
    how = Living(users=users, sessions=sessions, questions=questions, notice=notice)
    suites = asyncio.run(_run(options, data, kind, how, quiet=as_json))
    if as_json:
        print_json(as_value(suites))
        return
    for line in as_lines(suites, misses=misses):
        print_line(line)


async def _run(
    options: Options, data: Path | None, kind: Format | None, how: Living, *, quiet: bool
) -> tuple[Suite, ...]:
    embedder = find_embedder(await asyncio.to_thread(resolve_home, options))
    evaluation = await Evaluation.prepared(embedder)
    if not await asyncio.to_thread(lambda: embedder.available) and not quiet:
        print_line(f"{EMBEDDER_MISSING} Fetch it: {EMBEDDER_FIX}", err=True)
    suites = await evaluation.own() if data is None or kind is None else await evaluation.given(data, kind)
    if not how.users and not how.notice:
        return suites
    profiles = data if kind == "multisessioncollab" else None
    return (*suites, *await _with_model(options, evaluation, how, profiles))


async def _with_model(options: Options, evaluation: Evaluation, how: Living, data: Path | None) -> tuple[Suite, ...]:
    """On the model that a chat would use."""
    async with owned(options, "evaluate") as services:
        model = await asyncio.to_thread(build_model, services.configuration, services.home, options)
        try:
            await model.start()
            found = await evaluation.noticing(services, model) if how.notice else ()
            lives = (await evaluation.lives(services, model, how, data, _told),) if how.users else ()
            return (*found, *lives)
        finally:
            await model.close()


def _told(line: str) -> None:
    """Each takes minutes, so that what is done is worth knowing also where nobody sits."""
    print_line(line, err=True)
