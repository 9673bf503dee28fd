"""The matchers of rules, as values, and `matches`, which interprets them.

Careful: every matcher must take time linear in the text. Patterns are anchored on something rare,
their gaps are bounded, and `needs` skips most texts. A new kind of matcher is tried on every text
until `prefilter.py` knows its literals.
"""

import re
from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct

from greenroom.safety.features import capitals_in, cased_in
from greenroom.safety.normalise import NormalisedText
from greenroom.safety.phones import has_phone

IBAN = re.compile(r"\b[a-z]{2}\d{2}(?:[ -]?[a-z0-9]){11,24}")
_IBAN_LENGTHS = {
    country: length
    for length, countries in {
        15: "no",
        16: "be",
        18: "dk fi nl",
        19: "mk si",
        20: "at ba ee lt lu",
        21: "ch hr li lv",
        22: "bg de gb ge ie me rs",
        23: "ae il",
        24: "ad cz es md ro sa se sk tn",
        25: "pt",
        26: "is tr",
        27: "fr gr it mc sm",
        28: "al cy hu pl",
    }.items()
    for country in countries.split()
}
_URL = re.compile(r"\S{1,2000}")
_THRICE = re.compile(r"(.)\1\1", re.DOTALL)

MARKS_IN_RUNS = "!?$€"


class Pattern(Struct, frozen=True):
    """A regular expression, tried on the normalised text and on its deobfuscated form."""

    regex: str
    needs: tuple[str, ...] = ()
    """The text must contain one of these."""


class Phone(Struct, frozen=True):
    pass


class Iban(Struct, frozen=True):
    pass


class Links(Struct, frozen=True):
    at_least: int = 1


class LinkDensity(Struct, frozen=True):
    """Links make up at least this percentage of the text."""

    percent: int


class Run(Struct, frozen=True):
    """The same letter, digit or loud mark so many times in a row, also when deobfuscated."""

    times: int


class Shouting(Struct, frozen=True):
    """At least so many letters, and this percentage of them capitals."""

    letters: int
    percent: int


class Repeated(Struct, frozen=True):
    """The author sent the same text at least so often lately."""

    times: int


class Both(Struct, frozen=True):
    one: "Matcher"
    other: "Matcher"


Matcher: TypeAlias = Pattern | Phone | Iban | Links | LinkDensity | Run | Shouting | Repeated | Both


def matches(matcher: Matcher, normalised: NormalisedText, recent: int) -> bool:
    match matcher:
        case Pattern(regex, needs):
            return _matches_pattern(regex, needs, normalised)
        case Phone():
            return has_phone(normalised.text, normalised.words)
        case Iban():
            return _has_iban(normalised.text)
        case Links(at_least):
            return len(normalised.links) >= at_least
        case LinkDensity(percent):
            return _in_links(normalised) * 100 >= percent * len(normalised.text)
        case Run(times):
            if _has_run(normalised.text, times):
                return True
            return normalised.is_obfuscated and _has_run(normalised.deobfuscated, times)
        case Shouting(letters, percent):
            return _shouts(normalised.original, letters, percent)
        case Repeated(times):
            return recent >= times
        case Both(one, other):
            return matches(one, normalised, recent) and matches(other, normalised, recent)


def _matches_pattern(regex: str, needs: tuple[str, ...], normalised: NormalisedText) -> bool:
    compiled = _compiled(regex)
    for text in (normalised.text, normalised.deobfuscated):
        if (not needs or any(map(text.__contains__, needs))) and compiled.search(text):
            return True
        if not normalised.is_obfuscated:
            break
    return False


@lru_cache(maxsize=512)
def _compiled(regex: str) -> re.Pattern[str]:
    return re.compile(regex)


def _in_links(normalised: NormalisedText) -> int:
    """How many characters belong to links, counting whole words."""
    if not normalised.links:
        return 0
    total, end = 0, 0
    for start, _ in normalised.links:
        if start < end:
            continue
        begin = (
            max(normalised.text.rfind(" ", end, start), normalised.text.rfind("\n", end, start)) + 1
        )
        begin = max(begin, end)
        word = _URL.match(normalised.text, begin)
        end = start + 1 if word is None else word.end()
        total += end - begin
    return total


def may_have_run(text: str, times: int) -> bool:
    """A run of twelve covers three samples of every fourth character, wherever it begins."""
    return times < 3 or _THRICE.search(text[:: times // 3]) is not None


def _has_run(text: str, times: int) -> bool:
    """A run of twelve covers one sample of every twelfth character, wherever it begins."""
    return may_have_run(text, times) and any(
        text[at] * times in text[max(0, at - times + 1) : at + times]
        for at in range(times - 1, len(text), times)
        if text[at].isalnum() or text[at] in MARKS_IN_RUNS
    )


def _shouts(text: str, letters: int, percent: int) -> bool:
    cased = cased_in(text)
    return cased >= letters and capitals_in(text) * 100 >= percent * cased


def _has_iban(text: str) -> bool:
    return any(_is_iban(found.group()) for found in IBAN.finditer(text))


def _is_iban(shown: str) -> bool:
    plain = shown.replace(" ", "").replace("-", "")
    length = _IBAN_LENGTHS.get(plain[:2])
    return length is not None and len(plain) >= length and _has_valid_checksum(plain[:length])


def _has_valid_checksum(iban: str) -> bool:
    return int("".join(str(int(one, 36)) for one in iban[4:] + iban[:4])) % 97 == 1
