"""The page at `/verify`: anybody drops a PDF and is told whether it is the one that was signed.

It is the same for everybody and knows no document. Its script sends the SHA-256 of the file.
"""

from pathlib import Path
from typing import Final

from litestar import MediaType, Response, get

from greenroom.api.pages import page

_SCRIPT: Final = (Path(__file__).parent / "verify_document.js").read_bytes()
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_BODY: Final = """<h1>Verify a signed document</h1>
<p>Choose the PDF that you have. You are told whether it is a document that was signed here, and
whether it is still valid. The file stays with you: only its fingerprint, the SHA-256, is sent.</p>
<p id='linked' class='quiet'></p>
<label id='drop' for='file'><input id='file' type='file' accept='application/pdf,.pdf'>
<strong>Choose a PDF</strong> <span class='quiet'>or drop it here</span></label>
<div id='working' hidden><progress id='progress' max='1' value='0' aria-label='Progress'></progress>
<button id='cancel' type='button'>Cancel</button></div>
<p id='result' role='status' aria-live='polite'></p>
<div id='record' hidden><h2>What is on record</h2>
<table><tbody id='rows'></tbody></table></div>
<h2>What this shows</h2>
<p>“Yes” means that no byte of the PDF has changed since it was signed: its names, prices and terms
are those that were agreed. The page shows no names, because the PDF already has them.</p>
<p>The code on a printed page leads here too. Check that the address of this page is the one that
you know: somebody who forges a document can forge its code, too.</p>
<noscript><p>This page needs JavaScript. Without it, compute the SHA-256 of the file and open
<code>/v1/documents/verify/</code> followed by it.</p></noscript>
<script type='module' src='/verify_document.js'></script>"""


HEADERS: Final = {"Content-Security-Policy": _POLICY, "Cache-Control": "no-cache"}


def html() -> str:
    return page("Verify a signed document", _BODY)


@get("/verify", include_in_schema=False, sync_to_thread=False)
def verify_document_page() -> Response[bytes]:
    return Response(html().encode(), media_type=MediaType.HTML, headers={**HEADERS})


@get("/verify_document.js", include_in_schema=False, sync_to_thread=False)
def verify_document_js() -> Response[bytes]:
    return Response(_SCRIPT, media_type="text/javascript", headers={"Cache-Control": "no-cache"})
