"""What stands beside a question where the person decides, learns or needs people: how to answer, never what."""

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

    @classmethod
    def load(cls) -> "Guide":
        """Read from the installed package."""
        table = loads((files("assistant") / "prompts" / "guiding.toml").read_text(encoding="utf-8"))
        return cls(decision=table["decision"], teaching=table["teaching"], company=table["company"])

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

    def _said(self, text: str) -> str:
        return f"\n\n({' '.join(text.split())})"
