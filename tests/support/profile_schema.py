"""Writes docs/profile.schema.json: `python -m tests.support.profile_schema`."""

import json
from pathlib import Path

from memory.portable.shapes import ProfileShape

PAGE = Path(__file__).parents[2] / "docs" / "profile.schema.json"

if __name__ == "__main__":
    PAGE.write_text(json.dumps(ProfileShape.model_json_schema(), indent=2) + "\n", encoding="utf-8")
