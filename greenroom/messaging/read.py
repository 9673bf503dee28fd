"""Moves read and delivered receipts forward, and marks threads as unread."""

from msgspec.structs import replace

from greenroom.ids import ThreadId
from greenroom.messaging import access, inbox_rows, rules
from greenroom.messaging.access import ThreadView
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import InboxChanged, ReceiptMoved
from greenroom.messaging.models import Thread
from greenroom.messaging.problems import InvalidReadPosition, ThreadNotFound
from greenroom.messaging.records import MESSAGING, member_key
from greenroom.messaging.update_thread import touch
from greenroom.people.actor import Actor
from greenroom.store.base import Update, key_of
from greenroom.store.expressions import Action, F
from greenroom.store.problems import ConditionFailed, Conflict

_TRIES = 8


async def mark_read(messaging: Messaging, actor: Actor, thread_id: ThreadId, seq: int) -> None:
    """Up to `seq`. Never moves back; `mark_unread` does."""
    for _ in range(_TRIES):
        if await _is_read(messaging, actor, thread_id, seq):
            return
    raise Conflict


async def _is_read(messaging: Messaging, actor: Actor, thread_id: ThreadId, seq: int) -> bool:
    """False where another device moved a receipt at the same moment: try again."""
    view = await access.thread(messaging, actor, thread_id)
    _check_seq(view.thread, seq, least=0)
    now_ms = messaging.clock.now_ms()
    before, read = rules.own_read_position(view.thread, view.mine), max(seq, view.mine.read_seq)
    if read == view.mine.read_seq and seq <= before:
        return True
    delivered = max(read, view.mine.delivered_seq)
    update = Update(
        MESSAGING,
        member_key(thread_id, actor.user),
        (
            F("readSeq").set(read),
            F("deliveredSeq").set(delivered),
            F("lastReadAt").set(now_ms),
            F("changedAt").set(now_ms),
            _mark_after(view, read, max(seq, before)),
        ),
        F("state").equals("active")
        & (F("readSeq").absent() | F("readSeq").at_most(read))
        & (F("deliveredSeq").absent() | F("deliveredSeq").at_most(delivered)),
    )
    if not await _moves(messaging, view, update):
        return False
    messaging.publish(view.thread, ReceiptMoved(actor.user, read, delivered))
    return True


def _mark_after(view: ThreadView, read: int, position: int) -> Action:
    """The unread mark once everything up to `position` is read."""
    read = max(read, rules.read_of(view.thread, view.mine))
    return F("unreadFrom").remove() if position >= read else F("unreadFrom").set(position + 1)


async def _moves(messaging: Messaging, view: ThreadView, update: Update) -> bool:
    """False where another device of the user was further already."""
    try:
        await _write(messaging, view, update)
    except ConditionFailed as refusal:
        mine = [failure.item for failure in refusal.failed if key_of(failure.op) == update.key]
        if not mine:
            raise
        if mine[0] is None or mine[0].get("state") != "active":
            raise ThreadNotFound from None
        return False
    return True


async def _write(messaging: Messaging, view: ThreadView, update: Update) -> None:
    """Before a request is accepted, only the reader's own devices get it. In a large group too,
    where every late reader would touch everybody's rows."""
    accepted = rules.has_accepted(view.thread, view.mine.user)
    if accepted and len(view.thread.members) <= rules.MAX_RECEIPT_GROUP:
        await touch(messaging, view.thread, update)
        return
    if accepted and not view.thread.members[view.mine.user].row_active_ms:
        row = inbox_rows.activate_actions(
            view.thread.id, view.mine.user, None, messaging.clock.now_ms()
        )
        update = replace(update, actions=(*update.actions, *row))
    await messaging.store.write(update)


async def mark_delivered(messaging: Messaging, actor: Actor, thread_id: ThreadId, seq: int) -> None:
    view = await access.thread(messaging, actor, thread_id)
    _check_seq(view.thread, seq, least=0)
    if seq <= max(view.mine.delivered_seq, rules.read_of(view.thread, view.mine)):
        return
    update = Update(
        MESSAGING,
        member_key(thread_id, actor.user),
        (F("deliveredSeq").set(seq), F("changedAt").set(messaging.clock.now_ms())),
        F("state").equals("active")
        & (F("deliveredSeq").absent() | F("deliveredSeq").less_than(seq)),
    )
    if await _moves(messaging, view, update):
        read = rules.read_of(view.thread, view.mine)
        messaging.publish(view.thread, ReceiptMoved(actor.user, read, seq))


async def mark_unread(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, seq: int | None = None
) -> None:
    """From this message on (by default the last one), until it is read or answered. Unread messages
    stay unread."""
    view = await access.thread(messaging, actor, thread_id)
    first = view.thread.last_seq if seq is None else seq
    _check_seq(view.thread, first, least=view.mine.joined_seq + 1)
    first = min(first, rules.own_read_position(view.thread, view.mine) + 1)
    sent = view.thread.members[actor.user].sent
    if (view.mine.unread_from, view.mine.unread_sent) == (first, sent):
        return
    now_ms = messaging.clock.now_ms()
    await messaging.store.write(
        inbox_rows.activate(
            thread_id,
            actor.user,
            view.thread.gates.get(actor.user),
            now_ms,
            F("unreadFrom").set(first),
            F("unreadSent").set(sent),
            F("changedAt").set(now_ms),
        )
    )
    messaging.publish(view.thread, InboxChanged(actor.user))


def _check_seq(thread: Thread, seq: int, *, least: int) -> None:
    if not least <= seq <= thread.last_seq:
        first, last = max(least, 1), thread.last_seq
        raise InvalidReadPosition(
            f"the messages of this conversation have the numbers {first} to {last}"
        )
