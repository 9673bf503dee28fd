"""Signs requests to a bucket with AWS signature version 4, in headers or in a URL.

A path needs no escaping: `location.py` and `keys.py` allow no character that would.
"""

import hmac
from collections.abc import Mapping
from hashlib import sha256
from urllib.parse import quote, urlsplit

from aiodynamo.credentials import Key
from msgspec import Struct

from greenroom.aws.signature import ALGORITHM, Scope, check_header
from greenroom.blobs.s3.location import Location
from greenroom.clock import Clock, iso

_SERVICE = "s3"
_UNSIGNED = "UNSIGNED-PAYLOAD"
_UNRESERVED = "-_.~"


class _Signing(Struct, frozen=True):
    """Of one day, with one key."""

    key: Key
    scope: Scope
    secret: bytes


class S3Signer:
    def __init__(self, location: Location, clock: Clock) -> None:
        self._location = location
        self._clock = clock
        self._signing: _Signing | None = None

    def headers(
        self,
        key: Key,
        method: str,
        path: str,
        query: Mapping[str, str],
        headers: Mapping[str, str],
        body: bytes,
    ) -> dict[str, str]:
        """The headers of a request of this server, with those given."""
        at, digest = self._now(), sha256(body).hexdigest()
        signing = self._signing_of(key, at)
        signed = {
            **headers,
            "host": urlsplit(self._location.endpoint).netloc,
            "x-amz-content-sha256": digest,
            "x-amz-date": at,
        }
        if key.token:
            signed["x-amz-security-token"] = key.token
        signature = _signature(signing, at, method, path, query_text(query), signed, digest)
        credential = f"{ALGORITHM} Credential={key.id}/{signing.scope}"
        authorization = f"{credential}, SignedHeaders={_names(signed)}, Signature={signature}"
        return {**signed, "authorization": authorization}

    def url(
        self,
        key: Key,
        method: str,
        path: str,
        query: Mapping[str, str],
        headers: Mapping[str, str],
        seconds: int,
    ) -> str:
        """The URL of a request that a client sends with these headers."""
        at, origin = self._now(), self._location.public
        signing = self._signing_of(key, at)
        signed = {**headers, "host": urlsplit(origin).netloc}
        parameters = {
            **query,
            "X-Amz-Algorithm": ALGORITHM,
            "X-Amz-Credential": f"{key.id}/{signing.scope}",
            "X-Amz-Date": at,
            "X-Amz-Expires": str(seconds),
            "X-Amz-SignedHeaders": _names(signed),
        }
        if key.token:
            parameters["X-Amz-Security-Token"] = key.token
        text = query_text(parameters)
        signature = _signature(signing, at, method, path, text, signed, _UNSIGNED)
        return f"{origin}{path}?{text}&X-Amz-Signature={signature}"

    def _now(self) -> str:
        """`20260102T030405Z`."""
        return iso(self._clock.now_ms())[:19].replace("-", "").replace(":", "") + "Z"

    def _signing_of(self, key: Key, at: str) -> _Signing:
        known = self._signing
        if known is None or known.key != key or known.scope.date != at[:8]:
            check_header("access key", key.id)
            check_header("session token", key.token or "-")
            scope = Scope(at[:8], self._location.region, _SERVICE)
            known = self._signing = _Signing(key, scope, scope.signing_key(key.secret))
        return known


def _signature(
    signing: _Signing,
    at: str,
    method: str,
    path: str,
    query: str,
    headers: Mapping[str, str],
    digest: str,
) -> str:
    listed = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
    request = "\n".join((method, path, query, listed, _names(headers), digest))
    hashed = sha256(request.encode()).hexdigest()
    text = "\n".join((ALGORITHM, at, str(signing.scope), hashed))
    return hmac.digest(signing.secret, text.encode(), "sha256").hex()


def _names(headers: Mapping[str, str]) -> str:
    return ";".join(sorted(headers))


def query_text(parameters: Mapping[str, str]) -> str:
    """As it has to be sent, too."""
    escaped = [
        f"{quote(name, safe=_UNRESERVED)}={quote(text, safe=_UNRESERVED)}"
        for name, text in sorted(parameters.items())
    ]
    return "&".join(escaped)
