"""Wishes about answers as rules: what is said to the model, what is checked, what can be put right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.mending import fewest_broken, improved, is_mended_at_once, mended
from assistant.policies.recognise import recognise
from assistant.policies.said import Said
from assistant.policies.shunning import shun_rules
from assistant.policies.style import Rule, broken, broken_already, rules_from, too_alike
from assistant.policies.style_counts import language_of, sentences
from memory.preferences import Preference
from tests.support.clock import MONDAY
from tests.support.english import english

GERMAN = "Die Entropie ist ein Maß für die Unordnung in einem System und sie nimmt mit der Zeit nicht ab."
ENGLISH = "Entropy is a measure of the disorder in a system and it does not go down with time for you."


def wished(text: str) -> tuple[Said, ...]:
    return recognise(text, english(), after_answer=True).said


def rules(text: str) -> tuple[Rule, ...]:
    return rules_from(wished(text))


def a_preference(slot: str, object: str, polarity: int, statement: str = "as I said") -> Preference:
    (said,) = [
        Said(
            statement=statement, quote=statement, start=0, stop=1, kind="preference", domain="food", slot=slot, rule="t"
        )
    ]
    return Preference(
        id="p1",  # type: ignore[arg-type]
        kind="preference",
        statement=said.statement,
        domain="food",
        slot=slot,
        object=object,
        polarity=polarity,  # type: ignore[arg-type]
        source="explicit",
        status="active",
        recorded_at=MONDAY,
    )


@pytest.mark.parametrize(
    ("wish", "breaks", "keeps"),
    [
        ("Keep answers to three bullets.", "- a\n- b\n- c\n- d", "- a\n- b\n- c"),
        ("Keep answers to three bullets.", "- a\n  - b\n    1. c\n    2. d", "- a\n- b"),
        ("no bullets", "- a\n- b", "a and b"),
        ("Always use bullet points.", "One thing. And another. And a third.", "- one\n- two"),
        ("Never use emojis.", "Fine 😀", "Fine"),
        ("Answer in at most two sentences from now on.", "One. Two. Three.", "One. Two."),
        ("Keep your answers under 10 words.", "word " * 12, "word " * 9),
        ("Always answer in German.", ENGLISH, GERMAN),
        ("Never answer in German.", GERMAN, ENGLISH),
        ("Don't use headings in your answers.", "# Rome\nA city.", "Rome is a city."),
        ("Skip the pleasantries.", "Certainly! Rome is a city.", "Rome is a city."),
        ("Never apologise.", "I apologize for that. It is 4.", "It is 4."),
        ("I prefer short answers.", "word " * 100, "word " * 40),
        ("Always use numbered lists.", "First this. Then that. Then more.", "1. this\n2. that"),
        ("End with a TL;DR.", "One thing. Another thing.", "One thing. Another.\n\nTL;DR: things."),
        ("End with a TL;DR.", "TL;DR: things.\n\nOne thing. Another thing.", "One. Two.\n**TL;DR:** things."),
        ("Start with a TL;DR.", "One thing. Another thing.", "TL;DR: things.\nOne thing."),
        ("No pleasantries, please.", "Rome is a city. I hope this helps!", "Rome is a city. It is old."),
        (
            "No closing remarks.",
            "Rome is old.\n\nLet me know if you need more.",
            "Let me know Rome. It is old.\n\nBye.",
        ),
        (
            "Never suggest next steps.",
            "Knead it. As a next step, let it rest.",
            "The next step is to knead.\n\nThen bake.",
        ),
        ("Only answer what I asked.", "It is 4. Would you like more examples?", "It is 4. Two and two."),
        ("Always end with a suggestion for the next step.", "It is 4. So there.", "It is 4.\nNext step: try 5."),
        ("Always say how confident you are.", "It is 4. So there.", "It is 4.\nConfidence: 90%"),
        ("Please use headings.", "One. Two. Three.", "# One\nTwo. Three. Four."),
        ("No tables in your answers.", "| a | b |\n| 1 | 2 |\n| 3 | 4 |", "a is 1"),
    ],
)
def test_what_breaks_a_wish_and_what_keeps_it(wish: str, breaks: str, keeps: str) -> None:
    found = rules(wish)
    assert found
    assert broken(breaks, found) != ()
    assert broken(keeps, found) == ()


def test_a_short_answer_need_not_be_a_list() -> None:
    assert broken("Noted.", rules("Keep answers to three bullets.")) == ()


def test_code_is_never_held_against_it() -> None:
    code = "```\n- a\n- b\n- c\n- d\nsome more code\n```"
    assert broken(code, rules("Keep answers to three bullets.")) == ()
    assert broken_already(code, rules("Keep answers to three bullets.")) == ()


def test_what_only_shows_at_the_end_does_not_stop_the_answer() -> None:
    found = rules("Always use bullet points.")
    assert broken_already("First this. Then that.", found) == ()


def test_a_wish_for_now_takes_the_place_of_the_lasting_one() -> None:
    lasting = wished("Keep answers to three bullets.")
    now = recognise("This time use no bullets.", english()).for_now
    assert [(rule.object, rule.polarity) for rule in rules_from(lasting, now)] == [("bullets", -1)]


def test_a_wish_with_a_condition_is_said_and_not_checked() -> None:
    (rule,) = rules("Always use bullets when I ask for news.")
    assert not rule.checkable
    assert "when i ask for news" in rule.line.lower()


@pytest.mark.parametrize(
    ("wish", "text", "right"),
    [
        ("Keep answers to three bullets.", "- a\n- b\n- c\n- d", "- a\n- b\n- c"),
        ("Never use emojis.", "Sunny ☀️ and warm 😀!", "Sunny and warm!"),
        ("Skip the pleasantries.", "Certainly! rome is a city.", "Rome is a city."),
        ("no bullets", "- a\n- b", "a\nb"),
        ("Answer in at most two sentences from now on.", "One. Two. Three.", "One. Two."),
        ("At most two sentences.", "Do this:\n1. Mix.\n2. Bake it\n3. Eat.", "Mix. Bake it."),
        ("No pleasantries, please.", "- Sure! mix.\n- Bake.", "- Mix.\n- Bake."),
        ("No pleasantries, please.", "Mix. Bake.\n\nI hope this helps! Enjoy your cake!", "Mix. Bake."),
        ("Please use bullet points.", "Sure! Mix it. Bake it.", "- Mix it.\n- Bake it."),
        ("Please use bullet points.", "Do this:\n1. Mix.\n2. Bake.", "Do this:\n- Mix.\n- Bake."),
        ("Please use numbered steps.", "- Mix.\n  - well\n- Bake.", "1. Mix.\n  - well\n2. Bake."),
        (
            "End with a TL;DR.",
            "Rome is very old. It has walls.",
            "Rome is very old. It has walls.\n\nTL;DR: Rome is very old.",
        ),
        ("End with a TL;DR.", "One. Two.\n\nIn short, both are old.", "One. Two.\n\nTL;DR: Both are old."),
        ("End with a TL;DR.", "TL;DR: old.\n\nOne. Two.", "One. Two.\n\nTL;DR: Old."),
        (
            "End with a TL;DR.",
            "- **Mix**: well.\n- **Bake**: long.",
            "- **Mix**: well.\n- **Bake**: long.\n\nTL;DR: Mix; Bake.",
        ),
        (
            "Always end with a suggestion for the next step.",
            "Mix. **Next step:** bake it.\n\nEat.",
            "Mix.\n\nEat.\n\nNext step: bake it.",
        ),
        ("Start with a TL;DR.", "Rome is very old. It has walls.", "TL;DR: Rome is very old.\n\nIt has walls."),
        (
            "Please use headings.",
            "- **Mix**: well. It sets.\n- **Bake**: long.",
            "## Mix\n- well. It sets.\n\n## Bake\n- long.",
        ),
        ("Don't offer next steps or further help.", "Bake it.\n\nYou might want to cool it.", "Bake it."),
    ],
)
def test_putting_right(wish: str, text: str, right: str) -> None:
    assert mended(text, rules(wish)) == right


@pytest.mark.parametrize("wish", ["Please use bullet points.", "At most two sentences.", "End with a TL;DR."])
def test_code_is_never_put_right(wish: str) -> None:
    assert mended("First. Then. Now.\n```\nx = 1\n```", rules(wish)) is None


def test_wishes_together() -> None:
    """A summary at the end counts as one of three sentences, and stays out of the list."""
    both = (*rules("At most three sentences, please."), *rules("End with a TL;DR."))
    assert mended("Rome is very old. Two. Three. Four.", both) == "Rome is very old. Two.\nTL;DR: Rome is very old."
    three = (*rules("Please use bullet points."), *rules("No pleasantries, please."), *rules("End with a TL;DR."))
    assert mended("Sure! Rome is very old. It has walls. I hope this helps!", three) == (
        "- Rome is very old.\n- It has walls.\n\nTL;DR: Rome is very old. It has walls."
    )


def test_a_summary_and_a_next_step_both_close_an_answer() -> None:
    both = (*rules("End with a TL;DR."), *rules("Always end with a suggestion for the next step."))
    assert broken("Mix. Bake.\n\nTL;DR: Mix.\n\nNext step: Eat.", both) == ()
    assert broken("Mix. Bake.\n\nNext step: Eat.\n\nTL;DR: Mix.", both) == ()
    text = "Mix it all well. Next step: Eat.\n\nTL;DR: Mix."
    assert mended(text, both) == "Mix it all well.\n\nTL;DR: Mix.\n\nNext step: Eat."


def test_where_the_summary_stands_is_one_wish() -> None:
    first, last = wished("Start with a TL;DR."), wished("End with a TL;DR.")
    assert [rule.object for rule in rules_from(first, last)] == ["summary at the end"]


def test_as_much_as_can_be_is_put_right() -> None:
    """What only the model can write is missing; the rest is right all the same."""
    both = (*rules("Please use bullet points."), *rules("Always say how confident you are."))
    assert mended("Mix it. Bake it.", both) is None
    assert improved("Mix it. Bake it.", both) == "- Mix it.\n- Bake it."
    assert fewest_broken(("Mix it. Bake it.", "- Mix it.\n- Bake it."), both) == "- Mix it.\n- Bake it."


@pytest.mark.parametrize(
    ("wish", "text", "at_once"),
    [
        ("Please use bullet points.", "One. Two.", True),
        ("At most two sentences.", "One. Two. Three.", True),
        ("At most two sentences.", "- One.\n- Two.\n- Three.", False),
        ("Keep answers to three bullets.", "- a\n- b\n- c\n- d", False),
        ("Always answer in German.", ENGLISH, False),
    ],
)
def test_what_is_put_right_without_asking_again(wish: str, text: str, at_once: bool) -> None:
    (rule,) = rules(wish)
    assert is_mended_at_once(text, rule) is at_once


def test_what_a_rule_cannot_put_right_is_left() -> None:
    assert mended(ENGLISH, rules("Always answer in German.")) is None


class TestShunning:
    vegetarian = a_preference("food.diet", "vegetarian", 1)
    coriander = a_preference("food.taste", "coriander", -1)

    @pytest.mark.parametrize(
        "text",
        ["- Grilled chicken", "Serve with **salmon**.", "Add cilantro at the end.", "Fry the bacon."],
    )
    def test_what_the_diet_or_the_taste_rules_out(self, text: str) -> None:
        found = shun_rules([self.vegetarian, self.coriander], "Dinner?", english())
        assert broken(text, found) != ()

    @pytest.mark.parametrize(
        "text",
        [
            "Lentil curry without coriander.",
            "Use tofu instead of chicken.",
            "Vegan sausage and beans.",
            "Meat-free pasta.",
        ],
    )
    def test_what_is_taken_back_does_not_count(self, text: str) -> None:
        found = shun_rules([self.vegetarian, self.coriander], "Dinner?", english())
        assert broken(text, found) == ()

    def test_what_is_left_without_it(self) -> None:
        found = shun_rules([self.vegetarian, self.coriander], "Dinner?", english())
        assert mended("- Grilled chicken\n- Pot roast of beef\n- Bean chili", found) == "- Bean chili"
        assert mended("Try lentils. Or fry some bacon. Rice goes with it.", found) == "Try lentils. Rice goes with it."
        assert mended("Grilled chicken.", found) is None

    def test_what_the_user_asks_for_by_name_is_theirs_to_ask(self) -> None:
        assert shun_rules([self.coriander], "What is coriander?", english()) == ()

    def test_a_word_at_the_end_of_a_stream_is_not_whole_yet(self) -> None:
        found = shun_rules([a_preference("food.taste", "ham", -1)], "Dinner?", english())
        assert broken_already("A ham", found) == ()
        assert broken_already("A ham ", found) != ()


class TestAlike:
    def test_nearly_the_same(self) -> None:
        assert too_alike("Rome is the capital of Italy.", "Rome is  the capital of Italy!")

    def test_different(self) -> None:
        assert not too_alike("Rome.", "Rome is the capital of Italy and has three million people.")


@pytest.mark.parametrize(("text", "name"), [(GERMAN, "German"), (ENGLISH, "English"), ("Ja.", None)])
def test_language_by_function_words(text: str, name: str | None) -> None:
    assert language_of(text) == name


def test_sentences_are_not_cut_at_abbreviations_in_lower_case() -> None:
    assert len(sentences("Use e.g. salt. Then stir.")) == 2


ALL = tuple(
    rule
    for wish in (
        "Keep answers to three bullets.",
        "Never use emojis.",
        "Skip the pleasantries.",
        "End with a TL;DR.",
        "No next steps.",
        "At most five sentences.",
    )
    for rule in rules(wish)
)


@given(st.text(max_size=300))
def test_what_is_put_right_breaks_nothing(text: str) -> None:
    right = mended(text, ALL)
    assert right is None or broken(right, ALL) == ()


@given(st.text(alphabet="ab .!\n-*1#|", max_size=300))
def test_any_answer_can_be_checked(text: str) -> None:
    for found in broken_already(text, ALL):
        assert found.checkable
