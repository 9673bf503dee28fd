"""Remembers writes whose answer from the store was lost, until a retry shows whether they happened.

A message counts once for the rules against repetition, however often it is tried. While nobody
knows whether a try was written, its text counts; the next try takes that back before it counts
again. The events of such a write are published by the retry that finds it written.
"""

from collections.abc import Sequence
from typing import TypeAlias

from greenroom.ids import MessageId, ThreadId, UserId
from greenroom.lru import LruCache
from greenroom.messaging.events import Event

SendKey: TypeAlias = tuple[ThreadId, UserId, str]
"""Identifies a message before it is written: its thread, its author, the client's id for it."""

_MAX_SENDS = 10_000
_MAX_MESSAGES = 10_000


class UnconfirmedWrites:
    def __init__(self) -> None:
        self._sends: LruCache[SendKey, bytes] = LruCache(_MAX_SENDS)
        """The digest of each message that may have been written."""
        self._events: LruCache[MessageId, list[Event]] = LruCache(_MAX_MESSAGES)
        """The events beside the message's own that were not published. Messages of one transaction
        share the list, so that its events are published once."""

    def add_send(self, key: SendKey, digest: bytes) -> None:
        self._sends.put(key, digest)

    def has_send(self, key: SendKey) -> bool:
        return key in self._sends

    def take_send(self, key: SendKey, digest: bytes) -> bool:
        """Whether there was such a try, with the same content."""
        if self._sends.peek(key) != digest:
            return False
        self._sends.discard(key)
        return True

    def add_events(self, messages: Sequence[MessageId], others: list[Event]) -> None:
        """The messages were written in one transaction or not at all; `others` are its other
        events."""
        for message in messages:
            self._events.put(message, others)

    def has_events(self, message: MessageId) -> bool:
        return message in self._events

    def take_events(self, message: MessageId) -> list[Event] | None:
        """What to publish beside the message; None where it has been published."""
        others = self._events.discard(message)
        if others is None:
            return None
        taken = others.copy()
        others.clear()
        return taken
