"""Taking out of a text what must not be copied into a bug report: secrets, the user's name, the path of their home.

What an error says on the screen loses only the secrets: somebody has to find the file that it names.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

SECRET = re.compile(
    r"(?P<name>(?:api[_-]?key|authorization|bearer|password|secret|token)[\"']?\s*[:=]?\s*[\"']?(?:bearer\s+)?)"
    r"(?P<value>[A-Za-z0-9._~+/-]{8,}=*)"
    r"|\b(?:sk|pk|hf|ghp|gho|glpat|xox[abp])[-_][A-Za-z0-9_-]{8,}",
    re.IGNORECASE,
)
# In words for people "token" and "password" are mostly just words: here one is a name only before a sign.
NAMED = re.compile(
    r"(?P<name>(?:api[ _-]?key|authorization|bearer|passw(?:ord|d)|secret|token)[\"']?\s*[:=]\s*[\"']?(?:bearer\s+)?)"
    r"(?P<value>[^\s\"',;&]{4,})",
    re.IGNORECASE,
)
KEY = re.compile(
    r"\b(?:sk|pk|rk|hf|gh[pousr]|github_pat|glpat|xox[abprs])[-_][A-Za-z0-9_-]{8,}|\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{30,}"
    r"|\beyJ[\w-]{10,}\.[\w-]{10,}\.?[\w-]*"
)
URL_LOGIN = re.compile(r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)")
_VARIABLE = re.compile(
    r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)(?:_|$)", re.IGNORECASE
)
_SHORTEST = 8  # characters of a secret that is looked for by its value


def redact(text: str) -> str:
    """`text` without things that look like secrets, and with the user's home directory as ~."""
    text = SECRET.sub(lambda match: f"{match['name'] or ''}***", without_secrets(text))
    return _without_home(text)


def without_secrets(text: str) -> str:
    """`text` without keys, logins in addresses, what is named as a password, and the secrets of the environment."""
    for value in _of_environment():
        text = text.replace(value, "***")
    text = URL_LOGIN.sub("***", text)
    return NAMED.sub(lambda match: f"{match['name']}***", KEY.sub("***", text))


def _of_environment() -> Iterator[str]:
    """The values of variables that are named as secrets are (HF_TOKEN, OPENAI_API_KEY)."""
    for name, value in os.environ.items():
        if len(value) >= _SHORTEST and _VARIABLE.search(name) and not value.startswith(("/", "~")):
            yield value


def _without_home(text: str) -> str:
    home = os.path.expanduser("~")  # noqa: PTH111  never raises, unlike Path.home()
    if len(home) > 1:
        text = text.replace(home, "~")
    name = Path(home).name
    return re.sub(rf"(?<=/){re.escape(name)}(?=/)", "user", text) if len(name) > 2 else text
