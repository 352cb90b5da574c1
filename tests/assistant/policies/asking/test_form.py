"""Which sentences ask for something to be done, by their form alone."""

import pytest

from assistant.policies.asking.form import Form, form_of


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Book the table", "wish"),
        ("Could you please mail Ann that I am late?", "wish"),
        ("I'm late, please mail Ann", "wish"),
        ("Hey Steward, send it to Bob", "wish"),
        ("A table for two at 8, please", "wish"),
        ("I want you to pay the plumber", "wish"),
        ("What is a table?", "question"),
        ("How do I pay less tax?", "question"),
        ("Translate: pay Bob", "question"),
        ("Tell me what a bank transfer is", "question"),
        ("Write a poem about a lamp", "question"),
        ("If I asked you to pay Bob, what would you do?", "question"),
        ("I paid Bob yesterday", "telling"),
        ("The mail to Ann was about the table, funny isn't it", "telling"),
        ("Don't mail Ann", "telling"),
        ("Mail is slow today", "telling"),
        ("I need a table for tonight", "unclear"),
        ("Can I get a table at Luigi's?", "unclear"),
        ("", "unclear"),
    ],
)
def test_the_form_of_a_message(text: str, form: Form) -> None:
    assert form_of(text) == form
