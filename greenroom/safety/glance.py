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
from greenroom.safety.clues import LONG_RUN, Clue, clue_of, clue_of_parts, rarer
from greenroom.safety.links import LINK
from greenroom.safety.look import (
    IBAN,
    MARKS_IN_RUNS,
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
)
from greenroom.safety.reading import Reading
from greenroom.safety.traits import has_capitals, signs_of, words_in

_NEVER = 1 << 30


def _may_have_phone(reading: Reading) -> bool:
    if reading.signs.count("0") < phones.FEWEST_DIGITS:
        return phones.is_spelled(reading.words)
    return phones.may_have_phone(reading.text, reading.words)


def _has_links(reading: Reading) -> bool:
    return bool(reading.links)


_GATES: tuple[tuple[tuple[type[Look], ...], Callable[[Reading], bool]], ...] = (
    ((Phone,), _may_have_phone),
    ((Links, LinkDensity), _has_links),
)
"""What is asked next where there is a clue: digits and full stops are in many texts."""


class Glance:
    """Looks are called by their number. A set of them is an integer with a bit for each."""

    def __init__(self, looks: Sequence[Look]) -> None:
        self._all = (1 << len(looks)) - 1
        self._unfiled = 0
        self._by_word: dict[str, int] = defaultdict(int)
        self._by_mark: dict[str, int] = defaultdict(int)
        self._by_shape: dict[str, int] = defaultdict(int)
        self._in_long_runs = 0
        self._in_digits = 0
        self._in_runs: dict[int, int] = defaultdict(int)
        """Looks for runs of one digit, by the run's length."""
        self._shouting = 0
        self._fewest_capitals = _NEVER
        self._repeated = 0
        self._fewest_times = _NEVER
        for number, look in enumerate(looks):
            self._file(1 << number, look)
        self._gates = [(_those(looks, kinds), gate) for kinds, gate in _GATES]
        self._words = frozenset(self._by_word)
        self._shapes = tuple(self._by_shape.items())
        self._marks = re.compile("|".join(map(re.escape, self._by_mark)) or "(?!)")

    def suspects(self, reading: Reading, recent: int) -> list[int]:
        """Those who may see something, in order."""
        if not reading.text:
            return _numbers(self._all)  # of nothing, any part is made of links
        found = self._unfiled | self._found(reading.text, reading.signs, reading.words)
        if reading.is_disguised:
            text = reading.undisguised
            found |= self._found(text, signs_of(text), words_in(text))
        if recent >= self._fewest_times:
            found |= self._repeated
        if has_capitals(reading.original, self._fewest_capitals):
            found |= self._shouting
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
            for times, looks in self._in_runs.items():
                if "0" * times in signs and any(digit * times in text for digit in digits):
                    found |= looks
        if LONG_RUN in signs.replace("0", "a"):
            found |= self._in_long_runs
        for word in self._words.intersection(words):
            found |= self._by_word[word]
        for mark in {*self._marks.findall(text)}:
            found |= self._by_mark[mark]
        return found

    def _file(self, bit: int, look: Look) -> None:
        match look:
            case Repeated(times):
                self._repeated |= bit
                self._fewest_times = min(self._fewest_times, times)
            case Shouting(letters, percent):
                self._shouting |= bit
                self._fewest_capitals = min(self._fewest_capitals, letters * percent // 100)
            case Run(times):
                for sign in "a" + MARKS_IN_RUNS:
                    self._by_shape[sign * times] |= bit
                self._in_runs[times] |= bit
            case Phone():
                self._in_digits |= bit
                self._file_under(phones.SPELLED, bit)
            case Iban():
                self._by_shape["aa00"] |= bit
            case _:
                self._file_under(_clue(look), bit)

    def _file_under(self, clue: Clue | None, bit: int) -> None:
        if clue is None:
            self._unfiled |= bit
            return
        for one in clue:
            if one == LONG_RUN:
                self._in_long_runs |= bit
            elif len(one) > 1 and not one.isalnum():
                for blank in " ?" if one[0] == " " else one[0]:  # some blanks are beyond ASCII
                    self._by_shape[blank + one[1:]] |= bit
            elif len(one) > 1 or one in ascii_letters:
                self._by_word[one] |= bit
            elif one in digits:
                self._in_digits |= bit
            else:
                self._by_mark[one] |= bit


def _those(looks: Sequence[Look], kinds: tuple[type[Look], ...]) -> int:
    """Of these kinds, and with a clue: a look for no links at least sees any text."""
    return sum(1 << n for n, look in enumerate(looks) if isinstance(look, kinds) and _clue(look))


def _numbers(bits: int) -> list[int]:
    numbers = []
    while bits:
        numbers.append((bits & -bits).bit_length() - 1)
        bits &= bits - 1
    return numbers


def _clue(look: Look) -> Clue | None:
    match look:
        case Pattern(regex, needs):
            return rarer(clue_of(regex), clue_of_parts(needs))
        case Phone():
            return phones.CLUE
        case Iban():
            return clue_of(IBAN.pattern)
        case Links(at_least=least) | LinkDensity(percent=least) if least > 0:
            return clue_of(LINK.pattern)
        case Both(one, other):
            return rarer(_clue(one), _clue(other))
        case _:
            return None
