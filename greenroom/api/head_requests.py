"""Answers HEAD on every GET route, with the same headers and no body."""

from typing import Any, cast

from litestar import Litestar, Request
from litestar.enums import HttpMethod, ScopeType
from litestar.types import HTTPScope, Message, Receive, Scope, Send

_IS_HEAD = "greenroom.is_head"


def is_head(request: Request[Any, Any, Any]) -> bool:
    """For a route that can spare itself the work for a body."""
    return _IS_HEAD in request.scope


class HeadAsGet(Litestar):
    """Routes HEAD requests to the GET handlers."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # type: ignore[override]
        if scope["type"] == ScopeType.HTTP and scope["method"] == HttpMethod.HEAD:
            scope = cast(HTTPScope, {**scope, "method": HttpMethod.GET.value, _IS_HEAD: True})
            send = _without_body(send)
        await super().__call__(scope, receive, send)


def _without_body(send: Send) -> Send:
    async def head_only(message: Message) -> None:
        if message["type"] == "http.response.body":
            message["body"] = b""
        await send(message)

    return head_only
