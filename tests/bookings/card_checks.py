"""What must hold after every step of a booking: checked from its rows alone, and with the model."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Row, select

from greenroom.bookings import journal, rows
from greenroom.bookings.audit import first_break
from greenroom.bookings.cards.decide import possible
from greenroom.bookings.chart import Account, Code
from greenroom.bookings.models import (
    Booking,
    Caller,
    Card,
    CardState,
    DepositState,
    Operation,
    PaymentState,
    Side,
    Step,
)
from greenroom.bookings.news import CardNews, news_in
from greenroom.bookings.schema import AUDIT, CARDS, GROUPS, KEYS, OUTBOX, STEPS, TRANSFERS
from greenroom.bookings.transfers import Kind, Transfer
from greenroom.ids import GroupId
from tests.bookings.reference_bookings import OPEN, Model, Purse

_IN, _OUT = (Operation.CHARGE, Operation.CLAIM, Operation.CAPTURE), (Operation.REFUND,)


class Stored(Struct, frozen=True, kw_only=True):
    """All rows of a booking."""

    group: Row[Any]
    booking: Booking
    cards: dict[str, Card]
    steps: Sequence[Step]
    transfers: Sequence[Transfer]
    audit: Sequence[Any]
    told: Sequence[str]
    keys: int


def stored(connection: Connection, id: GroupId) -> Stored:
    group = connection.execute(select(GROUPS).where(GROUPS.c.id == id)).one()
    cards = connection.execute(select(CARDS.c.card).where(CARDS.c.group_id == id))
    steps = connection.execute(
        select(STEPS.c.step)
        .join(CARDS, CARDS.c.id == STEPS.c.card_id)
        .where(CARDS.c.group_id == id)
        .order_by(STEPS.c.card_id, STEPS.c.version)
    )
    transfers = connection.execute(
        select(TRANSFERS.c.transfer).where(TRANSFERS.c.group_id == id).order_by(TRANSFERS.c.number)
    )
    audit = connection.execute(select(AUDIT).where(AUDIT.c.group_id == id).order_by(AUDIT.c.number))
    outbox = connection.execute(
        select(OUTBOX.c.body).where(OUTBOX.c.group_id == id).order_by(OUTBOX.c.id)
    )
    news = [news_in(row.body) for row in outbox]
    found = (rows.unpacked(row.card, Card) for row in cards)
    return Stored(
        group=group,
        booking=rows.booking_of(connection, group),
        cards={one.id: one for one in found},
        steps=[rows.unpacked(row.step, Step) for row in steps],
        transfers=[rows.unpacked(row.transfer, Transfer) for row in transfers],
        audit=audit.all(),
        told=[f"{n.card.id}:{n.card.version}" for n in news if isinstance(n, CardNews)],
        keys=len(connection.execute(select(KEYS.c.key).where(KEYS.c.group_id == id)).all()),
    )


def faults(found: Stored, model: Model, answers: int) -> Iterator[str]:
    yield from _faults_of_versions(found)
    yield from _faults_of_waiting(found)
    yield from _faults_of_journal(found)
    yield from _faults_of_deposits(found)
    yield from _faults_of_model(found, model)
    if first_break(found.audit) is not None:
        yield "the audit chain is broken"
    audited = Counter(row.action.split(".")[0] for row in found.audit)
    counts = (len(found.steps), len(found.transfers))
    if (audited["card"], audited["transfer"]) != counts:
        yield "the audit trail does not have every step and transfer once"
    if found.keys != answers:
        yield f"{found.keys} keys are kept, and {answers} requests were answered"


def _faults_of_versions(found: Stored) -> Iterator[str]:
    made = [f"{one.card}:{one.version}" for one in found.steps]
    due = [f"{c.id}:{v}" for c in found.cards.values() for v in range(1, c.version + 1)]
    if sorted(made) != sorted(due):
        yield "the steps are not the versions of the cards, each once"
    if sorted(found.told) != sorted(made):
        yield "the outbox does not tell every version once"
    opened = {id for id, one in found.cards.items() if one.is_open}
    if {one.id for one in found.booking.open_cards} != opened:
        yield "the booking has other open cards than the table"
    group = found.group
    counts = (len(found.cards), len(found.transfers), len(found.audit))
    if (group.cards, group.transfers, group.audit_number) != counts:
        yield "the group has other counts than its tables"


def _faults_of_waiting(found: Stored) -> Iterator[str]:
    booking = found.booking
    for card in found.cards.values():
        waits = bool(card.waits_on) + card.waits_on_staff
        if not card.is_open:
            if waits or card.due is not None:
                yield f"{card.id} has ended and waits"
            continue
        if card.due is None or card.due.at_ms <= 0:
            yield f"{card.id} is open without a deadline"
        if waits != (card.state is not CardState.ACCEPTED):
            yield f"{card.id} is {card.state} and waits for {card.waits_on}"
        sides = [
            (user, Side.BUYER if user == booking.buyer else Side.SELLER) for user in card.waits_on
        ]
        if card.waits_on_staff:
            sides.append((booking.buyer, Side.STAFF))
        for user, side in sides:
            if not possible(booking, card, Caller(user, side)):
                yield f"{card.id} waits for {user}, who can do nothing"


def _faults_of_journal(found: Stored) -> Iterator[str]:
    booking, resolved = found.booking, Counter(one.pending_id for one in found.transfers)
    for ledger in booking.ledgers.values():
        yield from journal.faults(ledger)
    if any(times > 1 for hold, times in resolved.items() if hold):
        yield "a hold was resolved twice"
    for leg_id in booking.ledgers:
        done = [
            p for p in booking.payments.values() if p.leg == leg_id and p.state is PaymentState.DONE
        ]
        taken = _sum(p.money.minor for p in done if p.operation in _IN)
        sent = _sum(p.money.minor for p in done if p.operation in _OUT)
        if taken - sent != -_net(found, leg_id, Account.BUYER):
            yield f"{leg_id}: the provider has taken {taken} and sent {sent}; the journal differs"
        charges = [p for p in booking.payments.values() if p.leg == leg_id and p.refunded]
        if any(p.refunded > p.money.minor or p.state is not PaymentState.DONE for p in charges):
            yield f"{leg_id}: more is refunded than was charged"
        refunds = [p for p in booking.payments.values() if p.leg == leg_id and p.operation in _OUT]
        if sum(p.refunded for p in charges) != sum(p.money.minor for p in refunds):
            yield f"{leg_id}: the refunds are not those of its charges"


def _faults_of_deposits(found: Stored) -> Iterator[str]:
    """At rest, a hold that is open is the one that its leg knows."""
    booking = found.booking
    for leg_id, ledger in booking.ledgers.items():
        leg = booking.leg(leg_id)
        asked = {p.of for p in booking.payments.values() if p.state is PaymentState.REQUESTED}
        holds = {one.id for one in ledger.holds() if one.code is Code.DEPOSIT} - asked
        is_held = leg is not None and leg.deposit and leg.deposit.state is DepositState.HELD
        known = {leg.deposit.hold} if leg is not None and leg.deposit and is_held else set()
        if holds - known:
            yield f"{leg_id}: nobody will ever release {holds - known}"


def _faults_of_model(found: Stored, model: Model) -> Iterator[str]:
    for id, card in found.cards.items():
        expected = model.cards.get(id)
        if expected is None:
            yield f"{id} should not exist"
            continue
        is_now = (card.state.value, card.version, set(card.waits_on), card.waits_on_staff)
        should = (expected.state, expected.version, expected.waits, expected.staff)
        if is_now != should:
            yield f"{card.type} {id} is {is_now}, not {should}"
        if expected.state in OPEN and (card.proposer, card.payload) != (
            expected.proposer,
            expected.payload,
        ):
            yield f"{card.type} {id} says something else"
    legs = {
        leg.id: (leg.status.value, leg.is_paid_out, leg.starts_ms) for leg in found.booking.legs
    }
    should_legs = {id: (m.status, m.is_paid_out, m.starts_ms) for id, m in model.legs.items()}
    if legs != should_legs:
        yield f"the legs are {legs}, not {should_legs}"
    for leg_id in {*found.booking.ledgers, *model.purses}:
        purse, should_purse = _purse(found, leg_id), model.purses.get(leg_id, Purse())
        if purse != should_purse:
            yield f"the money of {leg_id} is {purse}, not {should_purse}"


def _purse(found: Stored, leg_id: str) -> Purse:
    captured = _moved(found, leg_id, lambda one: one.code is Code.DEPOSIT)
    claimed = _moved(found, leg_id, lambda one: one.code is Code.DEPOSIT_CLAIM)
    returned = _moved(found, leg_id, lambda one: one.code is Code.DEPOSIT_RETURN)
    taken = _moved(found, leg_id, lambda one: one.debit is Account.BUYER)
    assert _net(found, leg_id, Account.DEPOSIT) == captured - claimed - returned
    return Purse(
        taken=taken - captured + claimed,
        escrow=_net(found, leg_id, Account.ESCROW),
        seller_due=_net(found, leg_id, Account.SELLER_DUE),
        fees=_net(found, leg_id, Account.FEES),
        to_buyer=_moved(found, leg_id, lambda one: one.credit is Account.BUYER_DUE) - returned,
        paid_out=_net(found, leg_id, Account.SELLER),
    )


def _moved(found: Stored, leg_id: str, fits: Any) -> int:
    return _sum(
        one.money.minor
        for one in found.transfers
        if one.leg == leg_id and one.kind in (Kind.POSTED, Kind.POST_PENDING) and fits(one)
    )


def _net(found: Stored, leg_id: str, account: Account) -> int:
    into = _moved(found, leg_id, lambda one: one.credit is account)
    return into - _moved(found, leg_id, lambda one: one.debit is account)


def _sum(amounts: Iterator[int]) -> int:
    return sum(amounts)
