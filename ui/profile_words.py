"""A profile in words: what would go out and what would stay, what would come in and why not. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assistant.policies.cleaning import clean_line
from assistant.policies.sharing import Reach
from memory.portable.difference import VERDICTS, Line, Verdict
from memory.portable.own_json import told_history
from ui.memory_lines import counted
from ui.profile_acts import FORMATS, Export, Format, Plan, SectionChange, Taken

MOST_SHOWN = 20  # lines of one verdict
REACH: Mapping[Reach, str] = {
    "ordinary": "ordinary",
    "personal": "personal (name, birthday, home, work, money)",
    "special": "sensitive (health, belief, politics, papers, contact)",
    "others": "about other people",
    "secret": "that hold a secret; those never go",
}
HEADINGS: Mapping[Verdict, str] = {
    "new": "New",
    "changed": "Changed",
    "conflicting": "Conflicting",
    "known": "Already there",
    "refused": "Refused",
}
ASK_EVERYTHING = "Type yes to put in what is sensitive and about other people too"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportWish:
    """`format` None and `file` "" where nothing was said."""

    format: Format | None = None
    everything: bool = False
    encrypted: bool = False
    file: str = ""


def export_wish(argument: str) -> ExportWish:
    """What "markdown sensitive encrypted me.md" asks for; each word may be left out."""
    said: set[str] = set()
    words = argument.split()
    while words and words[0].lower() in (*FORMATS, "sensitive", "encrypted"):
        said.add(words.pop(0).lower())
    return ExportWish(
        format=next((one for one in FORMATS if one in said), None),
        everything="sensitive" in said,
        encrypted="encrypted" in said,
        file=" ".join(words),
    )


def memories(number: int) -> str:
    return f"{number:,} memor{'y' if number == 1 else 'ies'}"


def export_lines(export: Export) -> Iterator[str]:
    """The preview, by category."""
    shared = export.shared
    yield f"In the file: {memories(len(shared.snapshot.items))}{_domains(export)}."
    if export.format == "json":
        told = sum(1 for _ in told_history(shared.snapshot.history))
        yield f"With them: {counted(told, 'change')} of their history."
        if export.everything and shared.snapshot.tombstones:
            yield f"With them: {counted(len(shared.snapshot.tombstones), 'mark')} of what must not be learned again."
    for section in export.sections:
        if export.format == "pam":
            yield f"Not in this format: {section.title} ({section.points:,})."
        else:
            yield f"{'In the file' if section.goes else 'Stays here'}: {section.title} ({section.points:,})."
    for reach, number in shared.staying:
        yield f"Stays here: {memories(number)} {REACH[reach]}."
    if shared.quotes_staying:
        yield f"Stays here: {counted(shared.quotes_staying, 'quote')} with something like that in it."
    if not export.everything and any(reach != "secret" for reach, _ in shared.staying):
        yield "--include-sensitive puts them in, after a question."


def _domains(export: Export) -> str:
    parts = [f"{domain.replace('_', ' ')} {number:,}" for domain, number in export.shared.going]
    return f" ({', '.join(parts)})" if parts else ""


def written_line(export: Export, path: str) -> str:
    return f"{memories(len(export.shared.snapshot.items))} written to {clean_line(path, 1_000)}; only you can read it."


def counts_line(plan: Plan) -> str:
    counts = ", ".join(f"{plan.difference.count(verdict):,} {HEADINGS[verdict].lower()}" for verdict in VERDICTS)
    return f"This is {plan.kind}: {counts}."


def plan_lines(plan: Plan, most: int = MOST_SHOWN) -> Iterator[str]:
    """The whole diff, cut to `most` lines a verdict."""
    yield counts_line(plan)
    yield from plan.notes
    for verdict in VERDICTS:
        lines = [line for line in plan.difference.lines if line.verdict == verdict]
        if not lines:
            continue
        yield ""
        yield f"{HEADINGS[verdict]}:"
        shown = 0 if verdict == "known" and len(lines) > most else most
        for line in lines[:shown]:
            yield f"  {line_words(line)}"
        if len(lines) > shown:
            yield f"  {'and ' if shown else ''}{len(lines) - shown:,}{' more' if shown else ' as they are'}"
    for change in plan.sections:
        yield ""
        yield from section_lines(change, most)
    yield from beside_lines(plan)


def beside_lines(plan: Plan) -> Iterator[str]:
    """What comes along with the memories, and what happens next."""
    parcel = plan.difference.parcel
    if parcel.history:
        yield ""
        yield f"With it: {counted(len(parcel.history), 'earlier change')}, to be read, not undone."
    if parcel.tombstones:
        words = counted(len(parcel.tombstones), "mark")
        yield f"With it: {words} of what was forgotten there, which is not learned here either; undo leaves them."
    if not plan.difference.own and plan.difference.count("new"):
        yield ""
        yield "What is new waits for your yes before it is used: steward memory review"


def line_words(line: Line) -> str:
    words = f"“{clean_line(line.statement, 120)}”" if line.statement else clean_line(line.where, 80)
    if line.against:
        arrow = "was" if line.verdict == "changed" else "here:"
        words += f" ({arrow} “{clean_line(line.against, 100)}”)"
    if line.verdict == "refused" and line.statement and line.where:
        words = f"{line.where}: {words}"
    return f"{words}: {clean_line(line.why, 200)}" if line.why and line.verdict != "new" else words


def section_lines(change: SectionChange, most: int = MOST_SHOWN) -> Iterator[str]:
    yield f"{change.section.title}, replaced:"
    for sign, lines in (("+", change.added), ("-", change.gone)):
        for line in lines[:most]:
            yield f"  {sign} {clean_line(line, 160)}"
        if len(lines) > most:
            yield f"  {sign} and {len(lines) - most:,} more"


def taken_line(taken: Taken) -> str:
    also = f" and {', '.join(taken.sections)}" if taken.sections else ""
    backup = f" What was here before: {taken.backup.name} (steward backups)." if taken.backup is not None else ""
    return f"Taken in: {memories(taken.memories)}{also}.{backup}"


def undone_line(taken: Taken) -> str:
    also = f" and {', '.join(taken.sections)}" if taken.sections else ""
    return f"The import is undone: {memories(taken.memories)}{also} as before."


def plan_value(plan: Plan) -> dict[str, object]:
    """The diff for programs (docs/formats.md)."""
    difference = plan.difference
    return {
        "kind": plan.kind,
        "own": difference.own,
        "counts": {verdict: difference.count(verdict) for verdict in VERDICTS},
        "lines": [
            {
                "verdict": line.verdict,
                "statement": line.statement,
                "why": line.why,
                "against": line.against,
                "where": line.where,
                "id": line.id,
            }
            for line in difference.lines
        ],
        "sections": [
            {"name": change.section.name, "added": list(change.added), "gone": list(change.gone)}
            for change in plan.sections
        ],
        "history": len(difference.parcel.history),
        "forgotten": len(difference.parcel.tombstones),
        "notes": list(plan.notes),
    }
