"""On every route: HEAD is GET without the body, private responses are not cached, and public
documents are rendered once."""

import time
from pathlib import Path

import pytest
from httpx import ASGITransport, AsyncClient, Response

from greenroom.api.auth import Authenticator
from greenroom.api.http import http_app
from greenroom.api.tokens import Expected, SharedSecret
from greenroom.api.web import Site
from greenroom.people import People
from tests.api.populated import PopulatedWorld, populate
from tests.api.test_route_access import BODIES, PUBLIC, ROWS
from tests.api.world import ApiWorld
from tests.stores import SECRET

READS = [route for route in (*PUBLIC, *ROWS) if route.startswith("GET ")]
_VARY = {"date", "x-request-id"}


@pytest.fixture
async def populated(sqlite_world: ApiWorld) -> PopulatedWorld:
    return await populate(sqlite_world)


def _headers(answer: Response) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name not in _VARY}


async def test_head_is_get_without_the_body_on_every_route(populated: PopulatedWorld) -> None:
    compared = 0
    for caller in ("member", "moderator", "nobody"):
        for route in READS:
            whole = await populated.ask(caller, route)
            head = await populated.ask(caller, route.replace("GET", "HEAD", 1))
            assert (head.status_code, head.content) == (whole.status_code, b""), route
            assert _headers(head) == _headers(whole), route
            compared += bool(whole.content)
    assert compared > 60


async def test_nothing_private_is_cached_on_any_route(populated: PopulatedWorld) -> None:
    for route, statuses in ROWS.items():
        for caller in ("nobody", "stranger", "member", "moderator"):
            body = BODIES.get(route)
            answer = await populated.ask(caller, route, body and body(populated, caller))
            assert caller == "nobody" or answer.status_code != 401
            assert answer.headers.get("cache-control") == "no-store", (route, answer.status_code)
        assert statuses
    for path in ("/v1/nothing", "/nothing", "/v1/me/x"):
        assert (await populated.world.client.get(path)).headers["cache-control"] == "no-store"


@pytest.mark.parametrize("route", [route for route in PUBLIC if "{" not in route])
async def test_public_documents_are_served_from_memory(sqlite_world: ApiWorld, route: str) -> None:
    path = route.removeprefix("GET ")
    first = await sqlite_world.client.get(path)
    held, sqlite_world.client.event_hooks = (
        sqlite_world.client.event_hooks,
        {},
    )  # checking against the schema takes time
    quickest = min([await _seconds(sqlite_world.client, path) for _ in range(10)])
    sqlite_world.client.event_hooks = held
    assert quickest < 0.02
    if path.startswith("/schema") and (tag := first.headers.get("etag")):
        again = await sqlite_world.client.get(path, headers={"If-None-Match": tag})
        assert (again.status_code, again.content) == (304, b"")
    else:
        assert not path.startswith("/schema") or path.startswith("/schema/docs")


async def _seconds(client: AsyncClient, path: str) -> float:
    begun = time.process_time()
    await client.get(path)
    return time.process_time() - begun


@pytest.fixture
def site(tmp_path: Path) -> Site:
    folder = tmp_path / "built"
    folder.mkdir()
    (folder / "index.html").write_text("<!doctype html><title>The app</title>")
    found = Site.found(folder)
    assert found is not None
    return found


_BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


async def test_a_browser_at_an_unknown_address_gets_the_app(
    sqlite_world: ApiWorld, site: Site
) -> None:
    authenticator = Authenticator(sqlite_world.contexts[People], SharedSecret(SECRET), Expected())

    async def ready() -> None:
        pass

    app = http_app(sqlite_world.contexts, authenticator, ready, site=site)
    transport = ASGITransport(app, raise_app_exceptions=False)  # type: ignore[arg-type]
    async with AsyncClient(transport=transport, base_url="http://greenroom") as client:
        for path in ("/nowhere", "/nowhere/at/all", "/inboxx", "/new/x", "/problems/none"):
            page = await client.get(path, headers=_BROWSER)
            assert page.status_code == 404, path
            assert "<title>The app" in page.text
            assert page.headers["content-type"].startswith("text/html")
            assert "script-src 'self'" in page.headers["content-security-policy"]
            assert (await client.head(path, headers=_BROWSER)).status_code == 404
            for response in (await client.get(path), await client.post(path, headers=_BROWSER)):
                assert response.headers["content-type"] == "application/problem+json"
        for path in ("/v1", "/v1/", "/v1/nothing", "/v1/people/x/y", "/assets/none.js"):
            response = await client.get(path, headers=_BROWSER)
            assert response.status_code == 404
            assert response.json()["type"] == "/problems/no-such-page", path
