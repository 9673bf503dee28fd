"""Applies effects to a booking: what becomes of its legs, its journal and its payments. Pure."""

from msgspec.structs import replace

from greenroom.bookings.booking_change import BookingChange
from greenroom.bookings.card_policy import Rules
from greenroom.bookings.cards.declaration import ToPay
from greenroom.bookings.cards.effects import (
    AcceptProofs,
    AddCharge,
    AgreeSafety,
    Book,
    CancelLeg,
    ClaimDeposit,
    CloseDispute,
    CompleteLeg,
    Effect,
    MoveLeg,
    OpenDispute,
    Settle,
)
from greenroom.bookings.cards.instants import ms_of
from greenroom.bookings.cards.leg_ids import leg_id_of
from greenroom.bookings.cards.payloads import LegTerms
from greenroom.bookings.chart import Account, Code
from greenroom.bookings.deposits import claim_deposit, end_deposit, hold_due_ms
from greenroom.bookings.leg_deadlines import with_due
from greenroom.bookings.models import (
    Charge,
    Deposit,
    DepositState,
    Leg,
    LegStatus,
    Operation,
    PaymentState,
)
from greenroom.bookings.money import Money, total, zero
from greenroom.bookings.paid import parts_paid
from greenroom.bookings.refunds import RefundQuote
from greenroom.bookings.send_refund import send_refund
from greenroom.ids import LegId, ThreadId


def request_charges(change: BookingChange, to_pay: tuple[ToPay, ...]) -> None:
    """What has to be paid before the card takes effect."""
    for one in to_pay:
        change.begin(
            change.request(Operation.CHARGE, one.leg, one.code, one.money, title=one.title)
        )


def apply_effects(change: BookingChange, effects: tuple[Effect, ...], rules: Rules) -> None:
    for effect in effects:
        _apply(change, effect, rules)


def _apply(change: BookingChange, effect: Effect, rules: Rules) -> None:
    match effect:
        case Book():
            for number, terms in enumerate(effect.legs):
                _book(change, effect, number, terms, rules)
        case MoveLeg(leg, starts_ms, ends_ms):
            _move(change, change.leg(leg), starts_ms, ends_ms, rules)
        case AddCharge(card, leg, kind, title, price):
            found = change.leg(leg)
            added = Charge(kind=kind, title=title, price=price, card=card)
            change.save(replace(found, charges=(*found.charges, added)))
        case AcceptProofs(leg, round):
            change.save(replace(change.leg(leg), proofs_accepted=round))
        case AgreeSafety(leg, measures):
            change.save(replace(change.leg(leg), measures=measures))
        case CancelLeg(leg, quote):
            _cancel(change, leg, quote, rules)
        case ClaimDeposit(leg, amount):
            claim_deposit(change, leg, amount)
            change.save(with_due(change.leg(leg), rules))
        case CompleteLeg(leg):
            complete_leg(change, leg, rules)
        case OpenDispute(leg):
            found = change.leg(leg)
            disputed = replace(found, status=LegStatus.DISPUTED, disputed_from=found.status)
            change.save(with_due(disputed, rules))
        case CloseDispute(leg):
            found = change.leg(leg)
            assert found.disputed_from is not None
            restored = replace(found, status=found.disputed_from, disputed_from=None)
            change.save(with_due(restored, rules))
        case Settle():
            _settle(change, effect, rules)


def _book(change: BookingChange, effect: Book, number: int, terms: LegTerms, rules: Rules) -> None:
    starts_ms = ms_of(terms.starts_at)
    deposit = None
    if terms.deposit is not None and rules.takes_payments:
        due_ms = hold_due_ms(starts_ms, change.now_ms, rules)
        deposit = Deposit(money=terms.deposit, due_ms=due_ms)
    fee = terms.price.percent(rules.bookings.buyer_fee_basis_points)
    leg = Leg(
        id=leg_id_of(effect.card, number),
        provider=terms.provider,
        thread=_own_thread(change, effect),
        title=terms.title,
        service=terms.service,
        place=terms.place,
        city=terms.city,
        category=terms.category,
        starts_ms=starts_ms,
        ends_ms=ms_of(terms.ends_at),
        time_zone=terms.time_zone,
        price=terms.price,
        fee=fee if fee.minor else None,
        deposit=deposit,
    )
    change.save(with_due(leg, rules))


def _own_thread(change: BookingChange, effect: Book) -> ThreadId | None:
    """That of the offer, if it is for one leg and is no other leg's already."""
    taken = any(leg.thread == effect.thread for leg in change.booking.legs)
    return None if taken or len(effect.legs) > 1 else effect.thread


def _move(change: BookingChange, leg: Leg, starts_ms: int, ends_ms: int, rules: Rules) -> None:
    deposit = leg.deposit
    if deposit is not None and deposit.state is DepositState.SCHEDULED:
        deposit = replace(deposit, due_ms=hold_due_ms(starts_ms, change.now_ms, rules))
    moved = replace(leg, starts_ms=starts_ms, ends_ms=ends_ms, deposit=deposit)
    change.save(with_due(moved, rules))


def _cancel(change: BookingChange, leg_id: LegId, quote: RefundQuote, rules: Rules) -> None:
    if rules.takes_payments:
        _divide_escrow(change, leg_id, quote.refund, quote.platform_keeps, rules)
        _pay_out(change, leg_id)
        end_deposit(change, leg_id)
    leg = change.leg(leg_id)
    change.save(with_due(replace(leg, status=LegStatus.CANCELLED, is_paid_out=True), rules))


def complete_leg(change: BookingChange, leg_id: LegId, rules: Rules) -> None:
    if rules.takes_payments:
        fee = parts_paid(change.leg(leg_id)).fee
        _divide_escrow(change, leg_id, zero(change.booking.currency), fee, rules)
    leg = change.leg(leg_id)
    done = replace(leg, status=LegStatus.COMPLETED, completed_ms=change.now_ms)
    change.save(with_due(done, rules))


def _divide_escrow(
    change: BookingChange, leg_id: LegId, refund: Money, fee: Money, rules: Rules
) -> None:
    """All that was paid: to the buyer, to the platform, to the provider."""
    held = change.held(leg_id, Account.ESCROW) - _of_open_cards(change, leg_id)
    kept = held - min(refund, held)
    service_fee = min(fee, kept)
    earned = kept - service_fee
    commission = earned.percent(rules.bookings.seller_fee_basis_points)
    change.post(leg_id, Code.REFUND, min(refund, held))
    change.post(leg_id, Code.PLATFORM_FEE, service_fee + commission)
    change.post(leg_id, Code.EARNINGS, earned - commission)
    send_refund(change, leg_id)


def _of_open_cards(change: BookingChange, leg_id: LegId) -> Money:
    """What was paid for cards that wait for another payment. They get it back if they fail."""
    opened = {one.id for one in change.booking.open_cards}
    found = (
        one.money
        for one in change.payments.values()
        if (one.leg, one.operation, one.state) == (leg_id, Operation.CHARGE, PaymentState.DONE)
        and one.card in opened
        and not one.given_back
    )
    return total(found, change.booking.currency)


def _pay_out(change: BookingChange, leg_id: LegId) -> None:
    """What is due to the provider. The operator's own system sends it to their bank."""
    change.post(leg_id, Code.PAYOUT, change.held(leg_id, Account.SELLER_DUE))


def close_leg(change: BookingChange, leg_id: LegId, rules: Rules) -> None:
    """When the time for claims is over: pays the provider and releases the deposit."""
    _pay_out(change, leg_id)
    end_deposit(change, leg_id)
    change.save(with_due(replace(change.leg(leg_id), is_paid_out=True), rules))


def _settle(change: BookingChange, effect: Settle, rules: Rules) -> None:
    leg = change.leg(effect.leg)
    if rules.takes_payments:
        refund = effect.refund or zero(change.booking.currency)
        if leg.disputed_from is LegStatus.CONFIRMED:
            _divide_escrow(change, leg.id, refund, parts_paid(leg).fee, rules)
        else:
            _take_back(change, leg.id, refund)
        if effect.claim is not None and effect.claim.minor:
            claim_deposit(change, leg.id, effect.claim)
        else:
            end_deposit(change, leg.id)
        _pay_out(change, leg.id)
    done = replace(
        change.leg(leg.id),
        status=effect.status,
        disputed_from=None,
        completed_ms=leg.completed_ms or change.now_ms,
        is_paid_out=True,
    )
    change.save(with_due(done, rules))


def _take_back(change: BookingChange, leg_id: LegId, refund: Money) -> None:
    """A refund of a leg that was completed: from the provider's earnings, then from the fees."""
    from_seller = min(refund, change.held(leg_id, Account.SELLER_DUE))
    change.post(leg_id, Code.RECLAIM, from_seller)
    from_fees = min(refund - from_seller, change.held(leg_id, Account.FEES))
    change.post(leg_id, Code.FEE_REFUND, from_fees)
    send_refund(change, leg_id)
