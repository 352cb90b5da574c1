"""What became of a wish as JSON, documented in docs/formats.md."""

from dataclasses import asdict
from typing import Any, assert_never

from assistant.reports import Carried, CouldNot, Found, PlanWent, Report, TurnedDown, Undone, Waits
from ui.decision_json import decision_value
from ui.plan_words import plan_value


def report_value(report: Report) -> dict[str, Any]:
    match report:
        case Carried():
            return {
                "result": "done",
                "tool": report.tool,
                "summary": report.summary,
                "changed": list(report.outcome.changed),
                "assumed": [asdict(one) for one in report.assumptions],
                "undo": report.key if report.undoable else None,
            }
        case Found():
            sources = [source.label for source in report.outcome.sources]
            return {"result": "found", "tool": report.tool, "text": report.outcome.text, "sources": sources}
        case Waits():
            return {"result": "waits", "decision": decision_value(report.decision), "instead_of": report.instead_of}
        case CouldNot():
            return {"result": "failed", "message": report.message, "hint": report.hint}
        case TurnedDown():
            return {"result": "declined", "decision": decision_value(report.decision)}
        case Undone():
            return {"result": "undone", "summary": report.summary}
        case PlanWent():
            first = report_value(report.first) if report.first is not None else None
            return {"result": "plan", "first": first, "plan": plan_value(report.plan)}
        case _:
            assert_never(report)
