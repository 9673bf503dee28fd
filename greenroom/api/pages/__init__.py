"""HTML pages that the server renders itself. They load nothing from other sites.

Careful: escape every value that goes into a page.
"""

from html import escape
from pathlib import Path

from litestar import MediaType, Response, get

CONTENT_POLICY = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; "
CONTENT_POLICY += "form-action 'none'; frame-ancestors 'none'"
_STYLE = (Path(__file__).parent / "page.css").read_bytes()


def page(title: str, body: str) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n"
        '<link rel="icon" href="data:,">\n<link rel="stylesheet" href="/page.css">\n'
        f"</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


@get("/page.css", include_in_schema=False, sync_to_thread=False)
def page_css() -> Response[bytes]:
    return Response(_STYLE, media_type=MediaType.CSS, headers={"Cache-Control": "no-cache"})
