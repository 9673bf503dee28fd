"""Proposes and answers cards on behalf of a member, or shows what would happen."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from greenroom.bookings import Bookings
from greenroom.bookings.card_input import input_of
from greenroom.bookings.card_keys import Answer, replay_of
from greenroom.bookings.card_policy import CARDS, DRY_RUNS
from greenroom.bookings.card_view import CardView
from greenroom.bookings.cards.payloads import type_of
from greenroom.bookings.cards.problems import CardNotFound, LegNotFound, NoCardsHere
from greenroom.bookings.cards.types import DECLARATIONS
from greenroom.bookings.dry_run import DryRun, dry_move, dry_proposal
from greenroom.bookings.models import Card, CardType, Leg, Parties
from greenroom.bookings.move_card import CardMove, move_card, move_digest
from greenroom.bookings.propose_card import NewCard, proposal_digest, propose_card
from greenroom.bookings.read_bookings import booking_of_thread
from greenroom.bookings.read_cards import CardRecord, card_record, shown_card
from greenroom.bookings.visibility import leg_named
from greenroom.errors import Problem
from greenroom.ids import CardId, ThreadId
from greenroom.messaging import access
from greenroom.messaging.access import ThreadView
from greenroom.messaging.cards.after_decision import after_decision
from greenroom.messaging.cards.parties import parties_in, with_names
from greenroom.messaging.cards.read import card_thread
from greenroom.messaging.cards.texts import checked_content, clean_content
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Thread
from greenroom.messaging.problems import ConversationLocked, ThreadNotFound
from greenroom.messaging.send_checks import check_may_send
from greenroom.people.actor import Actor, Scope


class CardAnswer(Struct, frozen=True):
    answer: Answer
    view: CardView


class WantedStep(Struct, frozen=True, kw_only=True):
    """A transition as a client names it: its input is decoded when the card is known."""

    key: str
    version: int
    transition: str
    input: Mapping[str, Any] | None = None
    payment_method: str = ""

    def on(self, card: Card) -> CardMove:
        return CardMove(
            key=self.key,
            version=self.version,
            transition=self.transition,
            input=input_of(card, self.transition, self.input),
            payment_method=self.payment_method,
        )


async def propose(
    messaging: Messaging, bookings: Bookings, actor: Actor, thread_id: ThreadId, new: NewCard
) -> CardAnswer:
    await messaging.safety.limits.spend(actor.user, CARDS)
    new = replace(new, payload=clean_content(new.payload))
    new = replace(new, digest=proposal_digest(thread_id, new))
    known = await replay_of(bookings, actor.user, new.key, new.digest)
    if known is not None:
        return await _answered(messaging, bookings, known)
    view, parties, new = await _place(messaging, bookings, actor, thread_id, new)
    payload = await checked_content(messaging, actor, view.thread, new.payload)
    new = replace(new, payload=payload)
    parties = await with_names(messaging, parties)
    answer = await propose_card(bookings, actor.user, parties, new)
    return await _answered(messaging, bookings, answer)


async def dry_propose(
    messaging: Messaging, bookings: Bookings, actor: Actor, thread_id: ThreadId, new: NewCard
) -> DryRun:
    """What the proposal would be, and what the buyer who makes it would pay when it is accepted;
    and what it does where it needs no answer. Writes nothing."""
    await messaging.safety.limits.spend(actor.user, DRY_RUNS)
    _, parties, new = await _place(messaging, bookings, actor, thread_id, new)
    return await dry_proposal(bookings, actor.user, parties, new)


async def answer(
    messaging: Messaging,
    bookings: Bookings,
    actor: Actor,
    card_id: CardId,
    wanted: CardMove | WantedStep,
) -> CardAnswer:
    """Members of the card's thread, and staff of the marketplace where a transition is theirs."""
    await messaging.safety.limits.spend(actor.user, CARDS)
    record = await card_record(bookings, card_id)
    known = await _replay(bookings, actor, record.card, wanted)
    if known is not None:
        return await _answered(messaging, bookings, known)
    view = await _view(messaging, actor, record)
    move = _move(record.card, wanted)
    if view is None:
        move = replace(move, input=clean_content(move.input))
    else:
        checked = await checked_content(messaging, actor, view.thread, move.input)
        move = replace(move, input=checked)
    staff = actor.may(Scope.MODERATOR)
    made = await move_card(bookings, actor.user, record.card.id, move, staff=staff)
    return await _answered(messaging, bookings, made)


async def dry_answer(
    messaging: Messaging,
    bookings: Bookings,
    actor: Actor,
    card_id: CardId,
    wanted: CardMove | WantedStep,
) -> DryRun:
    await messaging.safety.limits.spend(actor.user, DRY_RUNS)
    record = await card_record(bookings, card_id)
    await _view(messaging, actor, record)
    move, staff = _move(record.card, wanted), actor.may(Scope.MODERATOR)
    return await dry_move(bookings, actor.user, record.card.id, move, staff=staff)


def _move(card: Card, wanted: CardMove | WantedStep) -> CardMove:
    return wanted.on(card) if isinstance(wanted, WantedStep) else wanted


async def _place(
    messaging: Messaging,
    bookings: Bookings,
    actor: Actor,
    thread_id: ThreadId,
    new: NewCard,
) -> tuple[ThreadView, Parties, NewCard]:
    """Where the card goes. One about a leg of several goes to the leg's own conversation, so that
    no provider reads what another one agrees on."""
    view = await access.thread(messaging, actor, thread_id)
    booking = await booking_of_thread(bookings, view.thread.id)
    leg = None if booking is None else leg_named(booking, actor.user, view.thread.id, new)
    if leg is not None:
        new = replace(new, leg=leg.id)
        view = await _thread_of(messaging, actor, leg)
    ends_a_job = DECLARATIONS[CardType(type_of(new.payload))].always_has_room
    _check_may_act(messaging, actor, view.thread, while_locked=ends_a_job)
    return view, parties_in(view.thread, booking), new


async def _thread_of(messaging: Messaging, actor: Actor, leg: Leg) -> ThreadView:
    if leg.thread is None:
        raise NoCardsHere("the leg's own conversation is being opened; try again in a moment")
    try:
        return await access.thread(messaging, actor, leg.thread)
    except ThreadNotFound:
        raise LegNotFound from None


async def _replay(
    bookings: Bookings, actor: Actor, card: Card, wanted: CardMove | WantedStep
) -> Answer | None:
    """A repeat is answered before anything is checked: what was allowed then may not be now."""
    try:
        move = _move(card, wanted)
        move = replace(move, input=clean_content(move.input))
    except Problem:
        return None  # refused below, after it is known whether the caller may see the card
    return await replay_of(bookings, actor.user, move.key, move_digest(card.id, move))


async def _view(messaging: Messaging, actor: Actor, record: CardRecord) -> ThreadView | None:
    """The card's conversation; None for staff who are not in it."""
    try:
        view = await card_thread(messaging, actor, record)
    except CardNotFound:
        if not actor.may(Scope.MODERATOR):
            raise
        return None
    _check_may_act(messaging, actor, view.thread, while_locked=record.card.leg is not None)
    return view


def _check_may_act(
    messaging: Messaging, actor: Actor, thread: Thread, *, while_locked: bool
) -> None:
    """A lock ends the talk, and not what people can do about a booking: its deadlines go on."""
    try:
        check_may_send(thread, actor.user, "", messaging.clock.now_ms(), has_files=True)
    except ConversationLocked:
        if not while_locked:
            raise


async def _answered(messaging: Messaging, bookings: Bookings, answer: Answer) -> CardAnswer:
    shown = await shown_card(bookings, answer.card)
    await after_decision(messaging, bookings, shown.group)
    return CardAnswer(answer, shown.view)
