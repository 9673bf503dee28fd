"""Verifies bearer tokens: signature, claims and scopes. Signs HS256 tokens with our secret.

The settings fix the accepted algorithms; a token's header can only be refused, never trusted. Times
are checked here and not by PyJWT, which would use the system clock instead of ours.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Protocol

import jwt
import msgspec
from msgspec import Struct

from greenroom.clock import Clock
from greenroom.errors import Clause, Problem
from greenroom.ids import UserId
from greenroom.people.actor import Actor, Scope
from greenroom.people.models import is_user_id

LEEWAY_SECONDS = 10
MAX_TOKEN_LENGTH = 8192
"""Characters of a token, over REST and over the socket."""
_LAST_SECOND = 253_402_300_799 - 86_400
"""One day before the end of the year 9999. A later time is most likely in milliseconds."""
_OURS = "greenroom/"


class NotAuthenticated(Problem):
    """This needs a token, sent as `Authorization: Bearer …`."""


class Fault(StrEnum):
    """Why a token is refused, as a clause. Never a library's own message."""

    MALFORMED = "its format is wrong"
    CLAIMS = "`sub` or `exp` is missing, or a claim has the wrong type"
    TIME = "its times must be in seconds since 1970"
    NOT_YET = "its `nbf` or `iat` is in the future"
    ISSUER = "its `iss` names another issuer"
    AUDIENCE = "its `aud` names another audience"
    USE = "its `token_use` must be `access` or `id`"
    SUBJECT = "its `sub` is not a valid id"
    ALGORITHM = "its signing algorithm is not accepted here"
    SIGNATURE = "its signature is not valid"
    KEY = "its signing key is not known"


class InvalidToken(Problem):
    """The token is not accepted: {reason}."""

    reason: Clause


class TokenExpired(Problem):
    """The token has expired. Get a new one."""


class KeysUnavailable(Problem):
    """The identity provider's keys cannot be fetched: {reason}."""

    reason: str


class UsernameNotFound(Problem):
    """No user named {username!r} in this store. An id works without an account. For the sample
    people add --demo."""

    username: str


class TokensIssuedElsewhere(Problem):
    """Tokens come from the identity provider, because {setting} is set."""

    setting: str


class Signature(Protocol):
    async def payload(self, token: str) -> bytes:
        """The signed payload. Raises InvalidToken if the signature is not valid."""


class SharedSecret:
    """HS256 with the operator's secret."""

    _jws = jwt.PyJWS(algorithms=["HS256"])

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    async def payload(self, token: str) -> bytes:
        return verified_payload(self._jws, token, self._secret, ["HS256"])

    def sign(self, claims: dict[str, object]) -> str:
        return self._jws.encode(
            msgspec.json.encode(claims), self._secret, "HS256", headers={"typ": "JWT"}
        )


class Expected(Struct, frozen=True):
    """The accepted issuer and audiences. An empty field is not checked."""

    issuer: str = ""
    audiences: frozenset[str] = frozenset()


class Claims(Struct, frozen=True):
    sub: str
    exp: float
    nbf: float = 0.0
    iat: float = 0.0
    iss: str = ""
    aud: str | list[str] = ""
    client_id: str = ""
    """Cognito's access tokens have it in place of `aud`."""
    token_use: str = ""
    scope: str = ""
    scopes: str | list[str] = ""
    groups: list[str] = msgspec.field(default_factory=list, name="cognito:groups")


class Verified(Struct, frozen=True):
    actor: Actor
    expires_ms: int


async def verify(token: str, signature: Signature, expected: Expected, clock: Clock) -> Verified:
    if len(token) > MAX_TOKEN_LENGTH or not token.isascii():
        raise InvalidToken(Fault.MALFORMED)
    payload = await signature.payload(token)
    try:
        claims = msgspec.json.decode(payload, type=Claims)
    except msgspec.ValidationError:
        raise InvalidToken(Fault.CLAIMS) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise InvalidToken(Fault.MALFORMED) from None
    check_claims(claims, expected, clock.now_ms() / 1000)
    expires_ms = int((claims.exp + LEEWAY_SECONDS) * 1000)
    return Verified(Actor(UserId(claims.sub), scopes_of(claims)), expires_ms)


def check_claims(claims: Claims, expected: Expected, now: float) -> None:
    if any(abs(time) > _LAST_SECOND for time in (claims.exp, claims.nbf, claims.iat)):
        raise InvalidToken(Fault.TIME)
    if now >= claims.exp + LEEWAY_SECONDS:
        raise TokenExpired
    if max(claims.nbf, claims.iat) > now + LEEWAY_SECONDS:
        raise InvalidToken(Fault.NOT_YET)
    if expected.issuer and claims.iss != expected.issuer:
        raise InvalidToken(Fault.ISSUER)
    if not _is_for_us(claims, expected.audiences):
        raise InvalidToken(Fault.AUDIENCE)
    if claims.token_use not in ("", "access", "id"):
        raise InvalidToken(Fault.USE)
    if not is_user_id(claims.sub):
        raise InvalidToken(Fault.SUBJECT)


def scopes_of(claims: Claims) -> frozenset[Scope]:
    """Every token has the scope `user`, except a service's, which has it only if it names it."""
    named = {
        *_words(claims.scope),
        *_words(claims.scopes),
        *claims.groups,
    }
    known = {scope for scope in Scope if scope in named or _OURS + scope in named}
    return frozenset(known if Scope.SERVICE in known else known | {Scope.USER})


def verified_payload(
    jws: jwt.PyJWS, token: str, key: bytes | jwt.PyJWK, algorithms: Sequence[str]
) -> bytes:
    try:
        payload: bytes = jws.decode(token, key, algorithms=algorithms)
    except jwt.InvalidAlgorithmError:
        raise InvalidToken(Fault.ALGORITHM) from None
    except jwt.InvalidSignatureError:
        raise InvalidToken(Fault.SIGNATURE) from None
    except (jwt.PyJWTError, ValueError):
        raise InvalidToken(Fault.MALFORMED) from None
    return payload


def _is_for_us(claims: Claims, audiences: frozenset[str]) -> bool:
    """A token that names an audience is valid for that audience only; RFC 7519, 4.1.3."""
    named = {name for name in _listed(claims.aud) if name}
    if not audiences:
        return not named
    return bool(audiences & (named or {claims.client_id}))


def _words(text: str | list[str]) -> Iterable[str]:
    return text.split() if isinstance(text, str) else text


def _listed(text: str | list[str]) -> list[str]:
    return [text] if isinstance(text, str) else text
