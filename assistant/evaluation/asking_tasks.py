"""Tasks with hidden details: what is said, what the user really wants, and where the rest could be found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from tomllib import loads
from typing import Any, Literal

from assistant.tools.types import Effect

Label = Literal[
    "clear",  # all is said
    "ambiguous",  # only the user knows what is left out
    "memory",  # left out, but said before
    "talk",  # nothing is to be done
    "settled",  # a choice that the words or memory settle
    "tied",  # a choice in which the user alone can weigh the difference
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """`words`: a pattern; a message in which it is found may mean this tool. `fields`: argument to description."""

    name: str
    summary: str
    effect: Effect
    words: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """`hidden`: the arguments as the user wants them. `known`: what an argument can name, which the tool can look up.
    `best`: for a choice, the label of the option that the user wants. `spec` numbers the whole it was made from."""

    id: str
    label: Label
    text: str
    spec: int
    tool: ToolSpec | None = None
    hidden: Mapping[str, str] = field(default_factory=dict)
    known: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    statements: tuple[str, ...] = ()
    mask: str = ""
    table: str = ""
    best: str = ""
    attribute: str = ""  # what the user weighs in a tie

    @property
    def irreversible(self) -> bool:
        return self.tool is not None and self.tool.effect in ("external", "grave") and self.label != "talk"

    @property
    def needs_pause(self) -> bool:
        """The user has to be heard before anything is done."""
        return self.irreversible or self.label in ("ambiguous", "tied")


def asking_tasks() -> tuple[tuple[Task, ...], tuple[ToolSpec, ...]]:
    """All tasks, and all tools that they are said to."""
    data = loads((files("assistant") / "evaluation" / "data" / "asking_tasks.toml").read_text(encoding="utf-8"))
    tools = {name: ToolSpec(name=name, **row) for name, row in data["tool"].items()}
    tasks: list[Task] = []
    for number, spec in enumerate(data["spec"]):
        tasks += _of_spec(number, spec, tools[spec["tool"]])
    first = len(data["spec"])
    tasks += [
        Task(id=f"talk-{place}", label="talk", text=text, spec=first + place)
        for place, text in enumerate(data["talk"]["texts"])
    ]
    first += len(data["talk"]["texts"])
    for number, row in enumerate(data["choice"]):
        tasks += _of_choice(first + number, row)
    return tuple(tasks), tuple(tools.values())


def _of_spec(number: int, spec: Mapping[str, Any], tool: ToolSpec) -> list[Task]:
    known = {name: tuple(values) for name, values in spec.get("known", {}).items()}

    def task(label: Label, place: int, text: str, **rest: Any) -> Task:
        id = f"{tool.name}-{number}-{label}-{place}"
        return Task(id=id, label=label, text=text, spec=number, tool=tool, hidden=spec["hidden"], known=known, **rest)

    return [
        *(task("clear", place, text) for place, text in enumerate(spec["clear"])),
        *(task("ambiguous", place, text, mask=mask) for place, (mask, text) in enumerate(spec["ambiguous"])),
        *(task("memory", place, text, statements=tuple(said)) for place, (text, *said) in enumerate(spec["memory"])),
    ]


def _of_choice(number: int, row: Mapping[str, Any]) -> list[Task]:
    settled = [
        Task(
            id=f"choice-{number}-settled-{place}",
            label="settled",
            text=text,
            spec=number,
            table=row["table"],
            statements=(said,) if said else (),
            best=best,
        )
        for place, (text, said, best) in enumerate(row["settled"])
    ]
    tied = [
        Task(
            id=f"choice-{number}-tied-{place}",
            label="tied",
            text=text,
            spec=number,
            table=row["table"],
            best=best,
            attribute=attribute,
        )
        for place, (text, attribute, best) in enumerate(row["tied"])
    ]
    return [*settled, *tied]
