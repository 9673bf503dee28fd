"""An op as the fields of DynamoDB's request, guarded so that what has expired counts as absent.

The guard, where the table has a TTL and `now` is the second that it is:

    Put, Delete, Check   condition holds of nothing:  condition OR expired
                         it does not:                 condition AND NOT expired
    Update               condition AND NOT expired: it must not merge with what has expired. Where
                         the condition holds of nothing, a refusal over an expired item is no
                         refusal: the item is removed and the write sent again (`is_stale`).
"""

from typing import Any

from greenroom.store.base import Check, Delete, Op, Put, Update, key_of
from greenroom.store.dynamo.attributes import encode_item, encode_key, expired
from greenroom.store.dynamo.encode import Placeholders, condition_text, update_text
from greenroom.store.dynamo.wire import Repeat
from greenroom.store.evaluate import holds
from greenroom.store.expressions import Add, And, Append, Compare, Condition, Not, Or, Path
from greenroom.store.values import Item

_KIND = {Put: "Put", Update: "Update", Delete: "Delete", Check: "ConditionCheck"}


def transaction_member(op: Op, table_name: str, now: int | None) -> dict[str, Any]:
    return {_KIND[type(op)]: _fields(op, table_name, now)}


def single_request(op: Op, table_name: str, now: int | None) -> tuple[str, dict[str, Any]]:
    """The action and its payload. A lone Update asks for the item as it then stands."""
    fields = _fields(op, table_name, now)
    if isinstance(op, Update):
        fields["ReturnValues"] = "ALL_NEW"
    return f"{_KIND[type(op)]}Item", fields


def _fields(op: Op, table_name: str, now: int | None) -> dict[str, Any]:
    into = Placeholders()
    fields: dict[str, Any] = {"TableName": table_name}
    if isinstance(op, Put):
        fields["Item"] = encode_item(op.item)
    else:
        fields["Key"] = encode_key(op.table, op.key)
    if isinstance(op, Update):
        fields["UpdateExpression"] = update_text(op.actions, into)
    condition = _guarded(op, now)
    if condition is not None:
        fields["ConditionExpression"] = condition_text(condition, into)
        fields["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return fields | into.fields()


def removal_request(op: Op, table_name: str, now: int) -> dict[str, Any]:
    """Takes the op's item out, if it is still expired."""
    into = Placeholders()
    assert op.table.ttl is not None
    gone = Compare(Path((op.table.ttl,)), "<=", now)
    fields = {
        "TableName": table_name,
        "Key": encode_key(op.table, key_of(op)),
        "ConditionExpression": condition_text(gone, into),
    }
    return fields | into.fields()


def _guarded(op: Op, now: int | None) -> Condition | None:
    condition, ttl = op.condition, op.table.ttl
    if ttl is None or now is None:
        return condition
    gone = Compare(Path((ttl,)), "<=", now)
    if condition is None:
        return Not(gone) if isinstance(op, Update) else None
    if holds(condition, None) and not isinstance(op, Update):
        return Or((condition, gone))
    return And((condition, Not(gone)))


def needs_guard(op: Op) -> bool:
    return op.table.ttl is not None and (op.condition is not None or isinstance(op, Update))


def is_stale(op: Op, item: Item | None, now: int) -> bool:
    """Whether an op was refused by its guard alone, over an item that has expired."""
    return (
        isinstance(op, Update)
        and item is not None
        and expired(op.table, item, now)
        and (op.condition is None or holds(op.condition, None))
    )


def repeatable(op: Op) -> Repeat:
    """Whether a lone op may be sent again when it is not known if it was carried out."""
    if isinstance(op, Update):
        for action in op.actions:
            if isinstance(action, Append):
                return Repeat.NEVER
            if isinstance(action, Add) and not isinstance(action.amount, set | frozenset):
                return Repeat.NEVER
    return Repeat.SAFE
