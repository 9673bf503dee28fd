"""Sends a signed request to DynamoDB, and sends it again while that can help.

Careful: not every failure is alike. A refused connection, a throttling answer and a transaction
conflict say that nothing was written; a connection that breaks, a timeout and a 5xx leave it open
(`Lapse.LOST`). The caller says with `Repeat` what may then be done.
"""

import asyncio
import random
from collections.abc import Mapping
from enum import Enum
from typing import Any, NamedTuple

import msgspec
from aiodynamo.credentials import Key
from msgspec import Struct

from greenroom.errors import Problem
from greenroom.store.dynamo.address import Address
from greenroom.store.dynamo.connection import NoAnswer, NoConnection
from greenroom.store.dynamo.http import ClientClosed, HttpClient
from greenroom.store.dynamo.keys import Keys, NoKey
from greenroom.store.dynamo.metadata import MetadataHttp
from greenroom.store.dynamo.signature import Signer
from greenroom.store.problems import Conflict, OutcomeUnknown, StoreUnavailable, Throttled


class Retry(Struct, frozen=True):
    """Up to so many attempts, none begun after `seconds`; full jitter under a doubling ceiling."""

    attempts: int = 8
    seconds: float = 10.0
    first_delay: float = 0.05
    longest_delay: float = 2.0
    connect_seconds: float = 2.0
    answer_seconds: float = 6.0


class Tries:
    """`while await tries.again()`: at once the first time, after a pause from then on."""

    def __init__(self, retry: Retry) -> None:
        self._retry = retry
        self._made = 0
        self._end = asyncio.get_running_loop().time() + retry.seconds

    async def again(self) -> bool:
        retry = self._retry
        self._made += 1
        if self._made == 1:
            return True
        ceiling = min(retry.longest_delay, retry.first_delay * 2 ** (self._made - 2))
        delay = random.uniform(0, ceiling)
        if self._made > retry.attempts or asyncio.get_running_loop().time() + delay > self._end:
            return False
        await asyncio.sleep(delay)
        return True


class Repeat(Enum):
    READ = "nothing is written, so anything may be repeated"
    SAFE = "writing it again gives what writing it once gave"
    NEVER = "writing it again would do it twice"


class Lapse(Enum):
    THROTTLED = "asked for too much"
    CONFLICT = "another write was under way"
    UNREACHED = "the request did not get there"
    LOST = "the request went out and no answer came"


class Setback(Exception):
    """An attempt that came to nothing and may come to something when repeated."""

    def __init__(self, lapse: Lapse, reason: str) -> None:
        super().__init__(reason)
        self.lapse = lapse
        self.reason = reason


class Refused(Exception):
    """DynamoDB's own no, not yet put into our words."""

    def __init__(self, kind: str, message: str, body: Mapping[str, Any]) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message
        self.body = body
        self.key: Key | None = None
        """With which the request was signed."""
        self.after_loss = False
        """An earlier attempt of the same request may have been carried out."""


_THROTTLES = {
    "LimitExceededException",
    "ProvisionedThroughputExceeded",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "Throttling",
    "ThrottlingError",
    "ThrottlingException",
}
_CONFLICTS = {"TransactionConflict", "TransactionConflictException"}
_OUTDATED_KEYS = {"ExpiredTokenException", "UnrecognizedClientException"}
_TURNED_AWAY = _OUTDATED_KEYS | {
    "AccessDeniedException",
    "IncompleteSignatureException",
    "InvalidSignatureException",
    "MissingAuthenticationToken",
    "MissingAuthenticationTokenException",
    "UnknownOperationException",
}


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(dict[str, Any]).decode


class Service(NamedTuple):
    """The tables, or their streams: each has its own signature, and on AWS its own host."""

    signer: Signer
    client: HttpClient


class Wire:
    def __init__(self, address: Address, retry: Retry) -> None:
        self.retry = retry
        metadata = MetadataHttp(retry.connect_seconds, retry.answer_seconds)
        self._keys = Keys(address.credentials, metadata)
        self._clients = {
            endpoint: HttpClient(
                endpoint,
                connect_seconds=retry.connect_seconds,
                answer_seconds=retry.answer_seconds,
            )
            for endpoint in (address.endpoint, address.streams_endpoint)
        }
        tables, streams = address.endpoint, address.streams_endpoint
        self._tables = Service(
            Signer(tables, address.region, "DynamoDB_20120810"), self._clients[tables]
        )
        self._streams = Service(
            Signer(streams, address.region, "DynamoDBStreams_20120810"), self._clients[streams]
        )

    async def close(self) -> None:
        for client in self._clients.values():
            await client.close()
        await self._keys.close()

    async def send(
        self, action: str, payload: Mapping[str, Any], repeat: Repeat = Repeat.READ
    ) -> dict[str, Any]:
        return await self._send(self._tables, action, payload, repeat)

    async def send_to_streams(self, action: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        return await self._send(self._streams, action, payload, Repeat.READ)

    async def _send(
        self, service: Service, action: str, payload: Mapping[str, Any], repeat: Repeat
    ) -> dict[str, Any]:
        body = _encode(payload)
        lost, renewed = False, False
        last: Setback | None = None
        tries = Tries(self.retry)
        while await tries.again():
            try:
                return await self._attempt(service, action, body)
            except Setback as setback:
                last = setback
                if setback.lapse is Lapse.LOST and repeat is not Repeat.READ:
                    lost = True
                    if repeat is Repeat.NEVER:
                        break
            except Refused as refused:
                if refused.kind in _OUTDATED_KEYS and not renewed:
                    renewed = self._keys.invalidate(refused.key)
                    if renewed:
                        continue
                refused.after_loss = lost
                raise _turned_away(refused, lost) or refused from None
            except StoreUnavailable as unavailable:
                raise _unavailable(unavailable.reason, lost) from None
            except ClientClosed:
                last = Setback(Lapse.UNREACHED, "the store is closed")
                break
        raise _given_up(last or Setback(Lapse.UNREACHED, "there was no time for an attempt"), lost)

    async def _attempt(self, service: Service, action: str, body: bytes) -> dict[str, Any]:
        try:
            key = await self._keys.get()
        except NoKey as unreached:
            raise Setback(Lapse.UNREACHED, str(unreached)) from None
        if key is None:
            raise StoreUnavailable("no AWS credentials were found on this machine")
        head = service.signer.head(key, action, body)
        try:
            status, text = await service.client.send(head + body)
        except NoConnection as unreached:
            raise Setback(Lapse.UNREACHED, str(unreached)) from None
        except NoAnswer as lost:
            raise Setback(Lapse.LOST, str(lost)) from None
        try:
            answer = _decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            reason = f"HTTP status {status} and no answer of DynamoDB's"
            if 400 <= status < 500:
                raise StoreUnavailable(reason) from None
            raise Setback(Lapse.LOST, reason) from None
        if status == 200:
            return answer
        refusal = _refusal(status, answer)
        if isinstance(refusal, Refused):
            refusal.key = key
        raise refusal


def _refusal(status: int, answer: Mapping[str, Any]) -> Setback | Refused:
    kind = str(answer.get("__type", "")).rpartition("#")[2]
    message = str(answer.get("message") or answer.get("Message") or "")
    kinds = {kind}
    if kind == "TransactionCanceledException":
        reasons = answer.get("CancellationReasons", ())
        kinds = {str(reason.get("Code")) for reason in reasons} - {"None"} or kinds
    if kind == "TransactionInProgressException" or kinds <= _CONFLICTS:
        return Setback(Lapse.CONFLICT, message)
    if kinds <= _CONFLICTS | _THROTTLES:
        return Setback(Lapse.THROTTLED, message)
    if status >= 500:
        return Setback(Lapse.LOST, f"HTTP status {status}: {kind} {message}")
    return Refused(kind, message, answer)


def _turned_away(refused: Refused, lost: bool) -> Problem | None:
    if refused.kind in _TURNED_AWAY:
        return _unavailable(f"it turns us away: {refused.kind}: {refused.message}", lost)
    return None


def _unavailable(reason: str, lost: bool) -> Problem:
    """`lost`: an earlier attempt may have been carried out."""
    return OutcomeUnknown(reason) if lost else StoreUnavailable(reason)


def _given_up(last: Setback, lost: bool) -> Problem:
    if lost:
        return OutcomeUnknown(last.reason)
    match last.lapse:
        case Lapse.THROTTLED:
            return Throttled()
        case Lapse.CONFLICT:
            return Conflict()
        case Lapse.UNREACHED | Lapse.LOST:
            return StoreUnavailable(last.reason)
