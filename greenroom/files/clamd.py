"""Scans files with ClamAV's daemon, over its command zINSTREAM.

    zINSTREAM\\0  {length}{bytes}  {length}{bytes} …  0000  ──>  clamd
                                          stream: OK\\0  <──

Careful: above its StreamMaxLength clamd ends the connection, often before its reason is read. It
does the same when it is stopped. A second try tells which it was. Nothing but a whole answer after
the last byte makes a file clean.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from msgspec import Struct

from greenroom.files.scanner import (
    Clean,
    Content,
    Infected,
    ScannerUnavailable,
    ScanOutcome,
    Unscannable,
)

PORT: Final = 3310
_CHUNK: Final = 1 << 20
_MOST_REPLY: Final = 10_000
_LAST_WORDS_SECONDS: Final = 1
_NEVER_TOO_BIG: Final = 1 << 20
"""Bytes that every scanner accepts: where it does not, it is in trouble."""
_TOO_BIG: Final = Unscannable("the scanner does not accept a file of this size")
_LATE: Final = Unscannable("the scanner took too long")
_PARTLY: Final = Unscannable("the scanner cannot look into all of it")
_CRASHED: Final = Unscannable("the scanner failed on it")
_ENCRYPTED: Final = Unscannable("the scanner cannot look into an encrypted file")
_FOUND: Final = re.compile(r"stream: (.+) FOUND", re.DOTALL)
_UNUSUAL: Final = re.compile(r"[^\w.:/-]", re.ASCII)

_Connection: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Address(Struct, frozen=True):
    host: str = ""
    port: int = PORT
    path: str = ""
    """Of a Unix socket."""


class Timeouts(Struct, frozen=True):
    """How long clamd may take, in seconds."""

    connect: float = 5
    """Also to answer a question about itself."""
    send: float = 60
    """To take one chunk of at most 1 MiB."""
    reply: float = 300
    """To answer once it has the whole file. Its own MaxScanTime is 120 by default."""
    whole: float = 900


class _NoAnswer(Exception):
    """clamd has ended the connection, or takes too long."""

    def __init__(self, outcome: Unscannable | None) -> None:
        self.outcome = outcome
        """If it happens again; None if that would not be the file's fault."""


def address_of(url: str) -> Address:
    """`clamd://host:3310` or `clamd:///path/to/socket`. Raises `ValueError` with a reason."""
    parts = urlsplit(url)
    if parts.scheme != "clamd" or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError("it must be clamd://host:port or clamd:///path/to/socket")
    if not parts.netloc:
        if len(parts.path) < 2:
            raise ValueError("it must name a host or a socket")
        return Address(path=parts.path)
    if parts.path not in ("", "/") or not parts.hostname or parts.port == 0:
        raise ValueError("it must be clamd://host:port or clamd:///path/to/socket")
    return Address(host=parts.hostname, port=parts.port or PORT)


class Clamd:
    def __init__(self, address: Address, timeouts: Timeouts | None = None) -> None:
        self._address = address
        self._timeouts = timeouts or Timeouts()

    async def scan(self, content: Content) -> ScanOutcome:
        try:
            return await self._scan(content)
        except _NoAnswer as first:
            await self.version()  # a scanner that is down says nothing about the file
            if first.outcome is _LATE:
                return _LATE
        try:
            return await self._scan(content)
        except _NoAnswer as second:
            await self.version()
            if second.outcome is None:
                raise ScannerUnavailable("clamd ends connections early") from None
            return second.outcome

    async def version(self) -> str:
        async with self._connected() as (reader, writer):
            writer.write(b"zVERSION\0")
            try:
                async with asyncio.timeout(self._timeouts.connect):
                    return _text(await reader.readuntil(b"\0"))
            except (TimeoutError, OSError, EOFError, asyncio.LimitOverrunError) as error:
                raise ScannerUnavailable("clamd does not answer") from error

    async def _scan(self, content: Content) -> ScanOutcome:
        async with self._connected() as (reader, writer):
            pieces = content()
            reply = asyncio.create_task(_reply(reader))
            whole = asyncio.timeout(self._timeouts.whole)
            try:
                async with whole:
                    return await self._answer(writer, pieces, reply)
            except TimeoutError:
                if whole.expired():
                    raise _NoAnswer(_LATE) from None
                raise
            finally:
                reply.cancel()
                await asyncio.gather(reply, return_exceptions=True)
                if isinstance(pieces, AsyncGenerator):
                    await pieces.aclose()  # closes the file that it reads

    async def _answer(
        self,
        writer: asyncio.StreamWriter,
        content: AsyncIterator[bytes],
        reply: asyncio.Task[bytes | None],
    ) -> ScanOutcome:
        sent, has_all = await self._sent(writer, content, until=reply)
        seconds = self._timeouts.reply if has_all else _LAST_WORDS_SECONDS
        await asyncio.wait((reply,), timeout=seconds)
        if not reply.done():
            raise _NoAnswer(_LATE if has_all else _if_cut_off(sent))
        if (answer := reply.result()) is None:
            raise _NoAnswer(_CRASHED if has_all else _if_cut_off(sent))
        return _outcome(answer, has_all=has_all)

    async def _sent(
        self,
        writer: asyncio.StreamWriter,
        content: AsyncIterator[bytes],
        *,
        until: asyncio.Task[bytes | None],
    ) -> tuple[int, bool]:
        """How much clamd was sent, and whether it has the whole file: it ends one that is too large
        before its end."""
        sent = 0
        await self._write(writer, b"zINSTREAM\0")
        async for piece in content:
            for chunk in _chunks(piece):
                if until.done() or not await self._write(writer, chunk):
                    return sent, False
                sent += len(chunk)
        return sent, await self._write(writer, bytes(4))

    async def _write(self, writer: asyncio.StreamWriter, chunk: bytes) -> bool:
        writer.write(chunk)
        try:
            async with asyncio.timeout(self._timeouts.send):
                await writer.drain()
        except TimeoutError:
            raise ScannerUnavailable("clamd does not read what it is sent") from None
        except OSError:
            return False
        return True

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[_Connection]:
        try:
            async with asyncio.timeout(self._timeouts.connect):
                opened = await self._open()
        except (OSError, TimeoutError) as error:
            raise ScannerUnavailable(f"clamd cannot be reached: {error}") from error
        try:
            yield opened
        finally:
            opened[1].transport.abort()

    async def _open(self) -> _Connection:
        at = self._address
        if at.path:
            return await asyncio.open_unix_connection(at.path, limit=_MOST_REPLY)
        return await asyncio.open_connection(at.host, at.port, limit=_MOST_REPLY)


def _if_cut_off(sent: int) -> Unscannable | None:
    return None if sent < _NEVER_TOO_BIG else _TOO_BIG


def _chunks(piece: bytes) -> Iterator[bytes]:
    for at in range(0, len(piece), _CHUNK):
        chunk = piece[at : at + _CHUNK]
        yield len(chunk).to_bytes(4) + chunk


async def _reply(reader: asyncio.StreamReader) -> bytes | None:
    """None if clamd has ended the connection."""
    try:
        return await reader.readuntil(b"\0")
    except (OSError, EOFError):
        return None
    except asyncio.LimitOverrunError as error:
        raise ScannerUnavailable("clamd says too much") from error


def _outcome(reply: bytes, *, has_all: bool) -> ScanOutcome:
    text = _text(reply)
    if has_all and text == "stream: OK":
        return Clean()
    if has_all and (found := _FOUND.fullmatch(text)):
        return _found(found[1])
    if "size limit exceeded" in text:
        return _TOO_BIG
    raise ScannerUnavailable(f"clamd says {text[:200]!r}")


def _found(signature: str) -> ScanOutcome:
    if signature.startswith("Heuristics.Encrypted"):
        return _ENCRYPTED
    if signature.startswith("Heuristics.Limits.Exceeded"):
        return _PARTLY
    return Infected(_UNUSUAL.sub("", signature)[:100] or "unnamed")


def _text(reply: bytes) -> str:
    return reply.rstrip(b"\0\n").decode("utf-8", "replace")
