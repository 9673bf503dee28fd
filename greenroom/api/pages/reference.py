"""Serves the API reference at /schema/docs, and a page for every problem at /problems/{code}.

The reference is Scalar, bundled with the web app's build. It loads nothing from other sites.
"""

from html import escape
from pathlib import Path
from typing import Any

from litestar import MediaType, Request, Response, get
from litestar.exceptions import NotFoundException
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from greenroom.api.pages import page
from greenroom.api.problem_table import HTTP_PROBLEMS, ProblemTable
from greenroom.api.web import Site

_SCRIPT = (Path(__file__).parent / "reference.js").read_bytes()
_BUNDLE = "assets/api-reference-"
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",  # the bundle adds its styles by script
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
_MISSING = (
    "<h1>API reference</h1>\n<p>The reference is part of the web app, which was not built. "
    "<code>make web</code> builds it, and needs Node 20 or newer.</p>\n"
    "<p>The same for programs: <a href='/schema'>OpenAPI 3.1</a>, "
    "<a href='/schema/openapi.yaml'>as YAML</a>. The socket: "
    "<a href='/schema/asyncapi.json'>AsyncAPI 3.0</a>.</p>"
)


def reference_routes(site: Site | None, problems: ProblemTable) -> list[HTTPRouteHandler]:
    bundle = _bundle(site)
    body = page("API reference", _MISSING) if bundle is None else _reference(bundle)
    headers = {} if bundle is None else {"Content-Security-Policy": _POLICY}

    @get("/schema/docs", include_in_schema=False, sync_to_thread=False)
    def reference() -> Response[bytes]:
        return Response(body.encode(), media_type=MediaType.HTML, headers=headers)

    @get("/problems/{code:str}", include_in_schema=False, sync_to_thread=False)
    def problem_page(code: FromPath[str]) -> Response[bytes]:
        """The page that a problem's `type` links to."""
        return _problem_page(problems, code)

    return [reference, reference_js, problem_page]


def _bundle(site: Site | None) -> str | None:
    names = () if site is None else site.files
    return next((name for name in names if name.startswith(_BUNDLE)), None)


def _reference(bundle: str) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<title>Greenroom API reference</title>\n<link rel="icon" href="/icon.svg">\n'
        f'</head>\n<body>\n<div id="reference"></div>\n<script src="/{escape(bundle)}"></script>\n'
        '<script src="/schema/docs.js"></script>\n</body>\n</html>\n'
    )


@get("/schema/docs.js", include_in_schema=False, sync_to_thread=False)
def reference_js(request: Request[Any, Any, Any]) -> Response[bytes]:
    return Response(_SCRIPT, media_type="text/javascript", headers={"Cache-Control": "no-cache"})


def _problem_page(problems: ProblemTable, code: str) -> Response[bytes]:
    known = _known_problems(problems).get(code)
    if known is None:
        raise NotFoundException
    status, sentence = known
    body = (
        f"<h1>{escape(problems.title_of(code))}</h1>\n<p>{escape(sentence)}</p>\n"
        f"<table>\n<tr><th>type</th><td><code>/problems/{escape(code)}</code></td></tr>\n"
        f"<tr><th>status</th><td>{status}</td></tr>\n</table>\n"
        "<p class='quiet'>The operations that answer with it are in the "
        "<a href='/schema/docs'>API reference</a>.</p>"
    )
    return Response(page(problems.title_of(code), body).encode(), media_type=MediaType.HTML)


def _known_problems(problems: ProblemTable) -> dict[str, tuple[int, str]]:
    """The status of each problem by its code, and its message with example values."""
    told = {
        kind.code: (
            answer.status,
            str(problems.example_of(kind))
            if answer.exposed
            else f"{problems.title_of(kind.code)}.",
        )
        for kind, answer in problems.responses.items()
        if answer.status != 500
    }
    return told | {code: (status, says) for status, (code, says) in HTTP_PROBLEMS.items()}
