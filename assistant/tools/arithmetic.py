"""arithmetic: works out a sum exactly, so that no model has to guess it."""

import re
from typing import Final

from pydantic import Field

from assistant.errors import ToolError
from assistant.policies.arithmetic import NoSum, evaluate
from assistant.tools.own import asked_for
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

_LEAD: Final = re.compile(r"^(?:what(?:'s| is)|how much is|calculate|compute|work out)\s+", re.IGNORECASE)
_WORDS: Final = (
    (re.compile(r"\s*\b(?:times|multiplied by)\b\s*", re.IGNORECASE), " * "),
    (re.compile(r"(?<=\d)\s*x\s*(?=\d)", re.IGNORECASE), " * "),
    (re.compile(r"\s*\bdivided by\b\s*", re.IGNORECASE), " / "),
    (re.compile(r"\s*\bplus\b\s*", re.IGNORECASE), " + "),
    (re.compile(r"\s*\bminus\b\s*", re.IGNORECASE), " - "),
    (re.compile(r"\s*\bto the power of\b\s*", re.IGNORECASE), " ^ "),
    (re.compile(r"\s*(?:percent|per cent|%) of\b\s*", re.IGNORECASE), "% * "),
    (re.compile(r"\s*\b(?:percent|per cent)\b", re.IGNORECASE), "%"),
)
_SUM: Final = re.compile(r"[-+*/^%()\d.,'_ ×÷·−–]+")
_SIGN: Final = re.compile(r"[+*/^%×÷·−–-]")


class ArithmeticArguments(ToolArguments):
    sum: str | None = Field(
        max_length=500, description="The sum in numbers and signs, for example: (12.5 + 3) * 4 - 10%"
    )


class Arithmetic:
    name = ToolName("arithmetic")
    summary = "Work out a sum exactly"
    effect: Effect = "read"
    arguments = ArithmeticArguments
    repeatable = True

    def read(self, text: str, context: CallContext) -> Reading[ArithmeticArguments] | None:
        """Only what is a sum through and through; a date such as 3-4 alone is none."""
        said = asked_for(text).removesuffix("=").strip()
        led = _LEAD.match(said) is not None
        said = _LEAD.sub("", said)
        for words, sign in _WORDS:
            said = words.sub(sign, said)
        if not _SUM.fullmatch(said) or not _SIGN.search(said) or not (led or re.search(r"[+*/^%×÷(]|\s-\s", said)):
            return None
        return Reading(arguments=ArithmeticArguments(sum=said.strip()), sure=True)

    async def preview(self, arguments: ArithmeticArguments, context: CallContext) -> Preview:
        if not arguments.sum:
            return Preview(summary="Work out a sum", gaps=(Gap(argument="sum", question="Which sum?"),))
        return Preview(summary=f"Work out {arguments.sum}")

    async def run(self, arguments: ArithmeticArguments, key: EffectKey, context: CallContext) -> Outcome:
        try:
            result = evaluate(arguments.sum or "")
        except NoSum as error:
            raise ToolError(error.reason, "Write it with numbers and + - * / ^ % ( ).") from error
        sign = "=" if result.exact else "≈"
        return Outcome(text=f"{arguments.sum} {sign} {result.text}", final=True)

    async def undo(self, token: str, context: CallContext) -> Outcome:
        raise ToolError("There is nothing to take back.")
