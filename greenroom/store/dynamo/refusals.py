"""DynamoDB's refusals in the store's words.

DynamoDB tells what does not fit an item only in prose, and AWS, Local and Alternator word it a
little differently: the patterns below are the part they share. What matches none of them is a bug
of ours, and crashes. Which attribute it is about the prose does not say; the item does
(`spelt_out`), if it is still as it was.
"""

import re
from collections.abc import Sequence

from greenroom.errors import Problem
from greenroom.store.base import Op, Update
from greenroom.store.evaluate import updated
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


class Unexpected(Exception):
    """DynamoDB refused what we thought it could not refuse."""


def misfit(message: str, ops: Sequence[Op]) -> Exception:
    """What a ValidationException says of these ops: that one of them does not fit its item."""
    updates = [op for op in ops if isinstance(op, Update)]
    if _TOO_LONG.search(message):
        return InvalidExpression("", "the expression is too long for DynamoDB")
    if _TOO_LARGE.search(message):
        return ItemTooLarge((updates or ops)[0].table.name, MAX_ITEM_BYTES)
    if _TOO_MANY_BYTES.search(message):
        return InvalidTransaction(TOO_MANY_BYTES)
    if not updates:
        return Unexpected(message)
    if _INDEX_KEY.search(message) and (problem := _spoilt_index_key(updates)):
        return problem
    if _NO_MAP.search(message):
        return InvalidUpdate("a path leads through a value other than a map")
    if _WRONG_TYPE.search(message):
        return InvalidUpdate("what stands there is of another type")
    for pattern, reason in (
        (_DIGITS, TOO_MANY_DIGITS),
        (_RANGE, OUT_OF_RANGE),
        (_TOO_DEEP, TOO_DEEP),
    ):
        if pattern.search(message):
            return InvalidItem(_suspect(updates, reason), reason)
    return Unexpected(message)


def spelt_out(op: Update, item: Item | None) -> Problem | None:
    """What does not fit, as the SQLite engine would say it; None where everything does."""
    key = op.key
    bare: Item = {op.table.partition: key.partition}
    if op.table.sort is not None:
        bare = {**bare, op.table.sort: key.sort}
    try:
        check_item(op.table, updated(op.actions, bare if item is None else item))
    except Problem as problem:
        return problem
    return None


def _spoilt_index_key(updates: Sequence[Update]) -> InvalidItem | None:
    """The same refusal as a Put of such a key would get."""
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


def _suspect(updates: Sequence[Update], reason: str) -> str:
    """The attribute that a message without a name is about: a sum's, or the first."""
    actions = [action for op in updates for action in op.actions]
    if reason != TOO_DEEP:
        actions = [action for action in actions if isinstance(action, Add)] or actions
    return actions[0].path.steps[0]
