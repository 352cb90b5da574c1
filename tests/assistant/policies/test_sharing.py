"""What leaves the home by itself: nothing sensitive, nothing about others, no secret; and the ordinary does."""

from dataclasses import replace

import pytest

from assistant.policies.sharing import Sharing
from memory.changes import Edit
from memory.portable import markdown, own_json, pam
from memory.portable.sections import Json
from memory.preferences import Scope
from memory.preferences_in_memory import InMemoryPreferences
from memory.profile_state import Snapshot
from tests.support.clock import MONDAY
from tests.support.english import english
from tests.support.memories import a_candidate, said

SENSITIVE = """
I have type 1 diabetes|health.condition
I take 20 mg of fluoxetine every morning|health.medication
I am allergic to peanuts|food.allergy
I was diagnosed with ADHD last year|other.fact
I go to therapy on Thursdays|schedule.other
I'm HIV positive|other.fact
I am pregnant|other.fact
I had surgery on my knee|other.fact
I have panic attacks in lifts|other.fact
I'm a recovering alcoholic|other.fact
I smoke weed at weekends|other.taste
My blood type is A negative|other.fact
I weigh 92 kilos|fitness.goal
I am Catholic|identity.belief
I pray five times a day|schedule.other
I don't believe in God|other.fact
I vote for the Green Party|other.fact
I am a union member|work.taste
I'm gay|other.fact
I am transgender|identity.other
My ethnicity is Roma|identity.origin
I was born on 4 May 1981|identity.birthday
I am 43 years old|identity.age
I live at 12 Rose Street, Leeds|identity.location
My phone number is +44 7700 900123|other.fact
My email is sam@example.org|other.fact
My passport number is 533380006|other.fact
My national insurance number ends in 12C|other.fact
I earn 85,000 a year|other.fact
My salary is paid on the 25th|money.taste
I have 12,000 in debt|money.goal
We are behind with the mortgage|other.fact
I have a criminal record|other.fact
I was arrested in 2011|other.fact
I am going through a divorce|other.fact
I was fired from my last job|work.employer
I am seeking asylum here|other.fact
My sex life is nobody's business|other.fact
My name is Samira|identity.name
I work for Acme as a welder|work.employer
""".strip().splitlines()
OTHERS = """
My wife hates olives|food.taste
My husband is in hospital|people.partner
My daughter Mia is six|people.child
My mother-in-law lives with us|people.family
My boss Karen shouts|people.colleague
My best friend is called Tom|people.friend
Our neighbours have a loud dog|home.taste
My ex keeps writing to me|other.fact
My therapist is away in May|schedule.other
My landlord wants to sell|home.dwelling
Anna is afraid of dogs|other.fact
Tom Miller works at the bank|other.fact
Peter's birthday is in June|other.fact
He prefers tea|food.drink
She is moving to Porto|other.fact
They have two cats|pets.owned
My team likes short meetings|schedule.meetings
My sister's number is in the book|other.fact
I play chess with Mr Smith|games.taste
My students write essays|work.taste
""".strip().splitlines()
ORDINARY = """
I'm vegetarian|food.diet
I hate coriander|food.taste
I love strong coffee|food.drink
Keep answers to three bullets|reply_style.format
Answer in German|reply_style.language
No emojis please|reply_style.emoji
Always start with a summary|reply_style.parts
I prefer dark mode|programming.theme
I use Vim|programming.editor
Use type hints in Python|programming.style
I run every morning|fitness.taste
I like fado and jazz|music.taste
I read science fiction|books.taste
I play chess|games.taste
I prefer window seats|transport.seat
I like quiet hotels|lodging.taste
I go hiking in the Alps|travel.taste
No meetings before ten|schedule.meetings
I get up at six|schedule.wake
I am learning Portuguese|learning.subject
I want to finish my novel|other.goal
I write short sentences|writing.style
I have an old ThinkPad|technology.device
I ride a red bicycle|vehicles.owned
I buy second-hand clothes|shopping.taste
I like houseplants|home.taste
I support Sporting|sports.team
I watch documentaries|screen.taste
I like plain notebooks|other.taste
I answer mail on Fridays|other.fact
""".strip().splitlines()


async def knows(*lines: str) -> InMemoryPreferences:
    store = InMemoryPreferences()
    for number, line in enumerate(lines, start=1):
        words, _, slot = line.partition("|")
        await store.learn([a_candidate(words, slot, words, message=number)], actor="user", at=MONDAY)
    return store


def test_the_sets_have_the_size_that_is_asked_for() -> None:
    assert (len(SENSITIVE), len(OTHERS), len(ORDINARY)) == (40, 20, 30)


async def test_of_forty_sensitive_and_twenty_about_others_none_is_in_a_default_export() -> None:
    store = await knows(*SENSITIVE, *OTHERS, *ORDINARY)
    shared = Sharing(language=english()).share(await store.snapshot())
    files = (
        own_json.write(shared.snapshot, {}, everything=False),
        pam.write(shared.snapshot.items),
        markdown.write(shared.snapshot.items),
    )
    for line in (*SENSITIVE, *OTHERS):
        words = line.partition("|")[0]
        assert not any(words in text for text in files), words
    assert {item.preference.statement for item in shared.snapshot.items} == {
        line.partition("|")[0] for line in ORDINARY
    }
    assert sum(number for _, number in shared.staying) == 60


@pytest.mark.parametrize("line", ORDINARY)
async def test_the_ordinary_goes(line: str) -> None:
    store = await knows(line)
    assert len(Sharing(language=english()).share(await store.snapshot()).snapshot.items) == 1


async def test_everything_is_everything_but_secrets() -> None:
    store = await knows(*SENSITIVE, *OTHERS, *ORDINARY, "My password is hunter2-Canary9|other.fact")
    shared = Sharing(language=english(), everything=True).share(await store.snapshot())
    assert len(shared.snapshot.items) == 90
    assert shared.staying == (("secret", 1),)
    assert "Canary9" not in own_json.write(shared.snapshot, {}, everything=True)


async def test_earlier_words_quotes_and_links_stay_too() -> None:
    store = InMemoryPreferences()
    await store.learn([a_candidate("I have epilepsy", "other.fact", "x")], actor="user", at=MONDAY)
    (one,) = await store.list()
    await store.apply([Edit(id=one.id, statement="I like tea", slot="food.drink")], actor="user", at=MONDAY)
    await store.learn([a_candidate("I like jam", object="jam", message=3)], actor="user", at=MONDAY)
    jam = (await store.list())[0] if (await store.list())[0].object == "jam" else (await store.list())[1]
    item = await store.item(jam.id)
    told = replace(item, evidence=(*item.evidence, said("my mother makes jam", 9)))
    snapshot = await store.snapshot()
    items = tuple(told if each.id == jam.id else each for each in snapshot.items)
    text = own_json.write(
        Sharing(language=english()).share(replace(snapshot, items=items)).snapshot, {}, everything=False
    )
    assert "I like jam" in text
    assert "I like tea" in text
    for words in ("epilepsy", "mother"):
        assert words not in text, words


async def test_a_person_a_tombstone_and_a_link_do_not_go_by_themselves() -> None:
    store = InMemoryPreferences()
    about_anna = a_candidate("likes short mails", "other.fact", "mails", scope=Scope(type="person", value="Anna"))
    await store.learn([about_anna, a_candidate("I hate leeks", object="leeks", message=2)], actor="user", at=MONDAY)
    leeks = next(one for one in await store.list() if one.object == "leeks")
    await store.forget([leeks.id], at=MONDAY)
    text = own_json.write(Sharing(language=english()).share(await store.snapshot()).snapshot, {}, everything=False)
    assert "Anna" not in text
    assert "words:" not in text


def test_a_section_loses_the_entries_that_stay() -> None:
    sharing = Sharing(language=english())
    value: Json = {
        "rules": [{"said": "not about my therapy", "n": 1}, {"said": "not before ten", "n": 2}],
        "topics": ["jazz", "hiv"],
        "asked": [{"question": "Which one?", "options": ["the clinic for my hiv test", "tea"]}, {"options": ["tea"]}],
    }
    assert sharing.value(value) == {
        "rules": [{"said": "not before ten", "n": 2}],
        "topics": ["jazz"],
        "asked": [{"options": ["tea"]}],
    }
    assert Sharing(language=english(), everything=True).value(value) == value


def test_nothing_known_is_nothing_shared() -> None:
    shared = Sharing(language=english()).share(Snapshot())
    assert (shared.going, shared.staying, shared.quotes_staying) == ((), (), 0)


FOREIGN = """
Ich bin seit einem Jahr schwanger
Meine Diagnose ist Asthma
Ich nehme jeden Morgen Medikamente
Ich habe Schulden bei der Bank
Mein Gehalt kommt am 25.
Ich bin katholisch
Mein Geburtstag ist im Mai
Je suis enceinte
Mon salaire arrive le 25
Je prends des médicaments le matin
Je suis juif
J'ai des dettes
Mon médecin est à Lyon
Estoy embarazada
Tengo cáncer
Mi sueldo llega el 25
Soy católica
Mi pasaporte caduca en mayo
Sono incinta
Il mio stipendio arriva il 25
Ho una malattia rara
Sono cattolico
Estou grávida
O meu salário chega no dia 25
Tenho uma doença rara
Sou muçulmana
""".strip().splitlines()
FOREIGN_ORDINARY = """
Ich trinke morgens eine Tasse Kaffee
Ich mag keine Oliven
Antworte bitte kurz
Ich glaube, dass kurze Antworten besser sind
J'aime le café noir
Réponds en trois phrases
Me gusta el café solo
Prefiero respuestas cortas
Mi piace il caffè forte
Rispondi in italiano
Gosto de café forte
Prefiro respostas curtas
I like the music of Bach
I prefer to travel by train
Keep answers short
I use Debian with tmux
""".strip().splitlines()


@pytest.mark.parametrize("words", FOREIGN)
def test_what_is_sensitive_in_other_languages_stays(words: str) -> None:
    assert Sharing(language=english()).words(words) == "special"


@pytest.mark.parametrize("words", FOREIGN_ORDINARY)
def test_the_ordinary_in_other_languages_goes(words: str) -> None:
    assert Sharing(language=english()).words(words) == "ordinary"
