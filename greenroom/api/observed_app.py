"""Gives every HTTP request an id, counts it, and tells the access log about it."""

import re
from collections.abc import Callable, Mapping, Sequence
from secrets import token_hex
from time import perf_counter
from typing import Any

from litestar.enums import ScopeType
from litestar.types import Message, Receive, Scope, Send
from msgspec import Struct

from greenroom.api.head_requests import HeadAsGet
from greenroom.metrics import Metrics

REQUEST_ID = "X-Request-Id"
_HEADER = REQUEST_ID.lower().encode()
_VALID_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
UNMATCHED = "unmatched"


class Exchange(Struct):
    """A request and its response, as the access log shows them."""

    request_id: str
    method: str
    begun: float
    route: str = UNMATCHED
    """The path template. Never the path itself, which a client may fill with anything."""
    status: int | None = None
    """None if the client left before the response."""
    user: str | None = None
    seconds: float = 0.0


class ObservedApp(HeadAsGet):
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # type: ignore[override]
        if scope["type"] != ScopeType.HTTP:
            await super().__call__(scope, receive, send)
            return
        method = scope["method"] if scope["method"] in _METHODS else "other"
        exchange = Exchange(_id_of(scope), method, perf_counter())
        state: dict[str, Any] = scope.setdefault("state", {})
        state["exchange"] = exchange
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._finish(exchange, state)

    def _finish(self, exchange: Exchange, state: dict[str, Any]) -> None:
        exchange.seconds = perf_counter() - exchange.begun
        actor = state.get("actor") or state.get("newcomer")
        exchange.user = None if actor is None else actor.user
        status = "none" if exchange.status is None else str(exchange.status)
        metrics: Metrics = self.state.metrics
        metrics.http_requests[exchange.method, exchange.route, status] += 1
        metrics.http_seconds.observe(exchange.seconds)
        log: Callable[[Exchange], None] | None = self.state.access_log
        if log is not None:
            log(exchange)


async def add_request_id(message: Message, scope: Scope) -> None:
    """For `before_send`: adds the header, and notes the status and the route."""
    if message["type"] == "http.response.start":
        exchange: Exchange = scope["state"]["exchange"]
        exchange.status = int(message["status"])
        exchange.route = scope.get("path_template") or UNMATCHED
        message["headers"] = [*message.get("headers", ()), (_HEADER, exchange.request_id.encode())]


def request_id_of(scope: Scope) -> str:
    exchange: Exchange = scope["state"]["exchange"]
    return exchange.request_id


def new_request_id(given: Sequence[bytes] = ()) -> str:
    """The id that the client has given, if it is valid."""
    if len(given) == 1 and _VALID_ID.fullmatch(given[0]):
        return given[0].decode()
    return token_hex(8)


def _id_of(scope: Scope) -> str:
    return new_request_id([value for name, value in scope["headers"] if name == _HEADER])


def running_request_id(scope: Mapping[str, Any] | None) -> str | None:
    """The id of the request that the app handles now, for an answer that is given in its place."""
    exchange = None if scope is None else scope.get("state", {}).get("exchange")
    return exchange.request_id if isinstance(exchange, Exchange) else None


def count_outside(
    metrics: Metrics, method: str, status: int, code: str = "", *, route: str = UNMATCHED
) -> None:
    """Counts an answer that is given before the app: of the HTTP protocol, or to an upgrade."""
    known = method if method in _METHODS else "other"
    metrics.http_requests[known, route, str(status)] += 1
    if code:
        metrics.refusals["http", code] += 1
