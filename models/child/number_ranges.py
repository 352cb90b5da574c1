"""Grammars for numbers between two bounds (pure)."""

MAX_DIGITS = 16


def integers(low: int | None, high: int | None) -> str:
    """GBNF alternatives for every whole number from `low` to `high` >= low (None: no bound), no leading zeros."""
    parts: list[str] = []
    if low is None or low < 0:
        least = 1 if high is None or high >= 0 else -high
        parts += [f'"-" ({body})' for body in [_positive(least, None if low is None else -low)] if body]
    if high is None or high >= 0:
        parts.append(_positive(max(low or 0, 0), high))
    return " | ".join(parts)


def numbers(low: int | None, high: int | None) -> str:
    """Decimal numbers between whole bounds, no exponent; at the bound itself only zeros may follow the point."""
    fraction, zeros = '("." [0-9]{1,16})?', '("." "0"{1,16})?'
    parts: list[str] = []
    if low is None or low < 0:
        near = 0 if high is None or high >= 0 else -high
        parts += [f'"-" ({body})' for body in _sized(near, None if low is None else -low, fraction, zeros)]
    if high is None or high >= 0:
        parts += _sized(max(low or 0, 0), high, fraction, zeros)
    return " | ".join(parts)


def _sized(near: int, far: int | None, fraction: str, zeros: str) -> list[str]:
    """Sizes from `near` to `far`, both at least 0."""
    if far is None:
        return [f"({_positive(near, None)}) {fraction}"]
    within = [f"({_positive(near, far - 1)}) {fraction}"] if far > near else []
    return [*within, f'"{far}" {zeros}']


def _positive(low: int, high: int | None) -> str:
    """Whole numbers from low >= 0 to high."""
    if high is None:
        digits = len(str(low))
        longer = f"[1-9] [0-9]{{{digits},{max(MAX_DIGITS, digits)}}}"
        return f"{_positive(low, 10**digits - 1)} | {longer}"
    parts: list[str] = []
    while len(str(low)) < len(str(high)):
        top = 10 ** len(str(low)) - 1
        parts += _same_length(str(low), str(top))
        low = top + 1
    return " | ".join(parts + _same_length(str(low), str(high)))


def _same_length(low: str, high: str) -> list[str]:
    """Alternatives for digit strings of one length, low <= high."""
    if low == high:
        return [f'"{low}"']
    rest = len(low) - 1
    if not rest:
        return [f"[{low}-{high}]"]
    if low[0] == high[0]:
        return [f'"{low[0]}" ({" | ".join(_same_length(low[1:], high[1:]))})']
    parts: list[str] = []
    first, last = int(low[0]), int(high[0])
    if low[1:] != "0" * rest:
        parts.append(f'"{first}" ({" | ".join(_same_length(low[1:], "9" * rest))})')
        first += 1
    if high[1:] != "9" * rest:
        last -= 1
    if first <= last:
        parts.append(f"[{first}-{last}] [0-9]{{{rest}}}")
    if high[1:] != "9" * rest:
        parts.append(f'"{high[0]}" ({" | ".join(_same_length("0" * rest, high[1:]))})')
    return parts
