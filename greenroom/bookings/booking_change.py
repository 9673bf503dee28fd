"""Collects what one step changes about a booking: legs, transfers of the journal, payments.

Pure: it starts from a `Booking` and gives the next one, with the transfers and payments that have
to be written together with it. A transfer that the journal refuses is a bug of a rule, and raises.
"""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from greenroom.bookings import journal
from greenroom.bookings.chart import Account, Code
from greenroom.bookings.journal import Ledger, Refused
from greenroom.bookings.models import Booking, Leg, Operation, Payment
from greenroom.bookings.money import Money
from greenroom.bookings.transfers import Cause, Transfer, pending, post_of, posted, void_of
from greenroom.ids import LegId, TransferId


class JournalRefused(Exception):
    """A rule asked for a transfer that the journal does not allow."""


class Changed(Struct, frozen=True):
    booking: Booking
    transfers: tuple[Transfer, ...] = ()
    payments: tuple[Payment, ...] = ()
    """New ones, and those that have changed."""


class BookingChange:
    def __init__(self, booking: Booking, cause: Cause) -> None:
        self.booking = booking
        self.cause = cause
        self._transfers: list[Transfer] = []
        self._payments: dict[str, Payment] = {}
        self._requested = 0

    def done(self) -> Changed:
        booking = replace(
            self.booking,
            version=self.booking.version + 1,
            transfers=self.booking.transfers + len(self._transfers),
            payments=self.payments,
        )
        return Changed(booking, tuple(self._transfers), tuple(self._payments.values()))

    @property
    def payments(self) -> Mapping[str, Payment]:
        return {**self.booking.payments, **self._payments}

    @property
    def now_ms(self) -> int:
        return self.cause.ms

    def leg(self, leg: LegId) -> Leg:
        found = self.booking.leg(leg)
        assert found is not None
        return found

    def save(self, leg: Leg) -> None:
        """Replaces the leg, or adds it."""
        known = self.booking.leg(leg.id)
        if known is None:
            legs = (*self.booking.legs, leg)
        else:
            changed = replace(leg, version=known.version + 1)
            legs = tuple(changed if one.id == leg.id else one for one in self.booking.legs)
        self.booking = replace(self.booking, legs=legs)

    def ledger(self, leg: LegId) -> Ledger:
        return self.booking.ledgers.get(leg) or journal.empty(leg, self.booking.currency)

    def held(self, leg: LegId, account: Account) -> Money:
        return Money(self.ledger(leg).available(account), self.booking.currency)

    def post(self, leg: LegId, code: Code, money: Money) -> None:
        """Nothing where the amount is zero."""
        if money.minor:
            self.transfer(leg, posted(self._transfer_id(), leg, code, money, self.cause))

    def begin(self, payment: Payment) -> None:
        """The journal reserves what the payment will move."""
        id = TransferId(payment.key)
        self.transfer(
            payment.leg, pending(id, payment.leg, payment.code, payment.money, self.cause)
        )

    def finish(self, leg: LegId, pending_id: str, money: Money | None) -> None:
        """Posts so much of a pending transfer, or voids it."""
        hold = self.ledger(leg).transfers[TransferId(pending_id)]
        id = self._transfer_id()
        made = (
            void_of(hold, id, self.cause) if money is None else post_of(hold, id, money, self.cause)
        )
        self.transfer(leg, made)

    def transfer(self, leg: LegId, *made: Transfer) -> None:
        after = journal.apply(self.ledger(leg), made)
        if isinstance(after, Refused):
            raise JournalRefused(f"{leg}: {after.reason} {after.transfer or after.account}")
        self._transfers += made
        self.booking = replace(self.booking, ledgers={**self.booking.ledgers, leg: after})

    def request(
        self,
        operation: Operation,
        leg: LegId,
        code: Code,
        money: Money,
        *,
        title: str = "",
        of: str = "",
    ) -> Payment:
        self._requested += 1
        number = len(self.booking.payments) + self._requested
        payment = Payment(
            key=f"{self.booking.id}:p{number}",
            number=number,
            leg=leg,
            card=self.cause.card,
            card_version=self.cause.version,
            code=code,
            operation=operation,
            money=money,
            title=title,
            method=self.booking.payment_method,
            of=of,
            asked_ms=self.now_ms,
            due_ms=self.now_ms,
        )
        self._payments[payment.key] = payment
        return payment

    def change(self, payment: Payment) -> None:
        self._payments[payment.key] = payment

    def _transfer_id(self) -> TransferId:
        """Writes of a booking come one after the other, so that the number is its own."""
        return TransferId(f"{self.booking.id}:t{self.booking.transfers + len(self._transfers) + 1}")
