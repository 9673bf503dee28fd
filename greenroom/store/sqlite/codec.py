"""Packs items as MessagePack, with extension types for decimals, large integers and sets.

Careful: msgspec silently writes a Decimal as text and a set as an array, so both are replaced
before packing. An int of more than 64 bits does not fit either.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import UNSET

from greenroom.store.values import Item, Value, canonical, number

_NUMBER, _TEXTS, _NUMBERS, _BYTES = 1, 2, 3, 4
_PLAIN = frozenset((str, bool, bytes, type(None)))
_INT64 = 1 << 63

_encode = msgspec.msgpack.Encoder().encode


def pack(item: Item, *, is_plain: bool = False) -> bytes:
    """`is_plain`: `values.measure` has found only types that need no replacement."""
    if is_plain:
        return _encode(item)
    return _encode(
        {
            name: value if _is_plain(value) else _packable(canonical(value))
            for name, value in item.items()
        }
    )


def _is_plain(value: Value) -> bool:
    kind = type(value)
    if kind is int:
        return -_INT64 <= value < _INT64  # type: ignore[operator]
    if kind is dict:
        return all(type(v) in _PLAIN or _is_plain(v) for v in value.values())  # type: ignore[union-attr]
    if kind is list:
        return all(type(v) in _PLAIN or _is_plain(v) for v in value)  # type: ignore[union-attr]
    return kind in _PLAIN


def _packable(value: Value) -> Any:
    match value:
        case Decimal():
            return msgspec.msgpack.Ext(_NUMBER, str(value).encode())
        case bool() | str() | bytes() | None:
            return value
        case int():
            if -_INT64 <= value < _INT64:
                return value
            return msgspec.msgpack.Ext(_NUMBER, str(value).encode())
        case Mapping():
            return {name: _packable(inner) for name, inner in value.items()}
        case frozenset():
            return _packed_set(value)
        case Sequence():
            return [_packable(inner) for inner in value]
    raise AssertionError(f"not a value: {value!r}")


def _packed_set(members: frozenset[Any]) -> Any:
    ordered = sorted(members)
    if isinstance(ordered[0], str):
        return msgspec.msgpack.Ext(_TEXTS, _encode(ordered))
    if isinstance(ordered[0], bytes):
        return msgspec.msgpack.Ext(_BYTES, _encode(ordered))
    return msgspec.msgpack.Ext(_NUMBERS, _encode([str(member) for member in ordered]))


def _extension(code: int, data: memoryview) -> Any:
    if code == _NUMBER:
        return number(Decimal(bytes(data).decode()))
    members = msgspec.msgpack.decode(data)
    if code == _NUMBERS:
        return frozenset(number(Decimal(member)) for member in members)
    return frozenset(members)


unpack = msgspec.msgpack.Decoder(dict[str, Any], ext_hook=_extension).decode


@lru_cache(16)
def unpacker(attributes: tuple[str, ...]) -> Callable[[bytes], Item]:
    """Unpacks only these attributes of an item: many times faster than the whole of a large one."""
    names = {f"a{number}": name for number, name in enumerate(attributes)}
    fields = [(field, Any, UNSET) for field in names]
    shape = msgspec.defstruct("Attributes", fields, rename=names, gc=False)
    decode = msgspec.msgpack.Decoder(shape, ext_hook=_extension).decode

    def unpack_some(blob: bytes) -> Item:
        found = decode(blob)
        pairs = ((name, getattr(found, field)) for field, name in names.items())
        return {name: value for name, value in pairs if value is not UNSET}

    return unpack_some
