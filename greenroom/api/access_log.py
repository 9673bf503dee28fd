"""Writes the access log: one line per HTTP request, as text or as JSON, to stderr."""

import logging
import sys
from collections.abc import Callable
from typing import Literal, TypeAlias

import msgspec

from greenroom.api.observed_app import Exchange
from greenroom.clock import SystemClock, iso

AccessLog: TypeAlias = Callable[[Exchange], None]
Format: TypeAlias = Literal["off", "text", "json"]
NAME = "greenroom.access"
_log = logging.getLogger(NAME)


def access_log(form: Format) -> AccessLog | None:
    """Independent of GREENROOM_LOG: its lines have a level, and no prefix."""
    if form == "off":
        return None
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    _log.handlers, _log.propagate = [handler], False
    _log.setLevel(logging.INFO)
    written = as_json if form == "json" else as_text
    return lambda exchange: _log.info(written(exchange, SystemClock().now_ms()))


def as_text(exchange: Exchange, now_ms: int) -> str:
    status = "-" if exchange.status is None else exchange.status
    return (
        f"{iso(now_ms)} {exchange.method} {exchange.route} {status} {_ms(exchange)}ms "
        f"request={exchange.request_id} user={exchange.user or '-'}"
    )


def as_json(exchange: Exchange, now_ms: int) -> str:
    line = {
        "time": iso(now_ms),
        "method": exchange.method,
        "route": exchange.route,
        "status": exchange.status,
        "ms": _ms(exchange),
        "requestId": exchange.request_id,
        "userId": exchange.user,
    }
    return msgspec.json.encode(line).decode()


def _ms(exchange: Exchange) -> float:
    return round(exchange.seconds * 1000, 1)
