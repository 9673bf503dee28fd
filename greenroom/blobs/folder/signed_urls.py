"""Signs URLs of this server that need no token: `/v1/blobs/{key}?expires=…&…&signature=…`.

The signature covers the method, the key and every parameter. It is made over their values, not over
the text of the URL, because clients and proxies write the same URL in different ways.
"""

import hmac
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

import msgspec
from msgspec import Struct

from greenroom.blobs.base import BlobKey, UploadId
from greenroom.blobs.keys import check
from greenroom.clock import Clock

PREFIX = "/v1/blobs/"
_MAX_NUMBER = 2**53


class Grant(Struct, frozen=True, omit_defaults=True):
    """What a signed URL allows, until it expires."""

    method: str
    """`GET`, which allows HEAD too, or `PUT`."""
    key: BlobKey
    expires: int
    """In seconds since 1970."""
    type: str
    name: str = ""
    """What a browser saves a download as."""
    inline: int = 0
    """1 if a browser may show it."""
    size: int = 0
    """Of an upload."""
    upload: UploadId = UploadId("")
    part: int = 0


_NUMBERS = ("expires", "inline", "size", "part")
_PARAMETERS = tuple(name for name in Grant.__struct_fields__ if name not in ("method", "key"))


class UrlSigner:
    def __init__(self, secret: bytes, clock: Clock) -> None:
        self._key = hmac.digest(secret, b"urls of blobs", "sha256")
        self._clock = clock

    def expiry(self, seconds: int) -> int:
        return self._clock.now_ms() // 1000 + seconds

    def seconds_left(self, grant: Grant) -> int:
        return max(0, grant.expires - self._clock.now_ms() // 1000 - 1)

    def url(self, grant: Grant) -> str:
        check(grant.key)
        given = msgspec.structs.asdict(grant)
        query = {name: given[name] for name in _PARAMETERS if given[name]}
        return f"{PREFIX}{grant.key}?{urlencode({**query, 'signature': self._signature(grant)})}"

    def verified(self, method: str, key: BlobKey, query: Sequence[tuple[str, str]]) -> Grant | None:
        """What the URL allows, or None if it was altered, has expired, or is for something else."""
        given = dict(query)
        signature = given.pop("signature", "")
        if len(given) + 1 != len(query) or not given.keys() <= set(_PARAMETERS):
            return None
        grant = _grant_of("GET" if method == "HEAD" else method, key, given)
        if grant is None or not hmac.compare_digest(
            self._signature(grant).encode(), signature.encode()
        ):
            return None
        return grant if self._clock.now_ms() < grant.expires * 1000 else None

    def _signature(self, grant: Grant) -> str:
        values = msgspec.json.encode(msgspec.structs.astuple(grant))
        return hmac.digest(self._key, values, "sha256").hex()


def _grant_of(method: str, key: BlobKey, given: Mapping[str, str]) -> Grant | None:
    values: dict[str, str | int] = {"method": method, "key": key, "type": "", "expires": 0, **given}
    for name in _NUMBERS:
        text = given.get(name, "0")
        if not (text.isascii() and text.isdecimal() and len(text) <= len(str(_MAX_NUMBER))):
            return None
        values[name] = int(text)
    try:
        return msgspec.convert(values, Grant)
    except msgspec.ValidationError:
        return None
