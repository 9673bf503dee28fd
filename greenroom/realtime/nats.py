"""The bus between nodes: NATS, with a subject for each topic that somebody here listens for.

    greenroom.user.usr_01h…     a topic; what a subject may not contain is %-escaped
    greenroom.$lost             "what I have published may not have reached you"

What is published here is told here at once and queued for the others; while NATS is away it is let
go. What one would get wrong: a node that was cut off is not the only one that missed something; so
did those that it would have told, and nobody but itself can tell them.
"""

import asyncio
import logging
import random
import re
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from ssl import SSLContext
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

import msgspec
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import (
    Error as NatsError,
    MaxPayloadError,
    NoServersError,
    SecureConnWantedError,
    StaleConnectionError,
)

from greenroom.realtime.base import EVERYBODY, Deliver, Missed, Notice, Topic
from greenroom.realtime.problems import BusUnavailable

MOST_WAITING_BYTES = 16_000_000
BEAT_SECONDS = 10
PONG_SECONDS = 5
CONNECT_SECONDS = 5
READY_SECONDS = 3
_CLOSE_SECONDS = 2
_LONGEST_PAUSE_SECONDS = 2.0
_QUIET_SECONDS = 1.0
"""Between one `missed` and the next: when all nodes come back they all say that they were lost."""
_OVERHEAD_BYTES = 200
_BUFFERED_BYTES = 1_000_000
_BATCH = 256
_LONGEST_SUBJECT = 1000
"""A server cuts off whoever sends it a line of more than 4 KB; ids are far from it."""

_PREFIX = "greenroom."
_LOST = "greenroom.$lost"
_PLAIN = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
_UNFIT = re.compile(r"[^A-Za-z0-9_.-]|^\.|\.$|(?<=\.)\.")
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Notice).decode
_log = logging.getLogger(__name__)


def subject_of(topic: Topic) -> str:
    return _PREFIX + (topic if _PLAIN.fullmatch(topic) else _UNFIT.sub(_escaped, topic))


def topic_of(subject: str) -> Topic:
    name = subject[len(_PREFIX) :]
    return Topic(unquote(name, errors="surrogatepass") if "%" in name else name)


def _fits(subject: str) -> bool:
    return len(_PREFIX) < len(subject) <= _LONGEST_SUBJECT


def _escaped(unfit: re.Match[str]) -> str:
    return "%2E" if unfit[0] == "." else quote(unfit[0], safe="", errors="surrogatepass")


class NatsBus:
    def __init__(self, url: str) -> None:
        self._url = url
        self._deliver: Deliver | None = None
        self._missed: Missed | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._topics = {EVERYBODY}
        self._stale: set[Topic] = set()
        """Where the server may think otherwise than `_topics`."""
        self._outgoing: deque[tuple[str, bytes]] = deque()
        self._outgoing_bytes = 0
        self._work = asyncio.Event()
        self._idle = asyncio.Event()
        self._up = False
        self._sent = self._arrived = 0
        """How much has left, and how much of it the server is known to have."""
        self._owed = False
        """Whether the others have to be told that something of ours was lost."""
        self._asked = self._written = self._confirmed = 0
        """How many times something new was listened for, and how far the server knows."""
        self._to_confirm = asyncio.Event()
        self._confirmation = asyncio.Event()
        self._quiet: asyncio.TimerHandle | None = None
        self._missed_again = False

    async def start(self, deliver: Deliver, missed: Missed) -> None:
        self._deliver, self._missed = deliver, missed
        link = await self._connect()
        self._keeper = asyncio.create_task(self._keep(link))
        await asyncio.sleep(0)  # what is published from now on is taken

    def publish(self, topics: Iterable[Topic], notice: Notice) -> None:
        if self._deliver is None:
            return
        topics = tuple(topics)
        self._queue(topics, notice)
        for topic in topics:
            if topic in self._topics:
                self._deliver(topic, notice)

    def listen(self, topic: Topic) -> None:
        if topic not in self._topics:
            self._topics.add(topic)
            self._stale.add(topic)
            self._asked += 1
            self._work.set()

    def unlisten(self, topic: Topic) -> None:
        if topic in self._topics and topic != EVERYBODY:
            self._topics.remove(topic)
            self._stale.add(topic)
            self._work.set()

    async def ready(self) -> None:
        """Gives up after a while: whoever was not ready by then is told that they missed some."""
        asked = self._asked
        with suppress(TimeoutError):
            async with asyncio.timeout(READY_SECONDS):
                while self._confirmed < asked:
                    await self._confirmation.wait()

    async def close(self) -> None:
        if self._keeper is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_CLOSE_SECONDS):
                    await self._idle.wait()
            self._keeper.cancel()
            await asyncio.wait([self._keeper])
        if self._quiet is not None:
            self._quiet.cancel()
        self._keeper = self._deliver = self._missed = self._quiet = None

    # What leaves

    def _queue(self, topics: tuple[Topic, ...], notice: Notice) -> None:
        if not self._up:
            self._owed = True
            return
        data = _encode(notice)
        for topic in topics:
            subject = subject_of(topic)
            if _fits(subject):
                self._outgoing.append((subject, data))
                self._outgoing_bytes += len(data) + _OVERHEAD_BYTES
        if self._outgoing_bytes > MOST_WAITING_BYTES:
            _log.warning("the bus is slow: %d notices are let go", len(self._outgoing))
            self._let_go()
        self._idle.clear()
        self._work.set()

    def _let_go(self) -> None:
        self._owed = self._owed or bool(self._outgoing)
        self._outgoing.clear()
        self._outgoing_bytes = 0

    async def _send_what_waits(self, link: "_Link") -> None:
        while link.alive:
            await self._work.wait()
            self._work.clear()
            while self._stale or self._owed or self._outgoing:
                await self._subscribe(link)
                await self._send(link)
            self._idle.set()

    async def _subscribe(self, link: "_Link") -> None:
        while self._stale:
            for _ in range(min(_BATCH, len(self._stale))):
                topic = self._stale.pop()
                subject = subject_of(topic)
                if topic not in self._topics:
                    await link.unsubscribe(subject)
                elif _fits(subject):
                    await link.subscribe(subject)
            await asyncio.sleep(0)
        if self._written < self._asked:
            self._written = self._asked
            self._to_confirm.set()

    async def _send(self, link: "_Link") -> None:
        if self._owed:
            self._owed = False
            self._sent += 1
            await link.publish(_LOST, b"")
        for _ in range(_BATCH):
            if not self._outgoing:
                break
            subject, data = self._outgoing.popleft()
            self._outgoing_bytes -= len(data) + _OVERHEAD_BYTES
            self._sent += 1
            try:
                await link.publish(subject, data)
            except MaxPayloadError:
                _log.warning("a notice of %d bytes is too large for the bus", len(data))
                self._owed = True
        await link.room()

    # What comes

    def _hear(self, message: Msg) -> None:
        """Called by the task of nats-py that reads, which an exception would end without a word."""
        try:
            if message.subject == _LOST:
                self._missed_some()
                return
            topic = topic_of(message.subject)
            if topic in self._topics and self._deliver is not None:
                self._deliver(topic, _decode(message.data))
        except msgspec.DecodeError as error:
            _log.warning("the bus brought what is no notice, on %s: %s", message.subject, error)
            self._missed_some()
        except Exception:
            _log.exception("a notice on %s was not told", message.subject)

    def _missed_some(self) -> None:
        if self._quiet is not None:
            self._missed_again = True
        elif self._missed is not None:
            self._quiet = asyncio.get_running_loop().call_later(_QUIET_SECONDS, self._quiet_over)
            self._missed()

    def _quiet_over(self) -> None:
        self._quiet = None
        if self._missed_again:
            self._missed_again = False
            self._missed_some()

    # One connection after the other

    async def _keep(self, link: "_Link") -> None:
        while True:
            await self._use(link)
            link = await self._come_back()
            _log.info("the bus is back")
            try:
                self._missed_some()
            except Exception:
                _log.exception("nobody was told that the bus was away")

    async def _use(self, link: "_Link") -> None:
        self._up = True
        self._work.set()
        tasks = [
            asyncio.create_task(self._send_what_waits(link)),
            asyncio.create_task(self._confirm_what_is_written(link)),
            asyncio.create_task(link.end()),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            _log_end(done.pop().exception())
        finally:
            self._up = False
            self._asked += 1
            self._owed = self._owed or self._arrived < self._sent
            self._let_go()
            self._idle.set()
            await link.close()
            for task in tasks:
                task.cancel()
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await asyncio.gather(*tasks, return_exceptions=True)

    async def _confirm_what_is_written(self, link: "_Link") -> None:
        """And now and then that the server is still there: a cable that is cut says nothing."""
        while link.alive:
            with suppress(TimeoutError):
                async with asyncio.timeout(BEAT_SECONDS):
                    await self._to_confirm.wait()
            self._to_confirm.clear()
            await self._confirm(link)

    async def _confirm(self, link: "_Link") -> None:
        written, sent = self._written, self._sent
        await link.confirm()
        self._confirmed, self._arrived = written, sent
        self._confirmation.set()
        self._confirmation = asyncio.Event()

    async def _come_back(self) -> "_Link":
        pause, reason = 0.1, ""
        while True:
            await asyncio.sleep(pause * random.uniform(0.5, 1))
            pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
            try:
                return await self._connect()
            except BusUnavailable as problem:
                if problem.reason != reason:
                    reason = problem.reason
                    _log.warning("%s", problem)

    async def _connect(self) -> "_Link":
        """To one of the servers, with everything listened for that is asked for."""
        servers = _servers(self._url)
        seconds = max(1, CONNECT_SECONDS // len(servers))
        reasons = []
        for server in random.sample(servers, len(servers)):
            link = _Link(self._hear)
            try:
                await link.open(server, seconds)
                self._stale = set(self._topics)
                await link.subscribe(_LOST)
                await self._subscribe(link)
                await self._confirm(link)
            except (NatsError, OSError) as error:
                await link.close()
                reasons.append(str(error) or "no answer in time")
            except BaseException:
                await link.close()
                raise
            else:
                return link
        raise BusUnavailable(_shown(self._url), "; ".join(sorted(set(reasons))))


def _log_end(reason: BaseException | None) -> None:
    expected = reason is None or isinstance(reason, NatsError | OSError)
    _log.warning("the bus is away: %s", reason, exc_info=None if expected else reason)


class _Server(NamedTuple):
    url: str
    tls: bool
    user: str | None
    password: str | None
    token: str | None


def _servers(url: str) -> list[_Server]:
    try:
        return [_server(part) for part in _parts(url)]
    except ValueError:
        reason = "that is no nats://host:port or tls://host:port"
        raise BusUnavailable(_shown(url), reason) from None


def _server(url: str) -> _Server:
    parts = urlsplit(url)
    if parts.scheme not in ("nats", "tls") or not parts.hostname:
        raise ValueError(parts.scheme)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    name, password = (secret and unquote(secret) for secret in (parts.username, parts.password))
    return _Server(
        url=f"{parts.scheme}://{host}:{parts.port or 4222}",
        tls=parts.scheme == "tls",
        user=None if password is None else name,
        password=password,
        token=name if password is None else None,
    )


def _parts(url: str) -> list[str]:
    """A password may have a comma in it."""
    return re.split(r"\s*,\s*(?=[a-z]+://)", url.strip())


def _shown(url: str) -> str:
    """Without what is nobody's business, even where the rest makes no sense."""
    return ",".join(re.sub(r"^(\w+://)?.*@", r"\1", part) for part in _parts(url))


class _Client(Client):
    secured = False

    @property
    def ssl_context(self) -> SSLContext:
        self.secured = True
        return super().ssl_context


class _Inlet(asyncio.Future[Msg]):
    """nats-py sets a subscription's message as the result of its future. This one takes them as
    they come: as many as there are, in order, in the task that reads, with no queue between."""

    def __init__(self, take: Callable[[Msg], None]) -> None:
        super().__init__()
        self._take = take

    def cancelled(self) -> bool:
        return False

    def set_result(self, result: Msg, /) -> None:
        self._take(result)


class _Link:
    """One connection to one server, until the first thing that goes wrong with it.

    It is here that nats-py has to be known. A subscription with a callback is a task and four
    deques, 5 KB; ours share a future, 0.5 KB. A PING overtakes what waits in its buffer, so that
    only the second pong proves anything. An `-ERR` of the server ends a client for good, whatever
    it was told of reconnecting, so a client is for one connection. And it reconnects for ever where
    it never was connected.
    """

    def __init__(self, hear: Callable[[Msg], None]) -> None:
        self.alive = True
        self._client = _Client()
        self._inlet = _Inlet(hear)
        self._unused: asyncio.Queue[Msg] = asyncio.Queue()
        self._subscriptions: dict[str, Subscription] = {}
        self._settled = False
        self._ended = asyncio.Event()
        self._reason: Exception | None = None

    async def open(self, server: _Server, seconds: int) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._client.connect(
                    server.url,
                    name="greenroom",
                    no_echo=True,
                    allow_reconnect=False,
                    max_reconnect_attempts=1,  # 0 and less would be for ever
                    reconnect_time_wait=0,
                    connect_timeout=seconds,
                    pending_size=0,  # publishing never waits, and fails where nobody is connected
                    flusher_queue_size=0,
                    user=self._secret(server, server.user),
                    password=self._secret(server, server.password),
                    token=self._secret(server, server.token),
                    error_cb=self._on_error,
                    closed_cb=self._on_closed,
                )
        except NoServersError as error:
            raise self._reason or error from None
        self._check_tls(server)

    def _secret(self, server: _Server, secret: str | None) -> Callable[[], str] | None:
        def told() -> str:
            self._check_tls(server)
            return secret or ""

        return None if secret is None else told

    def _check_tls(self, server: _Server) -> None:
        """nats-py talks in the clear to a server that offers no TLS, whatever its URL says."""
        if server.tls and not self._client.secured:
            raise SecureConnWantedError

    async def subscribe(self, subject: str) -> None:
        if subject not in self._subscriptions:
            subscription = await self._client.subscribe(subject, future=self._inlet)
            # Nothing is ever put there, but every one has its own: 3.4 KB.
            subscription._pending_queue = self._unused
            self._subscriptions[subject] = subscription

    async def unsubscribe(self, subject: str) -> None:
        if subscription := self._subscriptions.pop(subject, None):
            await subscription.unsubscribe()

    async def publish(self, subject: str, data: bytes) -> None:
        await self._client.publish(subject, data)

    async def room(self) -> None:
        """Returns when there is room for more."""
        await asyncio.sleep(0)
        while self._client.pending_data_size > _BUFFERED_BYTES:  # noqa: ASYNC110 (it has no event)
            await asyncio.sleep(0.005)

    async def confirm(self) -> None:
        """Returns when the server has taken all that was sent before."""
        for _ in range(2):
            await self._client.rtt(timeout=PONG_SECONDS)
        if self._ended.is_set():
            raise self._why()
        self._settled = True

    async def end(self) -> None:
        await self._ended.wait()
        raise self._why()

    def _why(self) -> Exception:
        return self._reason or ConnectionError("the server closed the connection")

    async def close(self) -> None:
        self.alive = False
        with suppress(Exception):  # it is over either way
            async with asyncio.timeout(1):
                await self._client.close()
        for task in (self._client._reading_task, self._client._flusher_task):
            if task is not None:
                task.add_done_callback(_forgiven)

    async def _on_error(self, error: Exception) -> None:
        if not self._settled or isinstance(error, OSError | StaleConnectionError):
            self._reason = error
            self._ended.set()
        else:  # a topic that we may not listen for, and the like
            _log.warning("the bus says: %s", error)

    async def _on_closed(self) -> None:
        self._reason = self._reason or self._client.last_error
        self._ended.set()


def _forgiven(task: asyncio.Task[None]) -> None:
    """With something left to write when the connection is gone, nats-py's tasks stumble."""
    if not task.cancelled():
        task.exception()
