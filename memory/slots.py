"""The closed table of slots: what a statement about the user can be about.

Only items in the same slot (and scope and condition) can contradict or replace each other. In a "single" slot
one wanted value holds at a time ("answer in German" ends "answer in English"); refusals ("no tables") stand
beside it, one an object. In a "multi" slot every object stands for itself.
A new slot is a new row; nothing else has to change.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from memory.preferences import DOMAINS, Cardinality, Domain, Kind, Sensitivity


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    name: str
    domain: Domain
    cardinality: Cardinality
    kind: Kind
    meaning: str  # shown to the model that labels a sentence, and in the memory screen
    head: bool = False  # belongs in the block at the head of every prompt
    sensitivity: Sensitivity = "normal"


def _slot(
    name: str,
    cardinality: Cardinality,
    kind: Kind,
    meaning: str,
    *,
    head: bool = False,
    private: Sensitivity = "normal",
) -> Slot:
    domain = next(domain for domain in DOMAINS if name.startswith(domain + "."))
    return Slot(
        name=name, domain=domain, cardinality=cardinality, kind=kind, meaning=meaning, head=head, sensitivity=private
    )


_STYLE = (
    _slot("reply_style.length", "single", "instruction", "how long answers are", head=True),
    _slot(
        "reply_style.format", "single", "instruction", "bullets, numbered steps, prose, table, code first", head=True
    ),
    _slot("reply_style.language", "single", "instruction", "the language answers are in", head=True),
    _slot("reply_style.tone", "single", "instruction", "friendly, blunt, formal, playful", head=True),
    _slot("reply_style.address", "single", "instruction", "formal or informal address, titles", head=True),
    _slot("reply_style.units", "single", "instruction", "metric or imperial, currency, date format", head=True),
    _slot("reply_style.spelling", "single", "instruction", "British or American spelling", head=True),
    _slot("reply_style.emoji", "single", "instruction", "emoji or none", head=True),
    _slot("reply_style.parts", "multi", "instruction", "summary, headings, examples, sources, next step", head=True),
    _slot("reply_style.depth", "single", "instruction", "level of detail, expert or beginner", head=True),
    _slot("reply_style.questions", "single", "instruction", "ask back or decide alone", head=True),
    _slot("reply_style.other", "multi", "instruction", "any other wish about answers", head=True),
)
_IDENTITY = (
    _slot("identity.name", "single", "identity", "what to call the user", head=True, private="personal"),
    _slot("identity.pronouns", "single", "identity", "pronouns", head=True, private="personal"),
    _slot("identity.birthday", "single", "identity", "date of birth", private="personal"),
    _slot("identity.age", "single", "identity", "age", private="personal"),
    _slot("identity.location", "single", "identity", "where the user lives", head=True, private="personal"),
    _slot("identity.timezone", "single", "identity", "time zone", head=True),
    _slot("identity.origin", "single", "identity", "where the user comes from", private="personal"),
    _slot("identity.language", "multi", "identity", "languages the user speaks", private="personal"),
    _slot("identity.belief", "multi", "identity", "religion or conviction", private="special"),
    _slot("identity.other", "multi", "identity", "other facts about the user", private="personal"),
)
_PEOPLE = (
    _slot("people.partner", "single", "fact", "partner or spouse", private="personal"),
    _slot("people.child", "multi", "fact", "children", private="personal"),
    _slot("people.family", "multi", "fact", "other family", private="personal"),
    _slot("people.friend", "multi", "fact", "friends", private="personal"),
    _slot("people.colleague", "multi", "fact", "colleagues, manager, clients", private="personal"),
    _slot("people.other", "multi", "fact", "other people", private="personal"),
)
_DAYS = (
    _slot("schedule.wake", "single", "habit", "when the user gets up"),
    _slot("schedule.sleep", "single", "habit", "when the user goes to bed"),
    _slot("schedule.work_hours", "single", "habit", "working hours and days"),
    _slot("schedule.quiet", "multi", "constraint", "times not to be disturbed"),
    _slot("schedule.meetings", "multi", "preference", "when and how meetings suit"),
    _slot("schedule.other", "multi", "habit", "other routines"),
)
_FOOD_AND_BODY = (
    _slot("food.diet", "single", "constraint", "vegetarian, vegan, halal, low carb"),
    _slot("food.allergy", "multi", "constraint", "allergies and intolerances", head=True, private="special"),
    _slot("food.taste", "multi", "preference", "ingredients, dishes, cuisines liked or disliked"),
    _slot("food.drink", "multi", "preference", "drinks liked or disliked"),
    _slot("food.cooking", "multi", "preference", "how the user cooks, equipment, time"),
    _slot("food.other", "multi", "preference", "other wishes about food and eating out"),
    _slot("health.condition", "multi", "fact", "illnesses and conditions", private="special"),
    _slot("health.medication", "multi", "fact", "medicines", private="special"),
    _slot("health.goal", "multi", "goal", "health goals", private="personal"),
    _slot("health.other", "multi", "preference", "other wishes about health", private="personal"),
    _slot("fitness.goal", "single", "goal", "training goal"),
    _slot("fitness.taste", "multi", "preference", "kinds of training liked or disliked"),
    _slot("beauty.taste", "multi", "preference", "cosmetics, hair, skin care"),
    _slot("fashion.size", "multi", "fact", "clothing and shoe sizes", private="personal"),
    _slot("fashion.taste", "multi", "preference", "clothes, colours, materials"),
)
_THINGS = (
    _slot("home.dwelling", "single", "fact", "house, flat, who lives there", private="personal"),
    _slot("home.taste", "multi", "preference", "furniture, decoration, garden, household"),
    _slot("shopping.budget", "single", "constraint", "what may be spent on things"),
    _slot("shopping.taste", "multi", "preference", "brands, shops, materials"),
    _slot("vehicles.owned", "multi", "fact", "cars, bicycles owned"),
    _slot("vehicles.taste", "multi", "preference", "kinds of vehicle liked or disliked"),
    _slot("technology.device", "multi", "fact", "computers, phones, gadgets owned"),
    _slot("technology.system", "single", "fact", "operating system"),
    _slot("technology.taste", "multi", "preference", "products, apps, platforms liked or disliked"),
    _slot("programming.language", "multi", "preference", "programming languages"),
    _slot("programming.editor", "single", "preference", "editor or IDE"),
    _slot("programming.theme", "single", "preference", "dark or light theme"),
    _slot("programming.style", "multi", "instruction", "how code is written: names, tests, comments, indentation"),
    _slot("programming.taste", "multi", "preference", "frameworks, tools, practices"),
)
_DOINGS = (
    _slot("work.occupation", "single", "identity", "job or role", private="personal"),
    _slot("work.employer", "single", "fact", "company or organisation", private="personal"),
    _slot("work.project", "multi", "fact", "what the user is working on"),
    _slot("work.place", "single", "preference", "office, home, remote, relocation"),
    _slot("work.taste", "multi", "preference", "how the user likes to work"),
    _slot("learning.subject", "multi", "goal", "what the user is learning"),
    _slot("learning.level", "multi", "fact", "how far the user is in a subject"),
    _slot("learning.taste", "multi", "preference", "how the user likes to learn"),
    _slot("writing.style", "multi", "instruction", "how texts for the user are written"),
    _slot("games.taste", "multi", "preference", "video and board games"),
    _slot("music.instrument", "multi", "fact", "instruments played"),
    _slot("music.taste", "multi", "preference", "genres, artists"),
    _slot("books.taste", "multi", "preference", "genres, authors, formats"),
    _slot("screen.taste", "multi", "preference", "films, series, shows"),
    _slot("sports.team", "multi", "preference", "teams followed"),
    _slot("sports.taste", "multi", "preference", "sports watched or played"),
    _slot("pets.owned", "multi", "fact", "animals the user has"),
    _slot("pets.taste", "multi", "preference", "animals and their care"),
)
_ELSEWHERE = (
    _slot("travel.destination", "multi", "preference", "places and kinds of trip"),
    _slot("travel.taste", "multi", "preference", "activities and pace on trips"),
    _slot("lodging.taste", "multi", "preference", "hotels, rooms, amenities"),
    _slot("transport.seat", "single", "preference", "seat on planes and trains"),
    _slot("transport.taste", "multi", "preference", "flights, trains, cars, airlines"),
    _slot("money.goal", "multi", "goal", "saving and investing goals", private="personal"),
    _slot("money.taste", "multi", "preference", "how the user handles money", private="personal"),
    _slot("other.goal", "multi", "goal", "goals that fit nowhere else"),
    _slot("other.taste", "multi", "preference", "likes and dislikes that fit nowhere else"),
    _slot("other.fact", "multi", "fact", "facts that fit nowhere else"),
    _slot("other.rule", "multi", "instruction", "standing instructions that fit nowhere else"),
)

SLOTS: Mapping[str, Slot] = MappingProxyType(
    {
        slot.name: slot
        for slot in (*_STYLE, *_IDENTITY, *_PEOPLE, *_DAYS, *_FOOD_AND_BODY, *_THINGS, *_DOINGS, *_ELSEWHERE)
    }
)
UNKNOWN = SLOTS["other.fact"]


def slot(name: str) -> Slot:
    """The row of that name. A name this version does not know (a newer export) is read as one of many facts."""
    known = SLOTS.get(name)
    if known is not None:
        return known
    domain = next((domain for domain in DOMAINS if name.startswith(domain + ".")), UNKNOWN.domain)
    return Slot(name=name, domain=domain, cardinality="multi", kind="fact", meaning=name)


def slots_of(domain: Domain) -> tuple[Slot, ...]:
    return tuple(row for row in SLOTS.values() if row.domain == domain)
