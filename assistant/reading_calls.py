"""Which tool is meant, and with which arguments: rules first, then one closed question, then a constrained fill."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from tomllib import loads
from typing import Any, Literal

from assistant.errors import ToolError
from assistant.policies.asking.fill import parsed
from assistant.policies.asking.form import form_of
from assistant.policies.asking.grounded import Remembered, Said, grounds, is_vague, part_of, resolved, words_of
from assistant.policies.asking.numbers import is_number_said
from assistant.policies.asking.types import OpenGap
from assistant.ports import ChatModel
from assistant.tools.types import NOT_IN_FORM, Assumption, Gap, Reading, Source, Tool, ToolArguments
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

_TURNS: tuple[Literal["user", "assistant"], ...] = ("user", "assistant")
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
    fill_system: str = "You fill in forms with what people said."
    examples: tuple[tuple[str, str], ...] = ()  # forms and how they are filled, shown before the form

    @classmethod
    def load(cls) -> "ActingPrompts":
        """Read from the installed package."""
        table = loads((files("assistant") / "prompts" / "acting.toml").read_text(encoding="utf-8"))
        made = cls(
            which=table["which"].strip(),
            fill=table["fill"].strip(),
            gap=table["gap"].strip(),
            fill_system=table["fill_system"].strip(),
        )
        return replace(made, examples=tuple(made.example(row) for row in table["example"]))

    def example(self, row: dict[str, Any]) -> tuple[str, str]:
        return self.form(row["tool"], row["fields"], row["known"], row["message"]), row["filled"]

    def form(self, tool: str, fields: str, known: Sequence[str], message: str) -> str:
        return (
            self.fill.replace("{tool}", tool)
            .replace("{fields}", fields)
            .replace("{known}", "\n".join(f"- {_quoted(one)}" for one in known) or "- nothing")
            .replace("{message}", _quoted(message))
        )


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
        look = next((pair for pair in readings if pair[1].otherwise), None)
        readings = _by_form(text, [pair for pair in readings if not pair[1].otherwise])
        called = await self._meant(text, readings, statements, cancel)
        if called is not None or look is None or look[1].arguments is None or cancel.is_set:
            return called
        return Called(tool=look[0], arguments=look[1].arguments, belief=SURE, by_rule=True)

    async def _meant(
        self,
        text: str,
        readings: Sequence[tuple[Tool[Any], Reading[Any]]],
        statements: Sequence[str],
        cancel: Cancel,
    ) -> Called | None:
        if not readings or len(text) > LONGEST:
            return None
        tool, reading = readings[0]
        sure = [pair for pair in readings if pair[1].sure]
        rivals: tuple[tuple[Tool[Any], float], ...] = ()
        belief = SURE
        if len(sure) != 1 or _may_be_talk(text, reading):
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
        values, tokens = await self._values(text, tool, (), cancel)
        if values is None:
            return None
        said, assumptions = _said(values, text, statements, tool)
        if statements and None in said.values() and not cancel.is_set:
            known, more = await self._values(text, tool, statements, cancel)
            tokens += more
            assumptions += _from_memory(said, known or {}, tool, text, statements)
        said |= {one.argument: one.value for one in assumptions}
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
        shown = [
            ChatMessage(role=role, content=content)
            for example in self._prompts.examples
            for role, content in zip(_TURNS, example, strict=True)
        ]
        request = GenerationRequest(
            messages=(
                ChatMessage(role="system", content=self._prompts.fill_system),
                *shown,
                ChatMessage(role="user", content=self._prompts.form(tool.summary, _fields(tool), statements, text)),
            ),
            sampling=Sampling(temperature=0.0, max_tokens=MOST_FILL_TOKENS),
            json_schema=_schema(tool),
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
        """With a belief for each known choice; one question to the model where there are several. Choices that come
        from no source are ways out for the user and nothing to guess among."""
        if not gap.choices or gap.found_in is None:
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
        return OpenGap(gap=gap, shares=shares if _named(options, message.content) else _halved(shares))


def _by_form(text: str, readings: Sequence[tuple[Tool[Any], Reading[Any]]]) -> Sequence[tuple[Tool[Any], Reading[Any]]]:
    """Without those that a sentence of this form cannot mean: a question has nothing done, and talk asks for nothing.
    What a tool's own rules read whole stands."""
    match form_of(text):
        case "telling":
            return [pair for pair in readings if pair[1].arguments is not None]
        case "question":
            return [pair for pair in readings if pair[1].arguments is not None or pair[0].effect == "read"]
        case "wish" | "unclear":
            return readings


def _may_be_talk(text: str, reading: Reading[Any]) -> bool:
    """A tool that the words name, in a sentence that does not plainly ask for anything."""
    return reading.arguments is None and form_of(text) == "unclear"


def _named(options: Sequence[str], text: str) -> bool:
    """Whether a word of the message tells some of the choices from the others."""
    words = [words_of(option) & words_of(text) for option in options]
    return len(set(words)) > 1


def _halved(shares: Sequence[float]) -> tuple[float, ...]:
    """A guess without a word of the user's behind it counts half."""
    return tuple(share / 2 + 1 / (2 * len(shares)) for share in shares)


def _fields(tool: Tool[Any]) -> str:
    """ "place: which restaurant; time: when"."""
    shown = _schema(tool).get("properties", {})
    fields = ((name, field) for name, field in tool.arguments.model_fields.items() if name in shown)
    return "; ".join(f"{name}: {field.description or name}" for name, field in fields)


def _schema(tool: Tool[Any]) -> dict[str, Any]:
    """Of the arguments, without those that no model fills."""
    schema = tool.arguments.model_json_schema()
    shown = {name: one for name, one in schema.get("properties", {}).items() if not NOT_IN_FORM.keys() & one.keys()}
    return {**schema, "properties": shown} if shown else schema


def _said(
    values: dict[str, Any], text: str, statements: Sequence[str], tool: Tool[Any]
) -> tuple[dict[str, Any], tuple[Assumption, ...]]:
    """Texts and numbers that the message does not hold, or that name nothing, are None, and so are lists with one; a
    name that the user once explained ("my sister") is an assumption."""
    said: dict[str, Any] = {}
    assumptions: list[Assumption] = []
    for name, value in values.items():
        if isinstance(value, list | int | float):
            said[name] = value if _is_said(value, text) else None
        elif not isinstance(value, str) or not value:
            said[name] = value
        elif (known := resolved(value, statements)) is not None:
            said[name] = value
            assumptions.append(_assumed(name, known[0], known[1]))
        else:
            held = isinstance(grounds(value, text, ()), Said) and not is_vague(value, about=_about(tool, name))
            said[name] = value if held else None
    return said, tuple(assumptions)


def _is_said(value: object, text: str) -> bool:
    """All of it; yes and no, and what has parts, are left to the tool's own limits."""
    match value:
        case bool():
            return True
        case int() | float():
            return is_number_said(value, text)
        case str():
            return isinstance(grounds(value, text, ()), Said)
        case list():
            return all(_is_said(one, text) for one in value)
        case _:
            return True


def _from_memory(
    said: dict[str, Any], known: dict[str, Any], tool: Tool[Any], text: str, statements: Sequence[str]
) -> tuple[Assumption, ...]:
    """For what the message left out: values that a statement holds, and a time or an amount that stands beside one."""
    found: dict[str, Assumption] = {}
    for name, value in said.items():
        if value is not None or not isinstance(filled := known.get(name), str) or is_vague(filled):
            continue
        match grounds(filled, text, statements):
            case Remembered(statement=statement):
                found[name] = _assumed(name, filled, statement)
            case _:
                pass
    used = [one.because for one in found.values()] or [one for one in statements if _shares_words(one, text)][:1]
    for name, value in said.items():
        if value is None and name not in found:
            about = _about(tool, name)
            for statement in used:
                if (part := part_of(statement, about)) and name not in found:
                    found[name] = _assumed(name, part, statement)
    return tuple(found.values())


def _about(tool: Tool[Any], name: str) -> str:
    field = tool.arguments.model_fields.get(name)
    return f"{name} {field.description or ''}" if field is not None else name


def _assumed(name: str, value: str, statement: str) -> Assumption:
    return Assumption(argument=name, value=value, because=statement, source=Source(kind="memory", label=statement))


def _shares_words(statement: str, text: str) -> bool:
    return bool(words_of(statement) & words_of(text))


def _quoted(text: str) -> str:
    return text.replace('"', "'").strip()
