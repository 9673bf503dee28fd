"""Cleans the characters of a text, in linear time."""

import re
import unicodedata

from greenroom.messaging.problems import InvalidText
from greenroom.unicode import HIDDEN, LINE_BREAKS, character_classes, has_visible, limit_marks

_SURROGATE = re.compile("[\ud800-\udfff]")
_TABLE: dict[int, str | None] = dict.fromkeys(HIDDEN) | dict.fromkeys(LINE_BREAKS, "\n")
_COMES_APART = 2
"""How many more characters at most a letter without a composed form becomes."""
_HIDDEN_ASCII = re.compile(r"[\x01-\x08\x0b-\x1f\x7f]")


def normalised(text: str, most: int) -> str:
    """NFC, lines ended by LF, nothing hidden, no blanks at the ends. Refuses NULs, lone surrogates,
    and more than `most` characters, counted before they are composed.

    Careful: check the length before, because this takes time.
    """
    if "\0" in text:
        raise InvalidText("it must not contain a NUL character")
    if text.isascii():
        return _bounded(_shown(text) if _HIDDEN_ASCII.search(text) else text.strip(), most)
    if _SURROGATE.search(text):
        raise InvalidText("it must not contain half of a surrogate pair")
    classes = character_classes(text)
    plain = text.strip()
    if len(plain) - classes.count("h") + _COMES_APART * classes.count("e") > most:
        raise too_long(most)
    if not has_visible(classes):
        return ""
    if "h" in classes or len(plain) != len(text):
        plain = _bounded(_shown(text), most)
        classes = character_classes(plain)
    plain = limit_marks(plain, classes)
    composed = unicodedata.normalize("NFC", plain)
    return (composed if composed == plain else limit_marks(composed)).strip()


def _shown(text: str) -> str:
    return text.replace("\r\n", "\n").translate(_TABLE).strip()


def _bounded(text: str, most: int) -> str:
    if len(text) > most:
        raise too_long(most)
    return text


def too_long(most: int) -> InvalidText:
    return InvalidText(f"it must have at most {most:,} characters")
