"""Delivers durable events to one client: at once, or held back while it gets what it missed.

Careful: delivery subscribes *before* anything is replayed, or an event could fall between the two.
An event may arrive after a replay has sent the same change. Once events may have been lost, no
cursor is given out until the client has resumed.
"""

import asyncio
from collections.abc import Mapping, Sequence

from greenroom.api.registry import SessionPart
from greenroom.api.sync import Known
from greenroom.ids import UserId
from greenroom.realtime.bus import BusMessage, ItemVersion
from greenroom.realtime.outbox import Outbox
from greenroom.store.server_clock import SLACK_MS

MOST_HELD = 2000
_MOST_SENT_LIVE = 32


class EventDelivery:
    def __init__(self, outbox: Outbox, parts: Sequence[SessionPart]) -> None:
        self.user = UserId("")
        self._outbox = outbox
        self._parts = {kind: part for part in parts for kind in part.event_kinds}
        self._held: list[BusMessage] | None = None
        self._overflowed = False
        self._was_behind = False
        self._replayed: dict[str, int] = {}
        self._have: Mapping[str, int] = {}
        self._forget_timer: asyncio.TimerHandle | None = None
        self._sent_live: dict[str, int] | None = {}
        """Items sent live before the client resumed, so that they are not replayed."""

    @property
    def is_held(self) -> bool:
        return self._held is not None

    def is_cursor_valid(self) -> bool:
        """Whether the client has or will get every event."""
        return not (self.is_held or self._outbox.is_behind or self._outbox.waiting)

    # Called by the hub.

    def on_message(self, message: BusMessage) -> None:
        if message.kind in self._parts:
            self._parts[message.kind].on_event(message)
        if self._held is None:
            self._deliver(message)
        elif len(self._held) < MOST_HELD:
            self._held.append(message)
        else:
            self._overflowed = True

    def on_gap(self) -> None:
        if self._held is None:
            self._outbox.require_resync()
        else:
            self._overflowed = True

    # Called by the replay.

    def hold(self) -> None:
        """Holds events back until the replay is done."""
        if self._held is None:
            self.end()
            self._held, self._overflowed = [], False
            self._was_behind = self._outbox.is_behind
            if self._was_behind:
                self._sent_live = None  # some of it was dropped
            self._outbox.mark_resumed()

    def begin_replay(self, have: Mapping[str, int]) -> Known:
        """Returns what need not be replayed. The client has each log up to these seqs. Events of
        such entries may still arrive: a sync can return an entry before its writer publishes it."""
        self._have = have
        return Known(have, self._sent_live or {})

    def replayed(self, items: Mapping[str, int]) -> None:
        """The client was sent these items, in these versions."""
        self._replayed |= items

    def resume_live(self, *, caught_up: bool) -> None:
        """Delivers held events that were not replayed, and all later events at once."""
        if self._held is None:
            return
        held, self._held = self._held, None
        if self._replayed or self._have:
            loop = asyncio.get_running_loop()
            self._forget_timer = loop.call_later(SLACK_MS / 1000, self._forget)
        if caught_up:
            self._sent_live = None
        elif self._was_behind:
            self._outbox.is_behind = True
        if self._overflowed:
            self._outbox.require_resync()
            return
        for message in held:
            self._deliver(message)

    def end(self) -> None:
        if self._forget_timer is not None:
            self._forget_timer.cancel()

    def _forget(self) -> None:
        self._replayed.clear()
        self._have = {}

    def _deliver(self, message: BusMessage) -> None:
        item = message.item
        if item is not None and (self._replayed or self._have) and self._was_replayed(item):
            return
        self._outbox.send_event(message.payload)
        if item is not None and self._sent_live is not None:
            self._sent_live[item.id] = item.version
            if len(self._sent_live) > _MOST_SENT_LIVE:
                self._sent_live = None  # a duplicate does no harm

    def _was_replayed(self, item: ItemVersion) -> bool:
        if self._replayed.get(item.id, 0) >= item.version:
            return True
        return item.version == 1 and item.seq <= self._have.get(item.log, 0)
