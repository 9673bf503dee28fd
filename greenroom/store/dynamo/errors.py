"""Maps DynamoDB's validation errors to the store's problems.

DynamoDB describes what does not fit an item only in prose. AWS, DynamoDB Local and Alternator word
it differently; the patterns below match the common part. A message that matches none is a bug here
and raises `UnexpectedError`. The message does not name the attribute; `explain` finds it by
applying the update to the current item.
"""

import re
from collections.abc import Sequence

from greenroom.errors import Problem
from greenroom.store.base import Op, Update
from greenroom.store.evaluate import apply_actions
from greenroom.store.expressions import Add, Append, Set, SetIfAbsent
from greenroom.store.limits import TOO_MANY_BYTES, check_index_key, check_item
from greenroom.store.problems import (
    InvalidExpression,
    InvalidItem,
    InvalidTransaction,
    InvalidUpdate,
    ItemTooLarge,
)
from greenroom.store.values import (
    MAX_ITEM_BYTES,
    OUT_OF_RANGE,
    TOO_DEEP,
    TOO_MANY_DIGITS,
    Item,
)

_TOO_LONG = re.compile(r"Expression size has exceeded|contains too many oper", re.IGNORECASE)
_TOO_LARGE = re.compile(r"Item size.*exceeded", re.IGNORECASE)
_TOO_MANY_BYTES = re.compile(r"Transaction payload size", re.IGNORECASE)
_INDEX_KEY = re.compile(
    r"Index Key|secondary index key|Invalid attribute value type|Size limit exceeded|"
    r"(hashkey|range keys?) has exceeded",
    re.IGNORECASE,
)
_NO_MAP = re.compile(r"document path|Key attributes must be scalars", re.IGNORECASE)
_WRONG_TYPE = re.compile(r"incorrect (data|operand) type|Type mismatch", re.IGNORECASE)
_DIGITS = re.compile(r"38 (significant )?digits", re.IGNORECASE)
_RANGE = re.compile(r"Number (over|under)flow|magnitude", re.IGNORECASE)
_TOO_DEEP = re.compile(r"Nesting Levels", re.IGNORECASE)


class UnexpectedError(Exception):
    """An error of DynamoDB that the checks before the request should have prevented."""


def translate_validation_error(message: str, ops: Sequence[Op]) -> Exception:
    """The problem that a ValidationException's message describes."""
    updates = [op for op in ops if isinstance(op, Update)]
    if _TOO_LONG.search(message):
        return InvalidExpression("", "the expression is too long for DynamoDB")
    if _TOO_LARGE.search(message):
        return ItemTooLarge((updates or ops)[0].table.name, MAX_ITEM_BYTES)
    if _TOO_MANY_BYTES.search(message):
        return InvalidTransaction(TOO_MANY_BYTES)
    if not updates:
        return UnexpectedError(message)
    if _INDEX_KEY.search(message) and (problem := _invalid_index_key(updates)):
        return problem
    if _NO_MAP.search(message):
        return InvalidUpdate("a path leads through a value other than a map")
    if _WRONG_TYPE.search(message):
        return InvalidUpdate("the current value is of another type")
    for pattern, reason in (
        (_DIGITS, TOO_MANY_DIGITS),
        (_RANGE, OUT_OF_RANGE),
        (_TOO_DEEP, TOO_DEEP),
    ):
        if pattern.search(message):
            return InvalidItem(_likely_attribute(updates, reason), reason)
    return UnexpectedError(message)


def explain(op: Update, item: Item | None) -> Problem | None:
    """The problem as the SQLite engine would report it; None if the update fits the item."""
    key = op.key
    bare: Item = {op.table.partition: key.partition}
    if op.table.sort is not None:
        bare = {**bare, op.table.sort: key.sort}
    try:
        check_item(op.table, apply_actions(op.actions, bare if item is None else item))
    except Problem as problem:
        return problem
    return None


def _invalid_index_key(updates: Sequence[Update]) -> InvalidItem | None:
    """The problem that a Put with this key would raise."""
    for op in updates:
        for action in op.actions:
            match action:
                case Set(path, value) | SetIfAbsent(path, value) | Add(path, value):
                    item = {path.steps[0]: value}
                case Append(path, values):
                    item = {path.steps[0]: values}
                case _:
                    continue
            try:
                for index in op.table.indexes:
                    check_index_key(index, item)
            except InvalidItem as problem:
                return problem
    return None


def _likely_attribute(updates: Sequence[Update], reason: str) -> str:
    """Guesses the attribute: that of an Add, or the first."""
    actions = [action for op in updates for action in op.actions]
    if reason != TOO_DEEP:
        actions = [action for action in actions if isinstance(action, Add)] or actions
    return actions[0].path.steps[0]
