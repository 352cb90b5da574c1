"""The log of cases: what other assistants and the libraries beneath them got wrong, by number and group."""

from collections.abc import Mapping

GROUPS: Mapping[str, str] = {
    "dates-reminders": (
        "D01 D03 D05 D06 D08 D10 D11 D13 D15 D16 D18 D20 D21 D23 D25 D26 D28 D30 D31 D33 "
        "D35 D36 D38 D40 D41 D43 D45 D46 D48 D50 D51 D53"
    ),
    "preferences": "P01 P03 P05 P06 P08 P10 P11 P13 P15 P16 P18 P20 P21 P23 P25 P26",
    "clarification": "C01 C03 C05 C06 C08",
    "chat-input": "I01 I03 I05 I06 I08 I10 I11 I13 I15 I16 I18 I20",
    "rendering": "M01 M03 M05 M06 M08 M10 M11 M13 M15 M16 M18",
    "model-backend": "L01 L03 L05 L06 L08 L10 L11 L13 L15 L16 L18 L20 L21 L23 L25 L26 L28",
    "persistence": "S01 S03 S05 S06 S08 S10 S11 S13 S15 S16 S18 S20 S21 S23 S25 S26 S28 S30 S31 S33",
    "scheduler": "T01 T03 T05 T06 T08 T10 T11 T13 T15 T16 T18 T20 T21 T23 T25 T26 T28 T30",
    "import-export": "X01 X03 X05 X06 X08 X10 X11 X13 X15 X16 X18 X20 X21 X23 X25 X26",
    "permissions-pausing": "A01 A03 A05 A06 A08 A10 A11 A13 A15 A16 A18 A20",
    "security": "Z01 Z03 Z05 Z06 Z08 Z10",
}
CASES: frozenset[str] = frozenset(id for ids in GROUPS.values() for id in ids.split())
