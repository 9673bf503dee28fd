"""Authenticates callers: turns a bearer token into an `Actor`, for REST and the socket.

A route takes `actor: NamedDependency[Actor]`, and its router has `guards=[needs(…)]` and
`security=BEARER`.

Careful: verified tokens are cached for minutes, but the account's suspension is checked again every
few seconds.
"""

from collections.abc import Awaitable
from hashlib import blake2b
from typing import Any, Generic, TypeVar

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler
from litestar.openapi.spec import SecurityScheme
from litestar.types import Guard
from msgspec import Struct

from greenroom.api.platform.policy import CHANGES, READS, SERVICE_CALLS
from greenroom.api.tokens import Expected, NotAuthenticated, Signature, Verified, verify
from greenroom.errors import Problem
from greenroom.ids import UserId
from greenroom.lru import LruCache
from greenroom.people import People, access
from greenroom.people.access import NoAccount
from greenroom.people.actor import Actor, Scope, StaffRole, with_role
from greenroom.people.models import Account, is_user_id
from greenroom.policy import Limit
from greenroom.safety.limits import Limits

ACT_FOR = "Greenroom-Act-For"
SCHEME = SecurityScheme(
    type="http",
    scheme="bearer",
    bearer_format="JWT",
    description="A token of the identity provider, or one signed with the operator's secret. "
    f"A service names the user for whom it acts in the header `{ACT_FOR}`.",
)
BEARER: list[dict[str, list[str]]] = [{"bearer": []}]
"""For a router's `security`: the schema says that its routes need a token."""

_MAX_ENTRIES = 10_000
_TOKEN_TTL_MS = 5 * 60_000
_ACCOUNT_TTL_MS = 2_000

K = TypeVar("K")
V = TypeVar("V")
Connection = ASGIConnection[Any, Any, Any, Any]


class NotAllowed(Problem):
    """This needs one of the scopes {scopes}. A token names the scope `service`; the scopes
    `moderator` and `admin` come with the staff role of the account."""

    scopes: tuple[str, ...]


class _Account(Struct, frozen=True):
    """The cached part of an account: suspension and staff role."""

    suspended_until_ms: int | None
    suspension_reason: str
    role: StaffRole | None


class Authenticator:
    def __init__(self, people: People, signature: Signature, expected: Expected) -> None:
        self._people = people
        self._signature = signature
        self._expected = expected
        self._tokens: _TtlCache[bytes, Verified] = _TtlCache(_TOKEN_TTL_MS)
        self._accounts: _TtlCache[UserId, _Account] = _TtlCache(_ACCOUNT_TTL_MS)

    async def authenticate(self, token: str, act_for: str | None = None) -> Actor:
        """The user that the bearer acts as. A service needs no account of its own; everybody else
        does. A user that a service acts for has the scope `user` only."""
        bearer = await self._verified(token)
        account = await self._check_account(bearer.user)
        is_service = Scope.SERVICE in bearer.scopes
        if act_for is not None:
            if not is_service:
                raise NotAllowed((Scope.SERVICE,))
            target = UserId(act_for)
            if not is_user_id(target) or await self._check_account(target) is None:
                raise NoAccount(target)
            return Actor(target)
        if is_service:
            return with_role(bearer, None)
        if account is None:
            raise NoAccount(bearer.user)
        return with_role(bearer, account.role)

    async def authenticate_with_expiry(
        self, token: str, act_for: str | None = None
    ) -> tuple[Actor, int]:
        """For a long-lived connection: also returns when the token expires."""
        actor = await self.authenticate(token, act_for)
        return actor, (await self._verify_cached(token)).expires_ms

    def check(self, actor: Actor) -> Awaitable[object]:
        """Raises if the account has been suspended since it authenticated."""
        return self._check_account(actor.user)

    async def recheck(self, user: UserId) -> None:
        """Like `check`, but reads the account from the store."""
        account = await access.account(self._people, user, consistent=True)
        if account is not None:
            self._check(self._remember(account))

    def forget(self, user: UserId) -> None:
        """Drops the cached account after a change: the next request reads it again."""
        self._accounts.forget(user)

    async def newcomer(self, token: str) -> Actor:
        """The bearer, who may not have an account yet."""
        bearer = await self._verified(token)
        account = await self._check_account(bearer.user)
        return with_role(bearer, None if account is None else account.role)

    async def _verified(self, token: str) -> Actor:
        return (await self._verify_cached(token)).actor

    async def _verify_cached(self, token: str) -> Verified:
        digest = blake2b(token.encode(errors="replace"), digest_size=32).digest()
        now = self._people.clock.now_ms()
        known = self._tokens.get(digest, now)
        if known is None or now >= known.expires_ms:
            known = await verify(token, self._signature, self._expected, self._people.clock)
            self._tokens.put(digest, known, now)
        return known

    async def _check_account(self, user: UserId) -> _Account | None:
        """None if there is no account. Raises if it is suspended."""
        known = self._accounts.get(user, self._people.clock.now_ms())
        if known is None:
            changes = self._accounts.changes
            account = await access.account(self._people, user)
            if account is None:
                return None
            known = self._remember(account, changes)
        self._check(known)
        return known

    def _remember(self, account: Account, changes: int | None = None) -> _Account:
        """Does not cache an account that changed while it was read."""
        known = _Account(account.suspended_until_ms, account.suspension_reason, account.staff_role)
        if changes in (None, self._accounts.changes):
            self._accounts.put(account.id, known, self._people.clock.now_ms())
        return known

    def _check(self, account: _Account) -> None:
        access.check_not_suspended(
            account.suspended_until_ms,
            self._people.clock.now_ms(),
            reason=account.suspension_reason,
            contact=self._people.contact,
        )


class _TtlCache(Generic[K, V]):
    """A bounded cache whose entries expire, also when the clock steps back."""

    def __init__(self, ttl_ms: int) -> None:
        self._ttl_ms = ttl_ms
        self._entries: LruCache[K, tuple[int, V]] = LruCache(_MAX_ENTRIES)
        self.changes = 0
        """How many times `forget` was called."""

    def forget(self, key: K) -> None:
        self.changes += 1
        self._entries.discard(key)

    def get(self, key: K, now: int) -> V | None:
        entry = self._entries.get(key)
        if entry is None or not 0 <= now - entry[0] < self._ttl_ms:
            return None
        return entry[1]

    def put(self, key: K, value: V, now: int) -> None:
        self._entries.put(key, (now, value))


def needs(*scopes: Scope) -> Guard:
    """A guard: requires a token with one of these scopes, or any token if none is named."""

    async def guard(connection: Connection, _: BaseRouteHandler) -> None:
        actor = await actor_of(connection)
        if scopes and not any(actor.may(scope) for scope in scopes):
            raise NotAllowed(scopes)

    return guard


async def needs_no_account(connection: Connection, _: BaseRouteHandler) -> None:
    """A guard: requires a user's token, with or without an account."""
    await newcomer_of(connection)


async def actor_of(connection: Connection) -> Actor:
    """The dependency `actor`, resolved once per request."""
    known: Actor | None = connection.state.get("actor")
    if known is None:
        authenticator: Authenticator = connection.app.state.authenticator
        act_for = connection.headers.get(ACT_FOR)
        known = await authenticator.authenticate(bearer_token(connection), act_for)
        await _spend(connection, known)
        connection.state["actor"] = known
    return known


async def newcomer_of(connection: Connection) -> Actor:
    """The dependency `newcomer`: a user with a token, who may not have an account yet."""
    known: Actor | None = connection.state.get("newcomer")
    if known is None:
        authenticator: Authenticator = connection.app.state.authenticator
        known = await authenticator.newcomer(bearer_token(connection))
        await _spend(connection, known)
        if ACT_FOR in connection.headers or not known.may(Scope.USER):
            raise NotAllowed((Scope.USER,))
        connection.state["newcomer"] = known
    return known


async def _spend(connection: Connection, actor: Actor) -> None:
    """Counts the request against the route's limit (`limit=`), or against the one for all reads or
    changes. Runs before the body is read."""
    limits: Limits = connection.app.state.limits
    await limits.spend(actor.user, _limit_of(connection, actor))


def _limit_of(connection: Connection, actor: Actor) -> Limit:
    if Scope.SERVICE in actor.scopes:
        return SERVICE_CALLS
    named: Limit | None = connection.route_handler.opt.get("limit")
    if named is not None:
        return named
    return READS if connection.scope.get("method") in ("GET", "HEAD") else CHANGES


def bearer_token(connection: Connection) -> str:
    scheme, _, token = connection.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise NotAuthenticated
    return token.strip()
