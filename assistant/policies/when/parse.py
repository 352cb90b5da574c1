"""Reads when something is meant, from the words people use in reminders."""

from assistant.policies.when.types import NoTime, Options, Outcome


def parse(text: str, options: Options) -> Outcome:
    """What `text` says about when. Never raises, linear in the length of `text`; looks forward from `options.now`."""
    return NoTime(title=text.strip())
