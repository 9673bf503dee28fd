"""One connection to one NATS server. It is not reused after an error.

Notes on nats-py:

- A subscription with a callback costs a task and four deques (5 KB). With a shared future: 0.5 KB.
- A PING overtakes what waits in its buffer, so only the second pong proves that data arrived.
- An `-ERR` from the server closes a client for good, whatever the reconnect options say. So each
  client serves one connection.
- A client that never connected retries for ever.
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
    """nats-py sets a subscription's message as the result of its future. This future passes every
    result to a callback: in order, in the reading task, without a queue."""

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
                    max_reconnect_attempts=1,  # 0 or less means unlimited
                    reconnect_time_wait=0,
                    connect_timeout=seconds,
                    pending_size=0,  # publishing never waits, and fails while disconnected
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
        """nats-py connects without TLS if the server offers none, even for a tls:// URL."""
        if server.tls and not self._client.secured:
            raise SecureConnWantedError

    async def subscribe(self, subject: str) -> None:
        if subject not in self._subscriptions:
            subscription = await self._client.subscribe(subject, future=self._callback)
            # Unused, but each subscription would allocate its own: 3.4 KB.
            subscription._pending_queue = self._unused
            self._subscriptions[subject] = subscription

    async def unsubscribe(self, subject: str) -> None:
        if subscription := self._subscriptions.pop(subject, None):
            await subscription.unsubscribe()

    async def publish(self, subject: str, data: bytes) -> None:
        await self._client.publish(subject, data)

    async def wait_writable(self) -> None:
        """Returns when the send buffer has room."""
        await asyncio.sleep(0)
        while self._client.pending_data_size > _BUFFERED_BYTES:  # noqa: ASYNC110 (it has no event)
            await asyncio.sleep(0.005)

    async def confirm(self) -> None:
        """Returns when the server has processed everything sent before."""
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
        with suppress(Exception):  # it is closed either way
            async with asyncio.timeout(1):
                await self._client.close()
        for task in (self._client._reading_task, self._client._flusher_task):
            if task is not None:
                task.add_done_callback(_ignore_exception)

    async def _on_error(self, error: Exception) -> None:
        if not self._is_confirmed or isinstance(error, OSError | StaleConnectionError):
            self._reason = error
            self._ended.set()
        else:  # for example no permission for a subject
            _log.warning("error from the bus: %s", error)

    async def _on_closed(self) -> None:
        self._reason = self._reason or self._client.last_error
        self._ended.set()


def _ignore_exception(task: asyncio.Task[None]) -> None:
    """nats-py's tasks fail if the connection closes while data is unsent."""
    if not task.cancelled():
        task.exception()
