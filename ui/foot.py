"""First and last row of a screen: what has room there. Pure."""

from collections.abc import Sequence

from ui.lines import DIM, Run, width_of


def head_runs(runs: Sequence[Run], width: int) -> list[Run]:
    """What has room in `width` cells, whole: the title, then what stands out, then details (dim) until one does not."""
    kept, room, full = set(), width, False
    for number in sorted(range(len(runs)), key=lambda number: (number > 0, runs[number][1] == DIM)):
        text, look = runs[number]
        full = full or (look == DIM and width_of(text) > room)
        if number == 0 or (width_of(text) <= room and not (full and look == DIM)):
            kept.add(number)
            room -= width_of(text)
    return [run for number, run in enumerate(runs) if number in kept]


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
