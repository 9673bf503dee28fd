"""Makes any text safe to print: shows hidden characters, and limits stacks of marks. Pure.

A contract must not say anything that its reader cannot see. So a character that hides or reverses
text is printed as its number: `[U+202E]`. A character that no font has is printed the same way.
"""

import re
import unicodedata
from collections.abc import Collection
from typing import Final

from greenroom.bookings.pdf.canonical import Json
from greenroom.unicode import HIDDEN, limit_marks

_LINE_END: Final = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_LONG_LINE: Final = re.compile(r"[^\n]{15000}")
"""A string of a PDF/A file has at most 32,767 characters and 65,535 bytes."""
_HIDDEN: Final = frozenset(map(chr, HIDDEN)) | frozenset("\u034f\u115f\u1160\u3164\uffa0\u2800")


def printable(value: Json, missing: Collection[str] = ()) -> Json:
    """Every text in it, with the characters in `missing` as their numbers."""
    match value:
        case str():
            return printable_text(value, missing)
        case list():
            return [printable(one, missing) for one in value]
        case dict():
            return {key: printable(one, missing) for key, one in value.items()}
        case _:
            return value


def printable_text(text: str, missing: Collection[str] = ()) -> str:
    lines = _LINE_END.sub("\n", text).replace("\t", "    ")
    if not lines.isascii() or not lines.replace("\n", "").isprintable():
        lines = "".join(number(c) if c in missing or _is_hidden(c) else c for c in lines)
    return _LONG_LINE.sub(r"\g<0>\n", limit_marks(lines))


def number(character: str) -> str:
    return f"[U+{ord(character):04X}]"


def _is_hidden(character: str) -> bool:
    """Control characters, private ones and halves of a pair as well."""
    if character == "\n":
        return False
    return character in _HIDDEN or unicodedata.category(character) in ("Cc", "Co", "Cs")
