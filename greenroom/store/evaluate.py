"""Evaluates conditions and applies updates to an item in memory. Pure functions.

The SQLite engine runs on it; the DynamoDB engine uses it to evaluate conditions on an absent item.
It follows DynamoDB where that differs from Python: `True` is not `1`, values of different types
never compare, and `differs` holds for a missing attribute.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, localcontext
from typing import Any

from greenroom.errors import quoted
from greenroom.store.expressions import (
    Absent,
    Action,
    Add,
    And,
    Append,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Contains,
    Discard,
    Exists,
    In,
    Not,
    Or,
    Path,
    Remove,
    Set,
    SetIfAbsent,
    SizeOf,
)
from greenroom.store.problems import InvalidUpdate
from greenroom.store.values import Item, Value, canonical, number

_ORDER: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MISSING: Any = object()
_NOTHING: Item = {}


def holds(condition: Condition, item: Item | None) -> bool:
    found = _NOTHING if item is None else item
    if isinstance(condition, Absent):  # the condition of every create
        return _find(condition.path, found) is _MISSING
    match condition:
        case Compare(Path() as path, "=", value):  # the condition of every versioned write
            return same(_find(path, found), value)
        case Exists(path):
            return _find(path, found) is not _MISSING
        case Compare(operand, comparator, value):
            return _compares(_operand(operand, found), comparator, value)
        case Between(operand, low, high):
            value = _operand(operand, found)
            return _compares(value, ">=", low) and _compares(value, "<=", high)
        case BeginsWith(path, prefix):
            return _begins(_find(path, found), prefix)
        case Contains(path, value):
            return _contains(_find(path, found), value)
        case In(operand, values):
            mine = _operand(operand, found)
            return any(same(mine, value) for value in values)
        case And(parts):
            return all(holds(part, item) for part in parts)
        case Or(parts):
            return any(holds(part, item) for part in parts)
        case Not(part):
            return not holds(part, item)
    raise AssertionError(f"no such condition: {condition!r}")


def same(one: Value, other: Value) -> bool:
    """DynamoDB's equality: the same types at every level; numbers by value."""
    kind, other_kind = type(one), type(other)
    if kind is other_kind and kind in (str, int, bool, bytes, type(None)):
        return one == other
    if kind is bool or other_kind is bool:
        return False
    if isinstance(one, int | Decimal):
        return isinstance(other, int | Decimal) and one == other
    if isinstance(one, Mapping):
        return (
            isinstance(other, Mapping)
            and one.keys() == other.keys()
            and all(same(value, other[name]) for name, value in one.items())
        )
    if isinstance(one, list | tuple):
        return (
            isinstance(other, list | tuple)
            and len(one) == len(other)
            and all(same(a, b) for a, b in zip(one, other, strict=True))
        )
    if isinstance(one, set | frozenset):
        return isinstance(other, set | frozenset) and one == other
    return isinstance(one, str) and isinstance(other, str) and one == other


def apply_actions(actions: Sequence[Action], item: Item) -> dict[str, Value]:
    """The item after the actions. No two have the same path, so their order does not matter."""
    result = dict(item)
    for action in actions:
        if type(action) is Set and len(action.path.steps) == 1:
            result[action.path.steps[0]] = canonical(action.value)
            continue
        holder = _holder(action.path, result)
        name = action.path.steps[-1]
        new = _outcome(action, holder.get(name, _MISSING))
        if new is _MISSING:
            holder.pop(name, None)
        else:
            holder[name] = new
    return result


def _holder(path: Path, result: dict[str, Value]) -> dict[str, Value]:
    """The map that holds the path's last name. Copies the maps on the way."""
    holder = result
    for step in path.steps[:-1]:
        inner = holder.get(step, _MISSING)
        if not isinstance(inner, Mapping):
            raise InvalidUpdate(f"{path.shown} leads through {quoted(step)}, which is not a map")
        copy = dict(inner)
        holder[step] = copy
        holder = copy
    return holder


def _outcome(action: Action, old: Any) -> Any:
    match action:
        case Set(_, value):
            return canonical(value)
        case SetIfAbsent(_, value):
            return canonical(value) if old is _MISSING else old
        case Append(path, values):
            added: list[Value] = [canonical(value) for value in values]
            if old is _MISSING:
                return added
            if not isinstance(old, list):
                raise InvalidUpdate(f"{path.shown} is not a list")
            return [*old, *added]
        case Add(path, amount):
            return _sum(path, old, canonical(amount))
        case Discard(path, members):
            return _rest(path, old, canonical(members))
        case Remove():
            return _MISSING


def _sum(path: Path, old: Any, amount: Any) -> Any:
    if old is _MISSING:
        return amount
    name = path.shown
    if isinstance(amount, frozenset):
        if not isinstance(old, frozenset) or _members(old) != _members(amount):
            raise InvalidUpdate(f"{name} is not a set of the type that is added")
        return old | amount
    if isinstance(old, bool) or not isinstance(old, int | Decimal):
        raise InvalidUpdate(f"{name} is not a number")
    if type(old) is int and type(amount) is int:
        return old + amount
    with localcontext() as context:
        context.prec = 300
        return number(Decimal(old) + Decimal(amount))


def _rest(path: Path, old: Any, members: Any) -> Any:
    if old is _MISSING:
        return _MISSING
    if not isinstance(old, frozenset) or _members(old) != _members(members):
        raise InvalidUpdate(f"{path.shown} is not a set of the type that is discarded")
    return (old - members) or _MISSING


def _members(members: frozenset[Any]) -> str:
    match next(iter(members)):
        case str():
            return "text"
        case bytes():
            return "bytes"
        case _:
            return "number"


def _find(path: Path, item: Item) -> Any:
    if len(path.steps) == 1:
        return item.get(path.steps[0], _MISSING)
    found: Any = item
    for step in path.steps:
        if not isinstance(found, Mapping) or step not in found:
            return _MISSING
        found = found[step]
    return found


def _operand(operand: Path | SizeOf, item: Item) -> Any:
    if isinstance(operand, Path):
        return _find(operand, item)
    value = _find(operand.path, item)
    if isinstance(value, str):
        return len(value.encode("utf-16-le")) // 2  # as DynamoDB Local counts
    return len(value) if isinstance(value, bytes | list | Mapping | frozenset) else _MISSING


def _compares(mine: Any, comparator: str, value: Value) -> bool:
    if comparator == "=":
        return mine is not _MISSING and same(mine, value)
    if comparator == "<>":
        return mine is _MISSING or not same(mine, value)
    if mine is _MISSING or _ordering(mine) is None or _ordering(mine) != _ordering(value):
        return False
    # Text by UTF-8 bytes, which is by code point: Python's order too.
    return _ORDER[comparator](mine, value)


def _ordering(value: Any) -> str | None:
    match value:
        case bool():
            return None
        case str():
            return "text"
        case int() | Decimal():
            return "number"
        case bytes():
            return "bytes"
        case _:
            return None


def _begins(mine: Any, prefix: Any) -> bool:
    if not isinstance(mine, str | bytes) or _ordering(mine) != _ordering(prefix):
        return False
    return mine.startswith(prefix)


def _contains(mine: Any, value: Value) -> bool:
    if isinstance(mine, str | bytes):
        return _ordering(mine) == _ordering(value) and value in mine  # type: ignore[operator]
    if isinstance(mine, list | frozenset):
        return any(same(member, value) for member in mine)
    return False
