"""Sends signed requests to DynamoDB, with retries.

Careful: after a refused connection, a throttling response or a transaction conflict nothing was
written. After a broken connection, a timeout or a 5xx the outcome is unknown (`FailureKind.LOST`);
`Repeat` says whether such a request may be repeated.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any, NamedTuple

import msgspec
from aiodynamo.credentials import Key

from greenroom.aws.credentials import CredentialCache, CredentialsClosed, CredentialsUnavailable
from greenroom.aws.metadata_http import MetadataHttpClient
from greenroom.aws.retries import Attempts, RetryPolicy
from greenroom.errors import Problem
from greenroom.store.dynamo.connection import ConnectFailed, NoResponse
from greenroom.store.dynamo.endpoint import Endpoint
from greenroom.store.dynamo.http import ClientClosed, HttpClient
from greenroom.store.dynamo.signature import Signer
from greenroom.store.problems import Conflict, OutcomeUnknown, StoreUnavailable, Throttled


class Repeat(Enum):
    READ = "nothing is written, so it may be repeated"
    SAFE = "repeating the write has no further effect"
    NEVER = "a repeated write would take effect twice"


class FailureKind(Enum):
    THROTTLED = "too many requests"
    CONFLICT = "another write was in progress"
    UNREACHED = "the request was not sent"
    LOST = "the request was sent and no response came"


class TransientFailure(Exception):
    """A failed attempt that may succeed when repeated."""

    def __init__(self, kind: FailureKind, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason


class DynamoError(Exception):
    """An error response of DynamoDB, not yet mapped to a problem of the store."""

    def __init__(self, kind: str, message: str, body: Mapping[str, Any]) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message
        self.body = body
        self.key: Key | None = None
        """The AWS key that signed the request."""
        self.after_loss = False
        """An earlier attempt of the same request may have taken effect."""


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
_ACCESS_ERRORS = _OUTDATED_KEYS | {
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
    """Tables or streams: each has its own signature and, on AWS, its own host."""

    signer: Signer
    http: HttpClient


class RequestSender:
    def __init__(self, endpoint: Endpoint, retry: RetryPolicy) -> None:
        self.retry = retry
        metadata = MetadataHttpClient(retry.connect_seconds, retry.response_seconds)
        self._keys = CredentialCache(endpoint.credentials, metadata)
        self._http_clients = {
            url: HttpClient(
                url,
                connect_seconds=retry.connect_seconds,
                response_seconds=retry.response_seconds,
            )
            for url in (endpoint.url, endpoint.streams_url)
        }
        tables, streams = endpoint.url, endpoint.streams_url
        self._tables = Service(
            Signer(tables, endpoint.region, "DynamoDB_20120810"), self._http_clients[tables]
        )
        self._streams = Service(
            Signer(streams, endpoint.region, "DynamoDBStreams_20120810"),
            self._http_clients[streams],
        )

    async def close(self) -> None:
        for http in self._http_clients.values():
            await http.close()
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
        last: TransientFailure | None = None
        attempts = Attempts(self.retry)
        while await attempts.next_attempt():
            try:
                return await self._attempt(service, action, body)
            except TransientFailure as failure:
                last = failure
                if failure.kind is FailureKind.LOST and repeat is not Repeat.READ:
                    lost = True
                    if repeat is Repeat.NEVER:
                        break
            except DynamoError as error:
                if error.kind in _OUTDATED_KEYS and not renewed:
                    renewed = self._keys.invalidate(error.key)
                    if renewed:
                        continue
                error.after_loss = lost
                raise _access_denied(error, lost) or error from None
            except StoreUnavailable as unavailable:
                raise _unavailable(unavailable.reason, lost) from None
            except (ClientClosed, CredentialsClosed):
                last = TransientFailure(FailureKind.UNREACHED, "the store is closed")
                break
        raise _final_problem(
            last or TransientFailure(FailureKind.UNREACHED, "there was no time for an attempt"),
            lost,
        )

    async def _attempt(self, service: Service, action: str, body: bytes) -> dict[str, Any]:
        try:
            key = await self._keys.get()
        except CredentialsUnavailable as unreached:
            raise TransientFailure(FailureKind.UNREACHED, str(unreached)) from None
        if key is None:
            raise StoreUnavailable("no AWS credentials were found on this machine")
        head = service.signer.head(key, action, body)
        try:
            status, text = await service.http.send(head + body)
        except ConnectFailed as unreached:
            raise TransientFailure(FailureKind.UNREACHED, str(unreached)) from None
        except NoResponse as lost:
            raise TransientFailure(FailureKind.LOST, str(lost)) from None
        try:
            answer = _decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            reason = f"HTTP status {status} without a DynamoDB response"
            if 400 <= status < 500:
                raise StoreUnavailable(reason) from None
            raise TransientFailure(FailureKind.LOST, reason) from None
        if status == 200:
            return answer
        refusal = _refusal(status, answer)
        if isinstance(refusal, DynamoError):
            refusal.key = key
        raise refusal


def _refusal(status: int, answer: Mapping[str, Any]) -> TransientFailure | DynamoError:
    kind = str(answer.get("__type", "")).rpartition("#")[2]
    message = str(answer.get("message") or answer.get("Message") or "")
    kinds = {kind}
    if kind == "TransactionCanceledException":
        reasons = answer.get("CancellationReasons", ())
        kinds = {str(reason.get("Code")) for reason in reasons} - {"None"} or kinds
    if kind == "TransactionInProgressException" or kinds <= _CONFLICTS:
        return TransientFailure(FailureKind.CONFLICT, message)
    if kinds <= _CONFLICTS | _THROTTLES:
        return TransientFailure(FailureKind.THROTTLED, message)
    if status >= 500:
        return TransientFailure(FailureKind.LOST, f"HTTP status {status}: {kind} {message}")
    return DynamoError(kind, message, answer)


def _access_denied(error: DynamoError, lost: bool) -> Problem | None:
    if error.kind in _ACCESS_ERRORS:
        return _unavailable(f"access denied: {error.kind}: {error.message}", lost)
    return None


def _unavailable(reason: str, lost: bool) -> Problem:
    """`lost`: an earlier attempt may have taken effect."""
    return OutcomeUnknown(reason) if lost else StoreUnavailable(reason)


def _final_problem(last: TransientFailure, lost: bool) -> Problem:
    if lost:
        return OutcomeUnknown(last.reason)
    match last.kind:
        case FailureKind.THROTTLED:
            return Throttled()
        case FailureKind.CONFLICT:
            return Conflict()
        case FailureKind.UNREACHED | FailureKind.LOST:
            return StoreUnavailable(last.reason)
