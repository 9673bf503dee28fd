"""Pin, mute, archive and mark as spam: what a user does to their own row of the inbox.

The row goes to the fresh shelf with the change and settles later where the change puts it; so the
other devices of the user find it, and no folder has to be worked out twice.
"""

from msgspec import Struct

from greenroom.ids import LAST_MS, ThreadId
from greenroom.messaging import access, rules, shelve
from greenroom.messaging.access import Side
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import InboxChanged
from greenroom.messaging.problems import InvalidMark
from greenroom.people.actor import Actor
from greenroom.store.expressions import Action, F


class Wishes(Struct, frozen=True, kw_only=True):
    """What is None stays as it is."""

    pinned: bool | None = None
    muted_until_ms: int | None = None
    """0 ends it."""
    archived: bool | None = None
    """The next message brings it back, unless it is muted."""
    spam: bool | None = None
    hidden: bool | None = None
    """In no folder but `hidden` until the next message."""


async def pin(messaging: Messaging, actor: Actor, thread_id: ThreadId, pinned: bool) -> None:
    await arrange(messaging, actor, thread_id, Wishes(pinned=pinned))


async def mute(messaging: Messaging, actor: Actor, thread_id: ThreadId, until_ms: int) -> None:
    await arrange(messaging, actor, thread_id, Wishes(muted_until_ms=until_ms))


async def archive(messaging: Messaging, actor: Actor, thread_id: ThreadId, archived: bool) -> None:
    await arrange(messaging, actor, thread_id, Wishes(archived=archived))


async def mark_spam(messaging: Messaging, actor: Actor, thread_id: ThreadId, spam: bool) -> None:
    await arrange(messaging, actor, thread_id, Wishes(spam=spam))


async def arrange(messaging: Messaging, actor: Actor, thread_id: ThreadId, wishes: Wishes) -> None:
    """All of it in one write."""
    if not 0 <= (wishes.muted_until_ms or 0) <= LAST_MS:
        raise InvalidMark("a mute must end between the years 1970 and 9999")
    side = await access.thread(messaging, actor, thread_id)
    changes = _changes(side, wishes)
    if not changes:
        return
    now_ms = messaging.clock.now_ms()
    gate = side.thread.gates.get(actor.user)
    await messaging.store.write(
        shelve.put_up(thread_id, actor.user, gate, now_ms, *changes, F("changedAt").set(now_ms))
    )
    messaging.tell(side.thread, InboxChanged(actor.user))


def _changes(side: Side, wishes: Wishes) -> tuple[Action, ...]:
    """Nothing where it is so already: a repeat writes and publishes nothing."""
    changes: list[Action] = []
    if wishes.pinned not in (None, side.mine.pinned):
        changes.append(F("pinned").set(wishes.pinned))
    if wishes.muted_until_ms not in (None, side.mine.muted_until_ms):
        changes.append(F("mutedUntil").set(wishes.muted_until_ms))
    archived = wishes.archived
    if (
        archived is None
        and wishes.muted_until_ms is not None
        and side.mine.archived_seq is not None
    ):
        archived = rules.is_archived(side.thread, side.mine)  # a mute is for what comes from now on
    wanted = side.thread.last_seq if archived else None
    if archived is not None and wanted != side.mine.archived_seq:
        seq = F("archivedSeq")
        changes.append(seq.remove() if wanted is None else seq.set(wanted))
    put_away = side.thread.last_seq if wishes.hidden else None
    if wishes.hidden is not None and put_away != side.mine.hidden_seq:
        hidden = F("hiddenSeq")
        changes.append(hidden.remove() if put_away is None else hidden.set(put_away))
    if wishes.spam not in (None, side.mine.spam):
        changes.append(F("spam").set(wishes.spam))
    return tuple(changes)
