"""What one client is told of what stays: live, or held back while it is given what it missed.

What one would get wrong: the stream listens *before* anything is replayed, or something would fall
between the two; what was read from the disk a moment ago may be told only now; and once something
may have been lost no cursor holds until the client has resumed, or what was lost would stay so.
"""

import asyncio
from collections.abc import Callable

from greenroom.api.messaging.rest.inbox import Changes
from greenroom.api.messaging.shapes import Message
from greenroom.ids import MessageId, ThreadId, UserId
from greenroom.messaging.sync import SLACK_MS
from greenroom.realtime.bus import BusMessage
from greenroom.realtime.outbox import Outbox

MOST_HELD = 2000
_MOST_SENT_LIVE = 32
_GONE = b',"gone":true}'
"""How an `inbox.changed` ends that takes a thread away, and no other frame does."""


class EventDelivery:
    def __init__(self, outbox: Outbox, on_gone: Callable[[ThreadId], None]) -> None:
        self.user = UserId("")
        self._outbox = outbox
        self._on_gone = on_gone
        self._held: list[BusMessage] | None = None
        self._overflowed = False
        self._was_behind = False
        self._replayed: dict[MessageId, int] = {}
        self._have: dict[str, int] = {}
        self._forget_timer: asyncio.TimerHandle | None = None
        self._sent_live: dict[MessageId, int] | None = {}
        """What came live before the client could resume, so that it is not replayed again."""

    @property
    def is_held(self) -> bool:
        return self._held is not None

    def is_cursor_valid(self) -> bool:
        """Whether the client has, or is about to have, everything that there was for it."""
        return not (self.is_held or self._outbox.is_behind or self._outbox.waiting)

    # The hub's side.

    def on_message(self, message: BusMessage) -> None:
        if message.payload.endswith(_GONE) and message.thread_id is not None:
            self._on_gone(message.thread_id)
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

    # The replay's side.

    def hold(self) -> None:
        """From now on everything waits until the replay is done."""
        if self._held is None:
            self.end()
            self._held, self._overflowed = [], False
            self._was_behind = self._outbox.is_behind
            if self._was_behind:
                self._sent_live = None  # some of it was dropped
            self._outbox.mark_resumed()

    def set_known(self, have: dict[str, int]) -> None:
        """The client has each thread up to these seqs. An event of such a message may still be on
        its way: a sync can show a message before its writer has published it."""
        self._have = have

    def without_known(self, changes: Changes, have: dict[str, int], recent: str) -> Changes:
        """Without the messages that the client has. All of them need not be told any more."""
        for changed in changes.threads:
            known = have.get(changed.thread.thread_id, 0)
            self._replayed |= {
                shown.message_id: shown.version
                for shown in changed.messages
                # Only of what was written just now it may still be told.
                if shown.version > 1 or shown.created_at >= recent
            }
            changed.messages = [shown for shown in changed.messages if self._is_new(shown, known)]
        return changes

    def resume_live(self, *, caught_up: bool) -> None:
        """Live again, with what has come meanwhile and was not given."""
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
        if (self._replayed or self._have) and self._was_replayed(message):
            return
        self._outbox.send_event(message.payload)
        if self._sent_live is not None and message.message_id is not None:
            self._sent_live[message.message_id] = message.version
            if len(self._sent_live) > _MOST_SENT_LIVE:
                self._sent_live = None  # what comes twice does no harm

    def _was_replayed(self, message: BusMessage) -> bool:
        if message.message_id is None:
            return False
        if self._replayed.get(message.message_id, 0) >= message.version:
            return True
        return message.version == 1 and message.seq <= self._have.get(message.thread_id or "", 0)

    def _is_new(self, shown: Message, known: int) -> bool:
        if (
            self._sent_live is not None
            and self._sent_live.get(shown.message_id, 0) >= shown.version
        ):
            return False
        return shown.seq > known or shown.version > 1
