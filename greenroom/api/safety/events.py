"""Publishes safety's events: notices to their user, cache invalidations to every node."""

from greenroom.api.safety.frames import NoticeAcknowledged, NoticeCreated
from greenroom.api.safety.shapes import notice_shape
from greenroom.api.ws.encode import encode
from greenroom.realtime.bus import ALL_NODES, Bus, BusMessage, Invalidated, user_topic
from greenroom.safety import events
from greenroom.safety.events import SafetyEvent

ACCOUNTS = "accounts"
"""The cache of accounts: suspension and staff role. Keys are user ids."""
BLOCKS = "blocks"
"""The cache of blocks between two users. Keys are two user ids."""


class SafetyEvents:
    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    def publish(self, event: SafetyEvent) -> None:
        """A block is not sent to clients, but every node must drop its cached blocks of the two."""
        match event:
            case events.PersonSuspended(user) | events.AccountChanged(user):
                forgets = Invalidated(ACCOUNTS, user)
                self._bus.publish(
                    (ALL_NODES,), BusMessage("account.changed", invalidates=(forgets,))
                )
            case events.NoticeCreated(notice):
                payload = encode(NoticeCreated(notice_shape(notice)))
                message = BusMessage("notice.created", payload)
                self._bus.publish((user_topic(notice.user),), message)
            case events.NoticeAcknowledged(user, notice_id):
                payload = encode(NoticeAcknowledged(notice_id))
                message = BusMessage("notice.acknowledged", payload)
                self._bus.publish((user_topic(user),), message)
            case events.PersonBlocked(one, other) | events.PersonUnblocked(one, other):
                forgets = Invalidated(BLOCKS, f"{one} {other}")
                self._bus.publish(
                    (ALL_NODES,), BusMessage("blocks.changed", invalidates=(forgets,))
                )
