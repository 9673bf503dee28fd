"""Queue of messages for other nodes. Tracks which of them the server has confirmed.

Careful: after dropping messages, this node must tell the others that they have a gap.
"""

import logging
from collections import deque
from collections.abc import Iterable

import msgspec
from nats.errors import MaxPayloadError

from greenroom.realtime.bus import BusMessage, Topic
from greenroom.realtime.nats.connection import NatsConnection
from greenroom.realtime.nats.subjects import LOST, fits, subject_of

MOST_WAITING_BYTES = 16_000_000
BATCH = 256
_OVERHEAD_BYTES = 200
_encode = msgspec.msgpack.Encoder().encode
_log = logging.getLogger(__name__)


class SendQueue:
    def __init__(self) -> None:
        self.bytes = 0
        self.owes_loss_report = False
        """Whether other nodes must be told that messages from this node were lost."""
        self.sent = self._confirmed = 0
        """How many messages were sent, and how many of them the server has confirmed."""
        self._waiting: deque[tuple[str, bytes]] = deque()

    def __bool__(self) -> bool:
        return self.owes_loss_report or bool(self._waiting)

    def add(self, topics: Iterable[Topic], message: BusMessage) -> None:
        data = _encode(message)
        for topic in topics:
            subject = subject_of(topic)
            if fits(subject):
                self.enqueue(subject, data)
        if self.bytes > MOST_WAITING_BYTES:
            _log.warning("the bus is slow: dropped %d messages", len(self._waiting))
            self._drop_all()

    def enqueue(self, subject: str, data: bytes) -> None:
        self._waiting.append((subject, data))
        self.bytes += len(data) + _OVERHEAD_BYTES

    async def send_batch(self, connection: NatsConnection) -> None:
        if self.owes_loss_report:
            self.owes_loss_report = False
            self.sent += 1
            await connection.publish(LOST, b"")
        for _ in range(BATCH):
            if not self._waiting:
                break
            subject, data = self._waiting.popleft()
            self.bytes -= len(data) + _OVERHEAD_BYTES
            self.sent += 1
            try:
                await connection.publish(subject, data)
            except MaxPayloadError:
                _log.warning("a message of %d bytes is too large for the bus", len(data))
                self.owes_loss_report = True
        await connection.wait_writable()

    def confirmed(self, sent: int) -> None:
        """The server has processed the first `sent` messages."""
        self._confirmed = sent

    def on_disconnect(self) -> None:
        """Drops the queue and remembers whether anything was lost."""
        self.owes_loss_report = self.owes_loss_report or self._confirmed < self.sent
        self._drop_all()

    def _drop_all(self) -> None:
        self.owes_loss_report = self.owes_loss_report or bool(self._waiting)
        self._waiting.clear()
        self.bytes = 0
