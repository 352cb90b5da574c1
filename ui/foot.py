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


def foot_rows(words: str, width: int) -> list[str]:
    """All of "a key · another key" in rows of at most `width` cells; a row never ends between a key and its word."""
    rows: list[str] = []
    for one in words.split(" · "):
        if rows and len(rows[-1]) + 3 + len(one) + 1 <= width:
            rows[-1] += f" · {one}"
        else:
            rows.append(f" {one}")
    return rows
