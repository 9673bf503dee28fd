"""Stores what a user has begun to write, for all their devices."""

from msgspec import Struct
from msgspec.structs import replace

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import access, inbox_rows, items
from greenroom.messaging.access import ThreadView, check_member
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import InboxChanged
from greenroom.messaging.models import Thread
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.problems import InvalidText
from greenroom.messaging.records import MESSAGING, draft_key, member_key
from greenroom.messaging.update_thread import update_thread
from greenroom.people.actor import Actor
from greenroom.store.base import Delete, Op, Put, Update
from greenroom.store.expressions import F

MAX_DRAFT = 8000


class Draft(Struct, frozen=True):
    body: str
    saved_ms: int


async def save_draft(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, body: str
) -> Draft | None:
    """Deletes an empty one. Drafts are stored as typed: nobody else ever sees them."""
    if len(body) > MAX_DRAFT or "\0" in body:
        raise InvalidText(f"a draft must have at most {MAX_DRAFT} characters, and no NUL")
    try:
        body.encode()
    except UnicodeEncodeError:
        raise InvalidText("it must be valid Unicode") from None
    view = await access.thread(messaging, actor, thread_id)
    now_ms = messaging.clock.now_ms()
    key = draft_key(thread_id, actor.user)
    member = view.thread.members[actor.user]
    if body.strip() and view.mine.has_draft and member.draft and member.row_active_ms:
        saved = await _save_again(messaging, actor, thread_id, Draft(body, now_ms))
        messaging.publish(view.thread, InboxChanged(actor.user))
        return saved
    row = _row(view, now_ms, has_draft=bool(body.strip()))
    ops: tuple[Op, ...]
    if body.strip():
        ops = (row, Put(MESSAGING, items.at(key) | {"body": body, "savedAt": now_ms}))
    else:
        ops = (row, Delete(MESSAGING, key))

    def plan(head: Thread, _: int) -> PlannedWrite:
        """The head has a flag for the draft, so that a send clears it without a read."""
        check_member(head, actor.user, now_ms)
        return PlannedWrite(with_draft(head, actor.user, bool(body.strip())), ops, silent=True)

    await update_thread(messaging, thread_id, plan)
    messaging.publish(view.thread, InboxChanged(actor.user))
    return Draft(body, now_ms) if body.strip() else None


def _row(view: ThreadView, now_ms: int, *, has_draft: bool) -> Op:
    thread, user = view.thread, view.mine.user
    changes = (F("hasDraft").set(has_draft), F("changedAt").set(now_ms))
    return inbox_rows.activate(thread.id, user, thread.gates.get(user), now_ms, *changes)


def with_draft(head: Thread, user: UserId, there: bool) -> Thread:
    member = head.members[user]
    if member.draft == there:
        return head
    return replace(head, members={**head.members, user: replace(member, draft=there)})


def cleared(head: Thread, user: UserId, ms: int) -> tuple[Thread, tuple[Op, ...]]:
    """The head without the user's draft, and the writes that clear it."""
    if not head.members[user].draft:
        return head, ()
    mine = (F("hasDraft").remove(), F("changedAt").set(ms))
    return with_draft(head, user, False), (
        Delete(MESSAGING, draft_key(head.id, user)),
        Update(MESSAGING, member_key(head.id, user), mine, F("state").equals("active")),
    )


async def _save_again(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, saved: Draft
) -> Draft:
    """The row is in the active index and has the flag already: two plain writes."""
    key = draft_key(thread_id, actor.user)
    item = items.at(key) | {"body": saved.body, "savedAt": saved.saved_ms}
    await messaging.store.write(Put(MESSAGING, item))
    changed = (F("changedAt").set(saved.saved_ms),)
    mine = member_key(thread_id, actor.user)
    await messaging.store.write(Update(MESSAGING, mine, changed, F("state").equals("active")))
    return saved


async def draft(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> Draft | None:
    view = await access.thread(messaging, actor, thread_id)
    if not view.mine.has_draft:
        return None
    item = await messaging.store.get(MESSAGING, draft_key(thread_id, actor.user), consistent=True)
    return None if item is None else Draft(str(item["body"]), int(str(item["savedAt"])))
