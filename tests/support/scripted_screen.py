"""The real terminal UI on a script, as a program: `python -m tests.support.scripted_screen --home DIR --script FILE`.

The script names: replies (each a list of chunks), thought, titles, failure, model, pace (seconds), bug (F1 is one).
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import click

from memory.data_dir import Home
from memory.transcript_in_memory import InMemoryTranscript
from models.scripted import ScriptedModel, Step
from models.types import Delta, Failure, Progress
from tests.support.builders import finished_reply
from tests.support.clock import MONDAY
from tests.support.pilot import a_desk
from ui.app import StewardApp, show
from ui.cli import LazyGroup, main
from ui.wiring import Options


async def run(home: Home, script: dict[str, Any]) -> int:
    transcript = InMemoryTranscript()
    for title in script.get("titles", ()):
        session = await transcript.create_session(at=MONDAY, title=title)
        user = await transcript.add_user_message(session.id, None, title, at=MONDAY)
        await finished_reply(transcript, user.id, title)
    replies = [_steps(chunks, script) for chunks in script.get("replies", ())]
    model = ScriptedModel(
        *replies, name=script.get("model", "scripted"), pace=lambda: asyncio.sleep(script.get("pace", 0))
    )
    desk = a_desk(home, model=model, transcript=transcript)
    app = StewardApp(desk)
    if "bug" in script:
        app.action_help = _bug  # type: ignore[method-assign]  # F1 is a bug now
    return await show(app, desk)


def _bug() -> None:
    secret = "a value nobody should see"
    raise RuntimeError(f"a bug with {len(secret)} letters")


def _steps(chunks: list[str], script: dict[str, Any]) -> list[Step]:
    steps: list[Step] = [Progress(stage="reading", done=1, total=2)]
    if "thought" in script:
        steps.append(Delta(text=script["thought"], thought=True))
    steps += [Delta(text=chunk) for chunk in chunks]
    if "failure" in script:
        steps.append(Failure(kind="worker_died", message=script["failure"], hint=script["failure"]))
    return steps


@click.group(cls=LazyGroup, invoke_without_command=True)
@click.option("--home", required=True)
@click.option("--script", required=True, type=click.Path(exists=True, path_type=Path))
@click.pass_context
def scripted(ctx: click.Context, home: str, script: Path) -> int:
    ctx.obj = Options(home_override=home)
    place = Home.resolve(home, {})
    place.make()
    return asyncio.run(run(place, json.loads(script.read_text("utf-8"))))


if __name__ == "__main__":
    raise SystemExit(main(group=scripted))
