"""Encodes conditions, updates and key ranges as DynamoDB expressions.

Every name and value is a placeholder, numbered in order of use.

Careful: DynamoDB refuses redundant parentheses, so only a compound part inside another gets them.
"""

from collections.abc import Callable
from typing import Any

from greenroom.store.dynamo.attributes import encode
from greenroom.store.expressions import (
    Absent,
    Action,
    Add,
    And,
    Append,
    BeginsWith,
    Between,
    Bound,
    Compare,
    Condition,
    Contains,
    Discard,
    Exists,
    In,
    Not,
    Or,
    Path,
    Prefix,
    Range,
    Remove,
    Set,
    SetIfAbsent,
    SizeOf,
    SortRange,
)
from greenroom.store.values import Value


class Placeholders:
    """The names and values of one request."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._values: dict[str, Any] = {}

    def name(self, step: str) -> str:
        return self._names.setdefault(step, f"#{len(self._names)}")

    def path(self, path: Path) -> str:
        steps = path.steps
        return self.name(steps[0]) if len(steps) == 1 else ".".join(map(self.name, steps))

    def value(self, value: Value) -> str:
        placeholder = f":{len(self._values)}"
        self._values[placeholder] = encode(value)
        return placeholder

    def fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        if self._names:
            fields["ExpressionAttributeNames"] = {mark: name for name, mark in self._names.items()}
        if self._values:
            fields["ExpressionAttributeValues"] = self._values
        return fields


def condition_text(condition: Condition, into: Placeholders) -> str:
    return _text(condition, into)[0]


def _text(condition: Condition, into: Placeholders) -> tuple[str, bool]:
    """The text, and whether it needs parentheses to be part of another."""
    simple = _SIMPLE.get(type(condition))
    if simple is not None:
        return simple(condition, into), False
    match condition:
        case And():
            return _joined(_flat(condition, And), " AND ", into)
        case Or():
            return _joined(_flat(condition, Or), " OR ", into)
        case Not(part):
            return f"NOT {_part(part, into)}", True
    raise AssertionError(f"no such condition: {condition!r}")


def _joined(parts: list[Condition], word: str, into: Placeholders) -> tuple[str, bool]:
    if len(parts) == 1:
        return _text(parts[0], into)
    if not parts:
        return _always(word == " AND ", into)
    return word.join([_part(part, into) for part in parts]), True


def _part(part: Condition, into: Placeholders) -> str:
    text, compound = _text(part, into)
    return f"({text})" if compound else text


def _always(truth: bool, into: Placeholders) -> tuple[str, bool]:
    name = into.name("_")
    word = "OR" if truth else "AND"
    return f"attribute_exists({name}) {word} attribute_not_exists({name})", True


def _exists(condition: Exists, into: Placeholders) -> str:
    return f"attribute_exists({into.path(condition.path)})"


def _absent(condition: Absent, into: Placeholders) -> str:
    return f"attribute_not_exists({into.path(condition.path)})"


def _compare(condition: Compare, into: Placeholders) -> str:
    operand = _operand(condition.operand, into)
    return f"{operand} {condition.comparator} {into.value(condition.value)}"


def _between(condition: Between, into: Placeholders) -> str:
    ends = f"{into.value(condition.low)} AND {into.value(condition.high)}"
    return f"{_operand(condition.operand, into)} BETWEEN {ends}"


def _begins_with(condition: BeginsWith, into: Placeholders) -> str:
    return f"begins_with({into.path(condition.path)}, {into.value(condition.prefix)})"


def _contains(condition: Contains, into: Placeholders) -> str:
    return f"contains({into.path(condition.path)}, {into.value(condition.value)})"


def _in(condition: In, into: Placeholders) -> str:
    listed = ", ".join([into.value(value) for value in condition.values])
    return f"{_operand(condition.operand, into)} IN ({listed})"


_SIMPLE: dict[type, Callable[[Any, Placeholders], str]] = {
    Exists: _exists,
    Absent: _absent,
    Compare: _compare,
    Between: _between,
    BeginsWith: _begins_with,
    Contains: _contains,
    In: _in,
}


def _operand(operand: Path | SizeOf, into: Placeholders) -> str:
    if isinstance(operand, SizeOf):
        return f"size({into.path(operand.path)})"
    return into.path(operand)


def _flat(condition: Condition, kind: type[And] | type[Or]) -> list[Condition]:
    """Flattens `a & b & c`, which nests to the left."""
    flat: list[Condition] = []
    ahead = [condition]
    while ahead:
        part = ahead.pop()
        if isinstance(part, kind):
            ahead += reversed(part.parts)
        else:
            flat.append(part)
    return flat


def update_text(actions: tuple[Action, ...], into: Placeholders) -> str:
    clauses: dict[str, list[str]] = {}
    for action in actions:
        clause, text = _action(action, into)
        clauses.setdefault(clause, []).append(text)
    return " ".join(f"{clause} {', '.join(texts)}" for clause, texts in clauses.items())


def _action(action: Action, into: Placeholders) -> tuple[str, str]:
    path = into.path(action.path)
    match action:
        case Set(_, value):
            return "SET", f"{path} = {into.value(value)}"
        case SetIfAbsent(_, value):
            return "SET", f"{path} = if_not_exists({path}, {into.value(value)})"
        case Append(_, values):
            standing = f"if_not_exists({path}, {into.value([])})"
            return "SET", f"{path} = list_append({standing}, {into.value(values)})"
        case Add(_, amount):
            return "ADD", f"{path} {into.value(amount)}"
        case Discard(_, members):
            return "DELETE", f"{path} {into.value(members)}"
        case Remove():
            return "REMOVE", path


def key_range_text(
    partition: tuple[str, str], sort_name: str | None, sort: SortRange | None, into: Placeholders
) -> str:
    name, value = partition
    text = f"{into.name(name)} = {into.value(value)}"
    if sort is None or sort_name is None:
        return text
    mark = into.name(sort_name)
    match sort:
        case Prefix(prefix):
            return f"{text} AND begins_with({mark}, {into.value(prefix)})"
        case Range(low, high):
            return f"{text} AND {mark} BETWEEN {into.value(low)} AND {into.value(high)}"
        case Bound(comparator, bound):
            return f"{text} AND {mark} {comparator} {into.value(bound)}"
