"""One connection to one server, until the first thing that goes wrong with it.

It is here that nats-py has to be known. A subscription with a callback is a task and four deques,
5 KB; ours share a future, 0.5 KB. A PING overtakes what waits in its buffer, so that only the
second pong proves anything. An `-ERR` of the server ends a client for good, whatever it was told of
reconnecting, so a client is for one connection. And it reconnects for ever where it never was
connected.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from ssl import SSLContext

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import NoServersError, SecureConnWantedError, StaleConnectionError

from greenroom.realtime.nats.address import Server

PONG_SECONDS = 5
_BUFFERED_BYTES = 1_000_000
_log = logging.getLogger(__name__)


class _Client(Client):
    secured = False

    @property
    def ssl_context(self) -> SSLContext:
        self.secured = True
        return super().ssl_context


class _CallbackFuture(asyncio.Future[Msg]):
    """nats-py sets a subscription's message as the result of its future. This one takes them as
    they come: as many as there are, in order, in the task that reads, with no queue between."""

    def __init__(self, take: Callable[[Msg], None]) -> None:
        super().__init__()
        self._take = take

    def cancelled(self) -> bool:
        return False

    def set_result(self, result: Msg, /) -> None:
        self._take(result)


class NatsConnection:
    def __init__(self, on_message: Callable[[Msg], None]) -> None:
        self.alive = True
        self._client = _Client()
        self._callback = _CallbackFuture(on_message)
        self._unused: asyncio.Queue[Msg] = asyncio.Queue()
        self._subscriptions: dict[str, Subscription] = {}
        self._is_confirmed = False
        self._ended = asyncio.Event()
        self._reason: Exception | None = None

    async def open(self, server: Server, seconds: int) -> None:
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

    def _secret(self, server: Server, secret: str | None) -> Callable[[], str] | None:
        def credential() -> str:
            self._check_tls(server)
            return secret or ""

        return None if secret is None else credential

    def _check_tls(self, server: Server) -> None:
        """nats-py talks in the clear to a server that offers no TLS, whatever its URL says."""
        if server.tls and not self._client.secured:
            raise SecureConnWantedError

    async def subscribe(self, subject: str) -> None:
        if subject not in self._subscriptions:
            subscription = await self._client.subscribe(subject, future=self._callback)
            # Nothing is ever put there, but every one has its own: 3.4 KB.
            subscription._pending_queue = self._unused
            self._subscriptions[subject] = subscription

    async def unsubscribe(self, subject: str) -> None:
        if subscription := self._subscriptions.pop(subject, None):
            await subscription.unsubscribe()

    async def publish(self, subject: str, data: bytes) -> None:
        await self._client.publish(subject, data)

    async def wait_writable(self) -> None:
        """Returns when there is room for more."""
        await asyncio.sleep(0)
        while self._client.pending_data_size > _BUFFERED_BYTES:  # noqa: ASYNC110 (it has no event)
            await asyncio.sleep(0.005)

    async def confirm(self) -> None:
        """Returns when the server has taken all that was sent before."""
        for _ in range(2):
            await self._client.rtt(timeout=PONG_SECONDS)
        if self._ended.is_set():
            raise self._close_reason()
        self._is_confirmed = True

    async def wait_closed(self) -> None:
        await self._ended.wait()
        raise self._close_reason()

    def _close_reason(self) -> Exception:
        return self._reason or ConnectionError("the server closed the connection")

    async def close(self) -> None:
        self.alive = False
        with suppress(Exception):  # it is over either way
            async with asyncio.timeout(1):
                await self._client.close()
        for task in (self._client._reading_task, self._client._flusher_task):
            if task is not None:
                task.add_done_callback(_ignore_exception)

    async def _on_error(self, error: Exception) -> None:
        if not self._is_confirmed or isinstance(error, OSError | StaleConnectionError):
            self._reason = error
            self._ended.set()
        else:  # a topic that we may not listen for, and the like
            _log.warning("the bus says: %s", error)

    async def _on_closed(self) -> None:
        self._reason = self._reason or self._client.last_error
        self._ended.set()


def _ignore_exception(task: asyncio.Task[None]) -> None:
    """With something left to write when the connection is gone, nats-py's tasks stumble."""
    if not task.cancelled():
        task.exception()
