"""Builds DynamoDB's requests from ops, with guards that treat expired items as absent.

The guard of a table with a TTL, where `now` is the current second:

    Put, Delete, Check   condition holds for an absent item:   condition OR expired
                         it does not:                          condition AND NOT expired
    Update               condition AND NOT expired, because it must not merge with an expired item.
                         If the condition holds for an absent item, a refusal over an expired item
                         does not count: the item is removed and the write is sent again
                         (`blocked_by_expired`).
"""

from functools import lru_cache
from typing import Any

from greenroom.store.base import Check, Delete, Op, Put, Update, key_of
from greenroom.store.dynamo.attributes import encode, encode_item, encode_key, is_expired
from greenroom.store.dynamo.encode import Placeholders, condition_text, update_text
from greenroom.store.dynamo.sender import Repeat
from greenroom.store.evaluate import holds
from greenroom.store.expressions import Absent, Add, And, Append, Compare, Condition, Not, Or, Path
from greenroom.store.values import Item

_KIND = {Put: "Put", Update: "Update", Delete: "Delete", Check: "ConditionCheck"}


def transaction_member(op: Op, table_name: str, now: int | None) -> dict[str, Any]:
    return {_KIND[type(op)]: _fields(op, table_name, now)}


def single_request(op: Op, table_name: str, now: int | None) -> tuple[str, dict[str, Any]]:
    """The action and its payload. A lone Update asks for the new item."""
    fields = _fields(op, table_name, now)
    if isinstance(op, Update):
        fields["ReturnValues"] = "ALL_NEW"
    return f"{_KIND[type(op)]}Item", fields


def _fields(op: Op, table_name: str, now: int | None) -> dict[str, Any]:
    fields: dict[str, Any] = {"TableName": table_name}
    if isinstance(op, Put):
        fields["Item"] = encode_item(op.item)
    else:
        fields["Key"] = encode_key(op.table, op.key)
    into = Placeholders()
    if isinstance(op, Update):
        fields["UpdateExpression"] = update_text(op.actions, into)
    elif (shape := _common_shape(op.condition)) is not None:
        return _with_cached_text(fields, op, shape, now)
    condition = _guarded(op, now)
    if condition is not None:
        fields["ConditionExpression"] = condition_text(condition, into)
        fields["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    fields.update(into.fields())
    return fields


def _common_shape(condition: Condition | None) -> Absent | Compare | None:
    """A frequent condition without its value; None for any other."""
    if type(condition) is Absent:
        return condition
    if (
        type(condition) is Compare
        and condition.comparator == "="
        and type(condition.operand) is Path
    ):
        return Compare(condition.operand, "=", None)
    return None


def _with_cached_text(
    fields: dict[str, Any], op: Op, shape: Absent | Compare, now: int | None
) -> dict[str, Any]:
    ttl = None if now is None else op.table.ttl
    text, names = _cached_text(shape, ttl)
    values = [op.condition.value] if isinstance(op.condition, Compare) else []
    if ttl is not None:
        values.append(now)  # the guard comes last
    fields["ConditionExpression"] = text
    fields["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    fields["ExpressionAttributeNames"] = names
    if values:
        fields["ExpressionAttributeValues"] = {
            f":{number}": encode(value) for number, value in enumerate(values)
        }
    return fields


@lru_cache(1024)
def _cached_text(shape: Absent | Compare, ttl: str | None) -> tuple[str, dict[str, str]]:
    """The expression text and names, which do not depend on the values."""
    into = Placeholders()
    text = condition_text(
        shape if ttl is None else _with_guard(shape, _expired_condition(ttl, 0)), into
    )
    return text, into.fields()["ExpressionAttributeNames"]


def removal_request(op: Op, table_name: str, now: int) -> dict[str, Any]:
    """Deletes the op's item if it is still expired."""
    into = Placeholders()
    assert op.table.ttl is not None
    expired = _expired_condition(op.table.ttl, now)
    fields = {
        "TableName": table_name,
        "Key": encode_key(op.table, key_of(op)),
        "ConditionExpression": condition_text(expired, into),
    }
    return fields | into.fields()


def _guarded(op: Op, now: int | None) -> Condition | None:
    condition, ttl = op.condition, op.table.ttl
    if ttl is None or now is None:
        return condition
    expired = _expired_condition(ttl, now)
    if isinstance(op, Update):
        return Not(expired) if condition is None else And((condition, Not(expired)))
    return None if condition is None else _with_guard(condition, expired)


def _expired_condition(ttl: str, now: int) -> Compare:
    return Compare(Path((ttl,)), "<=", now)


def _with_guard(condition: Condition, expired: Compare) -> Condition:
    """For every op except Update."""
    if holds(condition, None):
        return Or((condition, expired))
    return And((condition, Not(expired)))


def needs_guard(op: Op) -> bool:
    return op.table.ttl is not None and (op.condition is not None or isinstance(op, Update))


def blocked_by_expired(op: Op, item: Item | None, now: int) -> bool:
    """Whether the op was refused only by its guard, because of an expired item."""
    return (
        isinstance(op, Update)
        and item is not None
        and is_expired(op.table, item, now)
        and (op.condition is None or holds(op.condition, None))
    )


def repeatable(op: Op) -> Repeat:
    """Whether a lone op may be repeated if its outcome is unknown."""
    if isinstance(op, Update):
        for action in op.actions:
            if isinstance(action, Append):
                return Repeat.NEVER
            if isinstance(action, Add) and not isinstance(action.amount, set | frozenset):
                return Repeat.NEVER
    return Repeat.SAFE
