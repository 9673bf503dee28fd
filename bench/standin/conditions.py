"""Parses DynamoDB's expressions into functions of an item in DynamoDB's own JSON.

A parsed expression depends only on its text, so it is cached; names and values come with the call.
"""

import operator
import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeAlias

Attribute: TypeAlias = Mapping[str, Any]
Image: TypeAlias = Mapping[str, Attribute]
Names: TypeAlias = Mapping[str, str]
Values: TypeAlias = Mapping[str, Attribute]
Test: TypeAlias = Callable[[Image, Names, Values], bool]
Operand: TypeAlias = Callable[[Image, Names, Values], Attribute | None]

_TOKEN = re.compile(r"\s*([#:]\w+|\w+|<>|<=|>=|[=<>(),.])")
_ORDER: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ORDERED = ("S", "N", "B")


class Unknown(Exception):
    """A request that the stand-in does not understand."""


class Tokens:
    """The words of an expression, in order."""

    def __init__(self, text: str) -> None:
        self._words: list[str] = []
        place = 0
        while place < len(text):
            found = _TOKEN.match(text, place)
            if found is None:
                raise Unknown(f"no expression that is known: {text}")
            self._words.append(found[1])
            place = found.end()
        self._next = 0

    def peek(self) -> str:
        return self._words[self._next] if self._next < len(self._words) else ""

    def take(self, *expected: str) -> str:
        word = self.peek()
        if not word or (expected and word not in expected):
            raise Unknown(f"{word or 'the end'} where {' or '.join(expected)} was expected")
        self._next += 1
        return word

    def takes(self, word: str) -> bool:
        """Whether this is the next word, which is then taken."""
        if self.peek() != word:
            return False
        self._next += 1
        return True

    def path(self) -> tuple[str, ...]:
        steps = [self.take()]
        while self.takes("."):
            steps.append(self.take())
        if not all(step.startswith("#") for step in steps):
            raise Unknown(f"a path without placeholders: {'.'.join(steps)}")
        return tuple(steps)

    def value(self) -> str:
        mark = self.take()
        if not mark.startswith(":"):
            raise Unknown(f"{mark} where a value was expected")
        return mark

    def end(self) -> None:
        if self.peek():
            raise Unknown(f"{self.peek()} after the end")


@lru_cache(4096)
def condition(text: str) -> Test:
    tokens = Tokens(text)
    test = _either(tokens)
    tokens.end()
    return test


def find(path: tuple[str, ...], item: Image, names: Names) -> Attribute | None:
    found = item.get(names[path[0]])
    for step in path[1:]:
        if found is None or "M" not in found:
            return None
        found = found["M"].get(names[step])
    return found


def same(one: Attribute | None, other: Attribute | None) -> bool:
    if one is None or other is None:
        return False
    if one == other:
        return True
    (kind,), (other_kind,) = one, other
    if kind != other_kind:
        return False
    mine, theirs = one[kind], other[kind]
    if kind == "N":
        return Decimal(mine) == Decimal(theirs)
    if kind in ("SS", "BS"):
        return set(mine) == set(theirs)
    if kind == "NS":
        return set(map(Decimal, mine)) == set(map(Decimal, theirs))
    if kind == "L":
        return len(mine) == len(theirs) and all(map(same, mine, theirs))
    if kind == "M":
        return mine.keys() == theirs.keys() and all(same(mine[k], theirs[k]) for k in mine)
    return False


def _either(tokens: Tokens) -> Test:
    tests = [_all(tokens)]
    while tokens.takes("OR"):
        tests.append(_all(tokens))
    if len(tests) == 1:
        return tests[0]
    return lambda item, names, values: any(test(item, names, values) for test in tests)


def _all(tokens: Tokens) -> Test:
    tests = [_one(tokens)]
    while tokens.takes("AND"):
        tests.append(_one(tokens))
    if len(tests) == 1:
        return tests[0]
    return lambda item, names, values: all(test(item, names, values) for test in tests)


def _one(tokens: Tokens) -> Test:
    if tokens.takes("NOT"):
        negated = _one(tokens)
        return lambda item, names, values: not negated(item, names, values)
    if tokens.takes("("):
        inner = _either(tokens)
        tokens.take(")")
        return inner
    function = tokens.peek()
    if function in _FUNCTIONS:
        tokens.take()
        tokens.take("(")
        test = _FUNCTIONS[function](tokens)
        tokens.take(")")
        return test
    return _comparison(tokens)


def _exists(tokens: Tokens) -> Test:
    path = tokens.path()
    return lambda item, names, values: find(path, item, names) is not None


def _absent(tokens: Tokens) -> Test:
    path = tokens.path()
    return lambda item, names, values: find(path, item, names) is None


def _begins(tokens: Tokens) -> Test:
    path, _, mark = tokens.path(), tokens.take(","), tokens.value()

    def test(item: Image, names: Names, values: Values) -> bool:
        found, ((kind, prefix),) = find(path, item, names), values[mark].items()
        if found is None or kind not in found:
            return False
        return bool(_plain(kind, found[kind]).startswith(_plain(kind, prefix)))

    return test


def _contains(tokens: Tokens) -> Test:
    path, _, mark = tokens.path(), tokens.take(","), tokens.value()

    def test(item: Image, names: Names, values: Values) -> bool:
        found, wanted = find(path, item, names), values[mark]
        if found is None:
            return False
        ((kind, mine),) = found.items()
        ((wanted_kind, text),) = wanted.items()
        if kind in ("S", "B"):
            return kind == wanted_kind and _plain(kind, text) in _plain(kind, mine)
        if kind == "L":
            return any(same(member, wanted) for member in mine)
        if kind == wanted_kind + "S":
            return any(same({wanted_kind: member}, wanted) for member in mine)
        return False

    return test


_FUNCTIONS: Mapping[str, Callable[[Tokens], Test]] = {
    "attribute_exists": _exists,
    "attribute_not_exists": _absent,
    "begins_with": _begins,
    "contains": _contains,
}


def _comparison(tokens: Tokens) -> Test:
    operand = _operand(tokens)
    comparator = tokens.take("=", "<>", "BETWEEN", "IN", *_ORDER)
    if comparator == "IN":
        return _listed(tokens, operand)
    mark = tokens.value()
    if comparator == "BETWEEN":
        tokens.take("AND")
        low, high = _ordered(operand, ">=", mark), _ordered(operand, "<=", tokens.value())
        return lambda item, names, values: low(item, names, values) and high(item, names, values)
    if comparator == "=":
        return lambda item, names, values: same(operand(item, names, values), values[mark])
    if comparator == "<>":
        return lambda item, names, values: not same(operand(item, names, values), values[mark])
    return _ordered(operand, comparator, mark)


def _operand(tokens: Tokens) -> Operand:
    if not tokens.takes("size"):
        path = tokens.path()
        return lambda item, names, values: find(path, item, names)
    tokens.take("(")
    path = tokens.path()
    tokens.take(")")
    return lambda item, names, values: _size(find(path, item, names))


def _size(found: Attribute | None) -> Attribute | None:
    if found is None:
        return None
    ((kind, value),) = found.items()
    if kind == "S":
        return {"N": str(len(value.encode("utf-16-le")) // 2)}
    if kind == "B":
        return {"N": str(len(b64decode(value)))}
    return {"N": str(len(value))} if kind in ("L", "M", "SS", "NS", "BS") else None


def _listed(tokens: Tokens, operand: Operand) -> Test:
    tokens.take("(")
    marks = [tokens.value()]
    while tokens.takes(","):
        marks.append(tokens.value())
    tokens.take(")")

    def test(item: Image, names: Names, values: Values) -> bool:
        mine = operand(item, names, values)
        return any(same(mine, values[mark]) for mark in marks)

    return test


def _ordered(operand: Operand, comparator: str, mark: str) -> Test:
    compare = _ORDER[comparator]

    def test(item: Image, names: Names, values: Values) -> bool:
        mine, ((kind, bound),) = operand(item, names, values), values[mark].items()
        if mine is None or kind not in mine or kind not in _ORDERED:
            return False
        return compare(_plain(kind, mine[kind]), _plain(kind, bound))

    return test


def _plain(kind: str, value: Any) -> Any:
    if kind == "S":
        return value
    return Decimal(value) if kind == "N" else b64decode(value)
