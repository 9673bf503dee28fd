"""Asks a public address whether it answers: one HEAD request, which cannot be turned inwards.

The host is resolved once, every address that it has must be public, and the connection goes to that
very address: a name that resolves to something else a moment later changes nothing. Redirects are
not followed. Careful: a URL from a user must never reach the server's own network; every rule here
is there for that reason.
"""

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

SECONDS = 5.0
MAX_HEAD = 16_384
"""Bytes of an answer's status line and headers."""
_lookups = ThreadPoolExecutor(4, thread_name_prefix="url-checks")
"""A lookup goes on after its time limit. These threads are no other work's."""
_PORTS = {"http": 80, "https": 443}
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_NOT_PUBLIC = tuple(
    map(
        ipaddress.ip_network,
        (
            "0.0.0.0/8",
            "100.64.0.0/10",
            "192.0.0.0/24",
            "192.88.99.0/24",
            "198.18.0.0/15",
            "240.0.0.0/4",
            "::/96",
            "64:ff9b:1::/48",
            "100::/64",
            "2001::/23",
            "2002::/16",
            "3fff::/20",
            "fec0::/10",
        ),
    )
)

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""From a host and a port: its addresses."""
Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[..., Awaitable[Connection]]
"""`asyncio.open_connection`, except in tests."""


class Reached(Struct, frozen=True):
    reachable: bool
    size: int | None = None
    """What the address says of the size, if it does."""


UNREACHABLE = Reached(False)


def is_public(text: str) -> bool:
    """Whether an address is one of the public internet. What is hidden in an IPv6 address, such as
    a mapped IPv4 address, counts too."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(str(address.ipv4_mapped))
        if address in _NAT64:
            return is_public(str(ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)))
    if any(address in network for network in _NOT_PUBLIC if network.version == address.version):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


async def resolve(host: str, port: int) -> Sequence[str]:
    def look_up() -> list[tuple[Any, ...]]:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)

    found = await asyncio.get_running_loop().run_in_executor(_lookups, look_up)
    return [str(one[4][0]) for one in found]


async def ask(
    url: str, *, resolve: Resolve = resolve, connect: Connect = asyncio.open_connection
) -> Reached:
    """Never raises because of the other side, and takes at most `SECONDS`."""
    try:
        async with asyncio.timeout(SECONDS):
            return await _ask(urlsplit(url), resolve, connect)
    except (OSError, ValueError, EOFError, asyncio.LimitOverrunError):
        return UNREACHABLE


async def _ask(parts: SplitResult, resolve: Resolve, connect: Connect) -> Reached:
    port = _PORTS.get(parts.scheme)
    if port is None or not parts.hostname or parts.port not in (None, port):
        return UNREACHABLE
    addresses = await resolve(parts.hostname, port)
    if not addresses or not all(map(is_public, addresses)):
        return UNREACHABLE
    secure = {}
    if parts.scheme == "https":
        context = await asyncio.get_running_loop().run_in_executor(_lookups, _tls)
        secure = {"ssl": context, "server_hostname": parts.hostname}
    reader, writer = await connect(addresses[0], port, limit=MAX_HEAD, **secure)
    try:
        writer.write(_request(parts))
        await writer.drain()
        return _reached(await reader.readuntil(b"\r\n\r\n"))
    finally:
        writer.close()


@cache
def _tls() -> ssl.SSLContext:
    """Reads the certificates of the system from disk."""
    return ssl.create_default_context()


def _request(parts: SplitResult) -> bytes:
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    lines = (
        f"HEAD {target} HTTP/1.1",
        f"Host: {host}",
        "User-Agent: Greenroom",
        "Accept-Encoding: identity",
        "Connection: close",
    )
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")


def _reached(head: bytes) -> Reached:
    status, *lines = head.decode("latin-1").split("\r\n")
    words = status.split(" ")
    if len(words) < 2 or not words[0].startswith("HTTP/1.") or words[1] != "200":
        return UNREACHABLE
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    size = headers.get("content-length", "")
    is_number = size.isascii() and size.isdecimal() and len(size) <= 16
    return Reached(True, int(size) if is_number else None)
