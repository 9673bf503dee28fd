"""What a text is made of: its words, its marks, its shape. Pure.

Plain ASCII goes through a table in one step, since nearly every text is that and every text is
asked; other texts go letter by letter. What one would get wrong: both ways have to say the same of
the same text (tests/safety/test_glance.py).
"""

import re
from collections.abc import Callable, Collection

_WORD = re.compile(r"[^\W_]+")


def _word_sign(c: str) -> str:
    return c if c.isalnum() else " "


def _shape_sign(c: str) -> str:
    return "a" if c.isalnum() else " " if c.isspace() else c


def _is_mark(c: str) -> bool:
    return not (c.isspace() or (c.isascii() and c.isalpha()))


def table(sign: Callable[[str], str]) -> bytes:
    """For `bytes.translate`: what becomes of each character of ASCII."""
    return bytes(ord(sign(chr(code))) for code in range(128)) + bytes(128)


def _all_but(kept: Callable[[str], bool]) -> bytes:
    return bytes(code for code in range(128) if not kept(chr(code)))


_WORDS, _SHAPE = table(_word_sign), table(_shape_sign)
_ALL_BUT_MARKS, _ALL_BUT_CAPITALS = _all_but(_is_mark), _all_but(str.isupper)
_ALL_BUT_LETTERS = _all_but(str.isalpha)


def words_in(text: str) -> list[str]:
    """Runs of letters and digits."""
    if text.isascii():
        return text.encode().translate(_WORDS).decode().split()
    return _WORD.findall(text)


def marks_in(text: str) -> Collection[str]:
    """All that is neither a blank nor one of A to Z, a to z; some of them perhaps repeatedly."""
    if text.isascii():
        return text.encode().translate(None, _ALL_BUT_MARKS).decode()
    return set(filter(_is_mark, text))


def shape_of(text: str) -> str:
    """`a` for each letter and digit, a blank for each blank, and the other marks themselves."""
    if text.isascii():
        return text.encode().translate(_SHAPE).decode()
    return "".join(map(_shape_sign, text))


def capitals_in(text: str) -> int:
    if text.isascii():
        return len(text.encode().translate(None, _ALL_BUT_CAPITALS))
    return sum(map(str.isupper, text))


def cased_in(text: str) -> int:
    """Letters that are capitals or have some."""
    if text.isascii():
        return len(text.encode().translate(None, _ALL_BUT_LETTERS))
    return sum(c.isupper() or c.islower() for c in text)
