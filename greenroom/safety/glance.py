"""Which rules could see anything in a text at all: nearly always none, and that is quickly told.

A clue is derived from every look, once (`clues.py`); a rule is worth running only on a text that
has its clue. A rule without one is run on every text. What one would get wrong: this leaves out
rules that would see nothing, and nothing else, so it may err on one side alone; a new kind of look
has no clue until somebody gives it one here.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from greenroom.safety import phones
from greenroom.safety.clues import Clue, clue_of, clue_of_parts, rarer
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
from greenroom.safety.traits import capitals_in, marks_in, shape_of, words_in

_NEVER = 1 << 30


class Glance:
    """Looks are called by their number, so that whoever asks gets them in order."""

    def __init__(self, looks: Sequence[Look]) -> None:
        self._all = range(len(looks))
        self._unfiled: list[int] = []
        self._by_clue: dict[str, list[int]] = defaultdict(list)
        """A word or a mark."""
        self._by_shape: dict[str, list[int]] = defaultdict(list)
        self._shouting: list[int] = []
        self._fewest_capitals = _NEVER
        self._repeated: list[int] = []
        self._fewest_times = _NEVER
        for number, look in enumerate(looks):
            self._file(number, look)
        self._clues = frozenset(self._by_clue)
        self._shapes = tuple(self._by_shape.items())

    def suspects(self, reading: Reading, recent: int) -> Sequence[int]:
        """Those who may see something, in order."""
        if not reading.text:
            return self._all  # of nothing, any part is made of links
        found = self._found(reading.text, reading.words)
        if reading.undisguised is not reading.text:
            found += self._found(reading.undisguised, words_in(reading.undisguised))
        if recent >= self._fewest_times:
            found += self._repeated
        if capitals_in(reading.original) >= self._fewest_capitals:
            found += self._shouting
        return sorted({*found, *self._unfiled}) if found else self._unfiled

    def _found(self, text: str, words: Iterable[str]) -> list[int]:
        shape, marks = shape_of(text), marks_in(text)
        found = []
        for part, numbers in self._shapes:
            if part in shape:
                found += numbers
        if not (self._clues.isdisjoint(words) and self._clues.isdisjoint(marks)):
            clues = self._clues.intersection(words) | self._clues.intersection(marks)
            found += [one for clue in clues for one in self._by_clue[clue]]
        return found

    def _file(self, number: int, look: Look) -> None:
        match look:
            case Repeated(times):
                self._repeated.append(number)
                self._fewest_times = min(self._fewest_times, times)
            case Shouting(letters, percent):
                self._shouting.append(number)
                self._fewest_capitals = min(self._fewest_capitals, letters * percent // 100)
            case Run(times):
                for sign in "a" + MARKS_IN_RUNS:
                    self._by_shape[sign * times].append(number)
            case _:
                self._file_under(_clue(look), number)

    def _file_under(self, clue: Clue | None, number: int) -> None:
        if clue is None:
            self._unfiled.append(number)
            return
        for one in clue:
            is_shape = len(one) > 1 and not one.isalnum()
            (self._by_shape if is_shape else self._by_clue)[one].append(number)


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
