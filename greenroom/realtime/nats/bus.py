"""What a node publishes and hears, over one connection to NATS after the other.

What is published here is told here at once and queued for the others; while NATS is away it is let
go. What one would get wrong: a node that was cut off is not the only one that missed something; so
did those that it would have told, and nobody but itself can tell them, unless it is dead, which
they notice by its silence.
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

from greenroom.realtime.base import Deliver, Missed, Notice, Topic
from greenroom.realtime.nats import peers
from greenroom.realtime.nats.address import servers, shown
from greenroom.realtime.nats.link import Link
from greenroom.realtime.nats.outgoing import Outgoing
from greenroom.realtime.nats.subjects import GONE, HERE, LOST, topic_of
from greenroom.realtime.nats.topics import Topics
from greenroom.realtime.problems import BusUnavailable

BEAT_SECONDS = 10
CONNECT_SECONDS = 5
READY_SECONDS = 3
_CLOSE_SECONDS = 2
_END_SECONDS = 3
"""Longer than it takes a keeper that has heard of its end to let go of its connection."""
_LONGEST_PAUSE_SECONDS = 2.0
_QUIET_SECONDS = 1.0
"""Between one `missed` and the next: when all nodes come back they all say that they were lost."""

_decode = msgspec.msgpack.Decoder(Notice).decode
_log = logging.getLogger(__name__)


class NatsBus:
    def __init__(self, url: str) -> None:
        self._url = url
        self._name = secrets.token_hex(8).encode()
        self._deliver: Deliver | None = None
        self._missed: Missed | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._topics = Topics()
        self._outgoing = Outgoing()
        self._peers = peers.Peers()
        self._work = asyncio.Event()
        self._idle = asyncio.Event()
        self._up = False
        self._is_leaving = False
        self._quiet: asyncio.TimerHandle | None = None
        self._missed_again = False

    @property
    def is_up(self) -> bool:
        return self._up

    async def start(self, deliver: Deliver, missed: Missed) -> None:
        self._deliver, self._missed, self._is_leaving = deliver, missed, False
        link = await self._connect()
        self._keeper = asyncio.create_task(self._keep(link))
        await asyncio.sleep(0)  # what is published from now on is taken

    def publish(self, topics: Iterable[Topic], notice: Notice) -> None:
        if self._deliver is None:
            return
        topics = tuple(topics)
        if self._up:
            self._outgoing.add(topics, notice)
            self._idle.clear()
            self._work.set()
        else:
            self._outgoing.owed = True
        for topic in topics:
            if topic in self._topics:
                self._deliver(topic, notice)

    def listen(self, topic: Topic) -> None:
        if self._topics.add(topic):
            self._work.set()

    def unlisten(self, topic: Topic) -> None:
        if self._topics.remove(topic):
            self._work.set()

    async def ready(self) -> None:
        """Gives up after a while: whoever was not ready by then is told that they missed some."""
        with suppress(TimeoutError):
            async with asyncio.timeout(READY_SECONDS):
                await self._topics.ready()

    async def close(self) -> None:
        if self._keeper is not None:
            self._say_goodbye()
            with suppress(TimeoutError):
                async with asyncio.timeout(_CLOSE_SECONDS):
                    await self._idle.wait()
            await _end(self._keeper)
        if self._quiet is not None:
            self._quiet.cancel()
        self._keeper = self._deliver = self._missed = self._quiet = None

    def _say_goodbye(self) -> None:
        """After all that waits, and not if that is let go."""
        self._is_leaving = True
        if self._up:
            self._outgoing.say(GONE, self._name)
            self._idle.clear()
            self._work.set()

    # What comes

    def _hear(self, message: Msg) -> None:
        """Called by the task of nats-py that reads, which an exception would end without a word."""
        try:
            if message.subject in (LOST, HERE, GONE):
                self._hear_of_a_node(message)
                return
            topic = topic_of(message.subject)
            if topic in self._topics and self._deliver is not None:
                self._deliver(topic, _decode(message.data))
        except msgspec.DecodeError as error:
            _log.warning("the bus brought what is no notice, on %s: %s", message.subject, error)
            self._missed_some()
        except Exception:
            _log.exception("a notice on %s was not told", message.subject)

    def _hear_of_a_node(self, message: Msg) -> None:
        if message.subject == LOST:
            self._missed_some()
        elif message.subject == HERE:
            self._peers.hear(message.data)
        else:
            self._peers.let_go(message.data)

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

    async def _keep(self, link: Link) -> None:
        while True:
            await self._use(link)
            link = await self._come_back()
            if self._is_leaving:
                await link.close()
                return
            _log.info("the bus is back")
            try:
                self._missed_some()
            except Exception:
                _log.exception("nobody was told that the bus was away")

    async def _use(self, link: Link) -> None:
        self._up = True
        self._work.set()
        tasks = [
            asyncio.create_task(self._send_what_waits(link)),
            asyncio.create_task(self._confirm_what_is_written(link)),
            asyncio.create_task(self._look_for_others(link)),
            asyncio.create_task(link.end()),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            _log_end(done.pop().exception())
        finally:
            self._up = False
            self._topics.cut_off()
            self._outgoing.cut_off()
            self._idle.set()
            for task in tasks:
                task.cancel()
            await link.close()
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await asyncio.gather(*tasks, return_exceptions=True)

    async def _send_what_waits(self, link: Link) -> None:
        while link.alive:
            await self._work.wait()
            self._work.clear()
            while self._topics.is_stale or self._outgoing:
                await self._topics.write(link)
                await self._outgoing.send_some(link)
            self._idle.set()

    async def _confirm_what_is_written(self, link: Link) -> None:
        """And now and then that the server is still there: a cable that is cut says nothing."""
        while link.alive:
            with suppress(TimeoutError):
                async with asyncio.timeout(BEAT_SECONDS):
                    await self._topics.to_confirm.wait()
            self._topics.to_confirm.clear()
            await self._confirm(link)

    async def _confirm(self, link: Link) -> None:
        written, sent = self._topics.written, self._outgoing.sent
        await link.confirm()
        self._topics.confirmed(written)
        self._outgoing.arrived(sent)

    async def _look_for_others(self, link: Link) -> None:
        self._peers.wait_for_all()
        while link.alive:
            if not self._is_leaving:
                await link.publish(HERE, self._name)
            await asyncio.sleep(peers.HERE_SECONDS)
            if silent := self._peers.fallen_silent():
                _log.warning("%d nodes have fallen silent", silent)
                self._missed_some()

    async def _come_back(self) -> Link:
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

    async def _connect(self) -> Link:
        """To one of the servers, with everything listened for that is asked for."""
        known = servers(self._url)
        seconds = max(1, CONNECT_SECONDS // len(known))
        reasons = []
        for server in random.sample(known, len(known)):
            link = Link(self._hear)
            try:
                await link.open(server, seconds)
                self._topics.start_over()
                for said in (LOST, HERE, GONE):
                    await link.subscribe(said)
                await self._topics.write(link)
                await self._confirm(link)
            except (NatsError, OSError) as error:
                await link.close()
                reasons.append(str(error) or "no answer in time")
            except BaseException:
                await link.close()
                raise
            else:
                return link
        raise BusUnavailable(shown(self._url), "; ".join(sorted(set(reasons))))


async def _end(keeper: asyncio.Task[None]) -> None:
    """nats-py waits with `wait_for`, which in Python 3.11 swallows a cancellation that comes with
    what it waits for: a keeper whose bus comes back just then does not hear of its end."""
    while not keeper.done():
        keeper.cancel()
        await asyncio.wait([keeper], timeout=_END_SECONDS)


def _log_end(reason: BaseException | None) -> None:
    expected = reason is None or isinstance(reason, NatsError | OSError)
    _log.warning("the bus is away: %s", reason, exc_info=None if expected else reason)
