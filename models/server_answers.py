"""What OpenAI-compatible servers answer, checked and turned into our values (pure)."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from models.types import Failure, FinishReason, Usage

LEAST_MASS = 0.05  # of the first token on the options together; less says nothing about them
REASONS: Mapping[str, FinishReason] = {"length": "length", "max_tokens": "length"}


class _Foreign(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Piece(_Foreign):
    content: str | None = None
    reasoning_content: str | None = None  # llama-server, vLLM
    reasoning: str | None = None  # Ollama, newer vLLM

    @property
    def thought(self) -> str:
        return self.reasoning_content or self.reasoning or ""


class _Likely(_Foreign):
    token: str
    logprob: float


class _Token(_Foreign):
    top_logprobs: tuple[_Likely, ...] = ()


class _Logprobs(_Foreign):
    content: tuple[_Token, ...] | None = None


class _Choice(_Foreign):
    delta: _Piece = Field(default_factory=_Piece)
    message: _Piece = Field(default_factory=_Piece)
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None


class _Details(_Foreign):
    cached_tokens: int | None = None


class _Usage(_Foreign):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: _Details | None = None


class Answer(_Foreign):
    """A whole answer, or one chunk of a stream."""

    choices: tuple[_Choice, ...] = ()
    usage: _Usage | None = None
    error: Any = None

    @property
    def likely(self) -> tuple[tuple[str, float], ...] | None:
        """Candidates for the first token with their log-probabilities, where the server gives them."""
        logprobs = self.choices[0].logprobs if self.choices else None
        if logprobs is None or not logprobs.content:
            return None
        return tuple((one.token, one.logprob) for one in logprobs.content[0].top_logprobs) or None

    @property
    def text(self) -> str:
        return self.choices[0].message.content or "" if self.choices else ""


class _Meta(_Foreign):
    n_ctx_train: int | None = None


class Listed(_Foreign):
    """One entry of GET /models."""

    id: str
    owned_by: str = ""
    max_model_len: int | None = None  # vLLM
    meta: _Meta | None = None  # llama-server


class Listing(_Foreign):
    data: tuple[Listed, ...] = ()


class _Generation(_Foreign):
    n_ctx: int = 0


class Props(_Foreign):
    """GET /props of llama-server."""

    default_generation_settings: _Generation = Field(default_factory=_Generation)


class Tokens(_Foreign):
    """POST /tokenize of llama-server."""

    tokens: tuple[Any, ...]


def finish_reason(answer: Answer) -> FinishReason | None:
    reason = next((one.finish_reason for one in answer.choices if one.finish_reason), None)
    return None if reason is None else REASONS.get(reason, "stop")


def usage_of(
    answer: Answer | None, *, tokens_in: int, tokens_out: int, first: float, generating: float, total: int
) -> Usage:
    """The server's numbers where it gives them, else ours. Times in seconds."""
    cached = 0
    if answer is not None and answer.usage is not None:
        tokens_in, tokens_out = answer.usage.prompt_tokens, answer.usage.completion_tokens
        cached = (answer.usage.prompt_tokens_details or _Details()).cached_tokens or 0
    return Usage(
        tokens_in=tokens_in,
        tokens_cached=cached,
        tokens_out=tokens_out,
        seconds_to_first_token=first,
        seconds_generating=generating,
        context_used=tokens_in + tokens_out,
        context_total=total,
    )


def shares(options: Sequence[str], likely: Sequence[tuple[str, float]]) -> tuple[float, ...] | None:
    """Probability of each option from the candidates for the first token of the answer.

    A candidate counts for the one option it begins, whatever its case; None when too little of the probability
    falls on such candidates, for example because two options begin alike."""
    mass = [0.0] * len(options)
    for token, logprob in likely:
        begun = token.strip().casefold()
        fitting = [i for i, option in enumerate(options) if begun and option.strip().casefold().startswith(begun)]
        if len(fitting) == 1:
            mass[fitting[0]] += math.exp(min(0.0, logprob))
    total = sum(mass)
    return None if total < LEAST_MASS else tuple(one / total for one in mass)


def calibrated(scores: Sequence[float], priors: Sequence[float]) -> tuple[float, ...]:
    """Contextual calibration (Zhao et al. 2021): divide by what the question alone suggests, then normalise."""
    floor = 1e-4
    ratios = [(score + floor) / (prior + floor) for score, prior in zip(scores, priors, strict=True)]
    return tuple(one / sum(ratios) for one in ratios)


def one_of(options: Sequence[str], text: str) -> tuple[float, ...] | None:
    """Certainty of the option named by `{"answer": ...}`."""
    try:
        answer = json.loads(text)["answer"]
    except (ValueError, KeyError, TypeError):
        return None
    return tuple(float(option == answer) for option in options) if answer in options else None


def answer_schema(options: Sequence[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"answer": {"type": "string", "enum": list(options)}},
        "required": ["answer"],
        "additionalProperties": False,
    }


# -- failures --


def unreachable(url: str, why: str) -> Failure:
    return Failure(
        kind="unreachable",
        message=f"The model server {url} {why}.",
        hint="Check that it runs and that model.name is its address, or choose another model: steward models use NAME",
    )


def broke_off(url: str) -> Failure:
    return Failure(
        kind="worker_died",
        message=f"The model server {url} broke off its answer.",
        hint="Ask again; if it happens often, look at the server's own log.",
    )


def no_key(variable: str) -> Failure:
    return Failure(
        kind="unreachable",
        message=f"The environment variable {variable}, which should hold the server's key, is not set.",
        hint=f"Set it before starting Steward: export {variable}=...",
    )


def refused(url: str, status: int, body: bytes) -> Failure:
    """What an HTTP status other than 200 means, with the server's own words where it gives any."""
    said = _words(body)
    if status in (400, 413, 422) and "context" in said.casefold():
        return Failure(
            kind="context_full",
            message=f"The prompt does not fit the server's context: {said}",
            hint="Set model.context_length to what the server has, or start the server with a longer context.",
        )
    if status in (401, 403):
        return Failure(
            kind="unreachable",
            message=f"The model server {url} refuses the key (HTTP {status}).",
            hint="Name the environment variable that holds it: steward config set model.api_key_env NAME",
        )
    if status == 400 and "schema" in said.casefold():
        return Failure(kind="bad_schema", message=f"The server refuses the JSON schema: {said}", hint="Report it.")
    return unreachable(url, f"answers with HTTP {status}" + (f": {said}" if said else ""))


def _words(body: bytes) -> str:
    """The message in an error body, on one printable line."""
    try:
        error = json.loads(body)["error"]
        said = error["message"] if isinstance(error, dict) else error
    except (ValueError, KeyError, TypeError):
        return ""
    return "".join(char if char.isprintable() else " " for char in str(said))[:200].strip().rstrip(".")


def parse(data: str) -> Answer | None:
    """A chunk of a stream; None when it is none."""
    try:
        return Answer.model_validate_json(data)
    except ValidationError:
        return None
