"""`Idempotency-Key`: a POST that is sent twice runs once and gets the same response twice.

    Ephemeral
    └─ ONCE#{userId}
       └─ {key}      a digest of the request, and the response once there is one; 24 h

A route that creates something calls `idempotent`. Where a use case has its own exactly-once, as
messages do, the key is passed to it instead. A refusal is not stored: the key may be used again.

Careful: the process may die after the work and before the response is stored. The key then stays
locked for a minute, after which the request runs again. A unique claim in the use case's own
transaction (a username, an id) must refuse the second run.
"""

import logging
import secrets
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec
from litestar.params import HeaderParameter

from greenroom.clock import Clock
from greenroom.errors import Problem
from greenroom.people.actor import Actor
from greenroom.store.base import Delete, Key, Put, Store, Update
from greenroom.store.ephemeral import EPHEMERAL, EPHEMERAL_TTL
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed, OutcomeUnknown
from greenroom.store.tables import Kind
from greenroom.store.values import Item

_log = logging.getLogger(__name__)
_KEPT_SECONDS = 24 * 3600
_HELD_MS = 60_000
T = TypeVar("T")

EPHEMERAL_KINDS = (
    Kind(
        "ONCE#{userId}",
        "{key}",
        "A request with an `Idempotency-Key`: its digest and its response; expires after 24 h.",
    ),
)

IdempotencyKey: TypeAlias = Annotated[
    str | None,
    HeaderParameter(
        name="Idempotency-Key",
        min_length=1,
        max_length=128,
        pattern=r"^[\x21-\x7e]+$",
        description="A key that the client chooses, a new one for each thing to create. Repeating "
        "the same request with the same key within 24 hours creates nothing more.",
    ),
]


class IdempotencyKeyReused(Problem):
    """The Idempotency-Key was used for another request within the last 24 hours."""


class RequestInProgress(Problem):
    """A request with this Idempotency-Key is still running. Try again in a moment."""


class Idempotent:
    """`await once(actor, key, digest_of("createPerson", data), run, Person)`."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def __call__(
        self,
        actor: Actor,
        key: str | None,
        request_digest: str,
        run: Callable[[], Awaitable[T]],
        kind: type[T],
    ) -> T:
        """The result of `run`, or the stored result of the first request with this key."""
        if key is None:
            return await run()
        place, holder = Key(f"ONCE#{actor.user}", key), secrets.token_hex(8)
        known = await self._take(place, request_digest, holder)
        if known is not None:
            return msgspec.json.decode(known, type=kind)
        try:
            answer = await run()
        except OutcomeUnknown:
            raise
        except Problem:
            await self._let_go(place, holder)
            raise
        await self._keep(place, holder, msgspec.json.encode(answer))
        return answer

    async def _take(self, place: Key, digest: str, holder: str) -> bytes | None:
        """None if this request now holds the key; otherwise the stored response."""
        now = self._clock.now_ms()
        mark: Item = {
            "pk": place.partition,
            "sk": place.sort or "",
            "request": digest,
            "holder": holder,
            "heldUntil": now + _HELD_MS,
            EPHEMERAL_TTL: now // 1000 + _KEPT_SECONDS,
        }
        was_left = F("answer").absent() & F("request").equals(digest) & F("heldUntil").at_most(now)
        try:
            await self._store.write(Put(EPHEMERAL, mark, F("pk").absent() | was_left))
        except ConditionFailed as refusal:
            return _answer_in(refusal.item or {}, digest)
        return None

    async def _keep(self, place: Key, holder: str, answer: bytes) -> None:
        """The work is done, so a failure to store the response is only logged."""
        is_ours = F("holder").equals(holder)
        try:
            await self._store.write(Update(EPHEMERAL, place, (F("answer").set(answer),), is_ours))
        except Problem as problem:
            _log.warning("The answer for an Idempotency-Key was not kept: %r", problem)

    async def _let_go(self, place: Key, holder: str) -> None:
        try:
            await self._store.write(Delete(EPHEMERAL, place, F("holder").equals(holder)))
        except Problem as problem:
            _log.warning("An Idempotency-Key is held for a minute: %r", problem)


def digest_of(operation: str, *parts: Any) -> str:
    """Digest of a request: the operation, and the parts of path and body that define the result."""
    return sha256(msgspec.json.encode([operation, *parts])).hexdigest()


def _answer_in(item: Item, digest: str) -> bytes:
    if item.get("request") != digest:
        raise IdempotencyKeyReused
    answer = item.get("answer")
    if not isinstance(answer, bytes):
        raise RequestInProgress
    return answer
