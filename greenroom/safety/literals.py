"""Derives required literals from a regular expression: what a text must contain to match.

A literal set is a set of strings. If the expression matches, the text contains at least one of
them:

    idiot      as a whole word: a run of letters and digits
    @ 7 ж      as a mark: any character but blanks and a to z
    .a .0 " ." in its shape: a mark before a letter or a digit, or after a blank
    $$ €€      in its shape: the same mark twice
    aaa...     in its shape: `LONG_RUN`, so many letters and digits without a break

An expression is expanded into traces: tuples of the characters allowed at each position. The two
rarest strings of each trace are kept, so an expression has up to two literal sets and matches only
if the text has one of each. Careful: a literal set may be weaker than its expression, never
stronger, so syntax that is not understood here counts as "anything". An expression without literal
sets has to be tried on every text.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import pairwise
from typing import Any, TypeAlias

LiteralSet: TypeAlias = frozenset[str]
LiteralSets: TypeAlias = tuple[LiteralSet, ...]
"""None, one or two, the rarer one first."""
Piece: TypeAlias = str
"""The characters allowed at one position, all blanks as " "; empty for `_ANYTHING`."""
Trace: TypeAlias = tuple[Piece, ...]

_parser: Any = import_module("re._parser")  # the one that `re` itself uses; typeshed has none

_ANYTHING = ""
"""Any string, also the empty one."""
_BREAK = "\b"
"""The edge of a word or of the text, or a character that is neither a letter nor a digit."""
_UNKNOWN = frozenset({(_ANYTHING,)})
_NOTHING: frozenset[Trace] = frozenset({()})
_MOST_TRACES = 500
_WIDEST_RANGE = 100
_FEW = 4
_WITHOUT_WIDTH = ("AT", "ASSERT", "ASSERT_NOT")
LONG_RUN = "a" * 25
_DIGITS = "0123456789"
_CATEGORIES = {"CATEGORY_DIGIT": _DIGITS, "CATEGORY_SPACE": " ", "CATEGORY_NOT_WORD": _BREAK}
"""Normalised text has only ASCII digits."""

# Estimates of how many ordinary texts contain it. Bad ones cost time and change no verdict.
_IN_MANY_TEXTS = {".": 1.0, ",": 1.0, "'": 1.0, "'a": 1.0, "!": 1.0, "?": 1.0, "-": 1.0, "-a": 1.0}
_IN_MANY_TEXTS |= {":": 0.2, ";": 0.2, '"': 0.2, "(": 0.2, ")": 0.2, "/": 0.1, ".a": 0.2}
_IN_MANY_TEXTS |= {"$": 0.1, "€": 0.1, "£": 0.1}
_IN_MANY_TEXTS |= {" $": 0.1, " :": 0.2, " .": 0.1, " @": 0.02}
_MOST_ODDS = 3.0
_EVERYDAY = """
a all an and any are as at be book booking bring but by can com come could das day de den der do du
est every for from get give go have hello her here hi his home how i ich if in is it just know la
let like make me message mir much my need new next no not now of on one or our out over per please
por quick send she shoot should so some take ten that the their them then there they this through
time to und up us use via want we what when where which who will with work would write you your
"""
_EVERYDAY_WORDS = frozenset(_EVERYDAY.split())


@lru_cache
def literals_by_branch(regex: str) -> tuple[LiteralSets, ...]:
    """The literal sets of each top-level alternative."""
    parsed = _parser.parse(regex)
    if parsed.state.flags & ~re.UNICODE:
        return ((),)
    return tuple(
        two_rarest(_literals_along(branch, _UNKNOWN)) for branch in _branches(list(parsed))
    )


def _branches(sequence: list[Any]) -> list[list[Any]]:
    """Splits alternatives at the end; keeps the anchors and assertions before them."""
    if not sequence:
        return [sequence]
    *before, last = sequence
    if not all(node[0].name in _WITHOUT_WIDTH for node in before):
        return [sequence]
    match last[0].name, last[1]:
        case "BRANCH", (_, branches):
            return [[*before, *branch] for branch in branches for branch in _branches(list(branch))]
        case "SUBPATTERN", (_, 0, 0, inner):
            return [[*before, *branch] for branch in _branches(list(inner))]
        case _:
            return [sequence]


def literals_of_parts(parts: Iterable[str]) -> LiteralSets:
    """For a text that must contain one of these, also within words."""
    return literals_of_any(_literals_in(tuple(map(_piece, part))) for part in parts)


def two_rarest(literal_sets: Iterable[LiteralSet]) -> LiteralSets:
    return tuple(sorted(dict.fromkeys(literal_sets), key=_odds)[:2])


def literals_of_any(branches: Iterable[LiteralSets]) -> LiteralSets:
    """Of several alternatives together. An alternative with one literal set has it for both."""
    branches = [*branches]
    if not branches or () in branches:
        return ()
    return tuple(frozenset[str]().union(*(branch[end] for branch in branches)) for end in (0, -1))


def _literals_along(sequence: Iterable[Any], before: frozenset[Trace]) -> Iterator[LiteralSet]:
    """Every one is required. Traces are cut where a word ends, or they would multiply."""
    traces = before
    for node in sequence:
        yield from _literals_within(node, frozenset(trace[-1:] for trace in traces))
        longer = _joined(traces, _traces(node))
        if longer is None:
            yield from literals_of_any(map(_literals_in, traces))
            longer = _UNKNOWN
        traces = longer
        if all(trace and _is_break(trace[-1]) for trace in traces):
            yield from literals_of_any(map(_literals_in, traces))
            traces = frozenset(trace[-1:] for trace in traces)
    yield from literals_of_any(map(_literals_in, traces))


def _literals_within(node: Any, before: frozenset[Trace]) -> LiteralSets:
    match node[0].name, node[1]:
        case "BRANCH", (_, branches):
            return literals_of_any(
                two_rarest(_literals_along(branch, before)) for branch in branches
            )
        case "SUBPATTERN", (_, 0, 0, inner):
            return two_rarest(_literals_along(inner, before))
        case _:
            return ()


def _traces(node: Any) -> frozenset[Trace]:
    match node[0].name, node[1]:
        case "LITERAL", code:
            return frozenset({(_piece(chr(code)),)})
        case "IN", members:
            piece = _piece(*map(_characters, members))
            return frozenset((one,) for one in (piece if _is_few_letters(piece) else (piece,)))
        case "AT", where:
            return _NOTHING if where.name == "AT_NON_BOUNDARY" else frozenset({(_BREAK,)})
        case (("ASSERT" | "ASSERT_NOT"), _):
            return _NOTHING
        case "BRANCH", (_, branches):
            return frozenset[Trace]().union(*map(_expanded, branches))
        case "SUBPATTERN", (_, 0, 0, inner):
            return _expanded(inner)
        case (("MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT"), (least, most, inner)):
            return _repeated(least, most, _expanded(inner))
        case _:
            return _UNKNOWN


def _expanded(sequence: Iterable[Any]) -> frozenset[Trace]:
    traces = _NOTHING
    for node in sequence:
        longer = _joined(traces, _traces(node))
        if longer is None:
            return _UNKNOWN
        traces = longer
    return traces


def _joined(some: frozenset[Trace], more: frozenset[Trace]) -> frozenset[Trace] | None:
    if len(some) * len(more) > _MOST_TRACES:
        return None
    return frozenset(one + other for one in some for other in more)


def _repeated(least: int, most: int, once: frozenset[Trace]) -> frozenset[Trace]:
    """Of repetitions only the last is expanded, of a single piece the minimum; several of the same
    break count as one or two."""
    is_piece = len(once) == 1 and all(len(trace) == 1 for trace in once)
    is_break = is_piece and all(_is_break(trace[0]) for trace in once)
    if least > 1 and is_break:
        return frozenset(trace * 2 for trace in once)
    if most > 1 and not is_break:
        fewest = min(least, len(LONG_RUN)) if is_piece else 1
        once = frozenset((_ANYTHING, *trace * max(1, fewest)) for trace in once)
    return once if least else once | _NOTHING


def _characters(member: Any) -> str | None:
    """Of a member of a bracketed class; None if there are too many."""
    match member[0].name, member[1]:
        case "LITERAL", code:
            return chr(code)
        case "RANGE", (first, last) if last - first < _WIDEST_RANGE:
            return "".join(map(chr, range(first, last + 1)))
        case "CATEGORY", category:
            return _CATEGORIES.get(category.name)
        case _:
            return None


@lru_cache(maxsize=512)
def _piece(*parts: str | None) -> Piece:
    if None in parts:
        return _ANYTHING
    all_of_them = {" " if c.isspace() else c for part in parts if part for c in part}
    piece = "".join(sorted(all_of_them))
    return piece if _is_break(piece) or _is_letter(piece) else _ANYTHING


@lru_cache
def _is_break(piece: Piece) -> bool:
    return piece != _ANYTHING and not any(map(str.isalnum, piece))


def _is_letter(piece: Piece) -> bool:
    return piece.isalnum()


def _is_few_letters(piece: Piece) -> bool:
    """As in `amig[oa]`: expanded into words."""
    return piece.isalpha() and len(piece) <= _FEW


@lru_cache(maxsize=4096)  # several rules share words
def _literals_in(trace: Trace) -> LiteralSets:
    return two_rarest((*_words_in(trace), *_marks_in(trace), *_shapes_in(trace)))


def _words_in(trace: Trace) -> Iterator[LiteralSet]:
    sketch = "".join(_sketched(piece) for piece in trace)
    for word in re.findall(r"(?<= )[^ ?]+(?= )", sketch):
        yield frozenset({word})


def _marks_in(trace: Trace) -> Iterator[LiteralSet]:
    return (frozenset(piece) for piece in trace if _is_mark(piece))


@lru_cache
def _sketched(piece: Piece) -> str:
    if _is_break(piece):
        return " "
    return piece if len(piece) == 1 else "?"


def _shapes_in(trace: Sequence[Piece]) -> Iterator[LiteralSet]:
    for before, after in pairwise(trace):
        if _is_one_mark(before) and after.isascii() and _is_letter(after):
            yield frozenset(before + ("0" if c.isdigit() else "a") for c in after)
        if before == " " and _is_one_mark(after):
            yield frozenset({" " + after})
        if before == after and _is_one(before):
            yield frozenset({before + after})
    if LONG_RUN in "".join("a" if one.isascii() and _is_letter(one) else " " for one in trace):
        yield frozenset({LONG_RUN})


def _is_one_mark(piece: Piece) -> bool:
    return piece.isascii() and _is_one(piece)


def _is_one(piece: Piece) -> bool:
    return len(piece) == 1 and _is_mark(piece) and _is_break(piece)


@lru_cache
def _is_mark(piece: Piece) -> bool:
    """Whether all its characters are marks."""
    return piece != _ANYTHING and not any(
        c in (" ", _BREAK) or (c.isascii() and c.isalpha()) for c in piece
    )


def is_common(literal_set: LiteralSet) -> bool:
    """Whether so many texts contain it that checking for it saves nothing."""
    return _odds(literal_set) > _MOST_ODDS or any(
        _IN_MANY_TEXTS.get(one, 0) > 0.1 for one in literal_set
    )


def _odds(literal_set: LiteralSet) -> float:
    return sum(map(_odds_of_one, literal_set))


@lru_cache(maxsize=4096)
def _odds_of_one(literal: str) -> float:
    if literal in _EVERYDAY_WORDS:
        return 0.5
    if literal.isalpha():
        return 0.02 / len(literal)
    if literal.isdigit():
        return 0.5 / len(literal)
    return _IN_MANY_TEXTS.get(literal, 0.01 if literal.isalnum() or len(literal) == 1 else 0.011)
