"""Is a request told well enough? Public sets of vague and clear requests, by path, against a constant and TF-IDF.

IN3 (Qian et al. 2024, Tell Me More), CLAMBER (Zhang et al. 2024) and When2Call (Ross et al. 2025), in the shapes of
their public repositories. What has to be fitted is fitted by five-fold cross-validation on the file itself, and again
on two thirds of it and told on the rest, for every detector alike; a set that is nearly all of one kind is judged by
balanced accuracy. Nothing is fetched.
"""

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from assistant.errors import DataUnreadable
from assistant.evaluation.asking import bootstrap
from assistant.evaluation.results import Measure, Suite
from models.errors import ModelError
from models.types import Cancel, ChatMessage, ChoiceRequest, ClosedQuestion

VagueFormat = Literal["in3", "clamber", "when2call"]
VAGUE_FORMATS: tuple[VagueFormat, ...] = get_args(VagueFormat)
FOLDS = 5
STEPS = 400
Matrix = npt.NDArray[np.float64]
Choose = Callable[[ChoiceRequest, Cancel], Awaitable[tuple[tuple[float, ...], ...]]]

_SYSTEM = "You read requests to an assistant and judge whether they say enough."
_QUESTIONS = (
    'Request: "{text}"\nIs this a question with one known answer, or a job that names all it needs?',
    'Request: "{text}"\nWould two different people who send this want two different results?',
    'Request: "{text}"\nDoes a good result depend on tastes, plans or facts of this person that are not told?',
    'Request: "{text}"\nShould the assistant ask the person something before it begins?',
)
_TURNED = (True, False, False, False)  # for which of them "yes" means clear


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    text: str
    vague: bool


def read_requests(path: Path, kind: VagueFormat) -> tuple[Request, ...]:
    """Raises DataUnreadable."""
    names = {"in3": "train.jsonl", "clamber": "clamber_benchmark.jsonl", "when2call": "when2call_test_llm_judge.jsonl"}
    file = path / names[kind] if path.is_dir() else path
    try:
        rows = [_decoded(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        found = [request for row in rows if (request := _request(row, kind)) is not None]
    except OSError as error:
        raise DataUnreadable(f"{file} cannot be read: {error.strerror}.", "Give the file or its folder.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise DataUnreadable(
            f"{file} does not have the shape of this benchmark: {error}.",
            f"Check --format; known are {', '.join(VAGUE_FORMATS)}.",
        ) from error
    if len({one.vague for one in found}) < 2 or len(found) < 2 * FOLDS:
        raise DataUnreadable(f"There is nothing to measure in {file}.", "It needs requests of both kinds.")
    return tuple(found)


def _decoded(line: str) -> Any:
    """CLAMBER's lines are JSON in JSON."""
    value = json.loads(line)
    return json.loads(value) if isinstance(value, str) else value


def _request(row: Any, kind: VagueFormat) -> Request | None:
    match kind:
        case "in3":
            return Request(text=str(row["task"]), vague=bool(row["vague"]))
        case "clamber":
            context = str(row.get("context") or "")
            text = f"{context}\n{row['question']}".strip()
            return Request(text=text, vague=bool(int(row["require_clarification"])))
        case "when2call":
            answer = str(row["correct_answer"])
            if answer not in ("tool_call", "request_for_info"):
                return None
            return Request(text=f"{row['question']}\nTools: {row.get('tools')}", vague=answer == "request_for_info")


def sample(requests: Sequence[Request], most: int) -> tuple[Request, ...]:
    """Evenly spread over the file, and half of each kind as far as there are enough."""
    chosen: list[Request] = []
    for vague in (True, False):
        kind = [one for one in requests if one.vague is vague]
        step = max(1, len(kind) * 2 // most)
        chosen += kind[::step][: most // 2]
    return tuple(chosen)


async def judged(requests: Sequence[Request], choose: Choose, told: Callable[[str], None]) -> Matrix:
    """The model's log odds for each request (row) and closed question (column); one forward pass each, nothing is
    decoded. A question that fails counts as even."""
    rows = []
    for number, request in enumerate(requests, start=1):
        asked = ChoiceRequest(
            messages=(ChatMessage(role="system", content=_SYSTEM),),
            questions=tuple(
                ClosedQuestion(prompt=question.replace("{text}", request.text.replace('"', "'")), options=("yes", "no"))
                for question in _QUESTIONS
            ),
        )
        try:
            shares = await choose(asked, Cancel())
        except ModelError:
            shares = tuple((0.5, 0.5) for _ in _QUESTIONS)
        rows.append([np.log(max(yes, 1e-6) / max(no, 1e-6)) for yes, no in shares])
        if number % 50 == 0:
            told(f"{number} of {len(requests)} requests")
    odds: Matrix = np.asarray(rows, np.float64)
    return np.where(np.asarray(_TURNED), -odds, odds)


def parted(requests: Sequence[Request]) -> tuple[tuple[Request, ...], tuple[Request, ...]]:
    """Two thirds to fit on, and every third of each kind, which nothing is fitted or chosen on."""
    held = [one for vague in (True, False) for one in [row for row in requests if row.vague is vague][2::3]]
    out = set(map(id, held))
    return tuple(one for one in requests if id(one) not in out), tuple(held)


def telling(requests: Sequence[Request]) -> Suite:
    """Balanced accuracy of each way to tell vague from clear, by five-fold cross-validation on all of them."""
    labels = np.asarray([one.vague for one in requests])
    texts = [one.text for one in requests]
    ways = {
        "a constant": np.full(len(labels), True),
        "TF-IDF": crossed(tf_idf(texts), labels),
        "form alone": crossed(_shapes(texts), labels),
    }
    measures = [_measure(name, found, labels, bar=None) for name, found in ways.items()]
    return Suite(name="vague or clear", about="public requests, five-fold cross-validation", measures=tuple(measures))


def telling_held_out(training: Sequence[Request], held: Sequence[Request], odds: Matrix | None) -> Suite:
    """The same on requests that nothing was fitted on. `odds`: the model's for each of `held`; they are fitted to
    nothing: with form, both count alike, each in units of its own spread."""
    labels = np.asarray([one.vague for one in held])
    fitted_on = np.asarray([one.vague for one in training])
    texts = [one.text for one in (*training, *held)]
    count = len(training)
    terms, shape = tf_idf(texts), _shapes(texts)
    form = _scores(shape[:count], fitted_on, shape[count:])
    ways = {
        "a constant": np.full(len(labels), True),
        "TF-IDF": _scores(terms[:count], fitted_on, terms[count:]) > 0,
        "form": form > 0,
    }
    if odds is not None:
        mean = odds.mean(axis=1)
        ways["the model"] = mean > np.median(mean)
        ways["form and the model"] = form / max(float(form.std()), 1e-6) + _spread(mean) > 0
    measures = [_measure(name, found, labels, bar=0.7 if name == "form" else None) for name, found in ways.items()]
    return Suite(name="held out", about="a third of the requests, nothing fitted on it", measures=tuple(measures))


def _spread(values: Matrix) -> Matrix:
    scaled: Matrix = (values - np.median(values)) / max(float(values.std()), 1e-6)
    return scaled


def _shapes(texts: Sequence[str]) -> Matrix:
    return np.asarray([form_features(text) for text in texts], np.float64)


def _measure(name: str, found: npt.NDArray[np.bool_], labels: npt.NDArray[np.bool_], *, bar: float | None) -> Measure:
    right = found == labels
    value = balanced(found, labels)
    # an interval of the mean of two shares: each half drawn by itself
    halves = [bootstrap([[float(one)] for one in right[labels == kind]]) for kind in (True, False)]
    interval = (sum(low for low, _ in halves) / 2, sum(high for _, high in halves) / 2)
    return Measure(name=f"balanced accuracy: {name}", value=value, of=len(labels), bar=bar, interval=interval)


def balanced(found: npt.NDArray[np.bool_], labels: npt.NDArray[np.bool_]) -> float:
    """The mean of the shares of each kind that were told rightly."""
    shares = [float(np.mean(found[labels == kind] == kind)) for kind in (True, False)]
    return sum(shares) / 2


def form_features(text: str) -> tuple[float, ...]:
    """What a request looks like: how long, how personal, how specific."""
    words = re.findall(r"[\w'-]+", text)
    count = max(len(words), 1)
    root = float(np.sqrt(count))

    def share(pattern: str) -> float:
        return len(re.findall(pattern, text, re.IGNORECASE)) / root

    return (
        float(np.log(count)),
        share(r"\b(?:i|i'm|i'd|i've|me|my|we|our|us)\b"),
        share(r"\bthe\b"),
        share(r"\d+"),
        len(re.findall(r"(?<=[a-z,] )[A-Z]\w+|'[^']+'", text)) / root,
        share(r"\b(?:\w+est|most|first|latest|current|who|when|which|how many|how much)\b"),
        share(r"\b(?:some|any|best|good|new|suitable|ideas?|tips|ways|recommend\w*|suggest\w*|plan\w*|help)\b"),
        share(r"\b(?:includ\w+|with|between|of|under|over|than|from|for beginners)\b"),
        float("?" in text),
        float(bool(re.match(r"\W*(?:what|who|when|where|which|how many|list|define|explain|calculate)\b", text, re.I))),
    )


def tf_idf(texts: Sequence[str]) -> Matrix:
    """Words and pairs of words that two texts share; rows of unit length (Salton and Buckley 1988)."""
    docs = [_terms(text) for text in texts]
    seen: dict[str, int] = {}
    for doc in docs:
        for term in set(doc):
            seen[term] = seen.get(term, 0) + 1
    columns = {term: place for place, term in enumerate(sorted(term for term, times in seen.items() if times > 1))}
    found = np.zeros((len(texts), max(len(columns), 1)))
    for row, doc in enumerate(docs):
        for term in doc:
            if term in columns:
                found[row, columns[term]] += np.log((1 + len(texts)) / (1 + seen[term])) + 1
    norms: Matrix = np.linalg.norm(found, axis=1, keepdims=True).astype(np.float64)
    return found / np.maximum(norms, 1e-9) * 5.0  # so that the penalty below weighs about as scikit-learn's C of 1


def _terms(text: str) -> list[str]:
    words = re.findall(r"\w\w+", text.lower())
    return [*words, *(f"{one} {two}" for one, two in zip(words, words[1:], strict=False))]


def crossed(features: Matrix, labels: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Each row told by a logistic regression fitted on the other folds."""
    fold = np.zeros(len(labels), np.int64)
    for kind in (True, False):
        rows = np.flatnonzero(labels == kind)
        fold[rows] = np.arange(len(rows)) % FOLDS
    found = np.zeros(len(labels), np.bool_)
    for number in range(FOLDS):
        inside, outside = fold != number, fold == number
        found[outside] = _scores(features[inside], labels[inside], features[outside]) > 0
    return found


def _scores(fitted_on: Matrix, labels: npt.NDArray[np.bool_], told: Matrix) -> Matrix:
    """Log odds of "vague" for each row of `told`, by a logistic regression; few columns are brought to one scale."""
    mean, spread = fitted_on.mean(axis=0), np.maximum(fitted_on.std(axis=0), 1e-6)
    if fitted_on.shape[1] < 100:
        fitted_on, told = (fitted_on - mean) / spread, (told - mean) / spread
    weights = _fitted(fitted_on, labels)
    scores: Matrix = told @ weights[:-1] + weights[-1]
    return scores


def _fitted(features: Matrix, labels: npt.NDArray[np.bool_]) -> Matrix:
    """Both kinds weigh the same; gradient descent with momentum on the penalised log loss."""
    rows, columns = features.shape
    padded = np.hstack([features, np.ones((rows, 1))])
    balance = np.where(labels, 0.5 / max(labels.mean(), 1e-9), 0.5 / max(1 - labels.mean(), 1e-9))
    weights, speed = np.zeros(columns + 1), np.zeros(columns + 1)
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-np.clip(padded @ weights, -30, 30)))
        slope = padded.T @ (balance * (p - labels)) / rows
        slope[:-1] += weights[:-1] / rows
        speed = 0.9 * speed - 0.5 * slope / max(1.0, float(np.abs(padded).mean()))
        weights = weights + speed
    return weights
