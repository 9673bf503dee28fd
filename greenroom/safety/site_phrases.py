"""Builds a matcher from the phrases of an operator's policy.

Phrases are normalised like texts and matched as whole words. In scripts that write words without
blanks, such as Chinese, they match anywhere.
"""

import re
from collections.abc import Iterable

from greenroom.safety.matchers import Pattern
from greenroom.safety.normalise import normalise

_BLANKS = r"\s{1,5}"


def phrase_pattern(phrases: Iterable[str]) -> Pattern:
    return Pattern("|".join(dict.fromkeys(map(_regex, phrases))))


def _regex(phrase: str) -> str:
    words = normalise(phrase).split()
    start = r"\b" if _ends_at_boundary(words[0][0]) else ""
    end = r"\b" if _ends_at_boundary(words[-1][-1]) else ""
    return start + _BLANKS.join(map(re.escape, words)) + end


def _ends_at_boundary(character: str) -> bool:
    """Whether words that begin or end with it are separated from others."""
    is_cased = character.lower() != character.upper()
    return character.isalnum() and (character.isascii() or is_cased)
