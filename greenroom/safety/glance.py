"""Which rules could see anything in a text at all: nearly always none, and that is quickly told.

Clues are derived from every look, once (`clues.py`); a rule is worth running only on a text that
has the clues of one of its alternatives. A rule without any is run on every text. Many texts have
clues of numbers and links, so that a closer look is taken at these. Careful: this leaves out rules
that would see nothing, and nothing else, so it may err on one side alone; a new kind of look has no
clue until it is given one here.
"""

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from string import ascii_letters, digits

from greenroom.safety import phones
from greenroom.safety.clues import (
    LONG_RUN,
    Clue,
    Clues,
    clues_by_way,
    clues_of_any,
    clues_of_parts,
    is_common,
    two_rarest,
)
from greenroom.safety.links import LINK
from greenroom.safety.look import (
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


class Glance:
    """Looks are called by their number. Each has one or more ways to see something, and each way
    one or two clues. What is found in a text is an integer with two bits for each way, one for each
    of its clues; a way that has but one clue gets both bits for it."""

    def __init__(self, looks: Sequence[Look]) -> None:
        self._looks: list[int] = []
        """The look of each way."""
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
        self._phones = self._phones_in_words = self._links = 0
        for number, look in enumerate(looks):
            self._file(number, look)
        self._all = self.asked(range(len(looks)))
        self._words = frozenset(self._by_word)
        self._shapes = tuple(self._by_shape.items())
        self._marks = tuple((one, bits) for one, bits in self._by_mark.items() if one.isascii())
        others = {one: bits for one, bits in self._by_mark.items() if not one.isascii()}
        self._others = tuple(others.items())
        self._other = re.compile(f"[{''.join(map(re.escape, others))}]" if others else "(?!)")

    def asked(self, looks: Container[int]) -> int:
        """The first bits of these looks, for `suspects`."""
        return sum(1 << 2 * way for way, look in enumerate(self._looks) if look in looks)

    def suspects(self, reading: Reading, recent: int, asked: int | None = None) -> list[int]:
        """Those who may see something, in order; of those that are `asked`, or of all."""
        asked = self._all if asked is None else asked
        if not reading.text:
            return self._numbers(asked)  # of nothing, any part is made of links
        found = self._unfiled | self._found(reading.text, reading.signs, reading.words)
        if reading.is_disguised:
            text = reading.undisguised
            found |= self._found(text, signs_of(in_ascii(text)), words_in(text))
        if recent >= self._fewest_times:
            found |= self._repeated
        if has_capitals(reading.original, self._fewest_capitals):
            found |= self._shouting
        found &= found >> 1 & asked
        if not found:
            return []
        # Digits and full stops are in many texts, so that more is asked next.
        if found & self._phones and not _may_have_digits(reading):
            found &= ~self._phones
        if found & self._phones_in_words and not phones.is_spelled(reading.words):
            found &= ~self._phones_in_words
        if found & self._links and not reading.links:
            found &= ~self._links
        return self._numbers(found)

    def _found(self, text: str, signs: str, words: Iterable[str]) -> int:
        found = 0
        for part, bits in self._shapes:
            if part in signs:
                found |= bits
        if "0" in signs:
            found |= self._in_digits
        for run, other, times, bits in self._in_runs:
            if (run in signs or other in signs) and may_have_run(text, times):
                found |= bits
        if LONG_RUN in signs.replace("0", "a"):
            found |= self._in_long_runs
        for word in self._words.intersection(words):
            found |= self._by_word[word]
        for mark, bits in self._marks:
            if mark in signs:
                found |= bits
        if not text.isascii() and self._other.search(text):
            for mark, bits in self._others:
                if mark in text:
                    found |= bits
        return found

    def _file(self, number: int, look: Look) -> None:
        match look:
            case Repeated(times):
                self._repeated |= self._way(number)
                self._fewest_times = min(self._fewest_times, times)
            case Shouting(letters, percent):
                self._shouting |= self._way(number)
                self._fewest_capitals = min(self._fewest_capitals, letters * percent // 100)
            case Run(times):
                both = self._way(number)
                for sign in "a!$":  # of the marks that count; others may be different ones
                    self._by_shape[sign * times] |= both
                self._in_runs.append(("0" * times, "?" * times, times, both))
            case Phone():
                self._in_digits |= (both := self._way(number))
                self._phones |= both
                self._file_under(phones.SPELLED, both := self._way(number))
                self._phones_in_words |= both
            case Iban():
                self._by_shape["aa00"] |= self._way(number)
            case _:
                for clues in _clues_by_way(look):
                    both = self._file_by_clues(clues, self._way(number))
                    if clues and isinstance(look, Links | LinkDensity):
                        self._links |= both

    def _way(self, look: int) -> int:
        """The bits of a new way of this look."""
        self._looks.append(look)
        return 3 << 2 * (len(self._looks) - 1)

    def _file_by_clues(self, clues: Clues, both: int) -> int:
        first = both & ~(both << 1)
        if not clues:
            self._unfiled |= both
        elif is_common(clues[-1]):
            self._file_under(clues[0], both)
        else:
            self._file_under(clues[0], first)
            self._file_under(clues[-1], both ^ first)
        return both

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

    def _numbers(self, first_bits: int) -> list[int]:
        """The looks to which these ways belong, in order."""
        numbers = set()
        while first_bits:
            numbers.add(self._looks[(first_bits & -first_bits).bit_length() // 2])
            first_bits &= first_bits - 1
        return sorted(numbers)


def _may_have_digits(reading: Reading) -> bool:
    if reading.signs.count("0") < phones.FEWEST_DIGITS:
        return False
    return phones.may_have_digits(reading.text, reading.plain)


def _clues_by_way(look: Look) -> tuple[Clues, ...]:
    match look:
        case Pattern(regex, needs):
            needed = clues_of_parts(needs)
            return tuple(two_rarest((*way, *needed)) for way in clues_by_way(regex))
        case Links(at_least=least) | LinkDensity(percent=least) if least > 0:
            return clues_by_way(LINK.pattern)
        case Both(one, other):
            needed = clues_of_any(_clues_by_way(other))
            return tuple(two_rarest((*way, *needed)) for way in _clues_by_way(one))
        case _:
            return ((),)
