"""Fetches and caches an identity provider's public keys from its JWKS URL.

Careful: the sender of a token chooses its `kid`, so an unknown `kid` triggers a refetch at most
every `PAUSE_MS`. A slow provider must not slow down tokens with a known key, so keys are renewed in
the background.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

import aiohttp
import jwt
import msgspec
from msgspec import Struct

from greenroom.api.tokens import Fault, InvalidToken, KeysUnavailable, verified_payload
from greenroom.clock import Clock

_log = logging.getLogger(__name__)
FRESH_MS = 10 * 60_000
"""How long keys are used before they are fetched again."""
KEPT_MS = 24 * 3_600_000
"""How long keys are used while the provider does not respond."""
PAUSE_MS = 30_000
"""The shortest time between two fetches."""
_TIMEOUT = aiohttp.ClientTimeout(total=5)
_MOST_BYTES = 256 * 1024


class _Document(Struct):
    keys: list[dict[str, Any]]


class PublicKeys:
    """Verifies RS256 and ES256 tokens, as configured, with the keys at a URL."""

    def __init__(self, url: str, algorithms: Sequence[str], clock: Clock) -> None:
        self._url = url
        self._algorithms = list(algorithms)
        self._clock = clock
        self._jws = jwt.PyJWS(self._algorithms, {"enforce_minimum_key_length": True})
        self._keys: Mapping[str, jwt.PyJWK] = {}
        self._fetched_ms = -KEPT_MS
        self._asked_ms = -KEPT_MS
        self._trouble: str | None = None
        self._renewal: asyncio.Task[None] | None = None

    async def payload(self, token: str) -> bytes:
        try:
            header = jwt.get_unverified_header(token)
        except (jwt.PyJWTError, ValueError):
            raise InvalidToken(Fault.MALFORMED) from None
        if header.get("alg") not in self._algorithms:
            raise InvalidToken(Fault.ALGORITHM)
        key = await self._find(str(header.get("kid", "")))
        return verified_payload(self._jws, token, key, self._algorithms)

    async def close(self) -> None:
        if self._renewal is not None:
            self._renewal.cancel()
            await asyncio.wait([self._renewal])

    async def _find(self, kid: str) -> jwt.PyJWK:
        now = self._clock.now_ms()
        age = now - self._fetched_ms
        if age >= FRESH_MS:
            self._renew(now)
        if age < KEPT_MS and kid in self._keys:
            return self._keys[kid]
        if (renewal := self._renew(now)) is not None:
            await asyncio.shield(renewal)
        if kid in self._keys and self._clock.now_ms() - self._fetched_ms < KEPT_MS:
            return self._keys[kid]
        if self._trouble is not None:
            raise KeysUnavailable(self._trouble)
        raise InvalidToken(Fault.KEY)

    def _renew(self, now: int) -> asyncio.Task[None] | None:
        """The running fetch, or a new one unless the last one was less than `PAUSE_MS` ago."""
        if self._renewal is None and now - self._asked_ms >= PAUSE_MS:
            self._asked_ms = now
            self._renewal = asyncio.create_task(self._fetch())
        return self._renewal

    async def _fetch(self) -> None:
        try:
            self._keys = usable_keys(await fetch(self._url), self._algorithms)
            self._fetched_ms = self._clock.now_ms()
            self._trouble = None
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            self._trouble = str(error) or type(error).__name__
            _log.warning("The keys at %s cannot be fetched: %s", self._url, self._trouble)
        finally:
            self._renewal = None


async def fetch(url: str) -> bytes:
    async with (
        aiohttp.ClientSession(timeout=_TIMEOUT) as session,
        session.get(url, allow_redirects=False) as answer,
    ):
        if answer.status != 200:
            raise ValueError(f"it answered with status {answer.status}")
        body = bytearray()
        async for chunk in answer.content.iter_chunked(16 * 1024):
            body += chunk
            if len(body) > _MOST_BYTES:
                raise ValueError(f"it answered with more than {_MOST_BYTES} bytes")
        return bytes(body)


def usable_keys(document: bytes, algorithms: Sequence[str]) -> dict[str, jwt.PyJWK]:
    """Signing keys of the configured algorithms, by `kid`."""
    found: dict[str, jwt.PyJWK] = {}
    for entry in msgspec.json.decode(document, type=_Document).keys:
        if entry.get("use", "sig") != "sig":
            continue
        try:
            key = jwt.PyJWK(entry)
        except (jwt.PyJWTError, TypeError, ValueError):
            continue
        if key.algorithm_name in algorithms:
            found[str(key.key_id or "")] = key
    if not found:
        raise ValueError(f"there is no key for {', '.join(algorithms)}")
    return found
