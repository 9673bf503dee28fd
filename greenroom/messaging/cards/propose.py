"""Proposes and answers cards on behalf of a member, shows what would happen, and reads cards."""

from msgspec import Struct

from greenroom.bookings import Bookings
from greenroom.bookings.card_keys import Answer
from greenroom.bookings.card_policy import CARDS, DRY_RUNS
from greenroom.bookings.cards.problems import CardNotFound
from greenroom.bookings.dry_run import DryRun, dry_move, dry_proposal
from greenroom.bookings.move_card import CardMove, move_card
from greenroom.bookings.propose_card import NewCard, propose_card
from greenroom.bookings.read_cards import CardRecord, card_record
from greenroom.ids import CardId, ThreadId
from greenroom.messaging import access
from greenroom.messaging.access import ThreadView
from greenroom.messaging.cards.after_decision import after_decision
from greenroom.messaging.cards.parties import parties_of
from greenroom.messaging.cards.texts import check_content
from greenroom.messaging.context import Messaging
from greenroom.messaging.problems import ThreadNotFound
from greenroom.messaging.send_checks import check_may_send
from greenroom.people.actor import Actor, Scope
from greenroom.policy import Limit


class CardAnswer(Struct, frozen=True):
    answer: Answer
    record: CardRecord


async def propose(
    messaging: Messaging, bookings: Bookings, actor: Actor, thread_id: ThreadId, new: NewCard
) -> CardAnswer:
    view = await _thread(messaging, actor, thread_id, CARDS)
    await check_content(messaging, actor, view.thread, new.payload)
    answer = await propose_card(bookings, actor.user, parties_of(view.thread), new)
    return await _answered(messaging, bookings, answer)


async def dry_propose(
    messaging: Messaging, bookings: Bookings, actor: Actor, thread_id: ThreadId, new: NewCard
) -> DryRun:
    """What the proposal would be, and what accepting it would do. Writes nothing."""
    view = await _thread(messaging, actor, thread_id, DRY_RUNS)
    return await dry_proposal(bookings, actor.user, parties_of(view.thread), new)


async def answer(
    messaging: Messaging, bookings: Bookings, actor: Actor, card_id: CardId, wanted: CardMove
) -> CardAnswer:
    """Members of the card's thread, and staff of the marketplace where a transition is theirs."""
    record, view = await _card(messaging, bookings, actor, card_id, CARDS)
    if view is not None:
        await check_content(messaging, actor, view.thread, wanted.input)
    made = await move_card(
        bookings, actor.user, record.card.id, wanted, staff=actor.may(Scope.MODERATOR)
    )
    return await _answered(messaging, bookings, made)


async def dry_answer(
    messaging: Messaging, bookings: Bookings, actor: Actor, card_id: CardId, wanted: CardMove
) -> DryRun:
    record, _ = await _card(messaging, bookings, actor, card_id, DRY_RUNS)
    staff = actor.may(Scope.MODERATOR)
    return await dry_move(bookings, actor.user, record.card.id, wanted, staff=staff)


async def read_card(
    messaging: Messaging, bookings: Bookings, actor: Actor, card_id: CardId
) -> CardRecord:
    """A card with its steps, for members of its thread and for staff."""
    record = await card_record(bookings, card_id)
    if not actor.may(Scope.MODERATOR):
        await _seen(messaging, actor, record.card.thread)
    return record


async def _thread(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, limit: Limit
) -> ThreadView:
    await messaging.safety.limits.spend(actor.user, limit)
    view = await access.thread(messaging, actor, thread_id)
    check_may_send(view.thread, actor.user, "", messaging.clock.now_ms(), has_files=True)
    return view


async def _card(
    messaging: Messaging, bookings: Bookings, actor: Actor, card_id: CardId, limit: Limit
) -> tuple[CardRecord, ThreadView | None]:
    await messaging.safety.limits.spend(actor.user, limit)
    record = await card_record(bookings, card_id)
    try:
        view = await _seen(messaging, actor, record.card.thread)
    except CardNotFound:
        if not actor.may(Scope.MODERATOR):
            raise
        return record, None
    check_may_send(view.thread, actor.user, "", messaging.clock.now_ms(), has_files=True)
    return record, view


async def _seen(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> ThreadView:
    """Missing and forbidden look alike."""
    try:
        return await access.thread(messaging, actor, thread_id)
    except ThreadNotFound:
        raise CardNotFound from None


async def _answered(messaging: Messaging, bookings: Bookings, answer: Answer) -> CardAnswer:
    record = await card_record(bookings, answer.card.id)
    await after_decision(messaging, bookings, record.group)
    return CardAnswer(answer, record)
