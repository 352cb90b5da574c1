"""What stands beside a question where the person decides, learns or needs people: how to answer, never what.

Also beside what is out of reach: sending, paying, and orders that stand in a text.
"""

from dataclasses import dataclass
from importlib.resources import files
from tomllib import loads

from assistant.policies.asking.agency import Stance, life_decision, stance


@dataclass(frozen=True, slots=True, kw_only=True)
class Guide:
    """The texts of assistant/prompts/guiding.toml."""

    decision: str
    teaching: str
    company: str
    outside: str
    payment: str
    unread: str

    @classmethod
    def load(cls) -> "Guide":
        """Read from the installed package."""
        table = loads((files("assistant") / "prompts" / "guiding.toml").read_text(encoding="utf-8"))
        return cls(
            **{name: table[name] for name in ("decision", "teaching", "company", "outside", "payment", "unread")}
        )

    def beside(self, text: str) -> str:
        """What joins the prompt after this message; "" for most."""
        found: Stance | None = stance(text)
        match found:
            case None:
                return ""
            case "decision":
                return self._said(self.decision.replace("{domain}", life_decision(text) or "life"))
            case "teaching":
                return self._said(self.teaching)
            case "company":
                return self._said(self.company)
            case "outside":
                return self._said(self.outside)
            case "payment":
                return self._said(self.payment)
            case "unread":
                return self._said(self.unread)

    def _said(self, text: str) -> str:
        return f"\n\n({' '.join(text.split())})"
