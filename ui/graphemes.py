"""Where one written character ends and the next begins: what Backspace deletes and the cursor steps over.

An emoji family, a flag, a letter with its accents or a syllable of Hangul is one character for the person who
typed it, and several code points for Python. Rich knows the clusters (Unicode UAX 29, all but flags).
"""

from rich.cells import split_graphemes

_WINDOW = 64  # code points looked at around the cursor: longer clusters do not occur in writing


def _is_regional(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def ends(text: str) -> list[int]:
    """The index after each written character of `text`."""
    found: list[int] = []
    half_flag = False
    for start, end, _cells in split_graphemes(text)[0]:
        if half_flag and _is_regional(text[start]):
            found[-1] = end
            half_flag = False
        else:
            found.append(end)
            half_flag = _is_regional(text[start])
    return found


def before(text: str, index: int) -> int:
    """Where the written character that ends at `index` begins; 0 at the start."""
    if index <= 0:
        return 0
    if text[index - 1].isascii():
        return index - 1
    base = max(index - _WINDOW, 0)
    while base > 0 and _is_regional(text[base]) and _is_regional(text[base - 1]):
        base -= 1
    stops = ends(text[base:index])
    return base + (stops[-2] if len(stops) > 1 else 0)


def after(text: str, index: int) -> int:
    """Where the written character that begins at `index` ends; the length at the end."""
    if index >= len(text):
        return len(text)
    stops = ends(text[index : index + _WINDOW])
    return index + stops[0]
