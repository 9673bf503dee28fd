"""Receives bodies of any size: piece by piece, without the time limit of other requests.

A route calls it after it has checked that the caller may send this much. http_limits.py then only
requires that bytes keep coming.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

from litestar import Request
from litestar.types import HTTPReceiveMessage

from greenroom.api.problems import Overloaded
from greenroom.files.problems import TooManyUploads, UploadCutOff

_MARK = "long_upload"
MOST = 512
"""Uploads at the same time: they keep their connections for long."""
MOST_OF_ONE = 16
"""Of one sender. Slow ones could keep everybody else from uploading."""


class UploadSlots:
    """The long uploads of this node."""

    def __init__(self) -> None:
        self.most = MOST
        self.used = Counter[str]()
        """By sender."""

    @contextmanager
    def one(self, sender: str) -> Iterator[None]:
        if self.used[sender] >= MOST_OF_ONE:
            raise TooManyUploads(MOST_OF_ONE)
        if self.used.total() >= self.most:
            raise Overloaded
        self.used[sender] += 1
        try:
            yield
        finally:
            self.used[sender] -= 1
            if not self.used[sender]:
                del self.used[sender]


@contextmanager
def long_upload(request: Request[Any, Any, Any], sender: str) -> Iterator[AsyncIterator[bytes]]:
    """The body in pieces. Raises `TooManyUploads` or `Overloaded` if too many are running, and
    `UploadCutOff` where the client leaves before the end of the body."""
    slots: UploadSlots = request.app.state.upload_slots
    state: dict[str, Any] = request.scope["state"]
    with slots.one(sender):
        state[_MARK] = True
        try:
            yield _pieces(request)
        finally:
            state[_MARK] = False


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
