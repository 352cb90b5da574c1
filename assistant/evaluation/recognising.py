"""Does the recogniser store what is said, with the right polarity and slot, and nothing else? Pure."""

from collections.abc import Sequence

from assistant.evaluation.fixtures import Never, Stated
from assistant.evaluation.results import Measure, Suite
from assistant.policies.language import Language
from assistant.policies.recognise import recognise
from assistant.policies.said import Said
from memory.keys import object_key

STATED_BAR = 0.95


def recognising(stated: Sequence[Stated], never: Sequence[Never], language: Language, *, name: str) -> Suite:
    missed = [one for one in stated if not any(_is_right(said, one) for said in recognise(one.text, language).said)]
    stored = [one for one in never if one.kind != "pasted" and recognise(one.text, language).said]
    typed = sum(1 for one in never if one.kind != "pasted")
    return Suite(
        name=name,
        about="plain statements are stored with polarity and subject; questions, quotations, jokes are not",
        measures=(
            Measure(name="stored rightly", value=1 - len(missed) / max(len(stated), 1), of=len(stated), bar=STATED_BAR),
            Measure(name="stored wrongly", value=float(len(stored)), of=typed, bar=0.0, better="less"),
        ),
        misses=(
            *(f"not stored rightly: {one.text}" for one in missed),
            *(f"stored though {one.kind}: {one.text}" for one in stored),
        ),
    )


def _is_right(said: Said, wanted: Stated) -> bool:
    if (said.stance == "withdraws") != (wanted.sign == "w"):
        return False
    if wanted.sign in "+-" and said.polarity != (1 if wanted.sign == "+" else -1):
        return False
    if wanted.slot and said.slot.partition(".")[0] != wanted.slot.partition(".")[0]:
        return False
    about = object_key(wanted.about)
    return about in object_key(said.object) or object_key(said.object) in about or about in said.statement.lower()
