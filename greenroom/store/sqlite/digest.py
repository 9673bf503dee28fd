"""Hashes a transaction, to tell its repeat from a different one with the same token.

Careful: the repeat may come from another process, where sets iterate in another order. Maps may
come in any order too. Both are sorted first.
"""

from collections.abc import Mapping, Sequence, Set as AbstractSet
from decimal import Decimal
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import Struct

from greenroom.store.base import Op
from greenroom.store.tables import Table
from greenroom.store.values import number


def digest(ops: Sequence[Op]) -> bytes:
    return blake2b(msgspec.msgpack.encode(_plain(list(ops))), digest_size=16).digest()


def _plain(value: Any) -> Any:
    match value:
        case Table():
            return value.name
        case Struct():
            return [type(value).__name__, *map(_plain, msgspec.structs.astuple(value))]
        case None | bool() | bytes():
            return value
        case str():
            return ["text", str.__str__(value)]
        case int() | Decimal():
            return ["number", str(number(Decimal(value)))]
        case Mapping():
            return ["map", *([name, _plain(value[name])] for name in sorted(value))]
        case AbstractSet():
            return ["set", *sorted(map(_plain, value), key=repr)]
    return ["list", *map(_plain, value)]
