"""Translates values to DynamoDB's JSON and back.

Careful: maps and sets are sorted. Equal calls must have equal bytes, or DynamoDB takes a repeated
token for a different transaction.
"""

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence, Set as AbstractSet
from decimal import Decimal
from typing import Any

from greenroom.store.base import Key
from greenroom.store.tables import Table
from greenroom.store.values import Item, Value, number


def encode(value: Value) -> dict[str, Any]:
    return _ENCODERS.get(type(value), _encode_uncommon)(value)


def encode_item(item: Item) -> dict[str, Any]:
    encoders, rare = _ENCODERS, _encode_uncommon
    return {name: encoders.get(type(item[name]), rare)(item[name]) for name in sorted(item)}


def encode_key(table: Table, key: Key) -> dict[str, Any]:
    if table.sort is None:
        return {table.partition: {"S": key.partition}}
    return {table.partition: {"S": key.partition}, table.sort: {"S": key.sort}}


def _encode_bytes(value: Any) -> dict[str, Any]:
    return {"B": b64encode(value).decode()}


def _encode_map(value: Item) -> dict[str, Any]:
    return {"M": encode_item(value)}


def _encode_list(value: Sequence[Value]) -> dict[str, Any]:
    return {"L": [encode(inner) for inner in value]}


def _encode_set(members: AbstractSet[Any]) -> dict[str, Any]:
    encoded = [encode(member) for member in sorted(members)]
    kind = next(iter(encoded[0]))
    return {f"{kind}S": [member[kind] for member in encoded]}


_ENCODERS: dict[type, Callable[[Any], dict[str, Any]]] = {
    str: lambda value: {"S": value},
    int: lambda value: {"N": str(value)},
    dict: _encode_map,
    list: _encode_list,
    bool: lambda value: {"BOOL": value},
    bytes: _encode_bytes,
    type(None): lambda value: {"NULL": True},
}


def _encode_uncommon(value: Any) -> dict[str, Any]:
    """Encodes other types, including subclasses of the common ones."""
    match value:
        case str():
            return {"S": value}
        case int():
            return {"N": str(int(value))}  # str() of an enum would be its name
        case Decimal():
            return {"N": str(number(value))}  # 1.0 and 1 must encode alike
        case bytes() | bytearray() | memoryview():
            return _encode_bytes(value)
        case Mapping():
            return _encode_map(value)
        case AbstractSet():
            return _encode_set(value)
        case Sequence():
            return _encode_list(value)
    raise AssertionError(f"not a storable value: {value!r}")


def decode(attribute: Mapping[str, Any]) -> Value:
    if not attribute:
        return {}  # an empty map in the streams of DynamoDB Local
    ((kind, value),) = attribute.items()
    if kind == "S":
        return value  # type: ignore[no-any-return]
    decoder = _DECODERS.get(kind)
    if decoder is None:
        raise AssertionError(f"DynamoDB has no attributes of type {kind}")
    return decoder(value)


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


_DECODERS: dict[str, Callable[[Any], Value]] = {
    "N": _number,
    "BOOL": lambda value: value,
    "M": decode_item,
    "L": lambda value: [decode(inner) for inner in value],
    "NULL": lambda value: None,
    "B": b64decode,
    "SS": frozenset,
    "NS": lambda value: frozenset(map(_number, value)),
    "BS": lambda value: frozenset(map(b64decode, value)),
}


def is_expired(table: Table, item: Item, now: int) -> bool:
    """Whether the item has expired, removed or not."""
    end = None if table.ttl is None else item.get(table.ttl)
    return isinstance(end, int | Decimal) and not isinstance(end, bool) and end <= now
