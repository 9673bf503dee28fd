"""Builds DynamoDB requests in the simplest way, to compare the faster code with."""

from base64 import b64encode
from collections.abc import Mapping, Sequence, Set as AbstractSet
from decimal import Decimal
from typing import Any

from greenroom.store.base import Op, Put, Update
from greenroom.store.dynamo.encode import Placeholders, update_text
from greenroom.store.evaluate import holds
from greenroom.store.expressions import (
    Absent,
    And,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Contains,
    Exists,
    F,
    In,
    Not,
    Or,
    Path,
    SizeOf,
)
from greenroom.store.values import Value, number


class _Plain(Placeholders):
    def value(self, value: Value) -> str:
        placeholder = f":{len(self._values)}"
        self._values[placeholder] = reference_value(value)
        return placeholder


def reference_fields(op: Op, table_name: str, now: int | None) -> dict[str, Any]:
    into = _Plain()
    fields: dict[str, Any] = {"TableName": table_name}
    if isinstance(op, Put):
        fields["Item"] = reference_value(op.item)["M"]
    else:
        key = zip(op.table.key_names, (op.key.partition, op.key.sort), strict=False)
        fields["Key"] = {name: {"S": text} for name, text in key}
    if isinstance(op, Update):
        fields["UpdateExpression"] = update_text(op.actions, into)
    condition = _guarded(op, now)
    if condition is not None:
        fields["ConditionExpression"] = _text(condition, into)[0]
        fields["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return fields | into.fields()


def _guarded(op: Op, now: int | None) -> Condition | None:
    condition, ttl = op.condition, op.table.ttl
    if ttl is None or now is None:
        return condition
    gone = F(ttl).at_most(now)
    if condition is None:
        return Not(gone) if isinstance(op, Update) else None
    if holds(condition, None) and not isinstance(op, Update):
        return condition | gone
    return condition & Not(gone)


def _text(condition: Condition, into: Placeholders) -> tuple[str, bool]:
    """The text, and whether it needs parentheses inside another."""
    match condition:
        case And() | Or():
            parts = [_text(part, into) for part in _parts(condition)]
            if len(parts) == 1:
                return parts[0]
            word = " AND " if isinstance(condition, And) else " OR "
            return word.join(f"({text})" if many else text for text, many in parts), True
        case Not(part):
            text, many = _text(part, into)
            return (f"NOT ({text})" if many else f"NOT {text}"), True
        case Exists(path):
            return f"attribute_exists({into.path(path)})", False
        case Absent(path):
            return f"attribute_not_exists({into.path(path)})", False
        case Compare(operand, comparator, value):
            return f"{_operand(operand, into)} {comparator} {into.value(value)}", False
        case Between(operand, low, high):
            ends = f"{into.value(low)} AND {into.value(high)}"
            return f"{_operand(operand, into)} BETWEEN {ends}", False
        case BeginsWith(path, prefix):
            return f"begins_with({into.path(path)}, {into.value(prefix)})", False
        case Contains(path, value):
            return f"contains({into.path(path)}, {into.value(value)})", False
        case In(operand, values):
            listed = ", ".join(into.value(value) for value in values)
            return f"{_operand(operand, into)} IN ({listed})", False
    raise AssertionError(condition)


def _parts(condition: And | Or) -> list[Condition]:
    parts: list[Condition] = []
    for part in condition.parts:
        parts += _parts(part) if type(part) is type(condition) else [part]
    return parts


def _operand(operand: Path | SizeOf, into: Placeholders) -> str:
    return f"size({into.path(operand.path)})" if isinstance(operand, SizeOf) else into.path(operand)


def reference_value(value: Value) -> dict[str, Any]:
    match value:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": value}
        case str():
            return {"S": value}
        case int():
            return {"N": str(int(value))}
        case Decimal():
            return {"N": str(number(value))}
        case bytes() | bytearray() | memoryview():
            return {"B": b64encode(value).decode()}
        case Mapping():
            return {"M": {name: reference_value(value[name]) for name in sorted(value)}}
        case AbstractSet():
            members = [reference_value(member) for member in sorted(value)]
            (kind,) = members[0]
            return {f"{kind}S": [member[kind] for member in members]}
        case Sequence():
            return {"L": [reference_value(inner) for inner in value]}
    raise AssertionError(value)
