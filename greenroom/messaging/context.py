"""What the messaging context works with. Use cases are functions that take it first."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from greenroom.clock import Clock
from greenroom.files import Files
from greenroom.ids import GroupId, Ids, MessageId, ThreadId, UserId
from greenroom.messaging.batcher import ThreadBatcher
from greenroom.messaging.events import (
    PersonPublisher,
    Publish,
    ScheduledPublisher,
    WaitingPublisher,
    discard,
    unpublished,
)
from greenroom.messaging.keyed_lock import KeyedLock
from greenroom.messaging.leases import Leases
from greenroom.messaging.models import MAX_SCHEDULED, MAX_SCHEDULED_DAYS, REQUEST_MESSAGES
from greenroom.messaging.records import KEPT_MS
from greenroom.messaging.thread_cache import ThreadCache
from greenroom.messaging.unconfirmed import SendKey, UnconfirmedWrites
from greenroom.people import People
from greenroom.safety import Safety
from greenroom.store.base import Key, Store
from greenroom.store.cursors import CursorCodec

TWO_WEEKS_MS = 14 * 86_400_000


class DeferredWork:
    """Work that may be done a little later. It is lost when the process ends, which is harmless."""

    def __init__(self, most: int = 1000) -> None:
        self._waiting: list[Callable[[], Awaitable[None]]] = []
        self._most = most

    def add(self, job: Callable[[], Awaitable[None]]) -> None:
        if len(self._waiting) < self._most:
            self._waiting.append(job)

    async def run(self) -> None:
        while self._waiting:
            jobs, self._waiting = self._waiting, []
            for job in jobs:
                await job()


@dataclass(frozen=True)
class Messaging:
    store: Store
    people: People
    safety: Safety
    files: Files
    clock: Clock
    ids: Ids
    thread_cache: ThreadCache
    cursors: CursorCodec
    publish: Publish = discard
    publish_person: PersonPublisher = unpublished
    publish_scheduled: ScheduledPublisher = unpublished
    publish_waiting: WaitingPublisher = unpublished
    batcher: ThreadBatcher = field(default_factory=ThreadBatcher)
    sending: KeyedLock[SendKey] = field(default_factory=KeyedLock)
    """Tries of the same message are sent one after the other."""
    sending_scheduled: KeyedLock[UserId] = field(default_factory=KeyedLock)
    """A user's scheduled messages are sent one after the other."""
    sending_waiting: KeyedLock[UserId] = field(default_factory=KeyedLock)
    """A user's messages that waited for their files are sent one after the other."""
    changing: KeyedLock[MessageId] = field(default_factory=KeyedLock)
    """Changes of the same message are made one after the other."""
    relaying: KeyedLock[GroupId] = field(default_factory=KeyedLock)
    """What a booking group has decided is relayed to its threads in order."""
    editing_tabs: KeyedLock[tuple[ThreadId, str]] = field(default_factory=KeyedLock)
    """Edits of the same tab of a project panel are made one after the other."""
    unconfirmed: UnconfirmedWrites = field(default_factory=UnconfirmedWrites)
    leases: Leases = field(default_factory=Leases)
    deferred: DeferredWork = field(default_factory=DeferredWork)
    secrets: dict[Key, bytes] = field(default_factory=dict)
    """Keys that the store keeps, once this node has read them (`pairs.py`)."""
    request_messages: int = REQUEST_MESSAGES
    """How many messages a request may hold."""
    request_characters: int = 0
    """How long each of them may be; 0 for as long as any message."""
    request_ms: int = TWO_WEEKS_MS
    """How long a request waits for its answer."""
    ask_again_ms: int = TWO_WEEKS_MS
    """How long after a request the same two people can have no other, whatever became of it; never
    shorter than a request waits."""
    max_scheduled: int = MAX_SCHEDULED
    """How many scheduled messages a user may have."""
    max_scheduled_days: int = MAX_SCHEDULED_DAYS
    """How many days ahead a message may be scheduled."""
    sync_log_ms: int = KEPT_MS
    """How long the logs of changes are kept for devices that come back."""
