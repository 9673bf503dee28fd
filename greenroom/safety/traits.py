"""What a text is made of: its words, its signs, its capitals. Pure.

Every text is asked, so that the work is done by tables and expressions and not letter by letter.
Careful: ASCII and other texts go two ways, and both have to say the same of the same text
(tests/safety/test_glance.py).
"""

import re
from collections.abc import Callable

_WORD = re.compile(r"[^\W_]+")


def _word_sign(c: str) -> str:
    return c if c.isalnum() else " "


def _sign(c: str) -> str:
    return "a" if c.isalpha() else "0" if c.isdigit() else " " if c.isspace() else c


def table(sign: Callable[[str], str]) -> bytes:
    """For `bytes.translate`: what becomes of each character of ASCII."""
    return bytes(ord(sign(chr(code))) for code in range(128)) + bytes(128)


def _all_but(kept: Callable[[str], bool]) -> bytes:
    return bytes(code for code in range(128) if not kept(chr(code)))


_WORDS, _SIGNS = table(_word_sign), table(_sign)
_ALL_BUT_CAPITALS, _ALL_BUT_LETTERS = _all_but(str.isupper), _all_but(str.isalpha)


def words_in(text: str) -> list[str]:
    """Runs of letters and digits."""
    if text.isascii():
        return text.encode().translate(_WORDS).decode().split()
    return _WORD.findall(text)


def in_ascii(text: str) -> bytes:
    """With `?` for each character beyond it."""
    return text.encode("ascii", "replace")


def signs_of(plain: bytes) -> str:
    """Of a text `in_ascii`: `a` for each letter, `0` for each digit, a blank for each blank, and
    the other marks themselves."""
    return plain.translate(_SIGNS).decode()


def capitals_in(text: str) -> int:
    if text.isascii():
        return len(text.encode().translate(None, _ALL_BUT_CAPITALS))
    return sum(map(str.isupper, text))


def has_capitals(text: str, least: int) -> bool:
    """Whether there are so many. Most texts have too few even with all that is beyond ASCII."""
    ascii_only = text.encode("ascii", "ignore")
    most = len(ascii_only.translate(None, _ALL_BUT_CAPITALS)) + len(text) - len(ascii_only)
    return most >= least and capitals_in(text) >= least


def cased_in(text: str) -> int:
    """Letters that are capitals or have some."""
    if text.isascii():
        return len(text.encode().translate(None, _ALL_BUT_LETTERS))
    return sum(c.isupper() or c.islower() for c in text)
