"""AWS's signature, version 4, on a request to DynamoDB or to its streams.

aiodynamo's own `signed_dynamo_request` signs for tables only and leaves the port out of the host,
which a server on a port of its own that checks signatures (Alternator) does not accept.
"""

from hashlib import sha256

from aiodynamo.credentials import Key
from aiodynamo.sign import (
    ALGORITHM,
    CONTENT_TYPE,
    SERVICE,
    Instant,
    derive_signing_key,
    sha256_hmac,
)
from yarl import URL


class Signer:
    def __init__(self, endpoint: str, region: str, api: str) -> None:
        url = URL(endpoint)
        self.endpoint = endpoint
        self._host = url.host_port_subcomponent or ""
        self._region = region
        self._api = api
        self._derived: tuple[Key, str, bytes] | None = None

    def headers(self, key: Key, action: str, body: bytes) -> dict[str, str]:
        instant = Instant.now()
        signed = {
            "content-type": CONTENT_TYPE,
            "host": self._host,
            "x-amz-date": instant.timestamp,
            "x-amz-target": f"{self._api}.{action}",
        }
        if key.token:
            signed["x-amz-security-token"] = key.token
        names = sorted(signed)
        canonical = "".join(f"{name}:{signed[name]}\n" for name in names)
        listed = ";".join(names)
        request = f"POST\n/\n\n{canonical}\n{listed}\n{sha256(body).hexdigest()}"
        scope = f"{instant.date}/{self._region}/{SERVICE}/aws4_request"
        digest = sha256(request.encode()).hexdigest()
        text = f"{ALGORITHM}\n{instant.timestamp}\n{scope}\n{digest}"
        signature = sha256_hmac(self._signing_key(key, instant), text).hex()
        return signed | {
            "authorization": f"{ALGORITHM} Credential={key.id}/{scope}, "
            f"SignedHeaders={listed}, Signature={signature}"
        }

    def _signing_key(self, key: Key, instant: Instant) -> bytes:
        known = self._derived
        if known is None or known[0] != key or known[1] != instant.date:
            known = (key, instant.date, derive_signing_key(key, instant, self._region))
            self._derived = known
        return known[2]
