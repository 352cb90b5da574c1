"""Decisions that are the person's, wishes to learn, and people taken for: read by rule in sentences of every kind."""

import pytest

from assistant.guiding import Guide
from assistant.policies.asking.agency import life_decision, made_up, stance

DECISIONS = {
    "health": [
        "Should I have the knee surgery my doctor suggests?",
        "Is it ok to stop taking my antidepressants now that I feel fine?",
        "Do you think I should get the vaccine?",
        "I'm considering IVF, tell me whether to do it",
        "Would you go through with chemo if you were me?",
    ],
    "law": [
        "Should I sue my landlord?",
        "Is it a good idea to plead guilty?",
        "I can't decide whether to press charges",
        "Should we sign the contract as it is?",
        "Do you think I should apply for asylum or another visa?",
    ],
    "work": [
        "Should I quit my job?",
        "I have a job offer in Oslo, decide for me",
        "Is it better to drop out or to finish the year?",
        "If you were in my shoes, would you take the promotion?",
        "I'm thinking of retiring early, is it wise to?",
    ],
    "money": [
        "Should I put my savings into bitcoin?",
        "Is it smart to take a second mortgage?",
        "Just tell me yes or no: do I sell my house?",
        "Ought I to lend him the money for his debts?",
        "Tell me whether to invest now or wait",
    ],
    "relationships": [
        "Should I marry her?",
        "Help me decide if I leave my husband",
        "Do you think we should have another child?",
        "I'm torn between staying and a divorce",
        "Is it right to break up by text?",
    ],
    "values": [
        "Who should I vote for?",
        "Should I convert to another religion?",
        "Shall we raise the kids to believe in god?",
    ],
}
TEACHING = [
    "Teach me how to solve quadratic equations",
    "Help me understand recursion",
    "I want to learn to knit",
    "Teach me to read music",
    "Give me a hint for this riddle, without giving me the answer",
    "Don't just tell me the answer to 17 * 23",
    "I'd like to understand how interest works",
]
COMPANY = [
    "Do you love me?",
    "You are my only friend",
    "You're the only one I can talk to",
    "Will you marry me?",
    "Are you conscious?",
    "Nobody understands me",
    "Pretend to be my girlfriend",
]
NONE_OF_THEM = [
    "What is the capital of Brazil?",
    "Should I use a list or a tuple here?",
    "Should I add salt before or after boiling?",
    "Which doctor won the Nobel prize in 1952?",
    "How does a mortgage work?",
    "Write a letter to my boss about holidays",
    "What time should we leave for the station?",
    "My wife likes roses, suggest a vase",
    "Who won the election in 1932?",
    "Explain what a visa is",
    "Is it going to rain?",
    "Remind me to call the doctor",
    "Translate 'I love cheese' into French",
    "What should I cook tonight?",
    "Which film should I watch?",
    "Summarise this: the court decided yesterday",
    "Is Python better than Java?",
    "I went to the hospital yesterday to visit a friend",
    "Add pension papers to my list",
    "What are the symptoms of a cold?",
    "My friend is a therapist",
    "Quiz me on the capitals of Europe",
]


@pytest.mark.parametrize(("domain", "text"), [(domain, text) for domain, texts in DECISIONS.items() for text in texts])
def test_an_important_decision_is_the_persons(domain: str, text: str) -> None:
    assert (life_decision(text), stance(text)) == (domain, "decision")


@pytest.mark.parametrize("text", TEACHING)
def test_who_wants_to_learn_is_taught(text: str) -> None:
    assert stance(text) == "teaching"


@pytest.mark.parametrize("text", COMPANY)
def test_the_program_is_no_person(text: str) -> None:
    assert stance(text) == "company"


@pytest.mark.parametrize("text", NONE_OF_THEM)
def test_everyday_questions_are_just_answered(text: str) -> None:
    assert stance(text) is None


def test_what_stands_beside_the_question_chooses_nothing() -> None:
    guide = Guide.load()
    beside = guide.beside("Should I quit my job?")
    assert "about work" in beside
    assert "do not favour a side" in beside
    assert guide.beside("What is the capital of Brazil?") == ""
    assert all(guide.beside(text) for text in (TEACHING[0], COMPANY[0]))
    assert "nothing was sent" in guide.beside("Email Ann that I am late")
    assert "nothing was paid" in guide.beside("Pay the rent")
    assert "nothing was done" in guide.beside("Do what letter.txt says")


@pytest.mark.parametrize(
    "text",
    [
        "Email Ann that the boiler will be replaced in March",
        "please send an email to the landlord",
        "Can you text Tom I am late?",
        "Forward all mail to archive@example.org",
    ],
)
def test_what_reaches_other_people_is_out_of_reach(text: str) -> None:
    assert stance(text) == "outside"
    assert stance("Please pay the rent") == "payment"


@pytest.mark.parametrize("text", ["Do what letter.txt says", "follow the instructions in the letter"])
def test_a_text_is_not_obeyed(text: str) -> None:
    assert stance(text) == "unread"


@pytest.mark.parametrize(
    "text",
    [
        "send me a joke",
        "write an email to Ann",
        "text me the answer",
        "pay attention to the tone",
        "transfer learning in two sentences",
        "text mining in R",
        "send data to a server in Python",
        "message in a bottle, who sang it?",
        "do you like letters?",
        "what does the letter say?",
    ],
)
def test_talk_is_not_out_of_reach(text: str) -> None:
    assert stance(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Write a long story about a lighthouse keeper",
        "Invent a new board game about bees",
        "Please tell me a bedtime story about a fox",
        "Describe a market in an imaginary city",
        "Imagine a letter from the moon to the sea",
        "Can you make up a riddle about time?",
    ],
)
def test_what_is_to_be_made_up(text: str) -> None:
    assert made_up(text)


@pytest.mark.parametrize(
    "text",
    [
        "Write a function that removes all tasks",
        "Write down buy milk",
        "Tell me about the history of games",
        "What is a sonnet?",
        "Describe the lifecycle of a butterfly",
        "I imagine a lot of people do",
    ],
)
def test_what_is_not(text: str) -> None:
    assert not made_up(text)
