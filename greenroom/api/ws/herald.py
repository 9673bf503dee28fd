"""Events on their way out: each becomes a frame, is encoded once, and goes to the bus.

What one would get wrong: this runs between a commit and its answer, for every message; and a frame
must fit everybody who is told, so it says nothing that only one of them may know.
"""

import msgspec

from greenroom.api.rest import shapes
from greenroom.api.rest.people import Person, shown
from greenroom.api.ws import frames
from greenroom.clock import Clock, iso
from greenroom.ids import UserId
from greenroom.messaging import events
from greenroom.messaging.events import Event, audience
from greenroom.messaging.models import Thread
from greenroom.realtime.base import Bus, Notice, thread_topic, user_topic

encode = msgspec.json.Encoder().encode
_PASSING = (events.TypingChanged, events.PresenceChanged)
_NOBODY = UserId("")
"""Hints are for the author, who has them with the answer; a frame for all is nobody's view."""


class Herald:
    def __init__(self, bus: Bus, clock: Clock) -> None:
        self._bus = bus
        self._clock = clock

    def __call__(self, thread: Thread, event: Event) -> None:
        told = audience(thread, event, self._clock.now_ms())
        if not told:
            return
        if isinstance(event, _PASSING):
            notice = Notice(encode(_frame(thread, event)), thread.id, only=told)
            self._bus.publish((thread_topic(thread.id),), notice)
            return
        payload = encode(_frame(thread, event))
        if isinstance(event, events.OfFrame):
            frame = event.frame
            notice = Notice(
                payload, thread.id, thread.version, frame.id, frame.version, seq=frame.seq
            )
        else:
            notice = Notice(payload, thread.id, thread.version)
        self._bus.publish([user_topic(user) for user in told], notice)

    def publish_person(self, event: events.PersonUpdated) -> None:
        payload = encode(frames.PersonUpdated(Person(**shown(event.person))))
        self._bus.publish([user_topic(user) for user in event.shown_to], Notice(payload))


def _frame(thread: Thread, event: Event) -> frames.Event:
    match event:
        case events.MessageCreated(frame):
            message = shapes.rendered(frame, _NOBODY)
            return frames.MessageCreated(thread.id, message, thread.status, list(thread.awaiting))
        case events.MessageEdited(frame):
            return frames.MessageEdited(thread.id, shapes.message(frame, _NOBODY))
        case events.MessageDeleted(frame):
            return frames.MessageDeleted(thread.id, shapes.message(frame, _NOBODY))
        case events.ReactionChanged(frame):
            return frames.ReactionChanged(thread.id, shapes.message(frame, _NOBODY))
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
