"""Prints the OpenAPI document without its examples; web/ generates its types from it.

Careful: the text is hashed (tests/repository/test_web_types.py), so it must be the same on every
machine and every run.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import uvloop

from greenroom.api.auth import Authenticator
from greenroom.api.http import http_app
from greenroom.api.openapi.document import document_of
from greenroom.api.tokens import Expected, SharedSecret
from greenroom.app import TABLES, compose
from greenroom.clock import SystemClock
from greenroom.people import People
from greenroom.store.sqlite import SqliteStore

_SECRET = bytes(32)


def openapi_text() -> str:
    return json.dumps(_bare(uvloop.run(_document())), indent=1, sort_keys=True) + "\n"


async def _document() -> dict[str, Any]:
    """From an app on an empty store."""
    clock = SystemClock()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "empty.db"
        store = await SqliteStore.open(file, TABLES, clock=clock, cursor_secret=_SECRET)
        contexts = compose(store, clock, _SECRET)
        authenticator = Authenticator(contexts[People], SharedSecret(_SECRET), Expected())
        app = http_app(contexts, authenticator, _ready)
        await store.close()
        return document_of(app)


async def _ready() -> None:
    pass


def _bare(part: Any) -> Any:
    """Without the version and the examples, which change more often than the types."""
    match part:
        case dict():
            bare = {name: _bare(value) for name, value in part.items() if name != "examples"}
            if "openapi" in bare:
                bare["info"] = {"title": "Greenroom", "version": "1"}
            return bare
        case list():
            return [_bare(value) for value in part]
        case _:
            return part


if __name__ == "__main__":
    sys.stdout.write(openapi_text())
