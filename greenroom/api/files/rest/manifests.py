"""The route and the page of one manifest, for everybody: there is no token.

The page is rendered here and needs no web app. Its script computes the SHA-256 of a file in the
browser: the file never leaves it.
"""

from html import escape
from pathlib import Path

from litestar import MediaType, Response, Router, get

from greenroom.api.files.manifest_shapes import ManifestRecord, record_shape
from greenroom.api.files.params import ManifestIdInPath, TheFiles
from greenroom.api.pages import page
from greenroom.api.route_docs import refuses
from greenroom.files.manifests import public_manifest
from greenroom.files.problems import ManifestNotFound

_PAGES = Path(__file__).parent.parent.parent / "pages"
_NAMES = ("verify.js", "choose_file.js", "sha256.js")
_SCRIPTS = {name: (_PAGES / name).read_bytes() for name in _NAMES}
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
_HEADERS = {"Content-Security-Policy": _POLICY}


@get(
    "/v1/manifests/{manifestId:str}",
    operation_id="getManifest",
    summary="Get the record of a deliverable",
    description="For everybody who has its id: no token is needed. It has neither the URL nor the "
    "people. `hash` can be computed again from the other fields.",
    response_description="The record.",
    responses=refuses(ManifestNotFound, token=False),
)
async def get_manifest(manifest_id: ManifestIdInPath, files: TheFiles) -> ManifestRecord:
    return record_shape(await public_manifest(files, manifest_id))


@get("/verify/{manifestId:str}", include_in_schema=False)
async def verify_page(manifest_id: ManifestIdInPath, files: TheFiles) -> Response[bytes]:
    try:
        found = record_shape(await public_manifest(files, manifest_id))
    except ManifestNotFound:
        return _html(page("No such record", _MISSING), 404)
    return _html(verify_html(found), 200)


def verify_html(found: ManifestRecord) -> str:
    return page(f"Verify {found.name or 'a delivered file'}", _body(found))


@get("/verify.js", include_in_schema=False, sync_to_thread=False)
def verify_js() -> Response[bytes]:
    return _script("verify.js")


@get("/choose_file.js", include_in_schema=False, sync_to_thread=False)
def choose_file_js() -> Response[bytes]:
    return _script("choose_file.js")


@get("/sha256.js", include_in_schema=False, sync_to_thread=False)
def sha256_js() -> Response[bytes]:
    return _script("sha256.js")


def _script(name: str) -> Response[bytes]:
    headers = {"Cache-Control": "no-cache"}
    return Response(_SCRIPTS[name], media_type="text/javascript", headers=headers)


def _html(text: str, status: int) -> Response[bytes]:
    return Response(text.encode(), media_type=MediaType.HTML, status_code=status, headers=_HEADERS)


_MISSING = (
    "<h1>No such record</h1>\n<p>There is no record of a deliverable at this address. Check that "
    "the link is complete.</p>"
)


def _body(found: ManifestRecord) -> str:
    """Every value is escaped. The script reads them from the attributes of `#record`."""
    fields = {
        "manifest-id": found.manifest_id,
        "number": found.number,
        "name": found.name,
        "size": found.size,
        "sha256": found.sha256,
        "created-at": found.created_at,
        "sealed": found.sealed,
        "previous": found.previous,
        "hash": found.hash,
    }
    data = " ".join(
        f'data-{key}="{escape(str(value))}"' for key, value in fields.items() if value is not None
    )
    name = None if found.name is None else f"<bdi>{escape(found.name)}</bdi>"
    rows = {
        "Name": name or "A moderator has withheld the name",
        "Size": f"<span id='size'>{found.size:,} bytes</span>",
        "Recorded": f"<time id='recorded' datetime='{found.created_at}'>{found.created_at}</time>",
        "SHA-256": f"<code>{escape(found.sha256)}</code>",
        "Record": f"No. {found.number} of its conversation<br><code>{found.manifest_id}</code>",
        "Hash of this record": f"<code>{found.hash}</code> <span id='own-hash'></span>",
        "Hash of the previous record": f"<code>{found.previous}</code>"
        if found.previous
        else "None: this is the first record",
    }
    table = "\n".join(f"<tr><th scope='row'>{key}</th><td>{rows[key]}</td></tr>" for key in rows)
    return (
        "<h1>Verify a delivered file</h1>\n"
        f"<p>{f'“{name}”' if name else 'A file'} was delivered in a conversation. Choose the file "
        "that you have. Your browser checks whether it is the same, byte for byte. Nothing is "
        "uploaded.</p>\n"
        f"<div id='record' {data}>\n"
        "<label id='drop' for='file'><input id='file' type='file'><strong>Choose a file</strong> "
        "<span class='quiet'>or drop it here</span></label>\n"
        "<div id='working' hidden><progress id='progress' max='1' value='0' "
        "aria-label='Progress'></progress> "
        "<button id='cancel' type='button'>Cancel</button></div>\n"
        "<p id='result' role='status' aria-live='polite'></p>\n"
        f"</div>\n<h2>The record</h2>\n<table>\n{table}\n</table>\n"
        "<noscript><p>Without JavaScript, compute the SHA-256 of your file and compare it with the "
        "one above.</p></noscript>\n"
        "<script type='module' src='/verify.js'></script>"
    )


routes = Router(
    "/",
    route_handlers=[get_manifest, verify_page, verify_js, choose_file_js, sha256_js],
    tags=["files"],
)
