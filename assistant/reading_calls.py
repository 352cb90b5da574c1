"""Which tool is meant, and with which arguments: rules first, then one closed question, then a constrained fill."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from tomllib import loads
from typing import Any

from assistant.errors import ToolError
from assistant.policies.asking.fill import parsed
from assistant.policies.asking.grounded import Invented, Remembered, Said, grounds
from assistant.policies.asking.types import OpenGap
from assistant.ports import ChatModel
from assistant.tools.types import Assumption, Gap, Reading, Source, Tool, ToolArguments
from memory.types import Message
from models.errors import ModelError
from models.types import (
    Cancel,
    ChatMessage,
    ChoiceRequest,
    ClosedQuestion,
    Delta,
    Finished,
    GenerationRequest,
    Sampling,
)

JUST_TALK = "only talk"
SURE = 0.97
MOST_OFFERED = 6
MOST_FILL_TOKENS = 120
LONGEST = 600  # characters; a longer message tells more than one wish


@dataclass(frozen=True, slots=True, kw_only=True)
class ActingPrompts:
    """The texts of assistant/prompts/acting.toml."""

    which: str
    fill: str
    gap: str

    @classmethod
    def load(cls) -> "ActingPrompts":
        """Read from the installed package."""
        table = loads((files("assistant") / "prompts" / "acting.toml").read_text(encoding="utf-8"))
        return cls(which=table["which"].strip(), fill=table["fill"].strip(), gap=table["gap"].strip())


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """`belief` that this tool with these arguments is meant. `tokens`: decoded for it."""

    tool: Tool[Any]
    arguments: ToolArguments
    belief: float
    by_rule: bool
    rivals: tuple[tuple[Tool[Any], float], ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    tokens: int = 0


class CallReader:
    """Asks the model; a model that fails is as good as one that says "only talk"."""

    def __init__(self, model: ChatModel, prompts: ActingPrompts) -> None:
        self._model = model
        self._prompts = prompts

    async def call(
        self,
        text: str,
        readings: Sequence[tuple[Tool[Any], Reading[Any]]],
        statements: Sequence[str],
        cancel: Cancel,
    ) -> Called | None:
        """`readings`: the sure ones first. `statements`: what is known about the user that may fill an argument."""
        if not readings or len(text) > LONGEST:
            return None
        tool, reading = readings[0]
        sure = [pair for pair in readings if pair[1].sure]
        rivals: tuple[tuple[Tool[Any], float], ...] = ()
        belief = SURE
        if len(sure) != 1:
            offered = (sure or list(readings))[:MOST_OFFERED]
            shares = await self._which(text, [one for one, _ in offered], cancel)
            if shares is None:
                return None
            best = max(range(len(shares)), key=shares.__getitem__)
            if best == len(offered):
                return None
            tool, reading = offered[best]
            belief = shares[best]
            rivals = tuple(
                (one, shares[place]) for place, (one, _) in enumerate(offered) if place != best and shares[place] > 0.1
            )
        if reading.arguments is not None:
            return Called(tool=tool, arguments=reading.arguments, belief=belief, by_rule=len(sure) == 1, rivals=rivals)
        return await self._filled(text, tool, belief, rivals, statements, cancel)

    async def _which(self, text: str, tools: Sequence[Tool[Any]], cancel: Cancel) -> tuple[float, ...] | None:
        """A share for each tool, and last the share of "only talk"."""
        options = (*(tool.summary for tool in tools), JUST_TALK)
        prompt = self._prompts.which.replace("{message}", _quoted(text))
        request = ChoiceRequest(
            messages=(ChatMessage(role="system", content="You sort messages to an assistant."),),
            questions=(ClosedQuestion(prompt=prompt, options=options),),
            calibrate=True,
            priority="user",
        )
        try:
            (shares,) = await self._model.choose(request, cancel)
        except ModelError:
            return None
        return shares

    async def _filled(
        self,
        text: str,
        tool: Tool[Any],
        belief: float,
        rivals: tuple[tuple[Tool[Any], float], ...],
        statements: Sequence[str],
        cancel: Cancel,
    ) -> Called | None:
        values, tokens = await self._values(text, tool, statements, cancel)
        if values is None:
            return None
        said, assumptions = _grounded(values, text, statements)
        try:
            arguments = parsed(tool.arguments, said)
        except ToolError:
            return None
        return Called(
            tool=tool,
            arguments=arguments,
            belief=belief,
            by_rule=False,
            rivals=rivals,
            assumptions=assumptions,
            tokens=tokens,
        )

    async def _values(
        self, text: str, tool: Tool[Any], statements: Sequence[str], cancel: Cancel
    ) -> tuple[dict[str, Any] | None, int]:
        prompt = (
            self._prompts.fill.replace("{tool}", tool.summary)
            .replace("{fields}", _fields(tool))
            .replace("{known}", "\n".join(f"- {_quoted(one)}" for one in statements) or "- nothing")
            .replace("{message}", _quoted(text))
        )
        request = GenerationRequest(
            messages=(
                ChatMessage(role="system", content="You fill in forms with what people said."),
                ChatMessage(role="user", content=prompt),
            ),
            sampling=Sampling(temperature=0.0, max_tokens=MOST_FILL_TOKENS),
            json_schema=tool.arguments.model_json_schema(),
            priority="user",
        )
        written, tokens, finished = "", 0, False
        async for event in self._model.stream(request, cancel):
            match event:
                case Delta():
                    written += event.text
                case Finished():
                    finished, tokens = event.reason == "stop", event.usage.tokens_out
                case _:
                    pass
        try:
            values = json.loads(written) if finished else None
        except ValueError:
            values = None
        return (values if isinstance(values, dict) else None), tokens

    async def open_gap(self, gap: Gap, message: Message | None, cancel: Cancel) -> OpenGap:
        """With a belief for each known choice; one question to the model where there are several."""
        if not gap.choices:
            return OpenGap(gap=gap)
        if len(gap.choices) == 1 or message is None:
            return OpenGap(gap=gap, shares=tuple(1 / (len(gap.choices) + 0.05) for _ in gap.choices))
        prompt = self._prompts.gap.replace("{message}", _quoted(message.content)).replace("{question}", gap.question)
        options = tuple(choice.label for choice in gap.choices)
        request = ChoiceRequest(
            messages=(ChatMessage(role="system", content="You read what people mean."),),
            questions=(ClosedQuestion(prompt=prompt, options=options),),
            calibrate=True,
            priority="user",
        )
        try:
            (shares,) = await self._model.choose(request, cancel)
        except ModelError:
            shares = tuple(1 / len(options) for _ in options)
        return OpenGap(gap=gap, shares=shares)


def _fields(tool: Tool[Any]) -> str:
    """ "place: which restaurant; time: when"."""
    fields = tool.arguments.model_fields.items()
    return "; ".join(f"{name}: {field.description or name}" for name, field in fields)


def _grounded(
    values: dict[str, Any], text: str, statements: Sequence[str]
) -> tuple[dict[str, Any], tuple[Assumption, ...]]:
    """Text arguments that neither the message nor memory holds are taken out; those from memory are assumptions."""
    said: dict[str, Any] = {}
    assumptions: list[Assumption] = []
    for name, value in values.items():
        if not isinstance(value, str):
            said[name] = value
            continue
        match grounds(value, text, statements):
            case Said():
                said[name] = value
            case Remembered(statement=statement):
                said[name] = value
                source = Source(kind="memory", label=statement)
                assumptions.append(Assumption(argument=name, value=value, because=statement, source=source))
            case Invented():
                said[name] = None
    return said, tuple(assumptions)


def _quoted(text: str) -> str:
    return text.replace('"', "'").strip()
