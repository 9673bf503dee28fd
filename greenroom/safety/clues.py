"""What must be in a text for a regular expression to match it, read off the expression itself.

A clue is a set of strings, and wherever the expression matches, the text has at least one of them:

    idiot      as a whole word: a run of letters and digits
    @ 7 ж      as a mark: whatever is neither a blank nor one of a to z
    .a .0 " ." in its shape: a mark before a letter or a digit, or after a blank
    $$ €€      in its shape: the same mark twice
    aaa...     in its shape: `LONG_RUN`, so many letters and digits without a break

An expression is spelled out in traces, which are tuples of what may stand there one after the
other; of each trace the two rarest strings are taken, so that an expression has up to two clues: it
can match only where both are. Careful: a clue may be weaker than its expression and never stronger,
so whatever is not understood here may be anything. Where that leaves nothing to go by there is no
clue, and every text has to be looked at.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import pairwise
from typing import Any, TypeAlias

Clue: TypeAlias = frozenset[str]
Clues: TypeAlias = tuple[Clue, ...]
"""None, one or two, the rarer first."""
Piece: TypeAlias = str
"""The characters that may stand in one place, all blanks as " "; none for `_ANYTHING`."""
Trace: TypeAlias = tuple[Piece, ...]

_parser: Any = import_module("re._parser")  # the one that `re` itself uses; typeshed has none

_ANYTHING = ""
"""Any string, also an empty one."""
_BREAK = "\b"
"""The edge of a word or of the text, or some character that is neither a letter nor a digit."""
_UNKNOWN = frozenset({(_ANYTHING,)})
_NOTHING: frozenset[Trace] = frozenset({()})
_MOST_TRACES = 500
_WIDEST_RANGE = 100
_FEW = 4
_WITHOUT_WIDTH = ("AT", "ASSERT", "ASSERT_NOT")
LONG_RUN = "a" * 25
_DIGITS = "0123456789"
_CATEGORIES = {"CATEGORY_DIGIT": _DIGITS, "CATEGORY_SPACE": " ", "CATEGORY_NOT_WORD": _BREAK}
"""A text as it is read has no other digits than ours."""

# How likely something is in an ordinary text. Guesses: bad ones cost time and change no verdict.
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
def clues_by_way(regex: str) -> tuple[Clues, ...]:
    """For each of the ways in which it can match, where it consists of alternatives."""
    parsed = _parser.parse(regex)
    if parsed.state.flags & ~re.UNICODE:
        return ((),)
    return tuple(two_rarest(_clues_along(way, _UNKNOWN)) for way in _ways(list(parsed)))


def _ways(sequence: list[Any]) -> list[list[Any]]:
    """Alternatives at the end, with the edges and assertions in front of them."""
    if not sequence:
        return [sequence]
    *before, last = sequence
    if not all(node[0].name in _WITHOUT_WIDTH for node in before):
        return [sequence]
    match last[0].name, last[1]:
        case "BRANCH", (_, branches):
            return [[*before, *way] for branch in branches for way in _ways(list(branch))]
        case "SUBPATTERN", (_, 0, 0, inner):
            return [[*before, *way] for way in _ways(list(inner))]
        case _:
            return [sequence]


def clues_of_parts(parts: Iterable[str]) -> Clues:
    """Where a text must have one of these somewhere, also within words."""
    return clues_of_any(_clues_in(tuple(map(_piece, part))) for part in parts)


def two_rarest(clues: Iterable[Clue]) -> Clues:
    return tuple(sorted(dict.fromkeys(clues), key=_odds)[:2])


def clues_of_any(ways: Iterable[Clues]) -> Clues:
    """Where there is one of several ways. A way with one clue alone has it for both."""
    ways = [*ways]
    if not ways or () in ways:
        return ()
    return tuple(frozenset[str]().union(*(way[end] for way in ways)) for end in (0, -1))


def _clues_along(sequence: Iterable[Any], before: frozenset[Trace]) -> Iterator[Clue]:
    """Each has to be there. Words end at a break; there we cut, or the traces would multiply."""
    traces = before
    for node in sequence:
        yield from _clues_within(node, frozenset(trace[-1:] for trace in traces))
        longer = _joined(traces, _traces(node))
        if longer is None:
            yield from clues_of_any(map(_clues_in, traces))
            longer = _UNKNOWN
        traces = longer
        if all(trace and _is_break(trace[-1]) for trace in traces):
            yield from clues_of_any(map(_clues_in, traces))
            traces = frozenset(trace[-1:] for trace in traces)
    yield from clues_of_any(map(_clues_in, traces))


def _clues_within(node: Any, before: frozenset[Trace]) -> Clues:
    match node[0].name, node[1]:
        case "BRANCH", (_, branches):
            return clues_of_any(two_rarest(_clues_along(branch, before)) for branch in branches)
        case "SUBPATTERN", (_, 0, 0, inner):
            return two_rarest(_clues_along(inner, before))
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
            return frozenset[Trace]().union(*map(_spelled_out, branches))
        case "SUBPATTERN", (_, 0, 0, inner):
            return _spelled_out(inner)
        case (("MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT"), (least, most, inner)):
            return _repeated(least, most, _spelled_out(inner))
        case _:
            return _UNKNOWN


def _spelled_out(sequence: Iterable[Any]) -> frozenset[Trace]:
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
    """Of many times only the last is spelled out, and of a single piece the fewest that there are;
    many of the same break are as good as one."""
    is_piece = len(once) == 1 and all(len(trace) == 1 for trace in once)
    is_break = is_piece and all(_is_break(trace[0]) for trace in once)
    if least > 1 and is_break:
        return frozenset(trace * 2 for trace in once)
    if most > 1 and not is_break:
        fewest = min(least, len(LONG_RUN)) if is_piece else 1
        once = frozenset((_ANYTHING, *trace * max(1, fewest)) for trace in once)
    return once if least else once | _NOTHING


def _characters(member: Any) -> str | None:
    """Of a class in brackets; None where there are too many."""
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
    """As in `amig[oa]`: to be spelled out as words."""
    return piece.isalpha() and len(piece) <= _FEW


@lru_cache(maxsize=4096)  # several rules have the same words
def _clues_in(trace: Trace) -> Clues:
    return two_rarest((*_words_in(trace), *_marks_in(trace), *_shapes_in(trace)))


def _words_in(trace: Trace) -> Iterator[Clue]:
    sketch = "".join(_sketched(piece) for piece in trace)
    for word in re.findall(r"(?<= )[^ ?]+(?= )", sketch):
        yield frozenset({word})


def _marks_in(trace: Trace) -> Iterator[Clue]:
    return (frozenset(piece) for piece in trace if _is_mark(piece))


@lru_cache
def _sketched(piece: Piece) -> str:
    if _is_break(piece):
        return " "
    return piece if len(piece) == 1 else "?"


def _shapes_in(trace: Sequence[Piece]) -> Iterator[Clue]:
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
    """Whichever of its characters it is."""
    return piece != _ANYTHING and not any(
        c in (" ", _BREAK) or (c.isascii() and c.isalpha()) for c in piece
    )


def is_common(clue: Clue) -> bool:
    """Whether so many texts have it that looking for it saves nothing."""
    return _odds(clue) > _MOST_ODDS or any(_IN_MANY_TEXTS.get(one, 0) > 0.1 for one in clue)


def _odds(clue: Clue) -> float:
    return sum(map(_odds_of_one, clue))


@lru_cache(maxsize=4096)
def _odds_of_one(clue: str) -> float:
    if clue in _EVERYDAY_WORDS:
        return 0.5
    if clue.isalpha():
        return 0.02 / len(clue)
    if clue.isdigit():
        return 0.5 / len(clue)
    return _IN_MANY_TEXTS.get(clue, 0.01 if clue.isalnum() or len(clue) == 1 else 0.011)
