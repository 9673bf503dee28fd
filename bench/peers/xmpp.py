"""A minimal XMPP client: register, log in with PLAIN, send, receive, and read the newest messages
from the archive (XEP-0313). No TLS, because it is loopback.
"""

import asyncio
import base64
import itertools
from collections.abc import Sequence
from typing import cast
from urllib.parse import urlsplit

from bench.peers import Received
from bench.peers.stanzas import Stanzas

HOST = "localhost"
PATIENCE_SECONDS = 30
_OPENING = (
    f"<?xml version='1.0'?><stream:stream to='{HOST}' version='1.0' xmlns='jabber:client' "
    "xmlns:stream='http://etherx.jabber.org/streams'>"
)
_NEWEST = (
    "<iq type='set' id='{id}'><query xmlns='urn:xmpp:mam:2' queryid='{id}'>"
    "<x xmlns='jabber:x:data' type='submit'><field var='FORM_TYPE' type='hidden'>"
    "<value>urn:xmpp:mam:2</value></field><field var='with'><value>{jid}</value></field></x>"
    "<set xmlns='http://jabber.org/protocol/rsm'><max>{count}</max><before/></set></query></iq>"
)


class Refused(Exception):
    """The server gave an unexpected answer."""


class Connection(asyncio.Protocol):
    """One user's stream. `heard` gets the texts of messages; all else waits for `answer`.

    A server gives a message its stanza-id when it has archived it; one without does not count.
    """

    def __init__(self) -> None:
        self.heard: Received | None = None
        self.archived = 0
        self._answers: asyncio.Queue[bytes] = asyncio.Queue()
        self._stanzas = Stanzas()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is none by class

    def data_received(self, data: bytes) -> None:
        for stanza in self._stanzas.feed(data):
            if not stanza.startswith(b"<message"):
                self._answers.put_nowait(stanza)
            elif stanza.find(b"<result ") >= 0:
                self.archived += 1
            elif self.heard is not None and stanza.find(b"<stanza-id ") >= 0:
                begin = stanza.index(b"<body>") + 6
                self.heard(stanza[begin : stanza.index(b"</body>", begin)].decode())

    def connection_lost(self, error: Exception | None) -> None:
        self._answers.put_nowait(b"</stream:stream>")

    def write(self, text: str) -> None:
        self._transport.write(text.encode())

    async def answer(self, *beginnings: bytes) -> bytes:
        """The next stanza that begins with one of these; the end of the stream is an error."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                stanza = await self._answers.get()
                if stanza.startswith(beginnings):
                    return stanza
                if stanza.startswith((b"</stream:stream", b"<stream:error", b"<failure")):
                    raise Refused(stanza.decode())

    async def ask(self, text: str) -> bytes:
        self.write(text)
        reply = await self.answer(b"<iq")
        if b"<error" in reply:
            raise Refused(reply.decode())
        return reply

    async def open_stream(self) -> None:
        self._stanzas = Stanzas()
        self.write(_OPENING)
        await self.answer(b"<stream:features")

    def close(self) -> None:
        self._transport.close()


async def connect(url: str, user: str) -> Connection:
    """Registers `user` and goes online."""
    at = urlsplit(url)
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(Connection, at.hostname or "", at.port or 0)
    await connection.open_stream()
    await connection.ask(
        "<iq type='set' id='register'><query xmlns='jabber:iq:register'>"
        f"<username>{user}</username><password>secret</password></query></iq>"
    )
    plain = base64.b64encode(f"\0{user}\0secret".encode()).decode()
    connection.write(
        f"<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>{plain}</auth>"
    )
    await connection.answer(b"<success")
    await connection.open_stream()
    await connection.ask(
        "<iq type='set' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>"
    )
    connection.write("<presence/>")
    await connection.answer(b"<presence")
    return connection


class XmppPair:
    def __init__(self, writer: Connection, reader: Connection, writes: str, reads: str) -> None:
        self._writer = writer
        self._reader = reader
        self._with = f"{writes}@{HOST}"
        self._head = f"<message to='{reads}@{HOST}' type='chat' id='"
        self._ids = itertools.count(1)

    def listen(self, received: Received) -> None:
        self._reader.heard = received

    def send(self, text: str) -> None:
        self._writer.write(f"{self._head}{next(self._ids)}'><body>{text}</body></message>")

    async def last(self, count: int) -> int:
        self._reader.archived = 0
        await self._reader.ask(_NEWEST.format(id=next(self._ids), jid=self._with, count=count))
        return self._reader.archived


class XmppUsers:
    """The connections to one server, so that they can be closed together."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._open: list[Connection] = []

    async def pairs(self, url: str, count: int) -> Sequence[XmppPair]:
        return [await self._pair(url) for _ in range(count)]

    async def _pair(self, url: str) -> XmppPair:
        number = next(self._numbers)
        writes, reads = f"writer{number}", f"reader{number}"
        writer, reader = await connect(url, writes), await connect(url, reads)
        self._open += writer, reader
        return XmppPair(writer, reader, writes, reads)

    def close(self) -> None:
        for connection in self._open:
            connection.close()
