"""Learn a family from a model file's own chat template without ever trusting it.

The template is a program by whoever made the file. It is run once, in a process of its own with little time and
memory (models/child/template_reader.py), over a probe conversation; what is kept is the text between the turns.
"""

import json
import subprocess
import sys

from pydantic import BaseModel, ConfigDict, ValidationError

from models.templates import Family, learn

WALL_SECONDS = 30.0  # its own limit of processor time ends it long before, except on a very busy machine
MAX_TEMPLATE_CHARS = 256 * 1024


class Renderings(BaseModel):
    """What the template made of the probes; None where it failed."""

    model_config = ConfigDict(extra="forbid")

    plain: str | None
    with_system: str | None
    thinking: str | None


def read_template(template: str, eos: str = "") -> Family | None:
    """None when the template fails, takes too long, or does not write all turns alike."""
    if len(template) > MAX_TEMPLATE_CHARS:
        return None
    try:
        done = subprocess.run(
            (sys.executable, "-P", "-m", "models.child.template_reader"),
            input=json.dumps({"template": template, "eos": eos}).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=WALL_SECONDS,
            check=False,
        )
        made = Renderings.model_validate_json(done.stdout)
    except (subprocess.TimeoutExpired, ValidationError):
        return None
    return learn(made.plain, made.with_system, made.thinking)
