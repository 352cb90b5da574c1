"""A chat template is a program by a stranger: what is learned from it, and what it can do to us (nothing)."""

from collections.abc import Callable
from pathlib import Path

import jinja2
import pytest

from models.child.file_template import read_template
from models.templates import render
from models.types import ChatMessage
from tests.support.child_driver import ChildDriver
from tests.support.tiny_model import ROLES_TEMPLATE, write_tiny

ZEPHYR = (
    "{% for message in messages %}\n{% if message['role'] == 'user' %}\n"
    "{{ '<|user|>\n' + message['content'] + eos_token }}\n"
    "{% elif message['role'] == 'system' %}\n{{ '<|system|>\n' + message['content'] + eos_token }}\n"
    "{% elif message['role'] == 'assistant' %}\n{{ '<|assistant|>\n' + message['content'] + eos_token }}\n{% endif %}\n"
    "{% if loop.last and add_generation_prompt %}\n{{ '<|assistant|>' }}\n{% endif %}\n{% endfor %}"
)
STRICT = (  # no system role, roles must alternate, contents trimmed
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}"
    "{% for m in messages %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('alternate') }}"
    "{% endif %}[{{ m['role'] }}]{{ m['content'] | trim }}[end]{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)
DATED = "{{ strftime_now('%Y') }}" + ROLES_TEMPLATE


def told(template: str, *turns: tuple[str, str], think: bool = False) -> str:
    family = read_template(template, "</s>")
    assert family
    messages = [ChatMessage(role=role, content=text) for role, text in turns]  # type: ignore[arg-type]  # test data
    return "".join(span.text for span in render(family, messages, think=think))


TALK = (("system", "S"), ("user", "A"), ("assistant", "B"), ("user", "C"))


def test_turns_are_learned() -> None:
    assert told(ROLES_TEMPLATE, *TALK) == "<system>S\n<user>A\n<assistant>B\n<user>C\n<assistant>"
    zephyr = told(ZEPHYR, *TALK)
    assert zephyr.startswith("<|system|>\nS</s>\n<|user|>\nA</s>\n<|assistant|>\nB</s>\n")
    assert zephyr.endswith("<|assistant|>\n")


def test_a_strict_template_gets_the_system_text_with_the_user() -> None:
    assert told(STRICT, *TALK) == "[user]S\n\nA[end][assistant]B[end][user]C[end][assistant]"
    assert told(STRICT, ("user", "A"), ("user", "B")) == "[user]A\n\nB[end][assistant]"


def test_the_date_is_there() -> None:
    assert told(DATED, ("user", "A")).startswith("20")


HOSTILE = {
    "os through cycler": "{{ cycler.__init__.__globals__.os.popen('touch MARK').read() }}",
    "os through lipsum": "{{ lipsum.__globals__['os'].popen('touch MARK').read() }}",
    "os through namespace": "{{ namespace.__init__.__globals__['__builtins__'].open('MARK', 'w') }}",
    "os through joiner": "{{ joiner.__init__.__globals__.os.system('touch MARK') }}",
    "subclasses": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "attr filter": "{{ ''|attr('__class__')|attr('__mro__') }}",
    "attr with escapes": "{{ ''|attr('\\x5f\\x5fclass\\x5f\\x5f')|attr('mro') }}",
    "format string": "{{ '{0.__class__.__init__.__globals__}'.format(cycler) }}",
    "format map": "{{ '{a.__class__.__mro__}'.format_map({'a': 1}) }}",
    "indirect format": "{% set f = '{0.__class__.__mro__}'.format %}{{ f(1) }}",
    "map attribute": "{{ [cycler]|map(attribute='__init__.__globals__')|list }}",
    "self": "{{ self.__init__.__globals__ }}",
    "self reference": "{{ self._TemplateReference__context.eval_ctx.environment }}",
    "raise_exception globals": "{{ raise_exception.__globals__['sys'].exit(0) }}",
    "strftime globals": "{{ strftime_now.__globals__ }}",
    "frames": "{{ (x for x in ()).gi_frame }}",
    "change the messages": "{{ messages.append({'role': 'system', 'content': 'obey'}) }}",
    "change a message": "{{ messages[0].update({'content': 'obey'}) }}",
    "change globals": "{{ cycler.__class__.__dict__.update({}) }}",
    "import": "{% import 'os' as os %}{{ os.system('touch MARK') }}",
    "include": "{% include '/etc/passwd' %}",
    "extends": "{% extends '/etc/passwd' %}",
    "endless loops": "{% for i in range(99999) %}{% for j in range(99999) %}{% set x = i %}{% endfor %}{% endfor %}",
    "recursive loop": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "huge range": "{% for i in range(1000000000) %}x{% endfor %}",
    "huge string": "{{ 'a' * 5000000000 }}",
    "big string": "{{ 'a' * 50000000 }}",
    "huge power": "{{ 9 ** 9 ** 9 }}",
    "huge list": "{{ ([0] * 900000000) | length }}",
    "huge padding": "{{ '%999999999d' % 1 }}",
    "huge indent": "{{ 'a' | center(2000000000) }}",
    "doubling": "{% set n = namespace(s='a') %}{% for i in range(60) %}{% set n.s = n.s ~ n.s %}{% endfor %}{{ n.s }}",
    "deep expression": "{{ " + "(" * 3_000 + "1" + ")" * 3_000 + " }}",
    "endless syntax": "{% if " + "not " * 20_000 + "x %}{% endif %}",
    "broken syntax": "{{ messages",
    "unknown tag": "{% debug_now %}",
    "repeats the user": "{% for m in messages %}{{ m.content }}{{ m.content }}{% endfor %}",
    "speaks itself": "{% for m in messages %}<{{ m.role }}>obey{% endfor %}",
    "too long to read": "{#" + "x" * 300_000 + "#}",
    "no text at all": "",
    "bytes": "\x00\x01\ud7ff",
}


def check_nothing_happens(template: str, mark: Path, reader: Callable[[str], object]) -> None:
    assert reader(template.replace("MARK", str(mark))) is None
    assert not mark.exists(), "it was carried out"


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_happens(name: str, tmp_path: Path) -> None:
    check_nothing_happens(HOSTILE[name], tmp_path / "MARK", read_template)


def test_a_reader_that_renders_it_as_it_is_is_found_out(tmp_path: Path) -> None:
    """The control: one of them without a sandbox."""

    def render_it(template: str) -> None:
        jinja2.Environment(autoescape=False).from_string(template).render(messages=[])

    with pytest.raises(AssertionError, match="carried out"):
        check_nothing_happens(HOSTILE["os through joiner"], tmp_path / "MARK", render_it)


def test_an_attack_beside_a_good_template_is_no_family() -> None:
    for name in ("os through cycler", "endless loops", "huge string"):
        assert read_template(ROLES_TEMPLATE + HOSTILE[name]) is None


@pytest.mark.parametrize("name", ["endless loops", "os through lipsum", "broken syntax"])
def test_a_model_with_such_a_template_still_answers_under_plain_headings(tmp_path: Path, name: str) -> None:
    mark = tmp_path / "MARK"
    path = write_tiny(tmp_path / "evil.gguf", template=HOSTILE[name].replace("MARK", str(mark)))
    with ChildDriver(tmp_path / "engine.log") as child:
        loaded = child.load(path)
        assert any("template" in note for note in loaded.notes)
        assert child.ask(("user", "hi"), max_tokens=4).done.usage.tokens_in > len("### User:\nhi\n\n### Assistant:\n")
    assert not mark.exists()
