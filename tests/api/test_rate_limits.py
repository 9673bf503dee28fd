"""Every route and every socket request has a rate limit: repeated, each is refused with 429 and
`Retry-After`. A new one without a limit fails here by its name."""

from pathlib import Path

import msgspec
import pytest
from httpx import ASGITransport, AsyncClient

from greenroom.api.auth import Authenticator
from greenroom.api.http import http_app
from greenroom.api.tokens import Expected, SharedSecret
from greenroom.api.ws import frames
from greenroom.app import REGISTRY, compose
from greenroom.clock import ManualClock
from greenroom.people import People
from greenroom.safety.limits import Rate
from tests.api.populated import PopulatedWorld, populate
from tests.api.test_route_access import BODIES, PUBLIC
from tests.api.world import ApiWorld, api_world_on
from tests.socket.node import CAST, serving
from tests.stores import IN_2100_MS, SECRET, SQLITE
from tests.world import LIMITS, UNLIMITED

MOST = 3
FEW = dict.fromkeys(
    LIMITS, Rate(most=MOST, window_ms=60_000, local_share=0, lease_size=1, lease_ms=1000)
)


def _limited(world: ApiWorld) -> AsyncClient:
    """The same people and data, with low limits."""
    people = world.contexts[People]
    contexts = compose(people.store, world.clock, SECRET, rates=FEW)
    authenticator = Authenticator(people, SharedSecret(SECRET), Expected())

    async def ready() -> None:
        pass

    app = http_app(contexts, authenticator, ready)
    transport = ASGITransport(app, raise_app_exceptions=False)  # type: ignore[arg-type]
    return AsyncClient(transport=transport, base_url="http://greenroom")


def _routes(world: ApiWorld) -> list[str]:
    found = {
        f"{method} {route.path_format}"
        for route in world.app.routes
        for method in getattr(route, "methods", ())
        if method != "OPTIONS"
    }
    return sorted(found - set(PUBLIC))


async def _until_refused(
    populated: PopulatedWorld, client: AsyncClient, caller: str, route: str
) -> int:
    """How many calls it takes to reach the limit, starting from zero."""
    method, _, path = route.partition(" ")
    body = BODIES.get(route)
    for tries in range(MOST + 2):
        populated.world.clock.advance(seconds=1)
        answer = await client.request(
            method,
            populated.filled(caller, path, missing=False),
            headers=populated.headers(caller),
            json=None if body is None else body(populated, caller),
        )
        if answer.status_code == 429:
            assert int(answer.headers["retry-after"]) > 0, route
            assert answer.json()["type"] == "/problems/too-many"
            return tries
    return MOST + 2


@pytest.mark.parametrize("caller", ["member", "bare service"])
async def test_every_route_is_limited(tmp_path: Path, caller: str) -> None:
    async with api_world_on(f"{SQLITE}{tmp_path}/world.db", UNLIMITED) as world:
        populated = await populate(world)
        routes = _routes(world)
        assert len(routes) > 40
        unlimited, never_answered = [], []
        async with _limited(world) as client:
            for route in routes:
                world.clock.advance(seconds=120)
                tries = await _until_refused(populated, client, caller, route)
                if tries > MOST:
                    unlimited.append(route)
                if tries == 0:
                    never_answered.append(route)
        assert unlimited == []
        assert never_answered == []


@pytest.mark.parametrize("kind", REGISTRY.requests, ids=lambda kind: kind.__name__)
async def test_every_request_of_the_socket_is_limited(
    tmp_path: Path, kind: type[frames.Frame]
) -> None:
    clock = ManualClock(IN_2100_MS)
    async with serving(tmp_path, clock=clock, rates=FEW) as node:
        await node.join(*CAST)
        raw = await node.raw("ana")
        example = msgspec.json.decode(
            msgspec.json.encode(REGISTRY.requests[kind].examples[0].frame)
        )
        if kind is frames.Auth:
            example = {"type": "auth", "token": node.token("ana")}
        numbered = "id" in kind.__struct_fields__
        refusals = []
        for number in range(1, MOST + 2):
            raw.text(example | ({"id": number} if numbered else {}))
            if numbered:
                refusals.append((await raw.answer(number)).get("problem", {}))
        while not numbered and len(refusals) < MOST + 1:
            refusals.append((await raw.frame()).get("problem", {}))
            if refusals[-1].get("type") == "/problems/too-many":
                break
        assert refusals[-1].get("type") == "/problems/too-many", f"{kind.__name__} is not limited"
        assert refusals[-1]["retryAfterS"] > 0
        raw.abort()


async def test_opening_too_many_sockets_is_limited(tmp_path: Path) -> None:
    async with serving(tmp_path, clock=ManualClock(IN_2100_MS), rates=FEW) as node:
        await node.join(*CAST)
        for _ in range(MOST):
            (await node.raw("ana")).abort()
        raw = await node.raw()
        raw.text({"type": "auth", "id": 1, "token": node.token("ana")})
        assert (await raw.frame())["problem"]["type"] == "/problems/too-many"
        assert (await raw.closed())[0] == 1008
        (await node.raw("ben")).abort()
