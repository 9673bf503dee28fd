"""The bus over NATS: publishes, subscribes and reconnects.

A message published here is delivered locally at once and queued for other nodes. While NATS is
unreachable, queued messages are dropped.

Careful: when a node loses its connection, the nodes it would have published to have a gap too. It
tells them as soon as it is back. If it died, they notice that its heartbeats stop.
"""

import asyncio
import logging
import random
import secrets
from collections.abc import Iterable
from contextlib import suppress

import msgspec
from nats.aio.msg import Msg
from nats.errors import Error as NatsError

from greenroom.realtime.bus import BusMessage, Deliver, OnGap, Topic
from greenroom.realtime.nats import peers
from greenroom.realtime.nats.address import redacted, servers
from greenroom.realtime.nats.connection import NatsConnection
from greenroom.realtime.nats.send_queue import SendQueue
from greenroom.realtime.nats.subjects import GONE, HERE, LOST, topic_of
from greenroom.realtime.nats.subscriptions import Subscriptions
from greenroom.realtime.problems import BusUnavailable

CONFIRM_SECONDS = 10
CONNECT_SECONDS = 5
READY_SECONDS = 3
_CLOSE_SECONDS = 2
_END_SECONDS = 3
"""Longer than a canceled connection task takes to close its connection."""
_LONGEST_PAUSE_SECONDS = 2.0
_GAP_COOLDOWN_SECONDS = 1.0
"""Between two calls of `on_gap`: when all nodes reconnect, each of them reports a gap."""

_decode = msgspec.msgpack.Decoder(BusMessage).decode
_log = logging.getLogger(__name__)


class NatsBus:
    def __init__(self, url: str) -> None:
        self._url = url
        self._name = secrets.token_hex(8).encode()
        self._deliver: Deliver | None = None
        self._on_gap: OnGap | None = None
        self._connection_task: asyncio.Task[None] | None = None
        self._subscriptions = Subscriptions()
        self._send_queue = SendQueue()
        self._peers = peers.Peers()
        self._work = asyncio.Event()
        self._idle = asyncio.Event()
        self._up = False
        self._is_leaving = False
        self._gap_cooldown: asyncio.TimerHandle | None = None
        self._gap_pending = False

    @property
    def is_up(self) -> bool:
        return self._up

    async def start(self, deliver: Deliver, on_gap: OnGap) -> None:
        self._deliver, self._on_gap, self._is_leaving = deliver, on_gap, False
        connection = await self._connect()
        self._connection_task = asyncio.create_task(self._run(connection))
        await asyncio.sleep(0)  # lets the connection task start, so that messages are accepted

    async def check(self) -> None:
        """Connects and disconnects. Raises if no server can be reached."""
        connection = await self._connect()
        await connection.close()

    def publish(self, topics: Iterable[Topic], bus_message: BusMessage) -> None:
        if self._deliver is None:
            return
        topics = tuple(topics)
        if self._up:
            self._send_queue.add(topics, bus_message)
            self._idle.clear()
            self._work.set()
        else:
            self._send_queue.owes_loss_report = True
        for topic in topics:
            if topic in self._subscriptions:
                self._deliver(topic, bus_message)

    def subscribe(self, topic: Topic) -> None:
        if self._subscriptions.add(topic):
            self._work.set()

    def unsubscribe(self, topic: Topic) -> None:
        if self._subscriptions.remove(topic):
            self._work.set()

    async def ready(self) -> None:
        """Waits for `READY_SECONDS` at most. Clients of late subscriptions are told of a gap."""
        with suppress(TimeoutError):
            async with asyncio.timeout(READY_SECONDS):
                await self._subscriptions.ready()

    async def close(self) -> None:
        if self._connection_task is not None:
            self._announce_leaving()
            with suppress(TimeoutError):
                async with asyncio.timeout(_CLOSE_SECONDS):
                    await self._idle.wait()
            await _cancel(self._connection_task)
        if self._gap_cooldown is not None:
            self._gap_cooldown.cancel()
        self._connection_task = self._deliver = self._on_gap = self._gap_cooldown = None

    def _announce_leaving(self) -> None:
        """Sent after everything in the queue, and not if the queue is dropped."""
        self._is_leaving = True
        if self._up:
            self._send_queue.enqueue(GONE, self._name)
            self._idle.clear()
            self._work.set()

    # Receiving

    def _on_message(self, message: Msg) -> None:
        """Called by nats-py's reading task, which an exception would end silently."""
        try:
            if message.subject in (LOST, HERE, GONE):
                self._on_node_message(message)
                return
            topic = topic_of(message.subject)
            if topic in self._subscriptions and self._deliver is not None:
                self._deliver(topic, _decode(message.data))
        except msgspec.DecodeError as error:
            _log.warning("invalid message from the bus on %s: %s", message.subject, error)
            self._report_gap()
        except Exception:
            _log.exception("delivery of a message on %s failed", message.subject)

    def _on_node_message(self, message: Msg) -> None:
        if message.subject == LOST:
            self._report_gap()
        elif message.subject == HERE:
            self._peers.heard_from(message.data)
        else:
            self._peers.remove(message.data)

    def _report_gap(self) -> None:
        if self._gap_cooldown is not None:
            self._gap_pending = True
        elif self._on_gap is not None:
            self._gap_cooldown = asyncio.get_running_loop().call_later(
                _GAP_COOLDOWN_SECONDS, self._on_cooldown_over
            )
            self._on_gap()

    def _on_cooldown_over(self) -> None:
        self._gap_cooldown = None
        if self._gap_pending:
            self._gap_pending = False
            self._report_gap()

    # Connecting

    async def _run(self, connection: NatsConnection) -> None:
        while True:
            await self._use_connection(connection)
            connection = await self._reconnect()
            if self._is_leaving:
                await connection.close()
                return
            _log.info("reconnected to the bus")
            try:
                self._report_gap()
            except Exception:
                _log.exception("reporting the gap after a reconnect failed")

    async def _use_connection(self, connection: NatsConnection) -> None:
        self._up = True
        self._work.set()
        tasks = [
            asyncio.create_task(self._send_loop(connection)),
            asyncio.create_task(self._confirm_loop(connection)),
            asyncio.create_task(self._heartbeat_loop(connection)),
            asyncio.create_task(connection.wait_closed()),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            _log_end(done.pop().exception())
        finally:
            self._up = False
            self._subscriptions.on_disconnect()
            self._send_queue.on_disconnect()
            self._idle.set()
            for task in tasks:
                task.cancel()
            await connection.close()
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await asyncio.gather(*tasks, return_exceptions=True)

    async def _send_loop(self, connection: NatsConnection) -> None:
        while connection.alive:
            await self._work.wait()
            self._work.clear()
            while self._subscriptions.is_stale or self._send_queue:
                await self._subscriptions.write(connection)
                await self._send_queue.send_batch(connection)
            self._idle.set()

    async def _confirm_loop(self, connection: NatsConnection) -> None:
        """Also checks that the server still answers: a cut cable gives no error."""
        while connection.alive:
            with suppress(TimeoutError):
                async with asyncio.timeout(CONFIRM_SECONDS):
                    await self._subscriptions.to_confirm.wait()
            self._subscriptions.to_confirm.clear()
            await self._confirm(connection)

    async def _confirm(self, connection: NatsConnection) -> None:
        written, sent = self._subscriptions.written, self._send_queue.sent
        await connection.confirm()
        self._subscriptions.confirmed(written)
        self._send_queue.confirmed(sent)

    async def _heartbeat_loop(self, connection: NatsConnection) -> None:
        self._peers.reset()
        while connection.alive:
            if not self._is_leaving:
                await connection.publish(HERE, self._name)
            await asyncio.sleep(peers.HERE_SECONDS)
            if silent := self._peers.take_silent():
                _log.warning("heartbeats of %d nodes have stopped", silent)
                self._report_gap()

    async def _reconnect(self) -> NatsConnection:
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

    async def _connect(self) -> NatsConnection:
        """Connects to one of the servers and activates all subscriptions."""
        known = servers(self._url)
        seconds = max(1, CONNECT_SECONDS // len(known))
        reasons = []
        for server in random.sample(known, len(known)):
            connection = NatsConnection(self._on_message)
            try:
                await connection.open(server, seconds)
                self._subscriptions.mark_all_stale()
                for said in (LOST, HERE, GONE):
                    await connection.subscribe(said)
                await self._subscriptions.write(connection)
                await self._confirm(connection)
            except (NatsError, OSError) as error:
                await connection.close()
                reasons.append(str(error) or "no answer in time")
            except BaseException:
                await connection.close()
                raise
            else:
                return connection
        raise BusUnavailable(redacted(self._url), "; ".join(sorted(set(reasons))))


async def _cancel(task: asyncio.Task[None]) -> None:
    """Cancels until it works. nats-py uses `wait_for`, which in Python 3.11 swallows a cancellation
    that arrives together with the result, for example when the bus comes back just then."""
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=_END_SECONDS)


def _log_end(reason: BaseException | None) -> None:
    expected = reason is None or isinstance(reason, NatsError | OSError)
    _log.warning(
        "lost the connection to the bus: %s", reason, exc_info=None if expected else reason
    )
