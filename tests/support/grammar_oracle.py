"""Asks llama.cpp, in a process of its own, which texts a grammar accepts. Run as a module it is that process."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from models.launching import environment_of

Case = tuple[str, Sequence[str]]  # grammar, texts


def accepted(model: Path, cases: Sequence[Case]) -> list[list[bool] | None]:
    """Per case: whether each text is accepted as a whole; None when the grammar does not parse."""
    done = subprocess.run(
        (sys.executable, "-m", "tests.support.grammar_oracle", str(model)),
        input=json.dumps(cases),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
        env=environment_of(os.environ),
    )
    answer: list[list[bool] | None] = json.loads(done.stdout)
    return answer


def main() -> None:
    out = os.dup(1)
    os.dup2(2, 1)
    from models.child.native import GrammarState, Weights

    weights = Weights.open(sys.argv[1], gpu_layers=0, extra_buffers=True)
    assert weights

    def takes(grammar: str, text: str) -> bool:
        state = GrammarState.open(weights.vocab, grammar)
        assert state
        for token in weights.vocab.tokenize(text, special=False, joined=True):
            if not state.allows(token):
                return False
            state.accept(token)
        return state.allows(weights.vocab.eos)

    def verdicts(grammar: str, texts: Sequence[str]) -> list[bool] | None:
        return [takes(grammar, text) for text in texts] if GrammarState.open(weights.vocab, grammar) else None

    cases: list[Any] = json.load(sys.stdin)
    os.write(out, json.dumps([verdicts(grammar, texts) for grammar, texts in cases]).encode())


if __name__ == "__main__":
    main()
