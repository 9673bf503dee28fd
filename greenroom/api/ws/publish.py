"""Events on their way out: each becomes a frame, is encoded once, and goes to the bus.

What one would get wrong: this runs between a commit and its answer, for every message; and a frame
must fit everybody who is told, so it says nothing that only one of them may know.
"""

import msgspec
from msgspec import Struct

from greenroom.api.messaging import shapes
from greenroom.api.people.rest.people import Person, shown
from greenroom.api.safety.rest.notices import notice
from greenroom.api.ws import frames
from greenroom.clock import Clock, iso
from greenroom.ids import UserId
from greenroom.messaging import events
from greenroom.messaging.events import Event, audience
from greenroom.messaging.models import Thread
from greenroom.realtime.bus import ALL_NODES, Bus, BusMessage, thread_topic, user_topic
from greenroom.safety.events import (
    AccountChanged,
    NoticeAcknowledged,
    NoticeCreated,
    PersonBlocked,
    PersonSuspended,
    PersonUnblocked,
    SafetyEvent,
)

encode = msgspec.json.Encoder().encode
_EPHEMERAL = (events.TypingChanged, events.PresenceChanged)
_NOBODY = UserId("")
"""Hints are for the author, who has them with the answer; a frame for all is nobody's view."""


class EventPublisher:
    def __init__(self, bus: Bus, clock: Clock) -> None:
        self._bus = bus
        self._clock = clock

    def __call__(self, thread: Thread, event: Event) -> None:
        users = audience(thread, event, self._clock.now_ms())
        if not users:
            return
        payload = encode(_frame(thread, event))
        if isinstance(event, _EPHEMERAL):
            topic = thread_topic(thread.id)
            self._bus.publish((topic,), BusMessage(payload, thread.id, only=users))
            return
        if isinstance(event, events.MessageEvent):
            message = event.message
            bus_message = BusMessage(
                payload, thread.id, thread.version, message.id, message.version, seq=message.seq
            )
        else:
            bus_message = BusMessage(payload, thread.id, thread.version)
        self._bus.publish([user_topic(user) for user in users], bus_message)

    def publish_person(self, event: events.PersonUpdated) -> None:
        payload = encode(frames.PersonUpdated(Person(**shown(event.person))))
        self._bus.publish([user_topic(user) for user in event.shown_to], BusMessage(payload))


class UserChanged(Struct):
    """Tells the other nodes, and no client, that this account has changed."""

    changed: UserId


def publish_safety_event(bus: Bus, event: SafetyEvent) -> None:
    """A block is told to no client either, but every node has to forget what it knew of the two."""
    match event:
        case PersonSuspended(user) | AccountChanged(user):
            bus.publish((ALL_NODES,), BusMessage(encode(UserChanged(user))))
        case NoticeCreated(told):
            frame = frames.NoticeCreated(notice(told))
            bus.publish((user_topic(told.user),), BusMessage(encode(frame)))
        case NoticeAcknowledged(user, notice_id):
            payload = encode(frames.NoticeAcknowledged(notice_id))
            bus.publish((user_topic(user),), BusMessage(payload))
        case PersonBlocked(one, other) | PersonUnblocked(one, other):
            bus.publish((ALL_NODES,), BusMessage(b"", only=(one, other)))


def _frame(thread: Thread, event: Event) -> frames.Event:
    match event:
        case events.MessageCreated(message):
            rendered = shapes.rendered(message, _NOBODY)
            return frames.MessageCreated(thread.id, rendered, thread.status, list(thread.awaiting))
        case events.MessageEdited(message):
            return frames.MessageEdited(thread.id, shapes.message(message, _NOBODY))
        case events.MessageDeleted(message):
            return frames.MessageDeleted(thread.id, shapes.message(message, _NOBODY))
        case events.ReactionChanged(message):
            return frames.ReactionChanged(thread.id, shapes.message(message, _NOBODY))
        case events.ReceiptMoved(user, read, delivered):
            return frames.ReceiptMoved(thread.id, user, read, delivered)
        case events.TypingChanged(user, until_ms):
            return frames.TypingChanged(thread.id, user, until_ms > 0, _moment(until_ms))
        case events.PresenceChanged(user, until_ms):
            return frames.PresenceChanged(thread.id, user, until_ms > 0, _moment(until_ms))
        case events.ThreadUpdated():
            return frames.ThreadUpdated(thread.id)
        case events.InboxChanged(_, gone):
            return frames.InboxChanged(thread.id, gone)
        case events.RequestChanged(request, target, sender, status):
            return frames.RequestChanged(thread.id, request, target, sender, status)


def _moment(ms: int) -> str | None:
    return iso(ms) if ms else None
