"""Writes one version of a card to its thread, in one transaction that holds once.

The first version is a message of its own; later ones change that message, and say in a system
message what happened. Both have the client id `card:{cardId}:{version}`.
"""

from collections.abc import Mapping
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from greenroom.bookings.card_summary import summary_of
from greenroom.bookings.card_view import card_view, packed_view
from greenroom.bookings.models import Card
from greenroom.bookings.news import CardNews
from greenroom.bookings.panel_lines import PanelLines
from greenroom.bookings.project_snapshot import packed_snapshot, project_snapshot
from greenroom.bookings.step_events import event_of
from greenroom.ids import MessageId, RequestId, UserId
from greenroom.messaging import access, items
from greenroom.messaging.cards.leg_timers import leg_timer_ops
from greenroom.messaging.cards.status import change_of, legs_of
from greenroom.messaging.cards.tabs import with_tabs
from greenroom.messaging.cards.timers import timer_ops
from greenroom.messaging.change import change_note
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import Event, MessageCreated, MessageEdited
from greenroom.messaging.models import BuiltInEvent, Kind, Message, MessageKind, Thread
from greenroom.messaging.new_message import (
    message_op,
    shown_ms,
    system_message,
    with_message,
)
from greenroom.messaging.panel.models import Tab
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.problems import MessageNotFound
from greenroom.messaging.records import MESSAGING, card_key, claim_key
from greenroom.messaging.set_status import change_plan, write_change
from greenroom.people.actor import SYSTEM
from greenroom.store.base import Op, Put
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed, Conflict
from greenroom.store.values import Item

_TRIES = 8
_TABS = (Tab.ACTIONS, Tab.EXPENSES)
_BECOMES_BOOKING = frozenset({Kind.INQUIRY, Kind.INVITE})


class Shadow(Struct, frozen=True):
    """The item CARD#: what the conversation knows of a card."""

    version: int = 0
    message: MessageId | None = None


async def write_card(messaging: Messaging, news: CardNews, lines: PanelLines) -> None:
    """Does nothing where the thread has this version already. `lines` are those of the booking as
    it is now, for the tabs that follow from it."""
    for _ in range(_TRIES):
        shadow = await _shadow(messaging, news.card)
        if shadow.version >= news.card.version:
            return
        try:
            await _write(messaging, news, shadow, lines)
            return
        except ConditionFailed:
            continue  # a reaction to its message, or another node relays the same row
    raise Conflict


async def _shadow(messaging: Messaging, card: Card) -> Shadow:
    item = await messaging.store.get(MESSAGING, card_key(card.thread, card.id), consistent=True)
    if item is None:
        return Shadow()
    found = cast(Mapping[str, Any], item)
    return Shadow(found["version"], MessageId(found["messageId"]))


async def _write(messaging: Messaging, news: CardNews, shadow: Shadow, lines: PanelLines) -> None:
    card = news.card
    view = packed_view(card_view(card, news.buyer, news.legs))
    shown: Message | None = None
    if shadow.message is not None:
        shown = await access.find_message(messaging, card.thread, shadow.message)
        if shown is None:
            raise MessageNotFound
    written = set[RequestId]()

    def plan(head: Thread, ms: int) -> PlannedWrite:
        change = change_of(head, news)
        changed = change_plan(messaging, head, change, ms, written, announces=False)
        after = _with_card(changed.thread, news, ms)
        ops: tuple[Op, ...]
        events: tuple[Event, ...]
        if shown is None:
            made = _card_message(messaging, after, news, view, ms)
            ops, events = (message_op(made),), (MessageCreated(made),)
        else:
            made = _step_message(messaging, after, news, ms)
            ops, events = _with_step(messaging, head, shown, view, made)
        after = _told(after, made)
        also = (*_shadow_ops(card, shadow, made), *timer_ops(card), *leg_timer_ops(news))
        planned = PlannedWrite(after, (*changed.ops, *ops, *also), (*changed.events, *events))
        return with_tabs(planned, lines, _TABS, ms)

    await write_change(messaging, card.thread, plan, written)


def _with_card(head: Thread, news: CardNews, now_ms: int) -> Thread:
    card = news.card
    others = {id: users for id, users in head.open_cards.items() if id != card.id}
    waiting = {card.id: card.waits_on} if card.is_open else {}
    kind = Kind.BOOKING if news.legs and head.kind in _BECOMES_BOOKING else head.kind
    legs = legs_of(head.id, news.thread, news.legs)
    snapshot = packed_snapshot(project_snapshot(legs, now_ms))
    return replace(head, kind=kind, open_cards=others | waiting, project_snapshot=snapshot)


def _told(head: Thread, message: Message) -> Thread:
    """The head with the message. The status is the booking's; its author owes no reply any more."""
    awaiting = tuple(user for user in head.awaiting if user != message.author)
    return replace(with_message(head, message), status=head.status, awaiting=awaiting)


def _card_message(
    messaging: Messaging, head: Thread, news: CardNews, view: str, ms: int
) -> Message:
    return Message(
        thread=head.id,
        id=messaging.ids.message(ms),
        seq=head.last_seq + 1,
        ms=ms,
        shown_ms=shown_ms(messaging, ms),
        kind=MessageKind.CARD,
        author=_author(head, news.step.actor),
        body=summary_of(news.card),
        card=view,
    )


def _step_message(messaging: Messaging, head: Thread, news: CardNews, ms: int) -> Message:
    """Who did what: the card's id, its type and its state."""
    card, event = news.card, cast(BuiltInEvent, event_of(news.step))
    about = (card.id, card.type.value, card.state.value)
    return system_message(messaging, head, _author(head, news.step.actor), ms, event, *about)


def _author(head: Thread, actor: UserId) -> UserId:
    """Staff act for the marketplace; somebody who has left is not named either."""
    return actor if actor in head.members else SYSTEM


def _with_step(
    messaging: Messaging, head: Thread, shown: Message, view: str, step: Message
) -> tuple[tuple[Op, ...], tuple[Event, ...]]:
    is_removed = shown.deleted_ms is not None  # by a moderator
    after = replace(shown, card=None if is_removed else view, version=shown.version + 1)
    changed = Put(MESSAGING, items.message_item(after), F("version").equals(shown.version))
    note = change_note(messaging, head, after, messaging.clock.now_ms())
    return (message_op(step), changed, note), (MessageEdited(after, shown), MessageCreated(step))


def _shadow_ops(card: Card, shadow: Shadow, made: Message) -> tuple[Op, ...]:
    """The shadow, on the version before it; and the claim on the message's client id."""
    key = card_key(card.thread, card.id)
    item: Item = items.at(key) | {
        "version": card.version,
        "state": card.state.value,
        "type": card.type.value,
        "messageId": shadow.message or made.id,
    }
    known = F("version").equals(shadow.version) if shadow.version else F("pk").absent()
    claim: Item = items.at(claim_key(card.thread, SYSTEM, f"card:{card.id}:{card.version}")) | {
        "messageId": made.id,
        "seq": made.seq,
        "ts": made.ms,
    }
    return Put(MESSAGING, item, known), Put(MESSAGING, claim, F("pk").absent())
