"""A session's title, made from what the user said first: at once, without a model, in their own words."""

import re

from assistant.policies.cleaning import clean, clean_line

LIMIT = 60
_MARKS = re.compile(r"^[\s#>*`~_=|+-]+")  # Markdown at the start of a line says nothing in a title
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|(?<=[。！？])")


def title_from(text: str, limit: int = LIMIT) -> str:
    """The first sentence, at most `limit` characters, cut between words. "" when there is no word in it."""
    for line in clean(text[:10_000]).split("\n"):
        bare = _MARKS.sub("", line)
        if any(character.isalnum() for character in bare):
            break
    else:
        return clean_line(text, limit)
    sentence = _SENTENCE_END.split(bare, maxsplit=1)[0]
    whole = clean_line(sentence, limit)
    if not whole.endswith("…") or sentence.rstrip().endswith("…"):
        return whole.rstrip(".。")
    between_words, _, _ = whole.rpartition(" ")
    return f"{between_words.rstrip(' ,;:–—-')}…" if len(between_words) > limit // 2 else whole
