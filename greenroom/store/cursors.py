"""Encodes opaque cursors: authenticated, encrypted, and valid for one query only.

The seal is a MAC with the operator's secret over the query (table, index, partition, range,
direction) and the position, so an altered cursor or one of another query is refused. The position
is encrypted with a key stream derived from the seal, because it may reveal hidden data. All nodes
of one installation share the secret.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import blake2b

import msgspec

from greenroom.store.expressions import SortRange
from greenroom.store.problems import InvalidCursor
from greenroom.store.tables import Index, Table

MAX_CURSOR = 4096
"""The longest cursor that a request may carry."""
_SEAL_BYTES = 12
MAX_SEALED_BYTES = MAX_CURSOR * 3 // 4 - _SEAL_BYTES
_BLOCK_BYTES = 64


class CursorCodec:
    def __init__(self, secret: bytes) -> None:
        self._secret = blake2b(secret, digest_size=32, person=b"gr-cursors").digest()
        self._stream = blake2b(secret, digest_size=32, person=b"gr-cursors-hide").digest()

    def seal(self, scope: bytes, position: tuple[str | None, ...]) -> str:
        return self.seal_bytes(scope, msgspec.msgpack.encode(position))

    def unseal(self, scope: bytes, cursor: str) -> tuple[str | None, ...]:
        body = self.unseal_bytes(scope, cursor)
        return msgspec.msgpack.decode(body, type=tuple[str | None, ...])

    def seal_text(self, scope: bytes, position: str) -> str:
        return self.seal_bytes(scope, position.encode())

    def unseal_text(self, scope: bytes, cursor: str) -> str:
        return self.unseal_bytes(scope, cursor).decode()

    def seal_bytes(self, scope: bytes, body: bytes) -> str:
        seal = self._seal(scope, body)
        return _text(seal + self._crypt(seal, body))

    def unseal_bytes(self, scope: bytes, cursor: str) -> bytes:
        try:
            raw = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        except ValueError:
            raise InvalidCursor from None
        if _text(raw) != cursor:  # base64 ignores some characters
            raise InvalidCursor
        seal = raw[:_SEAL_BYTES]
        body = self._crypt(seal, raw[_SEAL_BYTES:])
        if not hmac.compare_digest(seal, self._seal(scope, body)):
            raise InvalidCursor
        return body

    def _seal(self, scope: bytes, body: bytes) -> bytes:
        sealed = msgspec.msgpack.encode((scope, body))
        return blake2b(sealed, key=self._secret, digest_size=_SEAL_BYTES).digest()

    def _crypt(self, seal: bytes, body: bytes) -> bytes:
        """Encrypts or decrypts with a key stream derived from the seal."""
        blocks = -(-len(body) // _BLOCK_BYTES)
        stream = b"".join(
            blake2b(seal + number.to_bytes(4, "big"), key=self._stream).digest()
            for number in range(blocks)
        )[: len(body)]
        mixed = int.from_bytes(body, "big") ^ int.from_bytes(stream, "big")
        return mixed.to_bytes(len(body), "big")


def _text(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def query_scope(
    table: Table, index: Index | None, partition: str, sort: SortRange | None, backward: bool
) -> bytes:
    kind = None if sort is None else (type(sort).__name__, *msgspec.structs.astuple(sort))
    return msgspec.msgpack.encode(
        (table.name, None if index is None else index.name, partition, kind, backward)
    )
