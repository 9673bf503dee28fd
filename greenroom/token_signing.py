"""Chooses how tokens are signed and verified, and signs tokens for commands."""

import hmac
from collections.abc import (
    Iterable,
    Sequence,
)

from greenroom.api.tokens import (
    Expected,
    SharedSecret,
    Signature,
    TokensIssuedElsewhere,
    UsernameNotFound,
)
from greenroom.clock import Clock, SystemClock
from greenroom.ids import Ids, UserId
from greenroom.open_store import DemoSettings, opened, sqlite_path
from greenroom.people import People, directory, records as people
from greenroom.people.actor import Scope
from greenroom.people.models import is_user_id, is_username
from greenroom.settings import (
    Settings,
    load_secret,
    split_list,
    variable_of,
)
from greenroom.store.sqlite import open_readonly


def signature(settings: Settings, clock: Clock) -> Signature:
    """The signature scheme that the settings select."""
    if not settings.jwks_url:
        return SharedSecret(_token_key(settings))
    # Imported here, because an HTTP client is only needed with an identity provider.
    from greenroom.api.jwks import PublicKeys

    return PublicKeys(settings.jwks_url, settings.jwt_algorithms.split(","), clock)


def _token_key(settings: Settings) -> bytes:
    """A demo signs with its own key, so a server on the same data does not accept its tokens."""
    secret = load_secret(settings)
    if isinstance(settings, DemoSettings):
        return hmac.digest(secret, b"tokens of a demo", "sha256")
    return secret


def expected(settings: Settings) -> Expected:
    return Expected(settings.jwt_issuer, frozenset(split_list(settings.jwt_audience)))


async def token(settings: Settings, user: str, scopes: Sequence[Scope], hours: int) -> str:
    """A token for manual use. `user` is an id, or a username in the store."""
    clock = SystemClock()
    signed = signature(settings, clock)
    if not isinstance(signed, SharedSecret):
        raise TokensIssuedElsewhere(variable_of("jwks_url"))
    named = user if _is_id(user, scopes) else await _user_called(settings, clock, user)
    return sign_for(settings, clock, signed, named, scopes, hours * 3600)


async def user_id(settings: Settings, user: str) -> UserId:
    """The user's id: `user` itself if it is an id, else the id of that username."""
    if _is_id(user, ()):
        return UserId(user)
    return await _user_called(settings, SystemClock(), user)


def sign_for(
    settings: Settings,
    clock: Clock,
    signed: SharedSecret,
    user: str,
    scopes: Iterable[Scope],
    seconds: int,
) -> str:
    """Signs a token with the claims that this server expects."""
    now = clock.now_ms() // 1000
    wanted = expected(settings)
    claims: dict[str, object] = {"sub": user, "iat": now, "exp": now + seconds}
    claims["scope"] = " ".join(sorted(scopes))
    if wanted.issuer:
        claims["iss"] = wanted.issuer
    if wanted.audiences:
        claims["aud"] = sorted(wanted.audiences)
    return signed.sign(claims)


def _is_id(user: str, scopes: Sequence[Scope]) -> bool:
    """Whether `user` is an id. A service is never looked up, because it needs no account."""
    return is_user_id(user) and (
        user.startswith("usr_") or Scope.SERVICE in scopes or not is_username(user)
    )


async def _user_called(settings: Settings, clock: Clock, username: str) -> UserId:
    path = sqlite_path(settings)
    found: str | None = None
    if path is not None and path.exists():
        # A running server may have the file open; reading the claim works meanwhile.
        with open_readonly(path, clock) as reader:
            claim = reader.get(people.USER_POSTS, people.claim_key(username.lower()), False)
        found = None if claim is None else str(claim["userId"])
    elif path is None:
        async with opened(settings, clock, create_tables=False) as store:
            person = await directory.by_username(People(store, clock, Ids(clock)), username)
        found = None if person is None else person.id
    if found is None:
        raise UsernameNotFound(username)
    return UserId(found)
