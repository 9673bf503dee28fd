"""What somebody has begun to write, kept on the server so that any of their devices goes on."""

from msgspec import Struct

from greenroom.ids import ThreadId
from greenroom.messaging import access, items, shelve
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import InboxChanged
from greenroom.messaging.problems import InvalidText
from greenroom.messaging.records import MESSAGING, draft_key, member_key
from greenroom.people.actor import Actor
from greenroom.store.base import Delete, Put, Update
from greenroom.store.expressions import F

MAX_DRAFT = 8000


class Draft(Struct, frozen=True):
    body: str
    saved_ms: int


async def save_draft(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, body: str
) -> Draft | None:
    """An empty one is thrown away. Drafts are kept as typed: nobody else ever sees them."""
    if len(body) > MAX_DRAFT or "\0" in body:
        raise InvalidText(f"a draft has at most {MAX_DRAFT} characters, and no NUL")
    try:
        body.encode()
    except UnicodeEncodeError:
        raise InvalidText("it is not valid Unicode") from None
    side = await access.thread(messaging, actor, thread_id)
    now_ms = messaging.clock.now_ms()
    key = draft_key(thread_id, actor.user)
    if body.strip() and side.mine.has_draft and side.thread.seats[actor.user].fresh_ms:
        saved = await _save_again(messaging, actor, thread_id, Draft(body, now_ms))
        messaging.tell(side.thread, InboxChanged(actor.user))
        return saved
    row = shelve.put_up(
        thread_id,
        actor.user,
        side.thread.gates.get(actor.user),
        now_ms,
        F("hasDraft").set(bool(body.strip())),
        F("changedAt").set(now_ms),
    )
    if not body.strip():
        await messaging.store.write(row, Delete(MESSAGING, key))
        messaging.tell(side.thread, InboxChanged(actor.user))
        return None
    item = items.at(key) | {"body": body, "savedAt": now_ms}
    await messaging.store.write(row, Put(MESSAGING, item))
    messaging.tell(side.thread, InboxChanged(actor.user))
    return Draft(body, now_ms)


async def _save_again(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, saved: Draft
) -> Draft:
    """The row is where other devices look and says that there is a draft: two plain writes."""
    key = draft_key(thread_id, actor.user)
    item = items.at(key) | {"body": saved.body, "savedAt": saved.saved_ms}
    await messaging.store.write(Put(MESSAGING, item))
    stirs = (F("changedAt").set(saved.saved_ms),)
    mine = member_key(thread_id, actor.user)
    await messaging.store.write(Update(MESSAGING, mine, stirs, F("state").equals("active")))
    return saved


async def draft(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> Draft | None:
    side = await access.thread(messaging, actor, thread_id)
    if not side.mine.has_draft:
        return None
    item = await messaging.store.get(MESSAGING, draft_key(thread_id, actor.user), consistent=True)
    return None if item is None else Draft(str(item["body"]), int(str(item["savedAt"])))
