"""Remembers writes whose answer from the store was lost, until a retry shows whether they happened.

A message counts once for the rules against repetition, however often it is tried. While nobody
knows whether a try was written, its text counts; the next try takes that back before it counts
again. The events of such a write are published by the retry that finds it written.
"""

from collections.abc import Sequence
from typing import TypeAlias

from greenroom.ids import MessageId, ThreadId, UserId
from greenroom.messaging.events import Event

SendKey: TypeAlias = tuple[ThreadId, UserId, str]
"""Identifies a message before it is written: its thread, its author, the client's id for it."""

_MAX_SENDS = 10_000
_MAX_MESSAGES = 10_000


class UnconfirmedWrites:
    def __init__(self) -> None:
        self._sends: dict[SendKey, bytes] = {}
        """The digest of each message that may have been written."""
        self._events: dict[MessageId, list[Event]] = {}
        """The events beside the message's own that were not published. Messages of one transaction
        share the list, so that its events are published once."""

    def add_send(self, key: SendKey, digest: bytes) -> None:
        self._sends[key] = digest
        if len(self._sends) > _MAX_SENDS:
            del self._sends[next(iter(self._sends))]

    def has_send(self, key: SendKey) -> bool:
        return key in self._sends

    def take_send(self, key: SendKey, digest: bytes) -> bool:
        """Whether there was such a try, with the same content."""
        if self._sends.get(key) != digest:
            return False
        del self._sends[key]
        return True

    def add_events(self, messages: Sequence[MessageId], others: list[Event]) -> None:
        """The messages were written in one transaction or not at all; `others` are its other
        events."""
        for message in messages:
            self._events[message] = others
        while len(self._events) > _MAX_MESSAGES:
            del self._events[next(iter(self._events))]

    def has_events(self, message: MessageId) -> bool:
        return message in self._events

    def take_events(self, message: MessageId) -> list[Event] | None:
        """What to publish beside the message; None where it has been published."""
        others = self._events.pop(message, None)
        if others is None:
            return None
        taken = others.copy()
        others.clear()
        return taken
