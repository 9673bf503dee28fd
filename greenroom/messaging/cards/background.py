"""What nodes do for cards in the background: deadlines, reminders, legs, relays and payments."""

from collections.abc import Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from greenroom.background.models import Timer
from greenroom.background.schedule import schedule
from greenroom.background.timers import TimerHandler
from greenroom.bookings import Bookings
from greenroom.bookings.leg_step import make_leg_step
from greenroom.bookings.make_deadline import make_deadline
from greenroom.bookings.outbox import forget_relayed, groups_waiting, relay_again
from greenroom.bookings.pay import groups_to_pay
from greenroom.messaging.cards import leg_timers, timers
from greenroom.messaging.cards.after_decision import pay_and_relay, relay_soon, relayed
from greenroom.messaging.cards.relay import relay_group
from greenroom.messaging.cards.remind import remind
from greenroom.messaging.context import Messaging
from greenroom.sql.problems import DATABASE_TROUBLE
from greenroom.store.base import Op

SWEEP_SECONDS = 1.0
FORGET_SECONDS = 3600.0
_ANSWERING_MS = 1_000
"""How long the node that decided has to relay it."""
_OUTAGE_PAUSE_MS = 30_000
_KEPT_MS = 35 * 86_400_000
"""How long relayed rows are kept: as long as backups of the item store are useful."""


async def sweep(messaging: Messaging, bookings: Bookings) -> None:
    """Relays and pays what is left, above all by a node that has died. One node does it; relays and
    payments happen once, even if two nodes make them."""
    for group in await groups_waiting(bookings, bookings.clock.now_ms() - _ANSWERING_MS):
        await relayed(messaging, bookings, group)
    if bookings.payments is not None:
        for group in await groups_to_pay(bookings):
            await pay_and_relay(messaging, bookings, group)


async def heal(messaging: Messaging, bookings: Bookings) -> None:
    """After a restore: brings items that are older than the SQL database up to date."""
    await relay_again(bookings)
    while groups := await groups_waiting(bookings, bookings.clock.now_ms()):
        for group in groups:
            await relay_group(messaging, bookings, group)


async def forget(bookings: Bookings) -> None:
    await forget_relayed(bookings, bookings.clock.now_ms() - _KEPT_MS)


def timer_handlers(messaging: Messaging, bookings: Bookings) -> Mapping[str, TimerHandler]:
    return {
        timers.DEADLINE: TimerHandler(partial(_on_deadline, messaging, bookings)),
        timers.REMINDER: TimerHandler(partial(_on_reminder, messaging)),
        leg_timers.KIND: TimerHandler(partial(_on_leg, messaging, bookings)),
    }


def _later(bookings: Bookings, timer: Timer) -> Sequence[Op]:
    """The database may be away for longer than a timer is tried: that is no failure of the timer's,
    which nobody would have to look at then."""
    due_ms = bookings.clock.now_ms() + _OUTAGE_PAUSE_MS
    return (schedule(replace(timer, due_ms=due_ms)),)


async def _on_deadline(messaging: Messaging, bookings: Bookings, timer: Timer) -> Sequence[Op]:
    _, card, version = timers.card_in(timer)
    try:
        group = await make_deadline(bookings, card, version)
    except DATABASE_TROUBLE:
        return _later(bookings, timer)
    if group is not None:
        relay_soon(messaging, bookings, group)
    return ()


async def _on_reminder(messaging: Messaging, timer: Timer) -> Sequence[Op]:
    """Not after a downtime in which the deadline has passed."""
    if messaging.clock.now_ms() < timers.deadline_in(timer):
        await remind(messaging, *timers.card_in(timer))
    return ()


async def _on_leg(messaging: Messaging, bookings: Bookings, timer: Timer) -> Sequence[Op]:
    """All that is due by now: a leg has one timer, for the first of its deadlines."""
    group, leg = leg_timers.leg_in(timer)
    try:
        while await make_leg_step(bookings, group, leg):
            relay_soon(messaging, bookings, group)
    except DATABASE_TROUBLE:
        return _later(bookings, timer)
    return ()
