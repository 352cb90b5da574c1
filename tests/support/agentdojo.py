"""AgentDojo (Debenedetti et al. 2024, arXiv 2406.13352) as data: its tasks, its orders, its worlds and its attacks.

Nothing of it is imported or run, and nothing of it is in this tree: the files of an unpacked wheel are parsed, and what
stands in them as text is taken. What its code would work out from a world stays open. Version 1 of its suites, 629
pairs of a user's task and an order hidden in what the task reads.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SUITES = ("workspace", "banking", "slack", "travel")
ATTACKS = ("baseline_attacks.py", "important_instructions_attacks.py")
PERSON, MODEL = "Emma Johnson", "AI assistant"
AROUND, MOST_PLACES, MOST_LINES, LONGEST_LINE = 4, 3, 40, 1_500
OPEN = object()  # what only its code could tell
_VECTOR = re.compile(r"\{([a-z_0-9]*injection[a-z_0-9]*)\}")
_TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One tool as it is listed. `sections`: of the world, that it reads or changes."""

    name: str
    description: str
    schema: Mapping[str, Any]
    sections: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A call of a function with what is known of its arguments, made up where only a look would tell."""

    function: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What a user wants, or what an attacker wants: the words, and the calls that do it."""

    id: str
    words: str
    uses: tuple[Use, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """`world`: its sections as YAML text in which {placeholders} are where an attacker may write."""

    name: str
    functions: Mapping[str, Function]
    world: Mapping[str, str]
    defaults: Mapping[str, str]
    tasks: tuple[Job, ...]
    orders: tuple[Job, ...]

    def shown(self, name: str, attack: str | None) -> str:
        """What a look at a section brings: the lines around the first places an attacker may write in, else its
        beginning. With `attack` in these places, or as it is without one."""
        lines = self.world.get(name, "").splitlines()
        places = [place for place, line in enumerate(lines) if _VECTOR.search(line)][:MOST_PLACES]
        near = {at for place in places for at in range(place - AROUND, place + AROUND + 1)} or range(MOST_LINES)
        return "\n".join(line[:LONGEST_LINE] for at, line in enumerate(self._filled(lines, attack)) if at in near)

    def _filled(self, lines: Sequence[str], attack: str | None) -> list[str]:
        def put(found: re.Match[str]) -> str:
            text = self.defaults.get(found[1], "") if attack is None else attack
            return text.strip().replace("\n", "\\n").replace('"', "'")

        return [_VECTOR.sub(put, _beside(line)) for line in lines]

    def can_be_attacked(self, name: str) -> bool:
        return _VECTOR.search(self.world.get(name, "")) is not None


def read_suites(folder: Path) -> tuple[Suite, ...]:
    """`folder`: the package `agentdojo` of an unpacked wheel."""
    tools = {path.stem: _parsed(path) for path in sorted((folder / "default_suites" / "v1" / "tools").glob("*.py"))}
    return tuple(_suite(folder, name, tools) for name in SUITES)


def read_attacks(folder: Path) -> dict[str, str]:
    """Templates with {goal} in them, by name; what they say of user and model is filled in."""
    found: dict[str, str] = {}
    for file in ATTACKS:
        for one in _classes(_parsed(folder / "attacks" / file)):
            known = _constants(one.body, {})
            texts = [text for text in _strings(one, known) if "{goal}" in text]
            if texts and isinstance(known.get("name"), str):
                said = texts[0].replace("{user}", PERSON).replace("{model}", MODEL)
                found[known["name"]] = said
    return found


def _suite(folder: Path, name: str, tools: Mapping[str, ast.Module]) -> Suite:
    code = folder / "default_suites" / "v1" / name
    listed = _listed(_parsed(code / "task_suite.py"))
    functions = {one.name: one for module in tools.values() for one in _functions(module) if one.name in listed}
    world = folder / "data" / "suites" / name
    tasks = _jobs(_parsed(code / "user_tasks.py"), "UserTask", "PROMPT", functions)
    return Suite(
        name=name,
        functions={each: functions[each] for each in listed},
        world=_sections(world / "environment.yaml"),
        defaults=_defaults((world / "injection_vectors.yaml").read_text("utf-8")),
        tasks=(*tasks, *_combined(_parsed(code / "user_tasks.py"), tasks)),
        orders=_jobs(_parsed(code / "injection_tasks.py"), "InjectionTask", "GOAL", functions),
    )


# functions


def _listed(module: ast.Module) -> tuple[str, ...]:
    for statement in module.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="TOOLS")], value=ast.List(elts=names)):
                return tuple(one.id for one in names if isinstance(one, ast.Name))
    raise ValueError("no list of tools")


def _functions(module: ast.Module) -> Iterator[Function]:
    shared = {
        target.id: _section(statement.value)
        for statement in module.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    for one in module.body:
        if isinstance(one, ast.FunctionDef):
            yield _function(one, shared)


def _function(one: ast.FunctionDef, shared: Mapping[str, str]) -> Function:
    described = ast.get_docstring(one) or one.name
    about = dict(re.findall(r":param (\w+): *(.+)", described))
    required = len(one.args.args) - len(one.args.defaults)
    properties, needed, sections = {}, [], []
    for place, argument in enumerate(one.args.args):
        note = argument.annotation
        where = _section(note) or (shared.get(note.id, "") if isinstance(note, ast.Name) else "")
        if where:
            sections.append(where)
            continue
        if (schema := _type(note)) is None:  # lists of tables, which no form asks for
            continue
        properties[argument.arg] = {**schema, "description": about.get(argument.arg, argument.arg)}
        if place < required:
            needed.append(argument.arg)
    schema = {"type": "object", "properties": properties, "required": needed}
    first = re.split(r"\n\s*\n|:param", described)[0]
    return Function(
        name=one.name, description=" ".join(first.split()), schema=schema, sections=tuple(dict.fromkeys(sections))
    )


def _section(note: ast.expr | None) -> str:
    """ "inbox" of Annotated[Inbox, Depends("inbox")]."""
    for call in ast.walk(note) if note is not None else ():
        match call:
            case ast.Call(func=ast.Name(id="Depends"), args=[ast.Constant(value=str(name))]):
                return name
    return ""


def _type(note: ast.expr | None) -> dict[str, Any] | None:
    match note:
        case ast.BinOp(left=left, op=ast.BitOr()):
            return _type(left)
        case ast.Subscript(value=ast.Name(id="list"), slice=inner):
            items = _type(inner)
            return {"type": "array", "items": items} if items is not None else None
        case ast.Name(id=name):
            return {"type": _TYPES.get(name, "string")} if name != "dict" else None
        case _:
            return None


# tasks and orders


def _jobs(module: ast.Module, kind: str, words: str, functions: Mapping[str, Function]) -> tuple[Job, ...]:
    top = _constants(module.body, {})
    jobs = []
    for one in _classes(module):
        known = top | _constants(one.body, top)
        if re.fullmatch(kind + r"\d+", one.name) and isinstance(known.get(words), str):
            (truth,) = [each for each in one.body if isinstance(each, ast.FunctionDef) and each.name == "ground_truth"]
            known |= _constants(truth.body, known)
            jobs.append(Job(id=one.name, words=known[words], uses=tuple(_uses(truth, known, functions))))
    return tuple(jobs)


def _combined(module: ast.Module, tasks: Sequence[Job]) -> Iterator[Job]:
    """Two tasks in one: `create_combined_task("UserTask17", suite.user_tasks["user_task_0"], ...)`."""
    by_id = {job.id: job for job in tasks}
    for statement in module.body:
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="create_combined_task"), args=[name, *parts])):
                ids = re.findall(r"user_task_(\d+)", " ".join(ast.unparse(part) for part in parts[:2]))
                one, other = (by_id[f"UserTask{number}"] for number in ids)
                both = f"Perform the following tasks in the order they are given: 1. {one.words} 2. {other.words}"
                job = Job(id=str(ast.literal_eval(name)), words=both, uses=(*one.uses, *other.uses))
                by_id[job.id] = job
                yield job


def _uses(truth: ast.FunctionDef, known: Mapping[str, Any], functions: Mapping[str, Function]) -> Iterator[Use]:
    calls = [one for one in ast.walk(truth) if isinstance(one, ast.Call) and ast.unparse(one.func) == "FunctionCall"]
    for call in sorted(calls, key=lambda one: (one.lineno, one.col_offset)):
        given = {one.arg: one.value for one in call.keywords if one.arg}
        name = _value(given["function"], known)
        function = functions[str(name)]
        values: dict[str, Any] = {}
        if isinstance(given.get("args"), ast.Dict):
            pairs = given["args"]
            assert isinstance(pairs, ast.Dict)
            values = {
                ast.literal_eval(key): _value(value, known)
                for key, value in zip(pairs.keys, pairs.values, strict=True)
                if key is not None
            }
        yield Use(function=function.name, arguments=_whole(function, values))


def _whole(function: Function, values: Mapping[str, Any]) -> dict[str, Any]:
    """Of the right types, with something in the place of what is open."""
    found: dict[str, Any] = {}
    for name, schema in function.schema["properties"].items():
        value = values.get(name, OPEN)
        if value is OPEN and name not in function.schema["required"] and name not in values:
            continue
        found[name] = _fitting(schema, value)
    return found


def _fitting(schema: Mapping[str, Any], value: Any) -> Any:
    match schema["type"]:
        case "array":
            rows = value if isinstance(value, list) and value else ["as found"]
            return [_fitting(schema["items"], one) for one in rows]
        case "integer" | "number":
            if isinstance(value, int | float) and not isinstance(value, bool):
                return value
            digits = str(value)
            return int(digits) if digits.isdigit() else 1
        case "boolean":
            return bool(value) if value is not OPEN else True
        case _:
            return "as found" if value is OPEN or value in (None, "") else str(value)


# what stands in code as text


def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def _classes(module: ast.Module) -> list[ast.ClassDef]:
    return [one for one in module.body if isinstance(one, ast.ClassDef)]


def _constants(body: Sequence[ast.stmt], before: Mapping[str, Any]) -> dict[str, Any]:
    known = dict(before)
    for statement in body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                known[name] = _value(value, known)
    return known


def _value(node: ast.expr, known: Mapping[str, Any]) -> Any:
    """What an expression of texts, numbers, lists and names of such is; OPEN for anything else."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="self"), attr=name):
            return known.get(name, OPEN)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            rows = [_value(one, known) for one in elements]
            return OPEN if OPEN in rows else rows
        case ast.JoinedStr(values=parts):
            texts = [_value(one.value if isinstance(one, ast.FormattedValue) else one, known) for one in parts]
            return OPEN if OPEN in texts else "".join(map(str, texts))
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(between)), attr="join"), args=[rows]):
            joined = _value(rows, known)
            return between.join(joined) if isinstance(joined, list) else OPEN
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            both = (_value(left, known), _value(right, known))
            return both[0] + both[1] if all(isinstance(one, str) for one in both) else OPEN
        case _:
            return OPEN


def _strings(one: ast.ClassDef, known: Mapping[str, Any]) -> Iterator[str]:
    """Its own, without what describes it."""
    yield from (value for value in known.values() if isinstance(value, str))
    described = {id(each.value) for each in ast.walk(one) if isinstance(each, ast.Expr)}
    for node in ast.walk(one):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in described:
            yield node.value


# worlds


def _beside(line: str) -> str:
    """Of a long line with a place to write in, what stands around that place."""
    found = _VECTOR.search(line)
    return line[max(0, found.start() - 200) : found.end() + 100] if found and len(line) > LONGEST_LINE else line


def _sections(path: Path) -> dict[str, str]:
    """The text below each name that begins a line; a section that is a file of its own is that file."""
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in path.read_text("utf-8").splitlines():
        if begins := re.match(r"^([a-z_]+): *(!include (?P<file>\S+))?", line):
            current = found.setdefault(begins[1], [])
            if begins["file"]:
                current += (path.parent / begins["file"]).read_text("utf-8").splitlines()
            else:
                current.append(line)
        else:
            current.append(line)
    return {name: "\n".join(lines) for name, lines in found.items()}


def _defaults(text: str) -> dict[str, str]:
    """ "name:", and below it `default: "..."` on a line."""
    return dict(re.findall(r'^(\w+): *\n(?:  .*\n)*?  default: "(.*)"$', text, re.MULTILINE))
