"""Which rules could see anything in a text at all: nearly always none, and that is quickly told.

A clue is derived from every look, once (`clues.py`); a rule is worth running only on a text that
has its clue. A rule without one is run on every text. Many texts have clues of numbers and links,
so that a gate is asked next. Careful: this leaves out rules that would see nothing, and nothing
else, so it may err on one side alone; a new kind of look has no clue until it is given one here.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from string import ascii_letters, digits

from greenroom.safety import phones
from greenroom.safety.clues import (
    LONG_RUN,
    Clue,
    Clues,
    clues_of,
    clues_of_parts,
    is_common,
    two_rarest,
)
from greenroom.safety.links import LINK
from greenroom.safety.look import (
    IBAN,
    Both,
    Iban,
    LinkDensity,
    Links,
    Look,
    Pattern,
    Phone,
    Repeated,
    Run,
    Shouting,
    may_have_run,
)
from greenroom.safety.reading import Reading
from greenroom.safety.traits import has_capitals, in_ascii, signs_of, words_in

_NEVER = 1 << 30


def _may_have_phone(reading: Reading) -> bool:
    if reading.signs.count("0") < phones.FEWEST_DIGITS:
        return phones.is_spelled(reading.words)
    return phones.may_have_phone(reading.text, reading.plain, reading.words)


def _has_links(reading: Reading) -> bool:
    return bool(reading.links)


_GATES: tuple[tuple[tuple[type[Look], ...], Callable[[Reading], bool]], ...] = (
    ((Phone,), _may_have_phone),
    ((Links, LinkDensity), _has_links),
)
"""What is asked next where there is a clue: digits and full stops are in many texts."""


class Glance:
    """Looks are called by their number. What is found for them is an integer with two bits for
    each, one for each of its clues; a look that has but one clue gets both bits for it."""

    def __init__(self, looks: Sequence[Look]) -> None:
        self._all = looks_at(range(len(looks)))
        self._unfiled = 0
        self._by_word: dict[str, int] = defaultdict(int)
        self._by_mark: dict[str, int] = defaultdict(int)
        self._by_shape: dict[str, int] = defaultdict(int)
        self._in_long_runs = 0
        self._in_digits = 0
        self._in_runs: list[tuple[str, str, int, int]] = []
        """Looks for runs of one sign: digits, what is beyond ASCII, how many, and their bits."""
        self._shouting = 0
        self._fewest_capitals = _NEVER
        self._repeated = 0
        self._fewest_times = _NEVER
        for number, look in enumerate(looks):
            self._file(number, look)
        self._gates = [(_behind(looks, kinds), gate) for kinds, gate in _GATES]
        self._words = frozenset(self._by_word)
        self._shapes = tuple(self._by_shape.items())
        self._marks = _any_of(self._by_mark)

    def suspects(self, reading: Reading, recent: int, asked: int | None = None) -> list[int]:
        """Those who may see something, in order; of those that are `asked`, or of all."""
        asked = self._all if asked is None else asked
        if not reading.text:
            return _numbers(asked)  # of nothing, any part is made of links
        found = self._unfiled | self._found(reading.text, reading.signs, reading.words)
        if reading.is_disguised:
            text = reading.undisguised
            found |= self._found(text, signs_of(in_ascii(text)), words_in(text))
        if recent >= self._fewest_times:
            found |= self._repeated
        if has_capitals(reading.original, self._fewest_capitals):
            found |= self._shouting
        found &= found >> 1 & asked
        for behind, gate in self._gates:
            if found & behind and not gate(reading):
                found &= ~behind
        return _numbers(found) if found else []

    def _found(self, text: str, signs: str, words: Iterable[str]) -> int:
        found = 0
        for part, looks in self._shapes:
            if part in signs:
                found |= looks
        if "0" in signs:
            found |= self._in_digits
        for run, other, times, looks in self._in_runs:
            if (run in signs or other in signs) and may_have_run(text, times):
                found |= looks
        if LONG_RUN in signs.replace("0", "a"):
            found |= self._in_long_runs
        for word in self._words.intersection(words):
            found |= self._by_word[word]
        for mark in {*self._marks.findall(text)}:
            found |= self._by_mark[mark]
        return found

    def _file(self, number: int, look: Look) -> None:
        both = 3 << 2 * number
        match look:
            case Repeated(times):
                self._repeated |= both
                self._fewest_times = min(self._fewest_times, times)
            case Shouting(letters, percent):
                self._shouting |= both
                self._fewest_capitals = min(self._fewest_capitals, letters * percent // 100)
            case Run(times):
                for sign in "a!$":  # of the marks that count; others may be different ones
                    self._by_shape[sign * times] |= both
                self._in_runs.append(("0" * times, "?" * times, times, both))
            case Phone():
                self._in_digits |= both
                self._file_under(phones.SPELLED, both)
            case Iban():
                self._by_shape["aa00"] |= both
            case _:
                self._file_by_clues(_clues(look), number)

    def _file_by_clues(self, clues: Clues, number: int) -> None:
        first, second = 1 << 2 * number, 2 << 2 * number
        if not clues:
            self._unfiled |= first | second
        elif is_common(clues[-1]):
            self._file_under(clues[0], first | second)
        else:
            self._file_under(clues[0], first)
            self._file_under(clues[-1], second)

    def _file_under(self, clue: Clue, bits: int) -> None:
        for one in clue:
            if one == LONG_RUN:
                self._in_long_runs |= bits
            elif len(one) > 1 and one.isalnum():
                self._by_word[one] |= bits
            elif len(one) > 1 and one.isascii():
                for blank in " ?" if one[0] == " " else one[0]:  # some blanks are beyond ASCII
                    self._by_shape[blank + one[1:]] |= bits
            elif one in ascii_letters:
                self._by_word[one] |= bits
            elif one in digits:
                self._in_digits |= bits
            else:
                self._by_mark[one] |= bits


def looks_at(numbers: Iterable[int]) -> int:
    """The first bit of each."""
    return sum(1 << 2 * number for number in numbers)


def _behind(looks: Sequence[Look], kinds: tuple[type[Look], ...]) -> int:
    """Of these kinds, and with a clue: a look for no links at least sees any text."""
    return looks_at(n for n, look in enumerate(looks) if isinstance(look, kinds) and _clues(look))


def _numbers(first_bits: int) -> list[int]:
    numbers = []
    while first_bits:
        numbers.append((first_bits & -first_bits).bit_length() // 2)
        first_bits &= first_bits - 1
    return numbers


def _any_of(looks_by_mark: dict[str, int]) -> re.Pattern[str]:
    """Finds a doubled mark as such, so that it gets the looks for the single mark as well."""
    for mark in looks_by_mark:
        looks_by_mark[mark] |= looks_by_mark.get(mark[0], 0)
    longest_first = sorted(looks_by_mark, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)) or "(?!)")


def _clues(look: Look) -> Clues:
    match look:
        case Pattern(regex, needs):
            return two_rarest((*clues_of(regex), *clues_of_parts(needs)))
        case Phone():
            return (phones.CLUE,)
        case Iban():
            return clues_of(IBAN.pattern)
        case Links(at_least=least) | LinkDensity(percent=least) if least > 0:
            return clues_of(LINK.pattern)
        case Both(one, other):
            return two_rarest((*_clues(one), *_clues(other)))
        case _:
            return ()
