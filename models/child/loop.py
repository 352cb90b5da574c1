"""Takes requests one by one and answers each with exactly one closing frame."""

import os
import sys
import traceback
from typing import assert_never

from models.child.choosing import choose
from models.child.generation import generate
from models.child.link import Link
from models.child.loading import load
from models.child.native import EngineBroken, EngineLog
from models.child.opened import Opened
from models.errors import ModelError
from models.protocol import Choose, Count, Counted, Failed, Generate, Load
from models.types import ChatMessage

NOTHING_LOADED = Failed(
    id=None, kind="model_missing", message="No model is loaded yet.", hint="Choose one with `steward models use`."
)


def run(link: Link) -> None:
    """Never returns."""
    log = EngineLog()
    opened: Opened | None = None
    while True:
        frame = link.take()
        number = None if isinstance(frame, Load) else frame.id
        try:
            if isinstance(frame, Load):
                if opened is not None:
                    opened.close()
                    opened = None
                opened = load(frame, link, log)
            elif opened is None:
                link.send(NOTHING_LOADED.model_copy(update={"id": number}))
            else:
                _answer(frame, opened, link)
        except ModelError as error:
            failure = error.failure
            link.send(Failed(id=number, kind=failure.kind, message=failure.message, hint=failure.hint))
        except EngineBroken as error:
            sys.stderr.write(f"{error}\n")
            link.send(_unexpected(number, "llama.cpp gave up"))
            os._exit(1)  # its state is not to be trusted: the parent starts another child
        except Exception as error:  # noqa: BLE001 - the process must answer and live on; the log gets the whole story
            traceback.print_exc()
            link.send(_unexpected(number, type(error).__name__))
            if opened is not None:
                opened.cache.clear()


def _unexpected(number: int | None, what: str) -> Failed:
    return Failed(
        id=number,
        kind="bug",
        message=f"The engine met something unexpected: {what}.",
        hint="Ask again; the engine's log has the details.",
    )


def _answer(frame: Generate | Choose | Count, opened: Opened, link: Link) -> None:
    match frame:
        case Generate():
            link.send(generate(frame, opened, link))
        case Choose():
            link.send(choose(frame, opened, link))
        case Count():
            messages = [ChatMessage(role=one.role, content=one.content) for one in frame.messages]
            link.send(Counted(id=frame.id, counts=opened.prompts.count(messages)))
        case _:
            assert_never(frame)
