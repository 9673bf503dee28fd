"""Sanitises the characters of texts and names. Pure, and linear in the length.

Joiners and stacked marks stay where a script needs them; characters that only hide, reverse or
smear text are removed. Careful: limit marks before any Unicode normalisation, which sorts a run of
marks in quadratic time.
"""

import re
import unicodedata

MAX_ACCENTS = 3
"""In a row, of the marks that combine with any letter: zalgo text uses these."""
MAX_MARKS = 5
"""In a row, of the marks that take no space: a Hebrew letter with a dot, a vowel and an accent."""
MAX_STACK = 10
"""In a row, of all marks: a Burmese syllable has up to eight."""
_MAX_TAGS = 7
"""After the black flag: a region's letters and their end."""

_BLACK_FLAG = "\U0001f3f4"
_JOINERS = "\u200c\u200d"
_DIRECTIONS = "\u200e\u200f\u061c"
_FILLERS = "\u115f\u1160\u3164\uffa0\u2800\U0001d159"
"""Letters and symbols by category, but invisible."""
_EMOJI_SIGNS = "\u203c\u2049\u2139\u3030"
"""Emoji that are not symbols by category."""
_KEYCAP = "\u20e3"
_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    "\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Unicode's Default_Ignorable_Code_Point, and two invisible symbols."""
_ACCENTS = (
    ("\u0300", "\u036f"),
    ("\u1ab0", "\u1aff"),
    ("\u1dc0", "\u1dff"),
    ("\u20d0", "\u20ff"),
    ("\ufe20", "\ufe2f"),
)
HIDDEN = (
    *range(0x01, 0x09),
    *range(0x0B, 0x0D),
    *range(0x0E, 0x20),
    *range(0x7F, 0x85),
    *range(0x86, 0xA0),
    0xAD,  # soft hyphen
    0x180E,
    0x200B,  # zero-width space
    *range(0x202A, 0x202F),  # embeddings and overrides
    *range(0x2060, 0x2070),  # word joiner, invisible operators, isolates
    *range(0xFDD0, 0xFDF0),
    0xFEFF,
    *range(0xFFF9, 0xFFFD),  # annotations, object replacement
    *range(0x1D173, 0x1D17B),
    *range(0xE0000, 0xE0020),
    *(plane << 16 | last for plane in range(17) for last in (0xFFFE, 0xFFFF)),
)
LINE_BREAKS = (0x0D, 0x85, 0x2028, 0x2029)
"""Other than LF."""
_UNWANTED = frozenset((*HIDDEN, *LINE_BREAKS))
_MOST_KEPT = 20_000
_SUSPECT = re.compile(r"[jdt]|[ams]{4}")
"""In the classes of a text: only there `limit_marks` may change anything."""


class CharacterTable(dict[int, str]):
    """A table for `str.translate` that computes an entry when it is first needed.

    It keeps a bounded number of entries, so that rare characters cannot fill the memory.
    """

    def compute(self, character: str) -> str:
        raise NotImplementedError

    def __missing__(self, code: int) -> str:
        value = self.compute(chr(code))
        if len(self) < _MOST_KEPT:
            self[code] = value
        return value


class _Classes(CharacterTable):
    """A letter for each character: h hidden or a line break other than LF, j joiner, d direction, t
    tag, a accent, m other mark, s spacing mark, z otherwise invisible, e a letter that NFC
    decomposes, x otherwise visible."""

    def compute(self, character: str) -> str:
        if ord(character) in _UNWANTED:
            return "h"
        if character in _JOINERS:
            return "j"
        if character in _DIRECTIONS:
            return "d"
        if "\U000e0020" <= character <= "\U000e007f":
            return "t"
        category = unicodedata.category(character)
        if category in ("Mn", "Me") or unicodedata.combining(character):
            return "a" if _is_accent(character) else "m"
        if category == "Mc":
            return "s"
        if character.isspace() or character in _FILLERS or category in ("Cf", "Cc", "Cs"):
            return "z"
        return "x" if len(unicodedata.normalize("NFC", character)) == 1 else "e"


_CLASSES = _Classes()


def _is_accent(c: str) -> bool:
    return any(first <= c <= last for first, last in _ACCENTS)


def character_classes(text: str) -> str:
    """A letter for each character, as `_Classes` says."""
    return text.translate(_CLASSES)


def is_visible(text: str) -> bool:
    if text.isascii():
        return bool(text) and not text.isspace()
    return has_visible(character_classes(text))


def has_visible(classes: str) -> bool:
    return "x" in classes or "s" in classes or "e" in classes


def limit_marks(text: str, classes: str | None = None) -> str:
    """Shortens runs of marks, and drops joiners, directions and tags where they have no effect."""
    classes = character_classes(text) if classes is None else classes
    if not _SUSPECT.search(classes):
        return text
    kept: list[str] = []
    stack = marks = accents = tags = 0
    before = ""
    for c, kind in zip(text, classes, strict=True):
        if kind == "j":
            fits = _may_join(before)
        elif kind == "d":
            fits = before not in _DIRECTIONS or not before
        elif kind == "t":
            tags = tags + 1 if before and before >= "\U000e0020" else 1
            fits = tags <= _MAX_TAGS and (tags > 1 or before == _BLACK_FLAG)
        elif kind in "ams":
            stack += 1
            marks += kind != "s"
            accents += kind == "a"
            fits = stack <= MAX_STACK and marks <= MAX_MARKS and accents <= MAX_ACCENTS
        else:
            fits = True
            stack = marks = accents = 0
        if fits:
            kept.append(c)
            before = c
    return "".join(kept)


def _may_join(before: str) -> bool:
    """Persian, Indian scripts and emoji use joiners; Latin letters and blanks do not."""
    return before >= "\u0590" and unicodedata.category(before)[0] in "LMS"


def is_name_like(text: str) -> bool:
    """Whether a name may have these characters: no controls, no hidden characters, no stacks of
    marks. An empty name is allowed."""
    if text.isascii():
        return text.isprintable()
    return limit_marks(text) == text and all(map(_fits_name, text, " " + text, text[1:] + " "))


def _fits_name(c: str, before: str, after: str) -> bool:
    if _IGNORABLE.fullmatch(c):
        return c in _JOINERS or _CLASSES[ord(c)] == "t" or _is_variation(before, c, after)
    return c.isprintable() or "\U0001f300" <= c <= "\U0001faff"


def _is_variation(before: str, c: str, after: str) -> bool:
    """Whether a variation selector follows something it can change: an emoji, a Chinese character
    or a Mongolian letter."""
    if c in "\ufe0e\ufe0f":
        is_key = before in "0123456789#*" and after == _KEYCAP
        return is_key or before in _EMOJI_SIGNS or _is_symbol(before)
    if "\u180b" <= c <= "\u180f":
        return "\u1820" <= before <= "\u18aa"
    is_selector = "\ufe00" <= c <= "\ufe02" or "\U000e0100" <= c <= "\U000e01ef"
    return is_selector and unicodedata.name(before, "").startswith("CJK ")


def _is_symbol(c: str) -> bool:
    return unicodedata.category(c) in ("So", "Sk", "Sm") and c >= "\u00a9"
