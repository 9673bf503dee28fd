"""Does what is due on a leg by itself: holds its deposit, pays its provider. Once, and in time."""

from msgspec.structs import replace
from sqlalchemy import Connection

from greenroom.bookings.booking_write import BookingWrite
from greenroom.bookings.cards.apply import close_leg, complete_leg
from greenroom.bookings.context import Bookings
from greenroom.bookings.deposits import renew_or_capture
from greenroom.bookings.leg_deadlines import closes_ms, completes_ms, deposit_due_ms, with_due
from greenroom.bookings.models import CardType, Leg
from greenroom.bookings.transfers import Cause
from greenroom.ids import CardId, GroupId, LegId
from greenroom.people.actor import SYSTEM

_HOUR_MS = 3_600_000
_DAY_MS = 24 * _HOUR_MS
_WAITS_FOR = frozenset({CardType.DEPOSIT_CLAIM, CardType.DISPUTE})
"""While such a card is open, the deposit stays and nothing is paid out."""


async def make_leg_step(bookings: Bookings, group: GroupId, leg_id: LegId) -> bool:
    """Returns whether there was something to do: one thing, and another may be due as well. Safe to
    repeat."""

    def work(connection: Connection) -> bool:
        now_ms = bookings.clock.now_ms()
        write = BookingWrite(connection, group, now_ms, bookings.rules)
        leg = write.booking.leg(leg_id)
        if leg is None or not leg.due_ms or leg.due_ms > now_ms:
            return False
        write.begin(Cause(CardId(leg_id), leg.version + 1, now_ms))
        _step(write, leg, bookings, now_ms)
        write.finish()
        return True

    return await bookings.database.write(work)


def _step(write: BookingWrite, leg: Leg, bookings: Bookings, now_ms: int) -> None:
    assert write.change is not None
    rules = bookings.rules
    deposit_ms, ends_ms, done_ms = (
        deposit_due_ms(leg),
        closes_ms(leg, rules),
        completes_ms(leg, rules),
    )
    if deposit_ms and deposit_ms <= now_ms:
        due_ms = renew_or_capture(write.change, leg.id)
        assert leg.deposit is not None
        asked = replace(write.change.leg(leg.id), deposit=replace(leg.deposit, due_ms=due_ms))
        write.change.save(with_due(asked, rules))
    elif done_ms and done_ms <= now_ms:
        if any(one.leg == leg.id for one in write.booking.open_cards):
            later = replace(leg, closes_from_ms=now_ms + _DAY_MS)
            write.change.save(with_due(later, rules))
            return
        complete_leg(write.change, leg.id, rules)
        write.tell_leg("leg.completed", write.change.leg(leg.id), SYSTEM)
    elif ends_ms and ends_ms <= now_ms:
        if any(one.leg == leg.id and one.type in _WAITS_FOR for one in write.booking.open_cards):
            later = replace(leg, closes_from_ms=now_ms + _HOUR_MS)
            write.change.save(with_due(later, rules))
            return
        close_leg(write.change, leg.id, rules)
        write.tell_leg("leg.closed", write.change.leg(leg.id), SYSTEM)
    else:  # the policy has changed since: it is due later, or never
        write.change.save(with_due(leg, rules))
