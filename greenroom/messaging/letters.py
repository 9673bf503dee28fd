"""Which characters a text may have: pure, and linear in its length.

Scripts that need joiners and stacked marks keep them; what only hides, reverses or smears text
goes. What one would get wrong: marks are limited before NFC too, because putting a long run of them
in order takes quadratic time.
"""

import re
import unicodedata

from greenroom.messaging.problems import InvalidText

MAX_ACCENTS = 3
"""In a row, of the marks that fit every letter: of these zalgo is made."""
MAX_MARKS = 5
"""In a row, of any: a Hebrew letter with a dot, a vowel and an accent needs them."""
MAX_BLANK_LINES = 2
_MAX_TAGS = 7
"""After the black flag: a region's letters and their end."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_JOINERS = "\u200c\u200d"
_DIRECTIONS = "\u200e\u200f\u061c"
_BLACK_FLAG = "\U0001f3f4"
_FILLERS = "\u115f\u1160\u3164\uffa0\u2800"
"""By their category they are letters and symbols, and there is nothing to see."""

_ACCENTS = (
    ("\u0300", "\u036f"),
    ("\u1ab0", "\u1aff"),
    ("\u1dc0", "\u1dff"),
    ("\u20d0", "\u20ff"),
    ("\ufe20", "\ufe2f"),
)
_GONE = (
    *range(0x01, 0x09),
    *range(0x0B, 0x20),
    *range(0x7F, 0xA0),
    0xAD,  # soft hyphen
    0x180E,
    0x200B,  # zero-width space
    *range(0x202A, 0x202F),  # embeddings and overrides
    *range(0x2060, 0x2070),  # word joiner, invisible operators, isolates
    *range(0xFDD0, 0xFDF0),
    0xFEFF,
    *range(0xFFF9, 0xFFFD),  # annotations, and the place of an object
    *range(0x1D173, 0x1D17B),
    *range(0xE0000, 0xE0020),
    *(plane << 16 | last for plane in range(17) for last in (0xFFFE, 0xFFFF)),
)
_TABLE: dict[int, str | None] = dict.fromkeys(_GONE)
_TABLE |= {0x0D: "\n", 0x85: "\n", 0x2028: "\n", 0x2029: "\n"}


def normalised(text: str) -> str:
    """NFC, lines ended by LF, nothing hidden. NULs and lone surrogates are refused."""
    if "\0" in text:
        raise InvalidText("it has a NUL character")
    if _SURROGATE.search(text):
        raise InvalidText("it has half of a surrogate pair")
    plain = text.replace("\r\n", "\n").translate(_TABLE)
    if plain.isascii():
        return plain
    return _limited(unicodedata.normalize("NFC", _limited(plain)))


def tidied(text: str) -> str:
    """Without blanks at the ends of lines and of the text, and without a gulf between lines."""
    lines: list[str] = []
    blank = 0
    for line in map(str.rstrip, text.split("\n")):
        blank = 0 if line else blank + 1
        if blank <= MAX_BLANK_LINES:
            lines.append(line)
    return "\n".join(lines).strip()


def is_visible(text: str) -> bool:
    return any(
        not c.isspace() and c not in _FILLERS and unicodedata.category(c) not in ("Cf", "Mn", "Me")
        for c in text
    )


def _limited(text: str) -> str:
    """Runs of marks cut short; joiners, directions and tags only where they mean something."""
    kept: list[str] = []
    marks = accents = tags = 0
    before = ""
    for c in text:
        category = "" if c < "\u0300" else unicodedata.category(c)
        if c in _JOINERS:
            fits = _joins(before)
        elif c in _DIRECTIONS:
            fits = before not in _DIRECTIONS or not before
        elif "\U000e0020" <= c <= "\U000e007f":
            tags = tags + 1 if before and before >= "\U000e0020" else 1
            fits = tags <= _MAX_TAGS and (tags > 1 or before == _BLACK_FLAG)
        elif category in ("Mn", "Me"):
            marks += 1
            accents += _is_accent(c)
            fits = marks <= MAX_MARKS and accents <= MAX_ACCENTS
        else:
            fits = True
            if category != "Mc":
                marks = accents = 0
        if fits:
            kept.append(c)
            before = c
    return "".join(kept)


def _joins(before: str) -> bool:
    """Persian, the scripts of India and emoji join; Latin letters and blanks do not."""
    return before >= "\u0590" and unicodedata.category(before)[0] in "LMS"


def _is_accent(c: str) -> bool:
    return any(first <= c <= last for first, last in _ACCENTS)
