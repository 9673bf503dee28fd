"""Receives bodies of any size: piece by piece, without the time limit of other requests.

A route calls it after it has checked that the caller may send this much. http_limits.py then only
requires that bytes keep coming.
"""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

from litestar import Request
from litestar.types import HTTPReceiveMessage

from greenroom.api.problems import Overloaded
from greenroom.files.problems import UploadCutOff

_MARK = "long_upload"
MOST = 512
"""Uploads at the same time: they keep their connections for long."""


class UploadSlots:
    """The long uploads of this node."""

    def __init__(self) -> None:
        self.most = MOST
        self.used = 0


@contextmanager
def long_upload(request: Request[Any, Any, Any]) -> Iterator[AsyncIterator[bytes]]:
    """The body in pieces. Raises `Overloaded` if too many uploads are running, and `UploadCutOff`
    where the client leaves before the end of the body."""
    slots: UploadSlots = request.app.state.upload_slots
    if slots.used >= slots.most:
        raise Overloaded
    state: dict[str, Any] = request.scope["state"]
    slots.used += 1
    state[_MARK] = True
    try:
        yield _pieces(request)
    finally:
        state[_MARK] = False
        slots.used -= 1


def is_long_upload(scope: Mapping[str, Any] | None) -> bool:
    """Whether the app is receiving a long body on this connection now."""
    return scope is not None and scope.get("state", {}).get(_MARK) is True


async def _pieces(request: Request[Any, Any, Any]) -> AsyncIterator[bytes]:
    more = True
    while more:
        event = cast(HTTPReceiveMessage, await request.receive())
        if event["type"] == "http.disconnect":
            raise UploadCutOff
        if event["body"]:
            yield event["body"]
        more = event["more_body"]
