"""Computes features of a text: its words, its shape, its capitals. Pure.

A hot path, so tables and regular expressions do the work instead of loops over characters. Careful:
ASCII and other texts take two code paths, which must agree (tests/safety/test_prefilter.py).
"""

import re
from collections.abc import Callable

_WORD = re.compile(r"[^\W_]+")


def _word_character(c: str) -> str:
    return c if c.isalnum() else " "


def _shape_character(c: str) -> str:
    return "a" if c.isalpha() else "0" if c.isdigit() else " " if c.isspace() else c


def table(sign: Callable[[str], str]) -> bytes:
    """A table for `bytes.translate` that maps each ASCII character."""
    return bytes(ord(sign(chr(code))) for code in range(128)) + bytes(128)


def _all_but(kept: Callable[[str], bool]) -> bytes:
    return bytes(code for code in range(128) if not kept(chr(code)))


_WORDS, _SHAPE = table(_word_character), table(_shape_character)
_ALL_BUT_CAPITALS, _ALL_BUT_LETTERS = _all_but(str.isupper), _all_but(str.isalpha)


def words_in(text: str) -> list[str]:
    """Runs of letters and digits."""
    if text.isascii():
        return text.encode().translate(_WORDS).decode().split()
    return _WORD.findall(text)


def to_ascii(text: str) -> bytes:
    """With `?` for each character that is not ASCII."""
    return text.encode("ascii", "replace")


def shape_of(plain: bytes) -> str:
    """The shape of a text `to_ascii`: `a` for each letter, `0` for each digit, a blank for each
    blank, and other marks as they are."""
    return plain.translate(_SHAPE).decode()


def capitals_in(text: str) -> int:
    if text.isascii():
        return len(text.encode().translate(None, _ALL_BUT_CAPITALS))
    return sum(map(str.isupper, text))


def has_capitals(text: str, least: int) -> bool:
    """Whether there are so many. Most texts have too few even if all non-ASCII counted."""
    ascii_only = text.encode("ascii", "ignore")
    most = len(ascii_only.translate(None, _ALL_BUT_CAPITALS)) + len(text) - len(ascii_only)
    return most >= least and capitals_in(text) >= least


def cased_in(text: str) -> int:
    """How many letters are upper or lower case."""
    if text.isascii():
        return len(text.encode().translate(None, _ALL_BUT_LETTERS))
    return sum(c.isupper() or c.islower() for c in text)
