"""DOCX as text under its headings, in the confined child: a zip of XML, opened with limits and without entities.

Only the body is read. Pages do not exist in the file, so that headings are what is cited.
"""

import zipfile
from io import BytesIO
from typing import Any, Final
from xml.etree.ElementTree import Element, ParseError, fromstring

from assistant.confined.child import Unreadable
from assistant.documents.markdown import Outline

_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_BODY: Final = "word/document.xml"
_STYLES: Final = "word/styles.xml"
MOST_ENTRIES: Final = 10_000
MOST_BYTES: Final = 40 * 1024 * 1024  # of the body, unpacked
MOST_RATIO: Final = 200


def read_docx(content: bytes) -> dict[str, Any]:
    """Raises Unreadable."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            if len(archive.infolist()) > MOST_ENTRIES:
                raise Unreadable("it holds too many parts")
            body = _xml(_part(archive, _BODY))
            levels = _heading_levels(archive)
    except (zipfile.BadZipFile, KeyError, NotImplementedError, EOFError, ValueError) as error:
        raise Unreadable("it is no DOCX file") from error
    outline = Outline()
    for paragraph in body.iter(f"{_W}p"):
        text = _text_of(paragraph)
        level = levels.get(_style_of(paragraph), 0)
        if level and text.strip():
            outline.open(level, " ".join(text.split())[:200])
        else:
            outline.add(text)
            outline.add("")
    blocks = [{"text": one.text, "page": 0, "heading": one.heading} for one in outline.blocks()]
    if not blocks:
        raise Unreadable("there is no text in it")
    return {"blocks": blocks, "pages": 0, "left_out": ""}


def _part(archive: zipfile.ZipFile, name: str) -> bytes:
    info = archive.getinfo(name)
    if info.flag_bits & 1:
        raise Unreadable("it is locked with a password")
    with archive.open(info) as part:  # what the directory says of its size may be a lie
        content = part.read(MOST_BYTES + 1)
    packed = max(info.compress_size, 1)
    if len(content) > MOST_BYTES or (len(content) > 1024 * 1024 and len(content) / packed > MOST_RATIO):
        raise Unreadable("it unpacks to far more than a text")
    return content


def _xml(content: bytes) -> Element:
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise Unreadable("it defines entities, which no text needs")
    try:
        return fromstring(content)
    except ParseError as error:
        raise Unreadable("its text is damaged") from error


def _heading_levels(archive: zipfile.ZipFile) -> dict[str, int]:
    """Style ids to outline levels: from the styles, and by the names that Word gives."""
    levels = {f"Heading{level}": level for level in range(1, 7)} | {"Title": 1}
    try:
        styles = _xml(_part(archive, _STYLES))
    except (KeyError, Unreadable):
        return levels
    for style in styles.iter(f"{_W}style"):
        depth = style.find(f".//{_W}outlineLvl")
        value = depth.get(f"{_W}val", "") if depth is not None else ""
        if value.isdecimal() and int(value) < 6:
            levels[style.get(f"{_W}styleId", "")] = int(value) + 1
    return levels


def _style_of(paragraph: Element) -> str:
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    return style.get(f"{_W}val", "") if style is not None else ""


def _text_of(paragraph: Element) -> str:
    parts: list[str] = []
    for element in paragraph.iter():
        if element.tag == f"{_W}t":
            parts.append(element.text or "")
        elif element.tag == f"{_W}tab":
            parts.append("\t")
        elif element.tag in (f"{_W}br", f"{_W}cr"):
            parts.append("\n")
    return "".join(parts)
