"""Notice that a reply has begun to say the same thing for ever (pure)."""

from collections.abc import Sequence

LONGEST_PERIOD = 256  # tokens
LEAST_TOKENS = 128  # a shorter repetition may be meant: a table, a refrain, a row of zeros
LEAST_COPIES = 4
EVERY = 16  # tokens between two looks


def repeats(tokens: Sequence[int]) -> bool:
    """Whether the reply ends in LEAST_COPIES or more of one piece, together LEAST_TOKENS or longer.
    Looks only when the length is a multiple of EVERY."""
    if len(tokens) < LEAST_TOKENS or len(tokens) % EVERY:
        return False
    return any(_ends_in_copies(tokens, period) for period in range(1, LONGEST_PERIOD + 1))


def _ends_in_copies(tokens: Sequence[int], period: int) -> bool:
    needed = max(LEAST_TOKENS, LEAST_COPIES * period)
    if len(tokens) < needed:
        return False
    last = len(tokens) - 1
    return all(tokens[last - step] == tokens[last - step - period] for step in range(needed - period))
