"""Tries a stuck payment again, on behalf of an operator."""

from msgspec.structs import replace
from sqlalchemy import Connection, select

from greenroom.bookings.booking_write import BookingWrite
from greenroom.bookings.cards.problems import NoStuckPayment
from greenroom.bookings.context import Bookings
from greenroom.bookings.models import Payment, PaymentState
from greenroom.bookings.schema import PAYMENTS
from greenroom.bookings.transfers import Cause
from greenroom.ids import GroupId, UserId


async def retry_payment(bookings: Bookings, actor: UserId, key: str) -> tuple[GroupId, Payment]:
    """Under the same key, so that a payment which the provider has made is not made twice."""

    def work(connection: Connection) -> tuple[GroupId, Payment]:
        found = select(PAYMENTS.c.group_id).where(PAYMENTS.c.key == key)
        group = connection.execute(found).scalar()
        if group is None:
            raise NoStuckPayment
        now_ms = bookings.clock.now_ms()
        write = BookingWrite(connection, GroupId(group), now_ms, bookings.rules)
        payment = write.booking.payments.get(key)
        if payment is None or payment.state is not PaymentState.STUCK:
            raise NoStuckPayment
        again = replace(payment, state=PaymentState.REQUESTED, tries=0, due_ms=now_ms)
        write.begin(Cause(payment.card, payment.card_version, now_ms)).change(again)
        write.note(actor, "payment.retry", key, {"problem": payment.problem})
        write.finish()
        return GroupId(group), again

    return await bookings.database.write(work)
