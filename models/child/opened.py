"""A loaded model with everything that belongs to it."""

from dataclasses import dataclass, field

from models.child.cache import KvCache
from models.child.native import Context, Weights
from models.child.priors import Priors
from models.child.prompts import PromptMaker


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    weights: Weights
    context: Context
    cache: KvCache
    prompts: PromptMaker
    end_tokens: frozenset[int]  # tokens that close a turn of this family, whatever the file says
    end_texts: tuple[str, ...]  # the same where the vocabulary has no token for it
    priors: Priors = field(default_factory=Priors)

    def close(self) -> None:
        self.context.close()
        self.weights.close()
