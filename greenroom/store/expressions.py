"""Conditions, updates and sort key ranges as immutable values.

Each engine interprets them with `match` (`evaluate.py` for SQLite,
`dynamo/encode.py` for DynamoDB). Write them through `F`:

    F("seq").equals(41) & F("status").is_in("open", "awaiting_reply")
    F("seq").add(1), F("flags", "moderation").set("clean"), F("draft").remove()

A path goes through maps by name. It cannot address list elements.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from greenroom.errors import quoted
from greenroom.store.values import Value

Comparator: TypeAlias = Literal["=", "<>", "<", "<=", ">", ">="]


class Condition(Struct, frozen=True):
    """A test of the current item; an absent item has no attributes."""

    def __and__(self, other: "Condition") -> "And":
        return And((self, other))

    def __or__(self, other: "Condition") -> "Or":
        return Or((self, other))

    def __invert__(self) -> "Not":
        return Not(self)


class Path(Struct, frozen=True):
    steps: tuple[str, ...]

    @property
    def shown(self) -> str:
        """The path as quoted in messages."""
        return quoted(".".join(self.steps))

    def exists(self) -> "Exists":
        return Exists(self)

    def absent(self) -> "Absent":
        return Absent(self)

    def equals(self, value: Value) -> "Compare":
        return Compare(self, "=", value)

    def differs(self, value: Value) -> "Compare":
        return Compare(self, "<>", value)

    def less_than(self, value: Value) -> "Compare":
        return Compare(self, "<", value)

    def at_most(self, value: Value) -> "Compare":
        return Compare(self, "<=", value)

    def more_than(self, value: Value) -> "Compare":
        return Compare(self, ">", value)

    def at_least(self, value: Value) -> "Compare":
        return Compare(self, ">=", value)

    def between(self, low: Value, high: Value) -> "Between":
        return Between(self, low, high)

    def begins_with(self, prefix: str | bytes) -> "BeginsWith":
        return BeginsWith(self, prefix)

    def contains(self, value: Value) -> "Contains":
        return Contains(self, value)

    def is_in(self, *values: Value) -> "In":
        return In(self, values)

    def size(self) -> "SizeOf":
        return SizeOf(self)

    def set(self, value: Value) -> "Set":
        return Set(self, value)

    def set_if_absent(self, value: Value) -> "SetIfAbsent":
        return SetIfAbsent(self, value)

    def append(self, *values: Value) -> "Append":
        return Append(self, values)

    def add(self, amount: Value) -> "Add":
        return Add(self, amount)

    def discard(self, members: Value) -> "Discard":
        return Discard(self, members)

    def remove(self) -> "Remove":
        return Remove(self)


def F(*steps: str) -> Path:
    return Path(steps)


class SizeOf(Struct, frozen=True):
    """The length of a string or of bytes, the number of members of a list, map or set."""

    path: Path

    def equals(self, value: int) -> "Compare":
        return Compare(self, "=", value)

    def differs(self, value: int) -> "Compare":
        return Compare(self, "<>", value)

    def less_than(self, value: int) -> "Compare":
        return Compare(self, "<", value)

    def at_most(self, value: int) -> "Compare":
        return Compare(self, "<=", value)

    def more_than(self, value: int) -> "Compare":
        return Compare(self, ">", value)

    def at_least(self, value: int) -> "Compare":
        return Compare(self, ">=", value)

    def between(self, low: int, high: int) -> "Between":
        return Between(self, low, high)

    def is_in(self, *values: int) -> "In":
        return In(self, values)


class Exists(Condition, frozen=True):
    path: Path


class Absent(Condition, frozen=True):
    path: Path


class Compare(Condition, frozen=True):
    operand: Path | SizeOf
    comparator: Comparator
    value: Value


class Between(Condition, frozen=True):
    operand: Path | SizeOf
    low: Value
    high: Value


class BeginsWith(Condition, frozen=True):
    path: Path
    prefix: str | bytes


class Contains(Condition, frozen=True):
    """A string holds the text, or a list or set holds the member."""

    path: Path
    value: Value


class In(Condition, frozen=True):
    operand: Path | SizeOf
    values: tuple[Value, ...]


class And(Condition, frozen=True):
    parts: tuple[Condition, ...]


class Or(Condition, frozen=True):
    parts: tuple[Condition, ...]


class Not(Condition, frozen=True):
    part: Condition


class Set(Struct, frozen=True):
    path: Path
    value: Value


class SetIfAbsent(Struct, frozen=True):
    path: Path
    value: Value


class Append(Struct, frozen=True):
    """Adds to the end of a list; creates a missing list."""

    path: Path
    values: tuple[Value, ...]


class Add(Struct, frozen=True):
    """Adds to a number, or members to a set. A missing attribute counts as 0 or an empty set."""

    path: Path
    amount: Value


class Discard(Struct, frozen=True):
    """Removes members from a set; an empty set is removed."""

    path: Path
    members: Value


class Remove(Struct, frozen=True):
    path: Path


Action: TypeAlias = Set | SetIfAbsent | Append | Add | Discard | Remove


def only_removes(actions: Sequence[Action]) -> bool:
    """Whether an update with these actions does not create a missing item."""
    return all(isinstance(action, Remove | Discard) for action in actions)


class Prefix(Struct, frozen=True):
    text: str


class Range(Struct, frozen=True):
    """Both ends are included."""

    low: str
    high: str


class Bound(Struct, frozen=True):
    comparator: Literal["=", "<", "<=", ">", ">="]
    text: str


SortRange: TypeAlias = Prefix | Range | Bound
