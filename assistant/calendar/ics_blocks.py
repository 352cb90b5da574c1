"""Cuts a calendar file into its events, zones and the rest, line by line, before anything is parsed."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from assistant.confined.child import Unreadable
from assistant.policies.when.zones import zone_exists

_BEGIN: Final = re.compile(r"BEGIN:([A-Z-]+)\s*$", re.IGNORECASE)
_END: Final = re.compile(r"END:([A-Z-]+)\s*$", re.IGNORECASE)
_LINE: Final = re.compile(r"\r\n|\n|\r")
_OTHERS: Final = {"VTODO": "to-do", "VJOURNAL": "journal entry", "VFREEBUSY": "free-busy block"}


@dataclass(slots=True)
class Blocks:
    """`events`: the text of each, without its alarms. `zones`: what the file's own zones are called elsewhere, "" where
    it does not say. `others`: what else there is. `default`: the zone of times without one."""

    events: list[str] = field(default_factory=list)
    zones: dict[str, str] = field(default_factory=dict)
    others: Counter[str] = field(default_factory=Counter)
    default: str = ""
    _name: str = ""  # of the block that is open
    _zone: str = ""
    _depth: int = 0
    _lines: list[str] = field(default_factory=list)

    def take(self, line: str) -> None:
        begin, end = _BEGIN.match(line), _END.match(line)
        if self._depth == 0:
            if begin:
                self._name, self._depth, self._lines = begin[1].upper(), 1, [line]
            elif line.upper().startswith("X-WR-TIMEZONE"):
                self.default = known_zone(line.partition(":")[2], {}) or self.default
            return
        inner = self._depth > 1
        self._depth += 1 if begin else -1 if end else 0
        if self._depth == 0:
            self._close(line)
        elif self._name == "VTIMEZONE":
            self._describe_zone(line)
        elif self._name == "VEVENT" and self._depth == 1 and not inner:
            self._lines.append(line)

    def _close(self, line: str) -> None:
        if self._name == "VEVENT":
            self.events.append("\r\n".join([*self._lines, line]))
        elif self._name in _OTHERS:
            self.others[_OTHERS[self._name]] += 1

    def _describe_zone(self, line: str) -> None:
        key, _, value = line.partition(":")
        if key.upper() == "TZID":
            self._zone = value.strip()
            self.zones.setdefault(self._zone, "")
        elif key.upper() == "X-LIC-LOCATION" and zone_exists(value.strip()):
            self.zones[self._zone] = value.strip()

    @property
    def open(self) -> bool:
        return self._depth > 0


def split(text: str) -> Blocks:
    """Raises Unreadable for what is no calendar file, and for one that ends in the middle."""
    blocks = Blocks()
    opened = closed = False
    for line in _unfolded(text):
        bare = line.strip().upper()
        if bare == "BEGIN:VCALENDAR":
            opened, closed = True, False
        elif bare == "END:VCALENDAR":
            closed = not blocks.open
        else:
            blocks.take(line)
    if not opened:
        raise Unreadable("it is no calendar file")
    if blocks.open or not closed:
        raise Unreadable("it ends in the middle; nothing was taken over")
    return blocks


def _unfolded(text: str) -> Iterator[str]:
    """A line that begins with a blank goes on from the one before (RFC 5545, 3.1)."""
    held: list[str] = []
    for line in _LINE.split(text):
        if line[:1] in (" ", "\t") and held:
            held.append(line[1:])
            continue
        if whole := "".join(held).strip("\r\n"):
            yield whole
        held = [line]
    if whole := "".join(held):
        yield whole


def known_zone(name: str, zones: dict[str, str]) -> str:
    """An IANA name for what a file calls a zone; "" when it is not known here."""
    name = name.strip().strip('"')
    for wanted in (name, zones.get(name, ""), WINDOWS_TO_OLSON.get(name, "")):
        if wanted and len(wanted) < 60 and zone_exists(wanted):
            return wanted
    parts = name.split("/")
    for count in (3, 2):
        if len(parts) > count and zone_exists("/".join(parts[-count:])):
            return "/".join(parts[-count:])
    return "UTC" if name.upper() in ("UTC", "GMT", "Z") else ""
