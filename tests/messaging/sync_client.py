"""A minimal client: it loads once, and then updates itself with sync alone."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from msgspec.structs import replace

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import Messaging, rules
from greenroom.messaging.access import ThreadView
from greenroom.messaging.draft import draft
from greenroom.messaging.history import History, history
from greenroom.messaging.inbox import inbox
from greenroom.messaging.models import Folder, Member, Message, Thread
from greenroom.messaging.problems import ThreadNotFound
from greenroom.messaging.rules import RowState
from greenroom.messaging.sync import Changed, sync
from greenroom.people.actor import Actor

_NOWHERE = RowState(None, 0, False)
_EVERYWHERE = (Folder.ALL, Folder.ARCHIVED, Folder.SPAM, Folder.HIDDEN)


@dataclass
class Known:
    """One thread as its user sees it."""

    thread: Thread
    mine: Member
    members: dict[UserId, Member]
    messages: dict[int, Message]
    draft: str | None
    row_state: RowState | None = None

    def at(self, now_ms: int) -> "Known":
        """As shown at this time: mutes and requests expire. Without internal fields, and without
        what the sender of a request must not learn."""
        shown = rules.shown_members(self.thread).items()
        members = {
            user: replace(
                seat,
                row_active_ms=0,
                draft=False,
                missed=seat.missed if user == self.mine.user else (),
            )
            for user, seat in shown
        }
        gates = {
            user: gate
            if user == self.mine.user
            else replace(
                gate,
                status=rules.gate_as_sender_sees(gate, now_ms),
                shown_ms=0,
                shown_by=None,
                preview="",
            )
            for user, gate in self.thread.gates.items()
            if user == self.mine.user or gate.away is None
        }
        return Known(
            replace(self.thread, members=members, gates=gates, version=0, changed_ms=0),
            replace(self.mine, changed_ms=0),
            {user: replace(member, changed_ms=0) for user, member in self.members.items()},
            dict(sorted(self.messages.items())),
            self.draft,
            rules.row_state(self.thread, self.mine, now_ms),
        )


@dataclass
class SyncClient:
    messaging: Messaging
    actor: Actor
    threads: dict[ThreadId, Known] = field(default_factory=dict)
    cursor: bytes | None = None
    answers: int = 0
    resets: int = 0

    async def reload(self) -> None:
        """Takes the cursor first, so that concurrent changes are synced again."""
        self.cursor = (await sync(self.messaging, self.actor)).cursor
        self.threads = await seen(self.messaging, self.actor)

    async def sync(self) -> None:
        more = True
        while more:
            answer = await sync(self.messaging, self.actor, self.cursor)
            self.cursor, more = answer.cursor, answer.more
            self.answers += 1
            if answer.reset:
                self.resets += 1
                self.threads = await seen(self.messaging, self.actor)
            for thread in answer.gone:
                self.threads.pop(thread, None)
            for changed in answer.threads:
                await self._apply(changed)

    async def hear(self, threads: set[ThreadId]) -> None:
        """Reloads only the threads that an event named, as the web app does."""
        for thread in threads:
            try:
                known = await _read(self.messaging, self.actor, thread)
            except ThreadNotFound:
                self.threads.pop(thread, None)
                continue
            if known.at(self.messaging.clock.now_ms()).row_state == _NOWHERE:
                self.threads.pop(thread, None)
            else:
                self.threads[thread] = known

    async def _apply(self, changed: Changed) -> None:
        view, thread = changed.view, changed.view.thread.id
        messages = dict(self.threads[thread].messages) if thread in self.threads else {}
        if changed.truncated:
            messages = {}
            async for page in _pages(self.messaging, self.actor, thread):
                messages |= {message.seq: message for message in page.messages}
        messages |= {message.seq: message for message in changed.messages}
        messages = {seq: message for seq, message in messages.items() if seq > view.mine.joined_seq}
        self.threads[thread] = await _known(self.messaging, view, changed.members, messages)

    def shown(self) -> dict[ThreadId, Known]:
        now_ms = self.messaging.clock.now_ms()
        return {thread: known.at(now_ms) for thread, known in self.threads.items()}

    async def reloaded(self) -> dict[ThreadId, Known]:
        now_ms = self.messaging.clock.now_ms()
        found = await seen(self.messaging, self.actor)
        return {thread: known.at(now_ms) for thread, known in found.items()}


async def seen(messaging: Messaging, actor: Actor) -> dict[ThreadId, Known]:
    """Everything: the inbox and every page of every thread."""
    found: dict[ThreadId, Known] = {}
    for folder in _EVERYWHERE:
        cursor: str | None = None
        while True:
            page = await inbox(messaging, actor, folder, cursor=cursor, limit=50)
            for row in page.rows:
                known = await _read(messaging, actor, row.thread.id)
                assert known.at(messaging.clock.now_ms()).row_state == row.state
                found[row.thread.id] = known
            cursor = page.next
            if cursor is None:
                break
    return found


async def _read(messaging: Messaging, actor: Actor, thread: ThreadId) -> Known:
    messages: dict[int, Message] = {}
    async for page in _pages(messaging, actor, thread):
        messages |= {message.seq: message for message in page.messages}
    return await _known(messaging, page.view, page.members, messages)


async def _pages(messaging: Messaging, actor: Actor, thread: ThreadId) -> AsyncIterator[History]:
    page = await history(messaging, actor, thread, limit=100)
    yield page
    while page.has_before:
        page = await history(messaging, actor, thread, before=page.messages[0].id, limit=100)
        yield page


async def _known(
    messaging: Messaging,
    view: ThreadView,
    members: tuple[Member, ...],
    messages: dict[int, Message],
) -> Known:
    begun = await draft(messaging, Actor(view.mine.user), view.thread.id)
    body = None if begun is None else begun.body
    return Known(view.thread, view.mine, {m.user: m for m in members}, messages, body)
