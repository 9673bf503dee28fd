"""How far somebody has read or received, forward and (marked unread) back."""

from msgspec.structs import replace

from greenroom.ids import ThreadId
from greenroom.messaging import access, rules, shelve
from greenroom.messaging.access import Side
from greenroom.messaging.append import stir
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import InboxChanged, ReceiptMoved
from greenroom.messaging.models import Thread
from greenroom.messaging.problems import InvalidMark, ThreadNotFound
from greenroom.messaging.records import MESSAGING, member_key
from greenroom.people.actor import Actor
from greenroom.store.base import Update, key_of
from greenroom.store.expressions import Action, F
from greenroom.store.problems import ConditionFailed, Conflict

_TRIES = 8


async def mark_read(messaging: Messaging, actor: Actor, thread_id: ThreadId, seq: int) -> None:
    """Everything up to `seq`. Never goes back; `mark_unread` does."""
    for _ in range(_TRIES):
        if await _is_read(messaging, actor, thread_id, seq):
            return
    raise Conflict


async def _is_read(messaging: Messaging, actor: Actor, thread_id: ThreadId, seq: int) -> bool:
    """Not yet where another device has moved something at the same moment."""
    side = await access.thread(messaging, actor, thread_id)
    _check_seq(side.thread, seq, least=0)
    now_ms = messaging.clock.now_ms()
    before, read = rules.own_place(side.thread, side.mine), max(seq, side.mine.read_seq)
    if read == side.mine.read_seq and seq <= before:
        return True
    delivered = max(read, side.mine.delivered_seq)
    update = Update(
        MESSAGING,
        member_key(thread_id, actor.user),
        (
            F("readSeq").set(read),
            F("deliveredSeq").set(delivered),
            F("lastReadAt").set(now_ms),
            F("changedAt").set(now_ms),
            _mark_after(side, read, max(seq, before)),
        ),
        F("state").equals("active")
        & (F("readSeq").absent() | F("readSeq").at_most(read))
        & (F("deliveredSeq").absent() | F("deliveredSeq").at_most(delivered)),
    )
    if not await _moves(messaging, side, update):
        return False
    messaging.tell(side.thread, ReceiptMoved(actor.user, read, delivered))
    return True


def _mark_after(side: Side, read: int, place: int) -> Action:
    """What is left of having marked as unread, once everything up to `place` is read."""
    read = max(read, rules.read_of(side.thread, side.mine))
    return F("unreadFrom").remove() if place >= read else F("unreadFrom").set(place + 1)


async def _moves(messaging: Messaging, side: Side, update: Update) -> bool:
    """Not where another device of the user was further already."""
    try:
        await _write(messaging, side, update)
    except ConditionFailed as refusal:
        mine = [failure.item for failure in refusal.failed if key_of(failure.op) == update.key]
        if not mine:
            raise
        if mine[0] is None or mine[0].get("state") != "active":
            raise ThreadNotFound from None
        return False
    return True


async def _write(messaging: Messaging, side: Side, update: Update) -> None:
    """Before a request is accepted, nobody but the reader's own devices hears of it; nor in a large
    group, where each who reads late would stir everybody."""
    accepted = rules.has_accepted(side.thread, side.mine.user)
    if accepted and len(side.thread.seats) <= rules.RECEIPTS_TOLD:
        await stir(messaging, side.thread, update)
        return
    if accepted and not side.thread.seats[side.mine.user].fresh_ms:
        row = shelve.up(side.thread.id, side.mine.user, None, messaging.clock.now_ms())
        update = replace(update, actions=(*update.actions, *row))
    await messaging.store.write(update)


async def mark_delivered(messaging: Messaging, actor: Actor, thread_id: ThreadId, seq: int) -> None:
    side = await access.thread(messaging, actor, thread_id)
    _check_seq(side.thread, seq, least=0)
    if seq <= max(side.mine.delivered_seq, rules.read_of(side.thread, side.mine)):
        return
    update = Update(
        MESSAGING,
        member_key(thread_id, actor.user),
        (F("deliveredSeq").set(seq), F("changedAt").set(messaging.clock.now_ms())),
        F("state").equals("active")
        & (F("deliveredSeq").absent() | F("deliveredSeq").less_than(seq)),
    )
    if await _moves(messaging, side, update):
        read = rules.read_of(side.thread, side.mine)
        messaging.tell(side.thread, ReceiptMoved(actor.user, read, seq))


async def mark_unread(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, seq: int | None = None
) -> None:
    """From this frame on (from the last one, if none is named), until it is read or answered. What
    is unread already stays so."""
    side = await access.thread(messaging, actor, thread_id)
    first = side.thread.last_seq if seq is None else seq
    _check_seq(side.thread, first, least=side.mine.joined_seq + 1)
    first = min(first, rules.own_place(side.thread, side.mine) + 1)
    sent = side.thread.seats[actor.user].sent
    if (side.mine.unread_from, side.mine.unread_sent) == (first, sent):
        return
    now_ms = messaging.clock.now_ms()
    await messaging.store.write(
        shelve.put_up(
            thread_id,
            actor.user,
            side.thread.gates.get(actor.user),
            now_ms,
            F("unreadFrom").set(first),
            F("unreadSent").set(sent),
            F("changedAt").set(now_ms),
        )
    )
    messaging.tell(side.thread, InboxChanged(actor.user))


def _check_seq(thread: Thread, seq: int, *, least: int) -> None:
    if not least <= seq <= thread.last_seq:
        first, last = max(least, 1), thread.last_seq
        raise InvalidMark(f"the messages of this conversation have the numbers {first} to {last}")
