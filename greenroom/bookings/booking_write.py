"""One transaction on a booking: locks its group, and writes what was decided, all of it together.

lock the group -> load -> decide (pure) -> legs, card, step, transfers, payments, documents, audit,
outbox
"""

from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection, Row, insert

from greenroom.bookings import rows
from greenroom.bookings.audit import AuditTrail
from greenroom.bookings.booking_change import BookingChange
from greenroom.bookings.card_policy import Rules
from greenroom.bookings.cards.apply import apply_effects, request_charges
from greenroom.bookings.cards.decide import Move, is_moot, moot
from greenroom.bookings.documents.issue import DocumentChange, issue_documents
from greenroom.bookings.models import Booking, Card, CardState, Leg
from greenroom.bookings.news import CardNews, DocumentNews, LegNews, News
from greenroom.bookings.payment_results import give_back_charges
from greenroom.bookings.schema import OUTBOX
from greenroom.bookings.transfers import Cause
from greenroom.ids import CardId, GroupId, LegId, UserId
from greenroom.people.actor import SYSTEM

_NEW_ROW = insert(OUTBOX)
_CLOSED = "The booking has changed, so that this is no longer possible."


class BookingWrite:
    def __init__(
        self,
        connection: Connection,
        group: GroupId | Row[Any],
        now_ms: int,
        rules: Rules,
        card: CardId | None = None,
    ) -> None:
        """Locks the group until the transaction ends, and loads its booking, with one card. A row
        of the group is one that is locked."""
        row = rows.lock_group(connection, group) if isinstance(group, str) else group
        self._connection = connection
        self._now_ms = now_ms
        self._rules = rules
        self.before, self.card = rows.booking_with_card(connection, row, card)
        self.booking = self.before
        self._audit = AuditTrail(self.before.id, row.audit_number, row.audit_hash, now_ms)
        self._news: list[News] = []
        self._cause: Cause | None = None
        self.change: BookingChange | None = None

    def begin(self, cause: Cause) -> BookingChange:
        """Later steps of the same transaction go on with what the earlier ones have changed."""
        if self.change is None:
            self.change, self._cause = BookingChange(self.booking, cause), cause
        self.change.cause = cause
        return self.change

    def set_booking(self, booking: Booking) -> None:
        """What a proposal brings: currency, payment method, providers."""
        assert self.change is None
        self.booking = booking

    def make(self, move: Move, before: Card | None) -> None:
        """Writes the card's new version, and does what it does."""
        card = move.card
        change = self.begin(Cause(card.id, card.version, self._now_ms))
        request_charges(change, move.to_pay)
        apply_effects(change, move.effects, self._rules)
        if before is not None and before.state is CardState.ACCEPTED and not move.effects:
            give_back_charges(change, card)
        self._save(move)
        self._close_moot_cards(card)

    def tell_leg(self, event: str, leg: Leg, actor: str, *, shown: bool = True) -> None:
        self._audit.add(actor, event, leg.id, leg)
        self._news.append(
            LegNews(
                group=self.booking.id,
                thread=leg.thread or self.booking.thread,
                buyer=self.booking.buyer,
                event=event,
                leg=leg,
                shown=shown,
            )
        )

    def note(self, actor: str, action: str, subject: str, facts: object) -> None:
        """Adds to the audit trail what no card, transfer or payment says."""
        self._audit.add(actor, action, subject, facts)

    def tell_document(self, change: DocumentChange, actor: UserId, facts: object = None) -> None:
        """`facts`: for the audit trail, beside what the document is."""
        document, leg = change.document, change.leg
        self._audit.add(actor, change.event, f"{document.id}.{document.version}", facts or document)
        if change.shown:
            self._news.append(
                DocumentNews(
                    group=self.booking.id,
                    thread=leg.thread or self.booking.thread,
                    event=change.event,
                    document=document.id,
                    version=document.version,
                    leg=leg.id,
                    actor=actor,
                )
            )

    def finish(self) -> Booking:
        """Writes all that has been collected. Nothing is written before."""
        connection, now_ms = self._connection, self._now_ms
        assert self.change is not None
        assert self._cause is not None
        changed = self.change.done()
        after = changed.booking
        for transfer in changed.transfers:
            self._audit.add(transfer.cause.card, f"transfer.{transfer.kind}", transfer.id, transfer)
        for payment in changed.payments:
            self._audit.add(payment.card, f"payment.{payment.state}", payment.key, payment)
        for leg in after.legs:
            if leg != self.before.leg(leg.id):
                self._audit.add(self._cause.card, "leg.changed", leg.id, leg)
        self._tell_deadlines(after)
        rows.save_legs(connection, self.before, after, self._cause)
        rows.add_transfers(connection, self.before, changed.transfers, now_ms)
        rows.save_payments(connection, self.before, changed.payments)
        for issued in issue_documents(connection, self.before, after, self._rules, now_ms):
            self.tell_document(issued, SYSTEM)
        self._tell(after)
        rows.save_group(connection, after, self._audit.write(connection))
        return after

    def _save(self, move: Move) -> None:
        card, change = move.card, self.begin(Cause(move.card.id, move.card.version, self._now_ms))
        rows.save_card(self._connection, change.booking.id, card)
        rows.add_step(self._connection, move.step)
        self._audit.add(move.step.actor, f"card.{move.step.transition}", card.id, move.step)
        if card.version == 1:
            change.booking = replace(change.booking, cards=change.booking.cards + 1)
        self._news.append(
            CardNews(
                group=change.booking.id,
                thread=change.booking.thread,
                buyer=change.booking.buyer,
                card=card,
                step=move.step,
                legs=change.booking.legs,
                due_legs=self._due_legs(change.booking),
            )
        )

    def _due_legs(self, booking: Booking) -> tuple[LegId, ...]:
        old = {leg.id: leg.due_ms for leg in self.before.legs}
        return tuple(leg.id for leg in booking.legs if leg.due_ms != old.get(leg.id, 0))

    def _close_moot_cards(self, made: Card) -> None:
        """Cards that nothing can come of any more, since a leg has ended."""
        assert self.change is not None
        old = {leg.id: leg.status for leg in self.before.legs}
        legs = {leg.id: leg for leg in self.change.booking.legs}
        if all(old.get(leg.id, leg.status) is leg.status for leg in legs.values()):
            return
        for card in rows.open_cards_of(self._connection, self.booking.id):
            leg = None if card.leg is None else legs.get(card.leg)
            if card.id != made.id and is_moot(card, leg):
                self._save(moot(card, _CLOSED, self._now_ms))
                if card.state is CardState.ACCEPTED:
                    give_back_charges(self.change, card)

    def _tell_deadlines(self, after: Booking) -> None:
        """Deadlines of legs that nothing else tells of: their timers have to move."""
        told = {leg for one in self._news if isinstance(one, CardNews) for leg in one.due_legs}
        told |= {one.leg.id for one in self._news if isinstance(one, LegNews)}
        for leg_id in self._due_legs(after):
            leg = after.leg(leg_id)
            if leg is not None and leg.due_ms and leg_id not in told:
                self.tell_leg("leg.rescheduled", leg, SYSTEM, shown=False)

    def _tell(self, after: Booking) -> None:
        values = [
            {
                "group_id": after.id,
                "thread_id": one.card.thread if isinstance(one, CardNews) else one.thread,
                "body": rows.packed(one),
                "at_ms": self._now_ms,
                "relayed_ms": 0,
            }
            for one in self._news
        ]
        if values:
            self._connection.execute(_NEW_ROW, values)
