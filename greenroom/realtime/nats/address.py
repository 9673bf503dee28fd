"""Parses the bus URL: `nats://` or `tls://`; the servers of a cluster are separated by commas."""

import re
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from greenroom.realtime.problems import BusUnavailable

_PORT = 4222


class Server(NamedTuple):
    url: str
    tls: bool
    user: str | None
    password: str | None
    token: str | None


def servers(url: str) -> list[Server]:
    try:
        return [_server(part) for part in _parts(url)]
    except ValueError:
        reason = "it must look like nats://host:port or tls://host:port"
        raise BusUnavailable(redacted(url), reason) from None


def redacted(url: str) -> str:
    """The URL without credentials, even where the rest is malformed."""
    return ",".join(re.sub(r"^(\w+://)?.*@", r"\1", part) for part in _parts(url))


def _server(url: str) -> Server:
    parts = urlsplit(url)
    if parts.scheme not in ("nats", "tls") or not parts.hostname:
        raise ValueError(parts.scheme)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    name, password = (secret and unquote(secret) for secret in (parts.username, parts.password))
    return Server(
        url=f"{parts.scheme}://{host}:{parts.port or _PORT}",
        tls=parts.scheme == "tls",
        user=None if password is None else name,
        password=password,
        token=name if password is None else None,
    )


def _parts(url: str) -> list[str]:
    """A password may contain a comma."""
    return re.split(r"\s*,\s*(?=[a-z]+://)", url.strip())
