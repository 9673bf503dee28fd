"""Pins, mutes, archives, hides and marks as spam a user's own inbox row.

The row becomes active with the change, so that the user's other devices find it, and later moves to
the folder that the change leads to.
"""

from msgspec import Struct

from greenroom.ids import LAST_MS, ThreadId
from greenroom.messaging import access, inbox_rows, rules
from greenroom.messaging.access import ThreadView
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import InboxChanged
from greenroom.messaging.problems import InvalidReadPosition
from greenroom.people.actor import Actor
from greenroom.store.expressions import Action, F


class RowChanges(Struct, frozen=True, kw_only=True):
    """None leaves a setting as it is."""

    pinned: bool | None = None
    muted_until_ms: int | None = None
    """0 ends it."""
    archived: bool | None = None
    """The next message brings it back, unless it is muted."""
    spam: bool | None = None
    hidden: bool | None = None
    """In no folder but `hidden` until the next message."""


async def pin(messaging: Messaging, actor: Actor, thread_id: ThreadId, pinned: bool) -> None:
    await change_row(messaging, actor, thread_id, RowChanges(pinned=pinned))


async def mute(messaging: Messaging, actor: Actor, thread_id: ThreadId, until_ms: int) -> None:
    await change_row(messaging, actor, thread_id, RowChanges(muted_until_ms=until_ms))


async def archive(messaging: Messaging, actor: Actor, thread_id: ThreadId, archived: bool) -> None:
    await change_row(messaging, actor, thread_id, RowChanges(archived=archived))


async def mark_spam(messaging: Messaging, actor: Actor, thread_id: ThreadId, spam: bool) -> None:
    await change_row(messaging, actor, thread_id, RowChanges(spam=spam))


async def change_row(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, settings: RowChanges
) -> None:
    """All of it in one write."""
    if not 0 <= (settings.muted_until_ms or 0) <= LAST_MS:
        raise InvalidReadPosition("a mute must end between the years 1970 and 9999")
    view = await access.thread(messaging, actor, thread_id)
    changes = _changes(view, settings)
    if not changes:
        return
    now_ms = messaging.clock.now_ms()
    gate = view.thread.gates.get(actor.user)
    await messaging.store.write(
        inbox_rows.activate(
            thread_id, actor.user, gate, now_ms, *changes, F("changedAt").set(now_ms)
        )
    )
    messaging.publish(view.thread, InboxChanged(actor.user))


def _changes(view: ThreadView, settings: RowChanges) -> tuple[Action, ...]:
    """Empty where nothing changes: a repeat writes and publishes nothing."""
    changes: list[Action] = []
    if settings.pinned not in (None, view.mine.pinned):
        changes.append(F("pinned").set(settings.pinned))
    if settings.muted_until_ms not in (None, view.mine.muted_until_ms):
        changes.append(F("mutedUntil").set(settings.muted_until_ms))
    archived = settings.archived
    if (
        archived is None
        and settings.muted_until_ms is not None
        and view.mine.archived_seq is not None
    ):
        archived = rules.is_archived(view.thread, view.mine)  # a mute affects only later messages
    wanted = view.thread.last_seq if archived else None
    if archived is not None and wanted != view.mine.archived_seq:
        seq = F("archivedSeq")
        changes.append(seq.remove() if wanted is None else seq.set(wanted))
    hidden_until = view.thread.last_seq if settings.hidden else None
    if settings.hidden is not None and hidden_until != view.mine.hidden_seq:
        hidden = F("hiddenSeq")
        changes.append(hidden.remove() if hidden_until is None else hidden.set(hidden_until))
    if settings.spam not in (None, view.mine.spam):
        changes.append(F("spam").set(settings.spam))
    return tuple(changes)
