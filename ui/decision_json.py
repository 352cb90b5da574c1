"""Decisions as JSON, documented in docs/formats.md."""

from dataclasses import asdict
from typing import Any

from memory.decisions import Decision


def decision_value(decision: Decision) -> dict[str, Any]:
    asked = decision.asked
    return {
        "id": decision.id,
        "state": decision.state,
        "kind": asked.kind,
        "effect": asked.effect,
        "question": asked.question,
        "why_now": asked.why_now,
        "options": [
            {
                "key": option.key,
                "label": option.label,
                "attributes": {attribute.name: attribute.value for attribute in option.attributes},
                "consequence": option.consequence,
                "claims": option.claims,
            }
            for option in asked.options
        ],
        "recommended": asked.recommended or None,
        "reason": asked.reason,
        "own_words": asked.allow_other,
        "typed": asked.typed or None,
        "fields": [asdict(field) for field in asked.fields],
        "if_unanswered": asked.if_unanswered,
        "tool": asked.call.tool if asked.call else None,
        "arguments": asked.call.arguments if asked.call else None,
        "sources": list(asked.sources),
        "assumptions": list(asked.assumptions),
        "session_id": asked.session_id,
        "message_id": asked.message_id,
        "created_at": decision.created_at.isoformat(),
        "expires_at": asked.expires_at.isoformat() if asked.expires_at else None,
        "answer": decision.answer or None,
        "answered_from": decision.answered_from or None,
        "answered_at": decision.answered_at.isoformat() if decision.answered_at else None,
        "result": decision.result,
        "superseded_by": decision.superseded_by,
    }
