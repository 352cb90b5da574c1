"""`steward evaluate`: how good memory is on this machine, in numbers."""

import asyncio
from pathlib import Path

import click

from assistant.evaluation.proactive.personas import own_personas, read_personas
from assistant.evaluation.proactive.protocol import Extent
from assistant.evaluation.proactive.protocol import evaluate as evaluate_lives
from assistant.evaluation.reading import FORMATS, Format
from assistant.evaluation.results import Suite, as_lines, as_value
from ui.commands.evaluate_asking import evaluate_asking, evaluate_deciding
from ui.evaluating import Evaluation, Living
from ui.memory_words import EMBEDDER_FIX, EMBEDDER_MISSING
from ui.model_wiring import build_model
from ui.output import print_json, print_line
from ui.wiring import Options, find_embedder, owned, resolve_home

EVERYBODY = 6


@click.group()
def evaluate() -> None:
    """Measure memory, asking and speaking first on cases."""


evaluate.add_command(evaluate_asking)
evaluate.add_command(evaluate_deciding)


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


@evaluate.command("proactive")
@click.option("--data", metavar="PATH", type=click.Path(exists=True, path_type=Path), help="Personas of ProPerSim.")
@click.option("--days", type=click.IntRange(14, 120), default=28, show_default=True, help="Of each simulated life.")
@click.option("--seeds", type=click.IntRange(1, 50), default=3, show_default=True, help="Lives of each persona.")
@click.option("--rate", type=click.FloatRange(0, 1), default=0.2, show_default=True, help="Share of messages rated.")
@click.option("--all-personas", is_flag=True, help="Also the own personas that knobs were chosen on.")
@click.option("--no-ablations", is_flag=True, help="Leave out what each part is worth.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (docs/evaluation.md).")
def evaluate_proactive(
    data: Path | None, days: int, seeds: int, rate: float, all_personas: bool, no_ablations: bool, as_json: bool
) -> None:
    """When and about what Steward would speak first, to simulated users, beside simpler ways; no model takes part.

    Uses 16 personas of this installation or those of --data. Nothing of yours is read, nothing is fetched.
    """
    people = read_personas(data) if data is not None else own_personas()
    if data is None and not all_personas:
        people = tuple(one for one in people if one.id % 2)
    extent = Extent(days=days, seeds=seeds, rate=rate, ablations=not no_ablations)
    suites = evaluate_lives(people, extent, _unsaid if as_json else _told)
    if as_json:
        print_json(as_value(suites))
        return
    for line in as_lines(suites, misses=False):
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


def _unsaid(line: str) -> None:
    """For JSON: nothing but the object is printed."""
