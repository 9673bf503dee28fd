"""Opaque cursors: a place in one query's result, sealed so that it opens only that query.

The seal is keyed with the operator's secret and covers the query (table, index, partition, range,
direction), so that a cursor that was altered, or given out for another query, is refused rather
than read as a place somewhere else. All nodes of one installation share the secret.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import blake2b

import msgspec

from greenroom.store.expressions import SortRange
from greenroom.store.problems import InvalidCursor
from greenroom.store.tables import Index, Table

_SEAL_BYTES = 12


class Cursors:
    def __init__(self, secret: bytes) -> None:
        self._secret = blake2b(secret, digest_size=32, person=b"gr-cursors").digest()

    def seal(self, scope: bytes, place: tuple[str | None, ...]) -> str:
        body = msgspec.msgpack.encode(place)
        return _text(self._seal(scope, body) + body)

    def unseal(self, scope: bytes, cursor: str) -> tuple[str | None, ...]:
        try:
            raw = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        except ValueError:
            raise InvalidCursor from None
        if _text(raw) != cursor:  # characters that base64 passes over
            raise InvalidCursor
        seal, body = raw[:_SEAL_BYTES], raw[_SEAL_BYTES:]
        if not hmac.compare_digest(seal, self._seal(scope, body)):
            raise InvalidCursor
        return msgspec.msgpack.decode(body, type=tuple[str | None, ...])

    def _seal(self, scope: bytes, body: bytes) -> bytes:
        sealed = msgspec.msgpack.encode((scope, body))
        return blake2b(sealed, key=self._secret, digest_size=_SEAL_BYTES).digest()


def _text(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def query_scope(
    table: Table, index: Index | None, partition: str, sort: SortRange | None, backward: bool
) -> bytes:
    kind = None if sort is None else (type(sort).__name__, *msgspec.structs.astuple(sort))
    return msgspec.msgpack.encode(
        (table.name, None if index is None else index.name, partition, kind, backward)
    )
