"""Conditions, updates and key ranges to DynamoDB's expression text.

Every name and value goes in through a placeholder, numbered in the order of use. What one would
get wrong: DynamoDB refuses parentheses around parentheses, so that a part gets them only where it
stands inside another.
"""

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
        return ".".join(self.name(step) for step in path.steps)

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
    return _Text(into).of(condition)[0]


class _Text:
    def __init__(self, into: Placeholders) -> None:
        self._into = into

    def of(self, condition: Condition) -> tuple[str, bool]:
        """The text, and whether it needs parentheses to be part of another."""
        match condition:
            case And():
                return self._joined(_flat(condition, And), " AND ")
            case Or():
                return self._joined(_flat(condition, Or), " OR ")
            case Not(part):
                return f"NOT {self._part(part)}", True
        return self._simple(condition), False

    def _joined(self, parts: list[Condition], word: str) -> tuple[str, bool]:
        if len(parts) == 1:
            return self.of(parts[0])
        if not parts:
            return self._always(word == " AND ")
        return word.join(self._part(part) for part in parts), True

    def _part(self, part: Condition) -> str:
        text, compound = self.of(part)
        return f"({text})" if compound else text

    def _always(self, truth: bool) -> tuple[str, bool]:
        name = self._into.name("_")
        word = "OR" if truth else "AND"
        return f"attribute_exists({name}) {word} attribute_not_exists({name})", True

    def _simple(self, condition: Condition) -> str:
        into = self._into
        match condition:
            case Exists(path):
                return f"attribute_exists({into.path(path)})"
            case Absent(path):
                return f"attribute_not_exists({into.path(path)})"
            case Compare(operand, comparator, value):
                return f"{self._operand(operand)} {comparator} {into.value(value)}"
            case Between(operand, low, high):
                ends = f"{into.value(low)} AND {into.value(high)}"
                return f"{self._operand(operand)} BETWEEN {ends}"
            case BeginsWith(path, prefix):
                return f"begins_with({into.path(path)}, {into.value(prefix)})"
            case Contains(path, value):
                return f"contains({into.path(path)}, {into.value(value)})"
            case In(operand, values):
                listed = ", ".join(into.value(value) for value in values)
                return f"{self._operand(operand)} IN ({listed})"
        raise AssertionError(f"no such condition: {condition!r}")

    def _operand(self, operand: Path | SizeOf) -> str:
        if isinstance(operand, SizeOf):
            return f"size({self._into.path(operand.path)})"
        return self._into.path(operand)


def _flat(condition: Condition, kind: type[And] | type[Or]) -> list[Condition]:
    """`a & b & c` nests to the left, as deep as it is long; its text does not have to."""
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
