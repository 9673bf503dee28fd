"""The web app's generated types match the OpenAPI document. (test_docs.py checks socket.d.ts.)"""

import hashlib
from pathlib import Path

from scripts.openapi_document import openapi_text

ROOT = Path(__file__).parents[2]


def test_the_types_of_the_web_app_are_of_the_openapi_document_as_it_is() -> None:
    first = (ROOT / "web/src/client/openapi.d.ts").read_text().splitlines()[0]
    assert hashlib.sha256(openapi_text().encode()).hexdigest() in first, "run `make docs`"
