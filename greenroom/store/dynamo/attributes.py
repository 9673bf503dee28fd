"""Our values to DynamoDB's JSON and back.

Maps and sets go out sorted: two calls that mean the same must be the same bytes, or a repeated
token would be taken for another transaction.
"""

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence, Set as AbstractSet
from decimal import Decimal
from typing import Any

from greenroom.store.base import Key
from greenroom.store.tables import Table
from greenroom.store.values import Item, Value, number


def encode(value: Value) -> dict[str, Any]:
    match value:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": value}
        case str():
            return {"S": value}
        case int():
            return {"N": str(int(value))}  # str() of an enum would be its name
        case Decimal():
            return {"N": str(number(value))}  # 1.0 and 1 are the same, also under one token
        case bytes() | bytearray() | memoryview():
            return {"B": b64encode(value).decode()}
        case Mapping():
            return {"M": encode_item(value)}
        case AbstractSet():
            return _encode_set(value)
        case Sequence():
            return {"L": [encode(inner) for inner in value]}
    raise AssertionError(f"{value!r} has passed the checks and is no value")


def encode_item(item: Item) -> dict[str, Any]:
    return {name: encode(item[name]) for name in sorted(item)}


def encode_key(table: Table, key: Key) -> dict[str, Any]:
    if table.sort is None:
        return {table.partition: {"S": key.partition}}
    return {table.partition: {"S": key.partition}, table.sort: {"S": key.sort}}


def _encode_set(members: AbstractSet[Any]) -> dict[str, Any]:
    encoded = [encode(member) for member in sorted(members)]
    kind = next(iter(encoded[0]))
    return {f"{kind}S": [member[kind] for member in encoded]}


def decode(attribute: Mapping[str, Any]) -> Value:
    if not attribute:
        return {}  # so the streams of DynamoDB Local tell an empty map
    ((kind, value),) = attribute.items()
    match kind:
        case "S" | "BOOL":
            return value  # type: ignore[no-any-return]
        case "N":
            return _number(value)
        case "M":
            return decode_item(value)
        case "L":
            return [decode(inner) for inner in value]
        case "NULL":
            return None
        case "B":
            return b64decode(value)
        case "SS":
            return frozenset(value)
        case "NS":
            return frozenset(_number(member) for member in value)
        case "BS":
            return frozenset(b64decode(member) for member in value)
    raise AssertionError(f"DynamoDB has no attributes of type {kind}")


def decode_item(attributes: Mapping[str, Any]) -> dict[str, Value]:
    return {name: decode(attribute) for name, attribute in attributes.items()}


def decode_key(table: Table, attributes: Mapping[str, Any]) -> Key:
    sort = None if table.sort is None else attributes[table.sort]["S"]
    return Key(attributes[table.partition]["S"], sort)


def _number(text: str) -> int | Decimal:
    try:
        return int(text)
    except ValueError:
        return number(Decimal(text))


def expired(table: Table, item: Item, now: int) -> bool:
    """Whether the item is gone at this second, removed or not."""
    end = None if table.ttl is None else item.get(table.ttl)
    return isinstance(end, int | Decimal) and not isinstance(end, bool) and end <= now
