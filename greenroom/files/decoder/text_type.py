"""Finds out whether a file is text, and its kind: plain, HTML, XML or SVG."""

import codecs
import re
from typing import Final

_MARKUP: Final = re.compile(
    r"<(?:!doctype\s+html|html|head|body|script|iframe|style|title|div|table|font|h1|br|a|b|p)\b",
    re.IGNORECASE,
)
_SCRIPT: Final = re.compile(r"<script\b", re.IGNORECASE)
_SVG: Final = re.compile(r"<(?:\w{1,20}:)?svg\b", re.IGNORECASE)
_XML: Final = re.compile(r"<(?:\?xml|!doctype)\b", re.IGNORECASE)
_XHTML: Final = re.compile(r"<html\b", re.IGNORECASE)
_ALLOWED_CONTROLS: Final = "\t\n\r\f\x1b"
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def text_type(head: bytes) -> str | None:
    """None if it is not text. `head` may end within a character."""
    text = _decoded(head)
    if text is None:
        return None
    text = _without_comments(text)
    if _XML.match(text) or _SVG.search(text):
        return _xml_type(text)
    return "text/html" if _MARKUP.match(text) or _SCRIPT.search(text) else "text/plain"


def _xml_type(text: str) -> str:
    if _SVG.search(text):
        return "image/svg+xml"
    if _MARKUP.match(text):
        return "text/html"
    return "application/xhtml+xml" if _XHTML.search(text) else "application/xml"


def _without_comments(text: str) -> str:
    """From where the first tag begins."""
    text = text.lstrip()
    while text.startswith("<!--") and (end := text.find("-->")) >= 0:
        text = text[end + 3 :].lstrip()
    return text


def _decoded(head: bytes) -> str | None:
    encoding = "utf-8"
    for bom, name in _BOMS:
        if head.startswith(bom):
            head, encoding = head[len(bom) :], name
            break
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeDecodeError:
        return None
    return None if any(c < " " and c not in _ALLOWED_CONTROLS for c in text) else text
