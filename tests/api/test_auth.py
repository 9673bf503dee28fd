"""Authentication with tokens signed by the operator's secret."""

from base64 import urlsafe_b64encode
from collections.abc import Callable

import jwt
import msgspec
import pytest
from httpx import AsyncClient

from greenroom.api.access import rows
from greenroom.api.auth import Authenticator, NotAllowed
from greenroom.api.tokens import Expected, Fault, InvalidToken, SharedSecret, TokenExpired
from greenroom.app import REGISTRY
from greenroom.clock import ManualClock
from greenroom.ids import UserId
from greenroom.people import People, directory, records
from greenroom.people.access import AccountSuspended, NoAccount
from greenroom.people.actor import SYSTEM, Actor, Scope, StaffRole
from greenroom.people.join import join
from greenroom.people.models import FOREVER_MS
from greenroom.people.suspend import suspend
from tests.api.conftest import Bearer
from tests.stores import SECRET

Client = AsyncClient
Claims = dict[str, object]


def unsigned(claims: Claims) -> str:
    parts = ({"alg": "none", "typ": "JWT"}, claims)
    return ".".join(urlsafe_b64encode(msgspec.json.encode(p)).decode().strip("=") for p in parts)


def signed(claims: Claims, **header: str) -> str:
    return jwt.encode(dict(claims), SECRET, "HS256", headers=header)


@pytest.fixture
def authenticator(people: People) -> Authenticator:
    return Authenticator(people, SharedSecret(SECRET), Expected())


@pytest.fixture
async def maya(people: People) -> UserId:
    return (await join(people, "maya")).id


@pytest.fixture
def claims(clock: ManualClock, maya: UserId) -> Claims:
    return {"sub": maya, "exp": clock.now_ms() // 1000 + 60}


async def refusal(authenticator: Authenticator, token: str) -> str:
    with pytest.raises(InvalidToken) as refused:
        await authenticator.authenticate(token)
    return refused.value.reason


async def test_a_valid_token_authenticates_its_subject(
    authenticator: Authenticator, claims: Claims, maya: UserId
) -> None:
    assert await authenticator.authenticate(signed(claims)) == Actor(maya)


@pytest.mark.parametrize(
    "token", ["", "x", "a.b", "a.b.c", "..", "é.é.é", "\ud800", "e" * 9000, "null.null.null"]
)
async def test_an_invalid_token_is_refused(authenticator: Authenticator, token: str) -> None:
    assert await refusal(authenticator, token) == Fault.MALFORMED


async def test_a_token_cannot_choose_its_algorithm(
    authenticator: Authenticator, claims: Claims
) -> None:
    for token in (
        unsigned(claims) + ".",
        jwt.encode(dict(claims), SECRET * 2, "HS512"),
        jwt.encode(dict(claims), SECRET * 2, "HS384"),
    ):
        assert "algorithm" in await refusal(authenticator, token)


async def test_another_secret_or_a_changed_payload_is_refused(
    authenticator: Authenticator, claims: Claims
) -> None:
    forged = jwt.encode(dict(claims), "another secret of more than 32 characters", "HS256")
    assert await refusal(authenticator, forged) == "its signature is not valid"
    header, _, signature = signed(claims).split(".")
    payload = signed(claims | {"scope": "admin"}).split(".")[1]
    assert "signature" in await refusal(authenticator, f"{header}.{payload}.{signature}")


async def test_an_expired_token_is_refused_after_a_small_leeway(
    authenticator: Authenticator, claims: Claims, clock: ManualClock, maya: UserId
) -> None:
    token = signed(claims)
    clock.advance(seconds=65)
    assert await authenticator.authenticate(token) == Actor(maya)
    clock.advance(seconds=6)
    for known_before in (token, signed(claims | {"jti": "1"})):
        with pytest.raises(TokenExpired):
            await authenticator.authenticate(known_before)


@pytest.mark.parametrize("claim", ["nbf", "iat"])
async def test_a_token_from_the_future_is_refused_until_its_time(
    authenticator: Authenticator, claims: Claims, clock: ManualClock, maya: UserId, claim: str
) -> None:
    token = signed(claims | {claim: clock.now_ms() // 1000 + 20})
    assert await refusal(authenticator, token) == Fault.NOT_YET
    clock.advance(seconds=15)
    assert await authenticator.authenticate(token) == Actor(maya)


Change = Callable[[Claims], Claims]


@pytest.mark.parametrize(
    "change",
    [
        lambda claims: {"exp": claims["exp"]},
        lambda claims: {"sub": claims["sub"]},
        lambda claims: claims | {"exp": "tomorrow"},
        lambda claims: claims | {"exp": None},
        lambda claims: claims | {"sub": 7},
        lambda claims: claims | {"sub": ""},
        lambda claims: claims | {"sub": "a#b"},
        lambda claims: claims | {"sub": "USER#x"},
        lambda claims: claims | {"sub": "x" * 65},
        lambda claims: claims | {"sub": "a b"},
        lambda claims: claims | {"sub": "usr_1\n"},
        lambda claims: claims | {"sub": SYSTEM},
        lambda claims: claims | {"scope": 1},
        lambda claims: claims | {"aud": "somebody-else"},
        lambda claims: claims | {"token_use": "refresh"},
    ],
)
async def test_invalid_claims_are_refused(
    authenticator: Authenticator, claims: Claims, change: Change
) -> None:
    payload = msgspec.json.encode(change(claims))
    token = jwt.PyJWS().encode(payload, SECRET, "HS256")
    assert await refusal(authenticator, token)


async def test_issuer_and_audience_are_checked_if_configured(
    people: People, claims: Claims, maya: UserId
) -> None:
    authenticator = Authenticator(
        people, SharedSecret(SECRET), Expected("https://shop", frozenset({"web", "app"}))
    )
    good = claims | {"iss": "https://shop", "aud": ["other", "app"]}
    assert await authenticator.authenticate(signed(good)) == Actor(maya)
    assert "issuer" in await refusal(authenticator, signed(good | {"iss": "https://else"}))
    assert "issuer" in await refusal(authenticator, signed(claims | {"aud": "app"}))
    for audience in ("other", [], ["other"]):
        assert "audience" in await refusal(authenticator, signed(good | {"aud": audience}))


@pytest.mark.parametrize(
    ("named", "scopes"),
    [
        ({}, {Scope.USER}),
        ({"scope": "openid profile"}, {Scope.USER}),
        ({"scope": "moderator"}, {Scope.USER}),
        ({"scopes": ["admin"]}, {Scope.USER}),
        ({"scope": "greenroom/moderator"}, {Scope.USER}),
        ({"scope": "aws.cognito.signin.user.admin"}, {Scope.USER}),
        ({"cognito:groups": ["moderator", "vip"]}, {Scope.USER}),
        ({"scope": "service"}, {Scope.SERVICE}),
        ({"scope": "service user"}, {Scope.SERVICE, Scope.USER}),
        ({"scope": "service admin"}, {Scope.SERVICE}),
    ],
)
async def test_a_token_can_make_a_service_but_not_staff(
    authenticator: Authenticator, claims: Claims, named: Claims, scopes: set[Scope]
) -> None:
    actor = await authenticator.authenticate(signed(claims | named))
    assert actor.scopes == scopes


@pytest.mark.parametrize("role", StaffRole)
@pytest.mark.parametrize("named", ["", "moderator", "admin"])
async def test_the_stored_role_decides_whatever_the_token_says(
    authenticator: Authenticator,
    people: People,
    claims: Claims,
    clock: ManualClock,
    maya: UserId,
    role: StaffRole,
    named: str,
) -> None:
    token = signed(claims | {"scope": named})
    await people.store.write(*records.role_changed(maya, None, role))
    assert (await authenticator.authenticate(token)).scopes == {Scope.USER, Scope(role.value)}
    await people.store.write(*records.role_changed(maya, role, None))
    authenticator.forget(maya)
    assert (await authenticator.authenticate(token)).scopes == {Scope.USER}


async def test_a_service_that_acts_for_staff_acts_for_a_user(
    authenticator: Authenticator, people: People, claims: Claims, maya: UserId
) -> None:
    await people.store.write(*records.role_changed(maya, None, StaffRole.ADMIN))
    shop = signed(claims | {"sub": "shop", "scope": "service"})
    assert await authenticator.authenticate(shop, maya) == Actor(maya)


async def test_a_suspension_counts_within_seconds_also_for_a_token_just_used(
    authenticator: Authenticator, people: People, claims: Claims, maya: UserId, clock: ManualClock
) -> None:
    token = signed(claims)
    await authenticator.authenticate(token)
    await suspend(people, maya, clock.now_ms() + 30_000, "spam")
    clock.advance(seconds=2)
    with pytest.raises(AccountSuspended) as refused:
        await authenticator.authenticate(token)
    assert refused.value.until == "2025-10-09T08:53:50.000Z"
    clock.advance(seconds=28)
    assert await authenticator.authenticate(token) == Actor(maya)
    await suspend(people, maya, None, "spam")
    clock.advance(seconds=2)
    with pytest.raises(AccountSuspended, match="until further notice"):
        await authenticator.authenticate(token)
    await people.store.write(records.reinstated(maya, FOREVER_MS))
    clock.advance(seconds=2)
    assert await authenticator.authenticate(token) == Actor(maya)


async def test_a_token_used_again_costs_no_read_and_an_account_one_read_in_two_seconds(
    authenticator: Authenticator, people: People, claims: Claims, clock: ManualClock
) -> None:
    token = signed(claims)
    with people.store.counting() as cost:
        for _ in range(50):
            await authenticator.authenticate(token)
    assert cost.read_units == 0.5
    clock.advance(seconds=2)
    with people.store.counting() as cost:
        await authenticator.authenticate(token)
    assert cost.read_units == 0.5


async def test_a_service_acts_for_a_user_with_no_more_than_the_users_scope(
    authenticator: Authenticator, claims: Claims, maya: UserId
) -> None:
    shop = signed(claims | {"sub": "shop", "scope": "service admin"})
    assert await authenticator.authenticate(shop, maya) == Actor(maya, frozenset({Scope.USER}))
    assert (await authenticator.authenticate(shop)).user == "shop"
    for nobody in ("usr_nobody", "", "a#b", SYSTEM):
        with pytest.raises(NoAccount):
            await authenticator.authenticate(shop, nobody)


async def test_only_a_service_acts_for_a_user_and_not_for_a_suspended_one(
    authenticator: Authenticator, people: People, claims: Claims, maya: UserId
) -> None:
    other = (await join(people, "other")).id
    for scope in ("user", "moderator", "admin"):
        with pytest.raises(NotAllowed):
            await authenticator.authenticate(signed(claims | {"scope": scope}), other)
    await suspend(people, other, None, "spam")
    with pytest.raises(AccountSuspended):
        await authenticator.authenticate(signed(claims | {"scope": "service"}), other)


async def test_a_refusal_over_http_names_the_scheme(anonymous: Client, bearer: Bearer) -> None:
    for headers in ({}, {"Authorization": "Basic bWF5YQ=="}, {"Authorization": "Bearer "}):
        answer = await anonymous.get("/v1/me", headers=headers)
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert answer.json()["type"] == "/problems/not-authenticated"
    for token, code in ((bearer("usr_1", exp=1), "token-expired"), (None, "invalid-token")):
        answer = await anonymous.get("/v1/me", headers=token or {"Authorization": "bearer x"})
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == 'Bearer error="invalid_token"'
        assert answer.json()["type"] == f"/problems/{code}"


async def test_a_missing_scope_is_named(client: Client) -> None:
    answer = await client.post("/v1/people", json={"username": "zoe"})
    assert answer.status_code == 403
    assert answer.headers["www-authenticate"] == 'Bearer error="insufficient_scope"'
    assert answer.json()["type"] == "/problems/not-allowed"
    assert answer.json()["scopes"] == ["admin", "service"]


async def test_a_suspended_account_is_told_until_when(
    client: Client, people: People, clock: ManualClock
) -> None:
    maya = await directory.by_username(people, "maya")
    assert maya is not None
    await suspend(people, maya.id, clock.now_ms() + 60_000, "Spam.")
    answer = await client.get("/v1/me")
    assert answer.status_code == 403
    assert answer.json()["type"] == "/problems/account-suspended"
    assert answer.json()["until"] == "2025-10-09T08:54:20.000Z"
    assert answer.json()["reason"] == "Spam."


async def test_acting_for_a_user_over_http(client: Client, people: People, bearer: Bearer) -> None:
    maya = await directory.by_username(people, "maya")
    assert maya is not None
    act_for = {"Greenroom-Act-For": maya.id}
    service = bearer("shop", Scope.SERVICE)
    assert (await client.get("/v1/me", headers=service | act_for)).json()["username"] == "maya"
    assert (await client.get("/v1/me", headers=service)).status_code == 403
    assert (await client.get("/v1/me", headers=bearer("usr_1") | act_for)).status_code == 403


async def test_the_schema_says_which_routes_need_a_token(anonymous: Client) -> None:
    """Those of the access matrix. All others are public, also the few under `/v1/`."""
    schema = (await anonymous.get("/schema")).json()
    assert schema["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
    private, public, asked = dict(rows(REGISTRY.access)), set[str](), 0
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            route = f"{method.upper()} {path}"
            filled = path.replace("{userId}", "usr_1").replace("{number}", "1")
            answer = await anonymous.request(method, filled, json={})
            if operation.get("security") != [{"bearer": []}]:
                public.add(route)
                assert answer.status_code not in (401, 403), route
                assert not {"401", "403"} & set(operation["responses"])
                continue
            asked += 1
            assert route in private
            assert answer.status_code == 401, route
            assert {"401", "403"} <= set(operation["responses"])
    assert asked >= 6
    assert not public & private.keys()
    assert {one for one in public if " /v1/" in one} == {
        "GET /v1/documents/verify/{sha256}",
        "GET /v1/manifests/{manifestId}",
    }
