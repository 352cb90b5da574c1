"""Documents and what is found in them, as lines and as JSON values (docs/formats.md)."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from assistant.documents.types import AddReport, citation
from assistant.policies.cleaning import clean, clean_line
from memory.documents import Document, PassageHit
from ui.item_acts import utc_text

MOST_NAMED = 10
EXCERPT = 400


def document_line(one: Document) -> str:
    pages = f", {one.pages} pages" if one.pages > 1 else ""
    left_out = f", {clean_line(one.left_out, 120)}" if one.left_out else ""
    return f"{one.id}  {clean_line(one.path, 300)}: {one.kind}{pages}, {one.passages} passages{left_out}"


def report_lines(report: AddReport) -> list[str]:
    parts = [f"{len(report.added)} added", f"{len(report.changed)} read again", f"{report.same} unchanged"]
    if report.left_out:
        parts.append(f"{len(report.left_out)} left out")
    lines = [f"{', '.join(parts)}."]
    lines += [
        f"  {clean_line(one.name, 120)}: {clean_line(one.left_out, 200)}"
        for one in (*report.added, *report.changed)
        if one.left_out
    ]
    lines += [f"  {clean_line(one.path, 300)}: {one.reason}" for one in report.left_out[:MOST_NAMED]]
    more = report.left_out[MOST_NAMED:]
    if more:
        reasons = Counter(one.reason for one in more)
        lines.append("  and " + "; ".join(f"{count} more: {reason}" for reason, count in reasons.most_common()))
    if report.unindexed:
        lines.append(
            f"{report.unindexed:,} passages are found by their words only: "
            "steward models pull all-minilm-l6-v2, then add again."
        )
    return lines


def hit_lines(hits: Sequence[PassageHit]) -> list[str]:
    """A citation and the passage; its text is the document's, quoted."""
    lines: list[str] = []
    for number, hit in enumerate(hits, start=1):
        lines.append(f"{number}. {clean_line(citation(hit), 300)}")
        lines.append(f"   “{clean_line(hit.passage.text, EXCERPT)}”")
    return lines


def document_value(one: Document) -> dict[str, Any]:
    return {
        "id": one.id,
        "path": clean(one.path),
        "name": clean(one.name),
        "kind": one.kind,
        "size": one.size,
        "sha256": one.digest,
        "pages": one.pages,
        "passages": one.passages,
        "left_out": clean(one.left_out),
        "added_at": utc_text(one.added_at),
    }


def hit_value(hit: PassageHit) -> dict[str, Any]:
    return {
        "document": hit.document.id,
        "path": clean(hit.document.path),
        "page": hit.passage.page or None,
        "heading": clean(hit.passage.heading),
        "citation": clean(citation(hit)),
        "text": clean(hit.passage.text),
        "score": round(hit.score, 4),
    }


def report_value(report: AddReport) -> dict[str, Any]:
    return {
        "added": [document_value(one) for one in report.added],
        "changed": [document_value(one) for one in report.changed],
        "same": report.same,
        "left_out": [{"path": clean(one.path), "reason": one.reason} for one in report.left_out],
        "unindexed": report.unindexed,
    }
