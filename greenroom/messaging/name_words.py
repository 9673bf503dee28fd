"""Extracts the words of file names and URLs, which are checked like the text of a message.

Signs between words become blanks. Numbers and ids are left out: the names that cameras give and the
addresses of shared folders look like telephone numbers, links and wallets.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import unquote

from greenroom.safety.normalise import normalise

_BETWEEN_WORDS: Final = re.compile(r"[\s_-]+")
_DOTS: Final = re.compile(r"\.+")
_SIGNS: Final = re.compile(r"\W+")
_LONGEST_WITH_DIGITS: Final = 20


def name_words(names: Iterable[str]) -> str:
    """A line for each name, in lower case: many programs name files in capitals."""
    return "\n".join(filter(None, (" ".join(_words(name.lower())) for name in names)))


def url_words(url: str) -> str:
    return name_words([_SIGNS.sub(" ", normalise(unquote(url.partition("://")[2])))])


def _words(name: str) -> Iterator[str]:
    for part in _BETWEEN_WORDS.split(name):
        if "@" in part:
            yield part
        else:
            yield from filter(_is_word, _DOTS.split(part))


def _is_word(part: str) -> bool:
    """`k1ll` is one, `img20260504` is none."""
    digits = sum(map(str.isdigit, part))
    return digits * 2 < len(part) and (not digits or len(part) <= _LONGEST_WITH_DIGITS)
