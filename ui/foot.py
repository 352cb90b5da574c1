"""The last row of a screen: as many of its keys as have room, and where the others are. Pure."""

from collections.abc import Sequence


def foot_words(keys: Sequence[str], width: int, rest: str = "? all") -> str:
    """`keys` are written most needed first ("Enter opens"); the first always stands there. At most `width` cells."""
    words = f" {keys[0]}"
    for one in keys[1:]:
        if len(words) + len(f" · {one} · {rest}") > width:
            break
        words += f" · {one}"
    return f"{words} · {rest}"
