"""Routes of the web app: its page under every path of the app, and its files.

Careful: a file with a hash in its name never changes and is cached for ever. The page that links to
it changes with each build and is revalidated each time.
"""

from typing import Any

from litestar import MediaType, Request, Response, get
from litestar.exceptions import NotFoundException
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from greenroom.api.not_modified import has_current
from greenroom.api.web.site import File, Site

STANDING = ("icon.svg", "greenroom-inbox.js")
"""Files without a hash, because other sites link to them by name."""
CONTENT_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "worker-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "media-src 'self' blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
_OF_FILES = ("img-src ", "media-src ", "connect-src ")
_FOR_GOOD = "public, max-age=31536000, immutable"
_EACH_TIME = "no-cache"
_SHARED = {
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
"""Any site may load the embeddable inbox."""


def content_policy(files: str = "") -> str:
    """`files` is the origin of files' content, if it is another."""
    directives = CONTENT_POLICY.split("; ")
    allowed = [f"{one} {files}" if one.startswith(_OF_FILES) else one for one in directives]
    return "; ".join(allowed if files else directives)


def site_routes(site: Site | None, landing: str, policy: str) -> list[HTTPRouteHandler]:
    """Without a built site, `/` is the landing page."""
    own = {"Content-Security-Policy": policy}
    pages = ("/",) if site is None else site.pages
    paths = [path for page in pages for path in _paths(page)]

    @get(paths, include_in_schema=False, sync_to_thread=False)
    def app_page(request: Request[Any, Any, Any]) -> Response[bytes]:
        if site is None:
            return Response(landing.encode(), media_type=MediaType.HTML)
        return _answer(request, site.index, _EACH_TIME, own)

    @get("/assets/{name:str}", include_in_schema=False, sync_to_thread=False)
    def asset(request: Request[Any, Any, Any], name: FromPath[str]) -> Response[bytes]:
        # A worker script is subject to the policy in its own response.
        return _answer(request, _named(site, f"assets/{name}"), _FOR_GOOD, own | _SHARED)

    @get([f"/{name}" for name in STANDING], include_in_schema=False, sync_to_thread=False)
    def standing(request: Request[Any, Any, Any]) -> Response[bytes]:
        found = _named(site, request.url.path.removeprefix("/"))
        return _answer(request, found, _EACH_TIME, own | _SHARED)

    return [app_page, asset, standing]


def wants_page(request: Request[Any, Any, Any]) -> bool:
    """Whether a browser opens an address, rather than a program calling the API."""
    if request.method != "GET" or f"{request.url.path}/".startswith(("/v1/", "/assets/")):
        return False
    return "text/html" in request.headers.get("accept", "")


def not_found_page(request: Request[Any, Any, Any]) -> Response[bytes]:
    """The app's page with status 404. The app shows its own "not found". Without a built site, the
    landing page."""
    site, landing = request.app.state.site, request.app.state.landing
    if site is None:
        return Response(landing.encode(), status_code=404, media_type=MediaType.HTML)
    policy = {"Content-Security-Policy": request.app.state.content_policy}
    return _answer(request, site.index, _EACH_TIME, policy, status=404)


def _paths(page: str) -> list[str]:
    """A page's pattern as routes: `/inbox/:thread?` is `/inbox` and `/inbox/{part2:str}`."""
    parts = page.removeprefix("/").split("/")
    required = [part for part in parts if not part.endswith("?")]
    routes = [
        f"{{part{number}:str}}" if part.startswith(":") else part
        for number, part in enumerate(parts, 1)
    ]
    return ["/" + "/".join(routes[:count]) for count in range(len(required), len(parts) + 1)]


def _named(site: Site | None, name: str) -> File:
    found = None if site is None else site.files.get(name)
    if found is None:
        raise NotFoundException
    return found


def _answer(
    request: Request[Any, Any, Any],
    file: File,
    keep: str,
    more: dict[str, str],
    status: int = 200,
) -> Response[bytes]:
    headers = {"Cache-Control": keep, "ETag": file.etag, "Vary": "Accept-Encoding", **more}
    if status == 200 and has_current(request, file.etag):
        return Response(b"", status_code=304, headers=headers, media_type=file.media_type)
    body, coding = file.for_client(request.headers.get("accept-encoding", ""))
    if coding is not None:
        headers["Content-Encoding"] = coding
    return Response(body, status_code=status, headers=headers, media_type=file.media_type)
