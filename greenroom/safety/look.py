"""What a rule can look for, and whether a text has it. A look is a value; `sees` interprets it.

No look may take longer than in proportion to the text: patterns are anchored on something rare,
their gaps are bounded, and `needs` lets many be skipped. `glance.py` asks only those looks that
could see something; a new kind of look is asked about every text until it has a clue there.
"""

import re
from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct

from greenroom.safety.phones import has_phone
from greenroom.safety.reading import Reading
from greenroom.safety.traits import capitals_in, cased_in

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
    """A regular expression, on the text as it is read and with its disguises taken off."""

    regex: str
    needs: tuple[str, ...] = ()
    """Unless one of these is in the text, there is nothing to look for."""


class Phone(Struct, frozen=True):
    pass


class Iban(Struct, frozen=True):
    pass


class Links(Struct, frozen=True):
    at_least: int = 1


class LinkDensity(Struct, frozen=True):
    """Links make up this part of the text, in percent."""

    percent: int


class Run(Struct, frozen=True):
    """The same letter, digit or loud mark so many times in a row, also with its disguises off."""

    times: int


class Shouting(Struct, frozen=True):
    """So many letters, of which so many in a hundred are capitals."""

    letters: int
    percent: int


class Repeated(Struct, frozen=True):
    """The author has said the same so often lately."""

    times: int


class Both(Struct, frozen=True):
    one: "Look"
    other: "Look"


Look: TypeAlias = Pattern | Phone | Iban | Links | LinkDensity | Run | Shouting | Repeated | Both


def sees(look: Look, reading: Reading, recent: int) -> bool:
    match look:
        case Pattern(regex, needs):
            return _matches(regex, needs, reading)
        case Phone():
            return has_phone(reading.text, reading.words)
        case Iban():
            return _has_iban(reading.text)
        case Links(at_least):
            return len(reading.links) >= at_least
        case LinkDensity(percent):
            return _in_links(reading) * 100 >= percent * len(reading.text)
        case Run(times):
            if _has_run(reading.text, times):
                return True
            return reading.is_disguised and _has_run(reading.undisguised, times)
        case Shouting(letters, percent):
            return _shouts(reading.original, letters, percent)
        case Repeated(times):
            return recent >= times
        case Both(one, other):
            return sees(one, reading, recent) and sees(other, reading, recent)


def _matches(regex: str, needs: tuple[str, ...], reading: Reading) -> bool:
    compiled = _compiled(regex)
    for text in (reading.text, reading.undisguised):
        if (not needs or any(map(text.__contains__, needs))) and compiled.search(text):
            return True
        if not reading.is_disguised:
            break
    return False


@lru_cache(maxsize=512)
def _compiled(regex: str) -> re.Pattern[str]:
    return re.compile(regex)


def _in_links(reading: Reading) -> int:
    """How many characters belong to links, whole words counted."""
    if not reading.links:
        return 0
    total, end = 0, 0
    for start, _ in reading.links:
        if start < end:
            continue
        begin = max(reading.text.rfind(" ", end, start), reading.text.rfind("\n", end, start)) + 1
        begin = max(begin, end)
        word = _URL.match(reading.text, begin)
        end = start + 1 if word is None else word.end()
        total += end - begin
    return total


def may_have_run(text: str, times: int) -> bool:
    """A run of twelve covers three of every fourth place, wherever it begins."""
    return times < 3 or _THRICE.search(text[:: times // 3]) is not None


def _has_run(text: str, times: int) -> bool:
    """A run of twelve covers one of every twelfth place, wherever it begins."""
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
    return length is not None and len(plain) >= length and _sums_up(plain[:length])


def _sums_up(iban: str) -> bool:
    return int("".join(str(int(one, 36)) for one in iban[4:] + iban[:4])) % 97 == 1
