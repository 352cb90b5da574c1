"""The one tool that exists only in the tour: mail that cannot leave, to show how an act that reaches others waits."""

import re

from pydantic import Field

from assistant.errors import ToolError
from assistant.tools.types import (
    CallContext,
    Effect,
    EffectKey,
    Gap,
    Outcome,
    Preview,
    Reading,
    ToolArguments,
    ToolName,
)

_SEND = re.compile(r"send a mail to (?P<to>[\w .@-]{1,80}): (?P<text>.{1,400})", re.IGNORECASE)


class MailArguments(ToolArguments):
    to: str | None = Field(description="who gets it")
    text: str | None = Field(description="what it says")


class TourMail:
    """Implements assistant.tools.types.Tool. No mail is ever sent."""

    name = ToolName("tour.mail")
    summary = "Send a mail"
    effect: Effect = "external"
    arguments = MailArguments
    repeatable = True

    def read(self, text: str, context: CallContext) -> Reading[MailArguments] | None:
        found = _SEND.fullmatch(text.strip())
        return Reading(arguments=MailArguments(to=found["to"], text=found["text"]), sure=True) if found else None

    async def preview(self, arguments: MailArguments, context: CallContext) -> Preview:
        told = tuple(f"{name}: {value}" for name, value in (("to", arguments.to), ("text", arguments.text)) if value)
        missing = [name for name, value in (("to", arguments.to), ("text", arguments.text)) if not value]
        return Preview(
            summary=f"Send a mail ({', '.join(told)})",
            lines=told,
            gaps=tuple(Gap(argument=name, question=f"The mail: {name}?") for name in missing),
            people=(arguments.to,) if arguments.to else (),
        )

    async def run(self, arguments: MailArguments, key: EffectKey, context: CallContext) -> Outcome:
        return Outcome(text="This is the tour: no mail was sent.", changed=("nothing: this is the tour",))

    async def undo(self, token: str, context: CallContext) -> Outcome:
        raise ToolError("Nothing was sent, so there is nothing to take back.")
