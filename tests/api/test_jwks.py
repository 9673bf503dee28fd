"""Tokens of an identity provider, with real keys and a real JWKS server."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import jwt
import pytest
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from greenroom.api import jwks
from greenroom.api.auth import Authenticator
from greenroom.api.jwks import FRESH_MS, KEPT_MS, PAUSE_MS, PublicKeys
from greenroom.api.tokens import Expected, InvalidToken, KeysUnavailable
from greenroom.clock import ManualClock
from greenroom.ids import UserId
from greenroom.people import People
from greenroom.people.access import NoAccount
from greenroom.people.actor import Actor
from greenroom.people.join import join

ISSUER = "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_greenroom"
SUB = UserId("8f14e45f-ceea-467f-9b62-3d6c1a7d2b11")
RSA_KEYS = [rsa.generate_private_key(65537, 2048) for _ in range(2)]
EC_KEY = ec.generate_private_key(ec.SECP256R1())


def published(kid: str, key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> dict[str, Any]:
    if isinstance(key, rsa.RSAPrivateKey):
        made = jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
        return made | {"kid": kid, "alg": "RS256", "use": "sig"}
    made = jwt.algorithms.ECAlgorithm.to_jwk(key.public_key(), as_dict=True)
    return made | {"kid": kid, "use": "sig"}


class Provider:
    """The response of the JWKS endpoint, which a test may change."""

    def __init__(self) -> None:
        self.keys = [published("one", RSA_KEYS[0]), published("ec", EC_KEY)]
        self.status = 200
        self.padding = ""
        self.answering = asyncio.Event()
        self.answering.set()
        self.asked = 0

    async def answer(self, _: web.Request) -> web.Response:
        self.asked += 1
        await self.answering.wait()
        return web.json_response({"keys": self.keys, "x": self.padding}, status=self.status)


@pytest.fixture
async def provider() -> Provider:
    return Provider()


@pytest.fixture
async def url(provider: Provider) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_get("/jwks.json", provider.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/jwks.json"
    await runner.cleanup()


@pytest.fixture
async def keys(url: str, clock: ManualClock) -> AsyncIterator[PublicKeys]:
    keys = PublicKeys(url, ["RS256", "ES256"], clock)
    yield keys
    await keys.close()


@pytest.fixture
async def authenticator(people: People, keys: PublicKeys) -> Authenticator:
    await join(people, "maya", user=SUB)
    return Authenticator(people, keys, Expected(ISSUER, frozenset({"app-client"})))


@pytest.fixture
def claims(clock: ManualClock) -> dict[str, Any]:
    """Claims as in an access token of Cognito."""
    return {
        "sub": SUB,
        "iss": ISSUER,
        "client_id": "app-client",
        "token_use": "access",
        "scope": "openid",
        "exp": clock.now_ms() // 1000 + 10 * 24 * 3600,
    }


def cognito_token(claims: dict[str, Any], kid: str = "one", **changes: Any) -> str:
    return jwt.encode(claims | changes, RSA_KEYS[0], "RS256", headers={"kid": kid})


async def wait_for_fetch(keys: PublicKeys) -> None:
    """Waits until the background fetch is done."""
    while keys._renewal is not None:
        await asyncio.wait([keys._renewal])


async def test_rs256_and_es256_are_accepted_with_the_providers_keys(
    authenticator: Authenticator, claims: dict[str, Any], provider: Provider
) -> None:
    assert await authenticator.authenticate(cognito_token(claims)) == Actor(SUB)
    by_ec = jwt.encode(claims, EC_KEY, "ES256", headers={"kid": "ec"})
    assert await authenticator.authenticate(by_ec) == Actor(SUB)
    assert provider.asked == 1


async def test_an_id_token_has_an_audience_and_groups(
    authenticator: Authenticator, claims: dict[str, Any]
) -> None:
    del claims["client_id"]
    groups: dict[str, Any] = {
        "cognito:groups": ["moderator"],
        "token_use": "id",
        "aud": "app-client",
    }
    actor = await authenticator.authenticate(cognito_token(claims, **groups))
    assert actor == Actor(SUB), "a provider's group gives no staff role"


async def test_tokens_for_another_client_pool_or_use_are_refused(
    authenticator: Authenticator, claims: dict[str, Any]
) -> None:
    changes: list[dict[str, Any]] = [
        {"client_id": "other"},
        {"aud": "other"},
        {"iss": "x"},
        {"token_use": "refresh"},
    ]
    for change in changes:
        with pytest.raises(InvalidToken):
            await authenticator.authenticate(cognito_token(claims, **change))


async def test_a_public_key_does_not_work_as_a_shared_secret(
    authenticator: Authenticator, claims: dict[str, Any]
) -> None:
    public = RSA_KEYS[0].public_key()
    for form in (
        public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo),
    ):
        hmac = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256)
        header, payload, _ = cognito_token(claims).split(".")
        header = jwt.utils.base64url_encode(b'{"alg":"HS256","kid":"one"}').decode()
        signature = jwt.utils.base64url_encode(hmac.sign(f"{header}.{payload}".encode(), form))
        with pytest.raises(InvalidToken, match="algorithm"):
            await authenticator.authenticate(f"{header}.{payload}.{signature.decode()}")


async def test_an_algorithm_must_be_configured_and_be_that_of_the_key(
    people: People, claims: dict[str, Any], url: str, clock: ManualClock
) -> None:
    await join(people, "maya", user=SUB)
    keys = PublicKeys(url, ["RS256"], clock)
    only_rsa = Authenticator(people, keys, Expected(ISSUER, frozenset({"app-client"})))
    tokens = [
        jwt.encode(claims, EC_KEY, "ES256", headers={"kid": "ec"}),
        jwt.encode(claims, RSA_KEYS[0], "PS256", headers={"kid": "one"}),
        jwt.encode(claims, RSA_KEYS[0], "RS512", headers={"kid": "one"}),
        jwt.encode(claims, "", "none", headers={"kid": "one"}),
        cognito_token(claims, kid="ec"),
    ]
    for token in tokens:
        with pytest.raises(InvalidToken):
            await only_rsa.authenticate(token)
    await keys.close()


async def test_a_known_key_with_another_kid_is_refused(
    authenticator: Authenticator, claims: dict[str, Any]
) -> None:
    forged = jwt.encode(claims, RSA_KEYS[1], "RS256", headers={"kid": "one"})
    with pytest.raises(InvalidToken, match="signature"):
        await authenticator.authenticate(forged)
    crossed = jwt.encode(claims, RSA_KEYS[0], "RS256", headers={"kid": "ec"})
    with pytest.raises(InvalidToken):
        await authenticator.authenticate(crossed)


async def test_a_new_key_is_found_when_it_is_first_seen(
    authenticator: Authenticator, claims: dict[str, Any], provider: Provider, clock: ManualClock
) -> None:
    await authenticator.authenticate(cognito_token(claims))
    provider.keys.append(published("two", RSA_KEYS[1]))
    clock.advance(ms=PAUSE_MS)
    rotated = jwt.encode(claims, RSA_KEYS[1], "RS256", headers={"kid": "two"})
    assert await authenticator.authenticate(rotated) == Actor(SUB)
    assert provider.asked == 2


async def test_unknown_keys_trigger_a_refetch_only_now_and_then(
    authenticator: Authenticator, claims: dict[str, Any], provider: Provider, clock: ManualClock
) -> None:
    await authenticator.authenticate(cognito_token(claims))
    for _ in range(2):
        clock.advance(ms=PAUSE_MS)
        before = provider.asked
        for n in range(20):
            with pytest.raises(InvalidToken, match="its signing key is not known"):
                await authenticator.authenticate(cognito_token(claims, kid=f"made-up-{n}"))
        assert provider.asked == before + 1


async def test_a_key_that_was_withdrawn_is_refused_once_the_keys_are_renewed(
    authenticator: Authenticator,
    claims: dict[str, Any],
    provider: Provider,
    clock: ManualClock,
    keys: PublicKeys,
) -> None:
    token = cognito_token(claims)
    await authenticator.authenticate(token)
    provider.keys = [published("two", RSA_KEYS[1])]
    clock.advance(ms=FRESH_MS)
    await authenticator.authenticate(token)
    await wait_for_fetch(keys)
    clock.advance(ms=FRESH_MS)
    with pytest.raises(InvalidToken):
        await authenticator.authenticate(token)


async def test_known_keys_are_used_while_the_provider_is_down_but_not_for_ever(
    authenticator: Authenticator,
    claims: dict[str, Any],
    provider: Provider,
    clock: ManualClock,
    keys: PublicKeys,
) -> None:
    await authenticator.authenticate(cognito_token(claims))
    provider.status = 500
    for n in range(3):
        clock.advance(ms=FRESH_MS)
        assert await authenticator.authenticate(cognito_token(claims, jti=n)) == Actor(SUB)
        await wait_for_fetch(keys)
    with pytest.raises(KeysUnavailable):
        await authenticator.authenticate(cognito_token(claims, kid="two"))
    clock.advance(ms=KEPT_MS)
    with pytest.raises(KeysUnavailable):
        await authenticator.authenticate(cognito_token(claims, jti="late"))
    provider.status = 200
    clock.advance(ms=PAUSE_MS)
    assert await authenticator.authenticate(cognito_token(claims, jti="later")) == Actor(SUB)


async def test_a_hanging_provider_does_not_delay_known_keys(
    authenticator: Authenticator,
    claims: dict[str, Any],
    provider: Provider,
    clock: ManualClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await authenticator.authenticate(cognito_token(claims))
    provider.answering.clear()
    clock.advance(ms=FRESH_MS)
    # Long enough to distinguish waiting for the provider from a slow machine.
    monkeypatch.setattr(jwks, "_TIMEOUT", aiohttp.ClientTimeout(total=600))
    async with asyncio.timeout(60):
        for n in range(5):
            await authenticator.authenticate(cognito_token(claims, jti=n))
    provider.answering.set()


async def test_fifty_first_requests_fetch_the_keys_once(
    authenticator: Authenticator, claims: dict[str, Any], provider: Provider
) -> None:
    tokens = [cognito_token(claims, jti=n) for n in range(50)]
    actors = await asyncio.gather(*map(authenticator.authenticate, tokens))
    assert set(actors) == {Actor(SUB)}
    assert provider.asked == 1


@pytest.mark.parametrize("trouble", ["down", "status", "size", "json", "empty"])
async def test_without_keys_every_token_is_refused(
    people: People,
    claims: dict[str, Any],
    provider: Provider,
    url: str,
    clock: ManualClock,
    trouble: str,
) -> None:
    match trouble:
        case "down":
            url = "http://127.0.0.1:9/jwks.json"
        case "status":
            provider.status = 302
        case "size":
            provider.padding = "x" * 300_000
        case "json":
            provider.keys = "none"  # type: ignore[assignment]
        case "empty":
            provider.keys = [{"kty": "oct", "k": "c2VjcmV0", "kid": "one"}, {"kty": 7}]
    keys = PublicKeys(url, ["RS256"], clock)
    authenticator = Authenticator(people, keys, Expected(ISSUER, frozenset({"app-client"})))
    with pytest.raises(KeysUnavailable):
        await authenticator.authenticate(cognito_token(claims))
    await keys.close()


async def test_a_new_user_has_no_account_until_sign_up(
    people: People, keys: PublicKeys, claims: dict[str, Any]
) -> None:
    authenticator = Authenticator(people, keys, Expected(ISSUER, frozenset({"app-client"})))
    token = cognito_token(claims)
    with pytest.raises(NoAccount, match=r"PUT /v1/me"):
        await authenticator.authenticate(token)
    assert await authenticator.newcomer(token) == Actor(SUB)
    await join(people, "maya", user=SUB)
    assert await authenticator.authenticate(token) == Actor(SUB)
