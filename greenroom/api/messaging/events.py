"""Publishes messaging's events: each is rendered and encoded once, and sent to its audience.

Runs after a commit: first the waiting callers get their results, then each event is rendered and
handed to the bus, without waiting for its delivery. The callers' tasks, which send the acks, run
once this has returned: the time it takes is part of every ack.

Careful: everybody in the audience gets the same event, so it must not contain anything private to
one of them.
"""

from greenroom.api.messaging import frames, panel_frames, shapes
from greenroom.api.messaging.panel_shapes import change_shape
from greenroom.api.messaging.scheduled_shapes import scheduled_shape
from greenroom.api.messaging.waiting_shapes import waiting_shape
from greenroom.api.people.frames import PersonUpdated
from greenroom.api.people.shapes import Person, person_fields
from greenroom.api.ws.encode import encode
from greenroom.api.ws.frames import Frame
from greenroom.clock import Clock, iso
from greenroom.ids import ThreadId, UserId
from greenroom.messaging import events, rules
from greenroom.messaging.events import Event, audience
from greenroom.messaging.models import Thread
from greenroom.realtime.bus import (
    Bus,
    BusMessage,
    Invalidated,
    ItemVersion,
    thread_topic,
    user_topic,
)

THREADS = "threads"
"""The cache of thread heads. Its keys are thread ids."""
MEMBERSHIP = "membership"
"""Not a cache of the node: tells a connection to drop a thread that the user has left."""
PRESENCE = "presence"
"""Not a cache of the node: says that a user has closed a thread. `presence_key` makes the keys."""
_EPHEMERAL = (events.TypingChanged, events.PresenceChanged, events.PanelEditing)
_NOBODY = UserId("")
"""Renders events without hints: the author gets those with the ack."""


class MessagingEvents:
    def __init__(self, bus: Bus, clock: Clock) -> None:
        self._bus = bus
        self._clock = clock

    def publish(self, thread: Thread, event: Event) -> None:
        # The time matters only to gates, and most threads have none.
        users = audience(thread, event, self._clock.now_ms() if thread.gates else 0)
        if not users:
            return
        frame = rendered(thread, event)
        kind, payload = kind_of(frame), encode(frame)
        if isinstance(event, events.MessageEvent):
            self._bus.publish(
                [user_topic(user) for user in users], _of_message(thread, event, kind, payload)
            )
            return
        if isinstance(event, _EPHEMERAL):
            message = BusMessage(kind, payload, users, _left(thread, event))
            self._bus.publish((thread_topic(thread.id),), message)
            return
        invalidates: tuple[Invalidated, ...] = (Invalidated(THREADS, thread.id, thread.version),)
        if isinstance(event, events.InboxChanged) and event.gone:
            invalidates = (*invalidates, Invalidated(MEMBERSHIP, thread.id))
        message = BusMessage(kind, payload, None, invalidates)
        self._bus.publish([user_topic(user) for user in users], message)

    def publish_person(self, event: events.PersonUpdated) -> None:
        frame = PersonUpdated(Person(**person_fields(event.person)))
        message = BusMessage(kind_of(frame), encode(frame))
        self._bus.publish([user_topic(user) for user in event.shown_to], message)

    def publish_scheduled(self, event: events.ScheduledChanged) -> None:
        frame = frames.ScheduledMessageChanged(scheduled_shape(event.scheduled), event.message)
        message = BusMessage(kind_of(frame), encode(frame))
        self._bus.publish((user_topic(event.scheduled.author),), message)

    def publish_waiting(self, event: events.WaitingChanged) -> None:
        frame = frames.WaitingMessageChanged(waiting_shape(event.waiting), event.message)
        message = BusMessage(kind_of(frame), encode(frame))
        self._bus.publish((user_topic(event.waiting.author),), message)


def presence_key(thread: ThreadId, user: UserId) -> str:
    return f"{thread} {user}"


def kind_of(frame: Frame) -> str:
    kind: str = frame.__struct_config__.tag  # type: ignore[assignment]
    return kind


def rendered(thread: Thread, event: Event) -> Frame:
    """The frame for an event."""
    match event:
        case events.MessageCreated(message):
            shown = shapes.rendered(message, _NOBODY)
            awaited = list(rules.awaited(thread))
            return frames.MessageCreated(thread.id, shown, thread.status, awaited)
        case events.MessageEdited(message):
            return frames.MessageEdited(thread.id, shapes.message(message, _NOBODY))
        case events.MessageDeleted(message):
            return frames.MessageDeleted(thread.id, shapes.message(message, _NOBODY))
        case events.ReactionChanged(message):
            return frames.ReactionChanged(thread.id, shapes.message(message, _NOBODY))
        case events.ReceiptMoved(user, read, delivered):
            return frames.ReceiptMoved(thread.id, user, read, delivered)
        case events.TypingChanged(user, until_ms):
            return frames.TypingChanged(thread.id, user, until_ms > 0, _time(until_ms))
        case events.PresenceChanged(user, until_ms):
            return frames.PresenceChanged(thread.id, user, until_ms > 0, _time(until_ms))
        case events.PanelEditing(user, place, until_ms):
            if place is None:
                return panel_frames.PanelFocused(thread.id, user)
            where = (place.tab, place.object_id, place.field)
            return panel_frames.PanelFocused(thread.id, user, *where, _time(until_ms))
        case events.PanelUpdated(tab, version, entry):
            change = None if entry is None else change_shape(entry)
            return panel_frames.PanelUpdated(thread.id, tab, version, change)
        case events.ThreadUpdated():
            return frames.ThreadUpdated(thread.id)
        case events.InboxChanged(_, gone):
            return frames.InboxChanged(thread.id, gone)
        case events.RequestChanged(request, target, sender, status):
            return frames.RequestChanged(thread.id, request, target, sender, status)


def _of_message(
    thread: Thread, event: events.MessageEvent, kind: str, payload: bytes
) -> BusMessage:
    message = event.message
    invalidates = (Invalidated(THREADS, thread.id, thread.version),)
    item = ItemVersion(message.id, message.version, thread.id, message.seq)
    at_ms = message.ms if isinstance(event, events.MessageCreated) else 0
    return BusMessage(kind, payload, None, invalidates, item, at_ms)


def _left(thread: Thread, event: Event) -> tuple[Invalidated, ...]:
    if isinstance(event, events.PresenceChanged) and not event.until_ms:
        return (Invalidated(PRESENCE, presence_key(thread.id, event.user)),)
    return ()


def _time(ms: int) -> str | None:
    return iso(ms) if ms else None
