"""How a conversation is written for each family of models (pure).

A prompt is a row of spans. Control spans are ours and may hold control tokens; content spans are somebody's
words and must be tokenised with control tokens off, so that no user, file or tool can speak as the system.
A family is a table: the text between one turn and the next. Tables of families not named here are learned
from renderings of the file's own template (`learn`), which is run elsewhere, once, in a bounded process.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from models.thinking import answer_only
from models.types import ChatMessage, Role

Step = Literal["start", "system", "user", "assistant", "reply", "thinking"]
SystemTurn = Literal["anywhere", "first", "fold"]  # fold: system text goes into the next user turn

EMPTY_THOUGHT = "<think>\n\n</think>\n\n"  # tells a reasoning model to answer at once
SEPARATOR = "\n\n"  # between texts that share a turn
MAX_JOIN_CHARS = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    text: str
    control: bool
    message: int  # index of the message it belongs to; the reply's opening belongs to the last one


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """`joins[(a, b)]` stands between turn a and turn b. The step "reply" opens the reply, "thinking" opens one
    that may think first. `merges`: neighbours of the same role share a turn. `stops`: text that ends a reply
    where the vocabulary has no token for it."""

    name: str
    joins: Mapping[tuple[Step, Step], str]
    system: SystemTurn = "anywhere"
    merges: bool = False
    stops: tuple[str, ...] = ()

    def join(self, before: Step, after: Step) -> str:
        """The text between two turns; one never seen is taken from the same turn after a user turn."""
        found = self.joins.get((before, after))
        return found if found is not None else self.joins[("user" if before != "user" else "assistant", after)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    role: Role
    parts: tuple[tuple[str, int], ...]  # text, index of its message


def render(family: Family, messages: Sequence[ChatMessage], *, think: bool = False) -> tuple[Span, ...]:
    """Spans of the whole prompt, reply opened. Thoughts of earlier replies are left out."""
    spans: list[Span] = []
    before: Step = "start"
    for turn in _turns(family, messages):
        spans.append(Span(text=family.join(before, turn.role), control=True, message=turn.parts[0][1]))
        for number, (text, message) in enumerate(turn.parts):
            if number:
                spans.append(Span(text=SEPARATOR, control=True, message=message))
            spans.append(Span(text=text, control=False, message=message))
        before = turn.role
    opening: Step = "thinking" if think else "reply"
    spans.append(Span(text=family.join(before, opening), control=True, message=max(len(messages) - 1, 0)))
    return tuple(span for span in spans if span.text)


def _turns(family: Family, messages: Sequence[ChatMessage]) -> list[_Turn]:
    turns: list[_Turn] = []
    folded: list[tuple[str, int]] = []
    for index, message in enumerate(messages):
        text = answer_only(message.content) if message.role == "assistant" else message.content
        leads = index == 0
        if message.role == "system" and (family.system == "fold" or (family.system == "first" and not leads)):
            folded.append((text, index))
            continue
        parts: tuple[tuple[str, int], ...] = ((text, index),)
        if message.role == "user" and folded:
            parts, folded = (*folded, *parts), []
        if message.role == "assistant" and folded:  # instructions between two replies stand as a user turn
            turns, folded = _appended(family, turns, _Turn(role="user", parts=tuple(folded))), []
        turns = _appended(family, turns, _Turn(role=message.role, parts=parts))
    if folded:
        turns = _appended(family, turns, _Turn(role="user", parts=tuple(folded)))
    return turns


def _appended(family: Family, turns: list[_Turn], turn: _Turn) -> list[_Turn]:
    if family.merges and turns and turns[-1].role == turn.role:
        return [*turns[:-1], _Turn(role=turn.role, parts=turns[-1].parts + turn.parts)]
    return [*turns, turn]


def _family(
    name: str,
    *,
    system: tuple[str, str],
    user: tuple[str, str],
    assistant: tuple[str, str],
    turn: SystemTurn = "anywhere",
    merges: bool = False,
    stops: tuple[str, ...] = (),
) -> Family:
    """Of what stands before and after each role's text."""
    around: dict[Role, tuple[str, str]] = {"system": system, "user": user, "assistant": assistant}
    joins: dict[tuple[Step, Step], str] = {}
    for after_role, (opening, _) in around.items():
        joins["start", after_role] = opening
        for role, (_, closing) in around.items():
            joins[role, after_role] = closing + opening
    for role, (_, closing) in around.items():
        joins[role, "reply"] = joins[role, "thinking"] = closing + assistant[0]
    joins["start", "reply"] = joins["start", "thinking"] = assistant[0]
    return Family(name=name, joins=joins, system=turn, merges=merges, stops=stops)


def _headed(name: str, header: str, end: str) -> Family:
    """A family whose turns differ in the role's name only."""
    turn = {role: (header.format(role), end) for role in ("system", "user", "assistant")}
    return _family(name, system=turn["system"], user=turn["user"], assistant=turn["assistant"], stops=(end.strip(),))


CHATML = _headed("chatml", "<|im_start|>{}\n", "<|im_end|>\n")
LLAMA3 = _headed("llama3", "<|start_header_id|>{}<|end_header_id|>\n\n", "<|eot_id|>")
PHI3 = _headed("phi3", "<|{}|>\n", "<|end|>\n")
PHI4 = _headed("phi4", "<|im_start|>{}<|im_sep|>", "<|im_end|>")
GEMMA = _family(
    "gemma",
    system=("", ""),  # folded: gemma knows two roles
    user=("<start_of_turn>user\n", "<end_of_turn>\n"),
    assistant=("<start_of_turn>model\n", "<end_of_turn>\n"),
    turn="fold",
    merges=True,
    stops=("<end_of_turn>",),
)
MISTRAL = _family(
    "mistral",
    system=("", ""),
    user=("[INST] ", "[/INST]"),
    assistant=("", "</s>"),
    turn="fold",
    merges=True,
    stops=("</s>", "[INST]"),
)
MISTRAL7 = _family(
    "mistral7",
    system=("[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"),
    user=("[INST]", "[/INST]"),
    assistant=("", "</s>"),
    turn="first",
    merges=True,
    stops=("</s>", "[INST]"),
)
HARMONY = _family(
    "harmony",
    system=("<|start|>developer<|message|># Instructions\n\n", "<|end|>"),
    user=("<|start|>user<|message|>", "<|end|>"),
    assistant=("<|start|>assistant<|channel|>final<|message|>", "<|end|>"),
    stops=("<|return|>", "<|end|>"),
)
GENERIC = _family(
    "generic",
    system=("### System:\n", SEPARATOR),
    user=("### User:\n", SEPARATOR),
    assistant=("### Assistant:\n", SEPARATOR),
    stops=("### User:", "### System:", "### Assistant:"),
)
FAMILIES = (CHATML, LLAMA3, PHI3, PHI4, GEMMA, MISTRAL, MISTRAL7, HARMONY, GENERIC)

# the first row whose marks all occur decides
_MARKS: tuple[tuple[tuple[str, ...], Family], ...] = (
    (("<|im_sep|>",), PHI4),
    (("<|im_start|>",), CHATML),
    (("<|start_header_id|>", "<|eot_id|>"), LLAMA3),
    (("<start_of_turn>", "<end_of_turn>"), GEMMA),
    (("<|channel|>", "<|message|>"), HARMONY),
    (("[SYSTEM_PROMPT]", "[INST]"), MISTRAL7),
    (("<|user|>\\n", "<|end|>"), PHI3),
    (("<|user|>\n", "<|end|>"), PHI3),
)
_OPEN_THOUGHT = re.compile(r"<think>(\\n|\n)?['\"]")


def recognise(template: str) -> Family | None:
    """The family a chat template belongs to, told by its marks; None when we do not know it."""
    for marks, family in _MARKS:
        if all(mark in template for mark in marks):
            return _with_thoughts(family, template)
    if "[INST]" in template and "<<SYS>>" not in template:
        return MISTRAL
    return None


def guess(knows: frozenset[str]) -> Family | None:
    """For a file without a template: the family whose marks are tokens of its vocabulary."""
    wanted: tuple[tuple[frozenset[str], Family], ...] = (
        (frozenset({"<|im_start|>", "<|im_sep|>", "<|im_end|>"}), PHI4),
        (frozenset({"<|im_start|>", "<|im_end|>"}), CHATML),
        (frozenset({"<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"}), LLAMA3),
        (frozenset({"<start_of_turn>", "<end_of_turn>"}), GEMMA),
        (frozenset({"[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[INST]", "[/INST]"}), MISTRAL7),
        (frozenset({"[INST]", "[/INST]"}), MISTRAL),
        (frozenset({"<|user|>", "<|assistant|>", "<|end|>"}), PHI3),
    )
    return next((family for marks, family in wanted if marks <= knows), None)


GUESSABLE = (
    *("<|im_start|>", "<|im_sep|>", "<|im_end|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
    *("<start_of_turn>", "<end_of_turn>", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[INST]", "[/INST]"),
    *("<|user|>", "<|assistant|>", "<|end|>"),
)


def _with_thoughts(family: Family, template: str) -> Family:
    """Reasoning models: an empty thought when we want the answer at once, an open one where the template has it.

    Earlier replies get the empty thought too. It costs four tokens, and what the reply left in the KV cache
    can be used again; without it every turn reads the last reply a second time."""
    optional = "enable_thinking" in template
    if not optional and not _OPEN_THOUGHT.search(template):
        return family
    joins = dict(family.joins)
    for (before, after), text in family.joins.items():
        if after in ("reply", "assistant"):
            joins[before, after] = text + EMPTY_THOUGHT
        if after == "thinking" and not optional:
            joins[before, after] = text + "<think>\n"
    return Family(name=family.name, joins=joins, system=family.system, merges=family.merges, stops=family.stops)


# --- learning a table from renderings of a template nobody told us about

PROBE_WITH_SYSTEM = (
    ChatMessage(role="system", content="StewardProbeS"),
    ChatMessage(role="user", content="StewardProbeA"),
    ChatMessage(role="assistant", content="StewardProbeB"),
    ChatMessage(role="user", content="StewardProbeC"),
    ChatMessage(role="assistant", content="StewardProbeD"),
    ChatMessage(role="user", content="StewardProbeE"),
)
PROBE = PROBE_WITH_SYSTEM[1:]


def learn(plain: str | None, with_system: str | None, thinking: str | None = None) -> Family | None:
    """A family from what a template made of `PROBE` and `PROBE_WITH_SYSTEM` (each with the reply opened;
    `thinking`: `PROBE` with thoughts allowed). None when turns are not written alike every time."""
    gaps = _gaps(plain, PROBE)
    if gaps is None or gaps[1] != gaps[3] or gaps[2] != gaps[4]:
        return None
    start, answer, ask, _, _, reply = gaps
    joins: dict[tuple[Step, Step], str] = {
        ("start", "user"): start,
        ("user", "assistant"): answer,
        ("assistant", "user"): ask,
        ("user", "reply"): reply,
        ("user", "thinking"): (_gaps(thinking, PROBE) or gaps)[5],
        ("start", "reply"): start + reply,
        ("start", "assistant"): start + answer,
        ("user", "user"): answer + ask,
    }
    system: SystemTurn = "fold"
    led = _gaps(with_system, PROBE_WITH_SYSTEM)
    if led is not None and led[2:] == gaps[1:]:
        system = "first"
        joins["start", "system"], joins["system", "user"] = led[0], led[1]
        joins["system", "assistant"] = led[1] + answer
        joins["system", "reply"] = joins["system", "thinking"] = led[1] + reply
    return Family(name="file", joins=joins, system=system, merges=True)


def _gaps(rendering: str | None, probe: Sequence[ChatMessage]) -> list[str] | None:
    """The text around the probe's contents, if each occurs once, in order, and the text is of sane length."""
    if rendering is None or any(rendering.count(message.content) != 1 for message in probe):
        return None
    gaps: list[str] = []
    rest = rendering
    for message in probe:
        gap, found, rest = rest.partition(message.content)
        if not found:
            return None
        gaps.append(gap)
    gaps.append(rest)
    return gaps if max(map(len, gaps)) <= MAX_JOIN_CHARS else None
