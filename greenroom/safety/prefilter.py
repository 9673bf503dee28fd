"""Finds, cheaply, the rules that could match a text: nearly always none.

Required literals are derived once from every matcher (`literals.py`). A rule is tried only on a
text that contains the literals of one of its alternatives; a rule without literals is tried on
every text. Digits and full stops are common, so phone numbers and links get a second check.
Careful: the prefilter may keep a rule that does not match, but must never drop one that does. A new
kind of matcher has no literals until it gets them here.
"""

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from string import ascii_letters, digits

from greenroom.safety import phone_prefilter, phones
from greenroom.safety.features import has_capitals, shape_of, to_ascii, words_in
from greenroom.safety.links import LINK
from greenroom.safety.literals import (
    LONG_RUN,
    LiteralSet,
    LiteralSets,
    is_common,
    literals_by_branch,
    literals_of_any,
    literals_of_parts,
    two_rarest,
)
from greenroom.safety.matchers import (
    Both,
    Iban,
    LinkDensity,
    Links,
    Matcher,
    Pattern,
    Phone,
    Repeated,
    Run,
    Shouting,
    may_have_run,
)
from greenroom.safety.normalise import NormalisedText

_NEVER = 1 << 30


class Prefilter:
    """Matchers are identified by their number. Each has one or more branches (alternatives), and
    each branch one or two literal sets. The result for a text is an integer with two bits per
    branch, one per literal set; a branch with a single literal set gets both bits for it."""

    def __init__(self, matchers: Sequence[Matcher]) -> None:
        self._matchers: list[int] = []
        """The matcher of each branch."""
        self._always = 0
        self._by_word: dict[str, int] = defaultdict(int)
        self._by_mark: dict[str, int] = defaultdict(int)
        self._by_shape: dict[str, int] = defaultdict(int)
        self._in_long_runs = 0
        self._in_digits = 0
        self._in_runs: list[tuple[str, str, int, int]] = []
        """Matchers for runs: digits, non-ASCII as `?`, the length, and their bits."""
        self._shouting = 0
        self._fewest_capitals = _NEVER
        self._repeated = 0
        self._fewest_times = _NEVER
        self._phones = self._phones_in_words = self._links = 0
        for number, matcher in enumerate(matchers):
            self._add(number, matcher)
        self._all = self.applicable(range(len(matchers)))
        self._words = frozenset(self._by_word)
        self._shapes = tuple(self._by_shape.items())
        self._marks = tuple((one, bits) for one, bits in self._by_mark.items() if one.isascii())
        others = {one: bits for one, bits in self._by_mark.items() if not one.isascii()}
        self._others = tuple(others.items())
        self._other = re.compile(f"[{''.join(map(re.escape, others))}]" if others else "(?!)")

    def applicable(self, matchers: Container[int]) -> int:
        """The first bits of these matchers, for `candidates`."""
        return sum(
            1 << 2 * branch for branch, matcher in enumerate(self._matchers) if matcher in matchers
        )

    def candidates(
        self, normalised: NormalisedText, recent: int, applicable: int | None = None
    ) -> list[int]:
        """The matchers that may match, in order; of the `applicable` ones, or of all."""
        applicable = self._all if applicable is None else applicable
        if not normalised.text:
            return self._numbers(applicable)  # any share of an empty text is made of links
        found = self._always | self._found(normalised.text, normalised.shape, normalised.words)
        if normalised.is_obfuscated:
            text = normalised.deobfuscated
            found |= self._found(text, shape_of(to_ascii(text)), words_in(text))
        if recent >= self._fewest_times:
            found |= self._repeated
        if has_capitals(normalised.original, self._fewest_capitals):
            found |= self._shouting
        found &= found >> 1 & applicable
        if not found:
            return []
        # Digits and full stops are in many texts, so they get a second check.
        if found & self._phones and not _may_have_digits(normalised):
            found &= ~self._phones
        if found & self._phones_in_words and not phones.is_spelled(normalised.words):
            found &= ~self._phones_in_words
        if found & self._links and not normalised.links:
            found &= ~self._links
        return self._numbers(found)

    def _found(self, text: str, shape: str, words: Iterable[str]) -> int:
        found = 0
        for part, bits in self._shapes:
            if part in shape:
                found |= bits
        if "0" in shape:
            found |= self._in_digits
        for run, other, times, bits in self._in_runs:
            if (run in shape or other in shape) and may_have_run(text, times):
                found |= bits
        if LONG_RUN in shape.replace("0", "a"):
            found |= self._in_long_runs
        for word in self._words.intersection(words):
            found |= self._by_word[word]
        for mark, bits in self._marks:
            if mark in shape:
                found |= bits
        if not text.isascii() and self._other.search(text):
            for mark, bits in self._others:
                if mark in text:
                    found |= bits
        return found

    def _add(self, number: int, matcher: Matcher) -> None:
        match matcher:
            case Repeated(times):
                self._repeated |= self._new_branch(number)
                self._fewest_times = min(self._fewest_times, times)
            case Shouting(letters, percent):
                self._shouting |= self._new_branch(number)
                self._fewest_capitals = min(self._fewest_capitals, letters * percent // 100)
            case Run(times):
                both = self._new_branch(number)
                for sign in "a!$":  # marks that count; others are too many to list
                    self._by_shape[sign * times] |= both
                self._in_runs.append(("0" * times, "?" * times, times, both))
            case Phone():
                self._in_digits |= (both := self._new_branch(number))
                self._phones |= both
                self._add_literal_set(phones.SPELLED, both := self._new_branch(number))
                self._phones_in_words |= both
            case Iban():
                self._by_shape["aa00"] |= self._new_branch(number)
            case _:
                for literal_sets in _literals_by_branch(matcher):
                    both = self._add_literals(literal_sets, self._new_branch(number))
                    if literal_sets and isinstance(matcher, Links | LinkDensity):
                        self._links |= both

    def _new_branch(self, matcher: int) -> int:
        """The bits of a new branch of this matcher."""
        self._matchers.append(matcher)
        return 3 << 2 * (len(self._matchers) - 1)

    def _add_literals(self, literal_sets: LiteralSets, both: int) -> int:
        first = both & ~(both << 1)
        if not literal_sets:
            self._always |= both
        elif is_common(literal_sets[-1]):
            self._add_literal_set(literal_sets[0], both)
        else:
            self._add_literal_set(literal_sets[0], first)
            self._add_literal_set(literal_sets[-1], both ^ first)
        return both

    def _add_literal_set(self, literal_set: LiteralSet, bits: int) -> None:
        for one in literal_set:
            if one == LONG_RUN:
                self._in_long_runs |= bits
            elif len(one) > 1 and one.isalnum():
                self._by_word[one] |= bits
            elif len(one) > 1 and one.isascii():
                for blank in " ?" if one[0] == " " else one[0]:  # some blanks are not ASCII
                    self._by_shape[blank + one[1:]] |= bits
            elif one in ascii_letters:
                self._by_word[one] |= bits
            elif one in digits:
                self._in_digits |= bits
            else:
                self._by_mark[one] |= bits

    def _numbers(self, first_bits: int) -> list[int]:
        """The matchers of these branches, in order."""
        numbers = set()
        while first_bits:
            numbers.add(self._matchers[(first_bits & -first_bits).bit_length() // 2])
            first_bits &= first_bits - 1
        return sorted(numbers)


def _may_have_digits(normalised: NormalisedText) -> bool:
    if normalised.shape.count("0") < phones.MIN_WRITTEN_DIGITS:
        return False
    return phone_prefilter.may_have_digits(normalised.text, normalised.plain)


def _literals_by_branch(matcher: Matcher) -> tuple[LiteralSets, ...]:
    match matcher:
        case Pattern(regex, needs):
            needed = literals_of_parts(needs)
            return tuple(two_rarest((*branch, *needed)) for branch in literals_by_branch(regex))
        case Links(at_least=least) | LinkDensity(percent=least) if least > 0:
            return literals_by_branch(LINK.pattern)
        case Both(one, other):
            needed = literals_of_any(_literals_by_branch(other))
            return tuple(two_rarest((*branch, *needed)) for branch in _literals_by_branch(one))
        case _:
            return ((),)
