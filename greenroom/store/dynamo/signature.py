"""Builds the HTTP headers of a request to DynamoDB or its streams, with AWS signature version 4.

aiodynamo's `signed_dynamo_request` signs for tables only and omits the port from the host, which a
server that checks signatures on another port (Alternator) does not accept.

Constant parts are computed once per key and second, and within that second once per action.
"""

import hmac
from hashlib import sha256
from time import time
from typing import Any, NamedTuple

from aiodynamo.credentials import Key
from aiodynamo.sign import CONTENT_TYPE, SERVICE, Instant
from yarl import URL

from greenroom.aws.signature import ALGORITHM, Scope, UnsafeHeader, check_header
from greenroom.store.problems import StoreUnavailable


class _Action(NamedTuple):
    """The parts of a request that do not depend on its body."""

    canonical: Any
    """The hash of the canonical request up to the hash of the body."""
    head: bytes
    """The request's head up to the signature."""


class Signer:
    def __init__(self, endpoint: str, region: str, api: str) -> None:
        self._host = _checked("host", URL(endpoint).host_port_subcomponent or "")
        self._region = region
        self._api = api
        self._key: Key | None = None
        self._second = 0
        self._instant = Instant.now()
        self._scope = ""
        self._signing_key = b""
        self._signature = hmac.new(b"-", digestmod="sha256")
        """HMAC of the text to sign, up to the hash of the canonical request."""
        self._actions: dict[str, _Action] = {}

    def head(self, key: Key, action: str, body: bytes) -> bytes:
        second = int(time())
        if second != self._second or key is not self._key:
            self._begin(key)
            self._second = second
        known = self._actions.get(action)
        if known is None:
            known = self._actions[action] = self._action(key, action)
        canonical = known.canonical.copy()
        canonical.update(sha256(body).hexdigest().encode())
        signature = self._signature.copy()
        signature.update(canonical.hexdigest().encode())
        signed = signature.hexdigest().encode()
        return b"%b%b\r\ncontent-length: %d\r\n\r\n" % (known.head, signed, len(body))

    def _begin(self, key: Key) -> None:
        """Prepares signing with this key for the current second."""
        instant = Instant.now()
        if key is not self._key or instant.date != self._instant.date:
            _checked("access key", key.id)
            _checked("session token", key.token or "-")
            scope = Scope(instant.date, self._region, SERVICE)
            self._signing_key, self._scope = scope.signing_key(key.secret), str(scope)
        self._key = key
        self._instant = instant
        text = f"{ALGORITHM}\n{instant.timestamp}\n{self._scope}\n"
        self._signature = hmac.new(self._signing_key, text.encode(), "sha256")
        self._actions = {}

    def _action(self, key: Key, action: str) -> _Action:
        headers = {
            "content-type": CONTENT_TYPE,
            "host": self._host,
            "x-amz-date": self._instant.timestamp,
            "x-amz-target": f"{self._api}.{action}",
        }
        if key.token:
            headers["x-amz-security-token"] = key.token
        names = sorted(headers)
        listed = ";".join(names)
        signed = "".join(f"{name}:{headers[name]}\n" for name in names)
        sent = "".join(f"{name}: {headers[name]}\r\n" for name in names)
        return _Action(
            sha256(f"POST\n/\n\n{signed}\n{listed}\n".encode()),
            f"POST / HTTP/1.1\r\n{sent}accept-encoding: identity\r\n"
            f"authorization: {ALGORITHM} Credential={key.id}/{self._scope}, "
            f"SignedHeaders={listed}, Signature=".encode(),
        )


def _checked(name: str, value: str) -> str:
    try:
        return check_header(name, value)
    except UnsafeHeader as unsafe:
        raise StoreUnavailable(str(unsafe)) from None
