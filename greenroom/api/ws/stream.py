"""What one client is told of what stays: live, or held back while it is given what it missed.

What one would get wrong: the stream listens *before* anything is replayed, or something would fall
between the two; what was read from the disk a moment ago may be told only now; and once something
may have been lost no cursor holds until the client has resumed, or what was lost would stay so.
"""

import asyncio
from collections.abc import Callable

from greenroom.api.rest.inbox import Changes
from greenroom.api.rest.shapes import Message
from greenroom.ids import MessageId, ThreadId, UserId
from greenroom.messaging.sync import SLACK_MS
from greenroom.realtime.base import Notice
from greenroom.realtime.outbox import Outbox

MOST_HELD = 2000
_MOST_FIRST = 32
_GONE = b',"gone":true}'
"""How an `inbox.changed` ends that takes a thread away, and no other frame does."""


class Stream:
    def __init__(self, outbox: Outbox, on_gone: Callable[[ThreadId], None]) -> None:
        self.user = UserId("")
        self._outbox = outbox
        self._on_gone = on_gone
        self._held: list[Notice] | None = None
        self._lost = False
        self._was_behind = False
        self._given: dict[MessageId, int] = {}
        self._have: dict[str, int] = {}
        self._forgets: asyncio.TimerHandle | None = None
        self._first: dict[MessageId, int] | None = {}
        """What came live before the client could resume, so that it is not replayed again."""

    @property
    def is_held(self) -> bool:
        return self._held is not None

    def cursor_holds(self) -> bool:
        """Whether the client has, or is about to have, everything that there was for it."""
        return not (self.is_held or self._outbox.is_behind or self._outbox.waiting)

    # The hub's side.

    def hear(self, notice: Notice) -> None:
        if notice.payload.endswith(_GONE) and notice.thread is not None:
            self._on_gone(notice.thread)
        if self._held is None:
            self._tell(notice)
        elif len(self._held) < MOST_HELD:
            self._held.append(notice)
        else:
            self._lost = True

    def missed(self) -> None:
        if self._held is None:
            self._outbox.give_up()
        else:
            self._lost = True

    # The replay's side.

    def hold(self) -> None:
        """From now on everything waits until the replay is done."""
        if self._held is None:
            self.end()
            self._held, self._lost = [], False
            self._was_behind = self._outbox.is_behind
            if self._was_behind:
                self._first = None  # some of it was dropped
            self._outbox.catch_up()

    def expect(self, have: dict[str, int]) -> None:
        """The client has each thread up to these seqs. An event of such a message may still be on
        its way: a sync can show a message before its writer has published it."""
        self._have = have

    def without_known(self, changes: Changes, have: dict[str, int], recent: str) -> Changes:
        """Without the messages that the client has. All of them need not be told any more."""
        for changed in changes.threads:
            known = have.get(changed.thread.thread_id, 0)
            self._given |= {
                shown.message_id: shown.version
                for shown in changed.messages
                # Only of what was written just now it may still be told.
                if shown.version > 1 or shown.created_at >= recent
            }
            changed.messages = [shown for shown in changed.messages if self._is_new(shown, known)]
        return changes

    def go_on(self, *, caught_up: bool) -> None:
        """Live again, with what has come meanwhile and was not given."""
        if self._held is None:
            return
        held, self._held = self._held, None
        if self._given or self._have:
            loop = asyncio.get_running_loop()
            self._forgets = loop.call_later(SLACK_MS / 1000, self._forget)
        if caught_up:
            self._first = None
        elif self._was_behind:
            self._outbox.is_behind = True
        if self._lost:
            self._outbox.give_up()
            return
        for notice in held:
            self._tell(notice)

    def end(self) -> None:
        if self._forgets is not None:
            self._forgets.cancel()

    def _forget(self) -> None:
        self._given.clear()
        self._have = {}

    def _tell(self, notice: Notice) -> None:
        if (self._given or self._have) and self._was_given(notice):
            return
        self._outbox.tell(notice.payload)
        if self._first is not None and notice.message is not None:
            self._first[notice.message] = notice.version
            if len(self._first) > _MOST_FIRST:
                self._first = None  # what comes twice does no harm

    def _was_given(self, notice: Notice) -> bool:
        if notice.message is None:
            return False
        if self._given.get(notice.message, 0) >= notice.version:
            return True
        return notice.version == 1 and notice.seq <= self._have.get(notice.thread or "", 0)

    def _is_new(self, shown: Message, known: int) -> bool:
        if self._first is not None and self._first.get(shown.message_id, 0) >= shown.version:
            return False
        return shown.seq > known or shown.version > 1
