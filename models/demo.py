"""The scripted model behind `--demo`: shows the product without weights, and says plainly that it is a script."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass

from models.scripted import ScriptedModel, Step, words
from models.types import Delta, Failure, GenerationRequest

SECONDS_PER_WORD = 0.04  # about as quick as a small model on a laptop

_NO_FORMS = Failure(
    kind="bad_schema",
    message="The demo's script cannot fill in a form.",
    hint="Start Steward without --demo to use a real model.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    asked_with: str  # a regular expression over the user's last message
    answer: str
    thought: str = ""


TOPICS = (
    Topic(
        asked_with=r"\b(hi|hello|hey|good (morning|evening|day))\b",
        answer="Hello! Nice to meet you.\n\nI should say at once what I am: **a scripted demo**. No model is running, "
        "so I only know a few prepared answers. Everything around me is the real Steward, though: the keys, the "
        "sessions, the search.\n\nAsk me *what Steward can do*, *whether it is private*, *which models it runs*, "
        "or for *a code example*.",
    ),
    Topic(
        asked_with=r"\b(what|how).*\b(can|could|do|does|able|features?|steward)\b|\bhelp\b|\bfeatures?\b",
        answer="Steward is a personal assistant that lives in your terminal and on your machine. It can:\n\n"
        "- **talk**, with a language model that runs on this computer, and keep every conversation to be found again;\n"
        "- **remember** what you say about yourself, show why, and forget it: try *I hate coriander*;\n"
        "- **remind** you, and keep a calendar, tasks, notes and documents: try *remind me to call mum on Sunday "
        "at 6pm*, or *add a task: renew the passport by Friday*;\n"
        "- **ask** when something is missing, and wait for your yes before anything that reaches others;\n"
        "- go through several wishes **step by step**: try *plan my Saturday, I need to see the dentist and buy a "
        "present*;\n"
        "- take back what it did: `/undo`;\n"
        "- speak first, only if you allow it;\n"
        "- work **without a full screen** (`--plain`) and **in scripts** (`steward ask`).\n\n"
        "I am only the demo's script, so try these rather than my wits: they need no model. `/help` shows the rest, "
        "and `steward tour` walks through it.",
    ),
    Topic(
        asked_with=r"\b(private|privacy|secret|secure|offline|internet|cloud|data|upload)\b",
        answer="The model runs in a process on this machine, and conversations are stored in your home directory, "
        "readable by you alone. `steward where` prints the places.\n\nText leaves the machine only if you choose "
        "a model *server* at another address; the status line then says so all the time.\n\nThis demo keeps "
        "nothing at all, and I am a script: nothing you write here is even read by a model.",
    ),
    Topic(
        asked_with=r"\b(models?|gpu|cpu|llama|gguf|fast|slow|speed|memory|ram|hardware)\b",
        answer="Steward runs GGUF models with llama.cpp, on the processor or the GPU, and can also talk to any "
        "OpenAI-compatible server.\n\n| to | type |\n|---|---|\n| see what there is | `steward models list` |\n"
        "| fetch one | `steward models pull` |\n| choose one | `steward models use NAME` |\n"
        "| see what is wrong | `steward doctor` |\n\nI am none of them: this is a scripted demo.",
    ),
    Topic(
        asked_with=r"\b(code|python|function|program|script|example|markdown)\b",
        answer="A prepared example, to show how code looks here:\n\n```python\n"
        "def greet(name: str) -> str:\n"
        '    """Say hello, politely."""\n'
        '    return f"Good evening, {name}."\n\n\n'
        'print(greet("terminal"))\n```\n\nIn the full screen `Tab` goes to this message and `c` copies the block. '
        "A real model would have written what you asked for; I am a script.",
    ),
    Topic(
        asked_with=r"\b(think|thinking|reason|why|riddle|puzzle)\b",
        thought="The user wants to see how thoughts look. I am a script, so this is not really thinking. "
        "It shows where a thinking model's thoughts go: folded away, and never part of the answer.",
        answer="Models that think before they answer have their thoughts folded above the answer, as just now. "
        "Press `t` on this message to unfold them. Mine were written beforehand: this is a scripted demo.",
    ),
    Topic(
        asked_with=r"\b(long|longer|story|tell me|poem|essay|stop)\b",
        answer="Here is something long, so that you can try to stop me (`Esc`, in line mode `Ctrl+C`). What I have "
        "said until then is kept and marked as stopped.\n\n"
        "There was once a terminal that had been open since spring. It had seen builds succeed and fail, branches "
        "merged and abandoned, and more typing errors than it cared to remember. One evening somebody asked it a "
        "question, not a command, and the terminal did not know what to do, for nobody had ever said *please* to it "
        "before.\n\nIt thought about the question all night, while the machine around it hummed. In the morning it "
        "had an answer, a short one, and it waited for the first key to be pressed. When it came, the terminal said "
        "what it had found. The person read it, laughed, and said *thank you*, which was the second new thing in "
        "one day.\n\nSince then it has been listening a little differently to everything. It still runs the builds. "
        "But between two of them it keeps a place free, in case somebody asks.\n\n"
        "(This story was written for the demo; no model made it up.)",
    ),
    Topic(
        asked_with=r"\b(thanks|thank you|bye|goodbye|good night)\b",
        answer="You are welcome. When you would like a real conversation, start `steward` without `--demo`: it "
        "finds or fetches a model that fits this machine.",
    ),
)

OTHERWISE = (
    "I cannot answer that: I am **a scripted demo**, no model is running, and this is what I say to everything I have "
    "no prepared answer for.\n\nI do have one to *what can you do*, *is it private*, *which models*, *a code "
    "example*, *think about it* and *tell me a story*. For everything else start `steward` without `--demo`."
)


def demo_model(seconds_per_word: float = SECONDS_PER_WORD) -> ScriptedModel:
    """Answers any number of questions, at a pace one can read along with."""
    return ScriptedModel(
        otherwise=demo_reply, pace=lambda: asyncio.sleep(seconds_per_word), name="demo (scripted)", context_length=8_192
    )


def demo_reply(request: GenerationRequest) -> Sequence[Step]:
    """The prepared answer to the user's last message."""
    if request.json_schema is not None:
        return (_NO_FORMS,)
    asked = next((one.content for one in reversed(request.messages) if one.role == "user"), "")
    topic = next((one for one in TOPICS if re.search(one.asked_with, asked[:2_000], re.IGNORECASE)), None)
    if topic is None:
        return words(OTHERWISE)
    thought = [Delta(text=word, thought=True) for word in words(topic.thought)] if topic.thought else []
    return (*thought, *words(topic.answer))
