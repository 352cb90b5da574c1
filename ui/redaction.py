"""Taking out of a text what must not be copied into a bug report: secrets, the user's name, the path of their home."""

import os
import re
from pathlib import Path

SECRET = re.compile(
    r"(?P<name>(?:api[_-]?key|authorization|bearer|password|secret|token)[\"']?\s*[:=]?\s*[\"']?(?:bearer\s+)?)"
    r"(?P<value>[A-Za-z0-9._~+/-]{8,}=*)"
    r"|\b(?:sk|pk|hf|ghp|gho|glpat|xox[abp])[-_][A-Za-z0-9_-]{8,}",
    re.IGNORECASE,
)
URL_LOGIN = re.compile(r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)")


def redact(text: str) -> str:
    """`text` without things that look like secrets, and with the user's home directory as ~."""
    text = URL_LOGIN.sub("***", text)
    text = SECRET.sub(lambda match: f"{match['name'] or ''}***", text)
    return _without_home(text)


def _without_home(text: str) -> str:
    home = os.path.expanduser("~")  # noqa: PTH111  never raises, unlike Path.home()
    if len(home) > 1:
        text = text.replace(home, "~")
    name = Path(home).name
    return re.sub(rf"(?<=/){re.escape(name)}(?=/)", "user", text) if len(name) > 2 else text
