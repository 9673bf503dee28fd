"""Serving the built app: all its URLs, caching, compression and the CSP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from httpx import ASGITransport, AsyncClient
from litestar import Litestar
from litestar.datastructures import State
from litestar.exceptions import HTTPException

from greenroom.api import errors
from greenroom.api.pages.landing import landing
from greenroom.api.web import Site, content_policy, site_routes
from greenroom.app import REGISTRY
from greenroom.metrics import Metrics

_OPENED = {"Accept": "text/html,*/*;q=0.8"}
"""A browser opens the address."""


@asynccontextmanager
async def _browser(site: Site | None, files: str = "") -> AsyncIterator[AsyncClient]:
    start_page, policy = landing([]), content_policy(files)
    app = Litestar(
        site_routes(site, start_page, policy),
        state=State(
            {
                "site": site,
                "content_policy": policy,
                "landing": start_page,
                "problems": REGISTRY.problems,
                "metrics": Metrics(),
            }
        ),
        exception_handlers={HTTPException: errors.on_http_exception},
        openapi_config=None,
    )
    async with AsyncClient(transport=ASGITransport(app), base_url="http://here") as client:  # type: ignore[arg-type]
        yield client


@pytest.fixture
def site(tmp_path: Path) -> Site:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html><script src='/assets/a-1.js'></script>")
    (tmp_path / "assets/a-1.js").write_text("let plain")
    (tmp_path / "assets/a-1.js.br").write_bytes(b"as brotli")
    (tmp_path / "assets/a-1.js.gz").write_bytes(b"as gzip")
    (tmp_path / "icon.svg").write_text("<svg/>")
    (tmp_path / "pages.json").write_text('["/", "/inbox/:thread?", "/people/:user/posts"]')
    found = Site.found(tmp_path)
    assert found is not None
    return found


async def test_every_page_of_the_manifest_serves_the_app_without_caching(
    site: Site,
) -> None:
    async with _browser(site) as client:
        for path in ("/", "/inbox", "/inbox/", "/inbox/thr_1", "/people/usr_1/posts"):
            page = await client.get(path)
            assert (page.status_code, page.text) == (200, site.index.body.decode()), path
            assert page.headers["cache-control"] == "no-cache"
            again = await client.get(path, headers={"If-None-Match": page.headers["etag"]})
            assert (again.status_code, again.content) == (304, b"")


async def test_other_addresses_serve_the_app_as_not_found(site: Site) -> None:
    async with _browser(site) as client:
        for path in ("/settings", "/inbox/thr_1/msg_1", "/people", "/people/usr_1", "/pages.json"):
            page = await client.get(path, headers=_OPENED)
            assert (page.status_code, page.text) == (404, site.index.body.decode()), path


async def test_the_csp_allows_no_inline_script_and_no_other_origin(site: Site) -> None:
    async with _browser(site) as client:
        policy = (await client.get("/")).headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "//" not in policy


async def test_the_csp_allows_the_origin_of_files_where_they_are_shown(site: Site) -> None:
    bucket = "https://bucket.s3.eu-central-1.amazonaws.com"
    async with _browser(site, bucket) as client:
        for path in ("/", "/settings", "/assets/a-1.js"):
            answer = await client.get(path, headers={**_OPENED, "Accept-Encoding": "identity"})
            directives = answer.headers["content-security-policy"].split("; ")
            allowed = [one.split()[0] for one in directives if bucket in one.split()]
            assert allowed == ["img-src", "media-src", "connect-src"]
            assert "script-src 'self'" in directives


@pytest.mark.parametrize(
    ("accepts", "given", "coding"),
    [
        ("gzip, deflate, br", "as brotli", "br"),
        ("gzip;q=1.0, br;q=0", "as gzip", "gzip"),
        ("identity", "let plain", None),
    ],
)
async def test_a_hashed_file_is_cached_forever_and_compressed_as_the_browser_accepts(
    site: Site, accepts: str, given: str, coding: str | None
) -> None:
    async with _browser(site) as client:
        request = client.build_request(
            "GET", "/assets/a-1.js", headers={"Accept-Encoding": accepts}
        )
        answer = await client.send(request, stream=True)
        body = b"".join([part async for part in answer.aiter_raw()])
    assert body.decode() == given
    assert answer.headers.get("content-encoding") == coding
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["vary"] == "Accept-Encoding"


async def test_unknown_files_are_not_found_and_other_paths_are_not_served(site: Site) -> None:
    async with _browser(site) as client:
        for path in ("/assets/b-2.js", "/assets/a-1.js.br", "/assets/..%2Findex.html", "/other"):
            assert (await client.get(path)).status_code == 404, path
        assert (await client.get("/icon.svg")).headers["content-type"].startswith("image/svg+xml")


async def test_without_a_build_the_page_says_how_to_build_it(tmp_path: Path) -> None:
    assert Site.found(tmp_path) is None
    async with _browser(None) as client:
        for path, status in (("/", 200), ("/inbox", 404), ("/inbox/thr_1", 404)):
            page = await client.get(path, headers=_OPENED)
            assert page.status_code == status
            assert "make web" in page.text
            assert "Node 20" in page.text
        assert (await client.get("/assets/a-1.js")).status_code == 404
