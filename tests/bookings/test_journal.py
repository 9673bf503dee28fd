"""The journal: what money may do in the life of a leg, and what it may not."""

from itertools import permutations

import msgspec
import pytest

from greenroom.bookings.balances import Balance
from greenroom.bookings.chart import ROUTES, Account, Code
from greenroom.bookings.journal import Ledger, Refused, apply, empty, faults, replay
from greenroom.bookings.journal_rules import Reason
from greenroom.bookings.money import Money
from greenroom.bookings.problems import UnknownCurrency
from greenroom.bookings.transfers import Kind, Transfer, correction_of, post_of, void_of
from greenroom.ids import LegId, TransferId
from tests.bookings.ledgers import (
    CAUSE,
    LEG,
    after,
    applied,
    eur,
    hold,
    move,
    net,
    new_id,
    refused,
)

DEPOSIT = hold(Code.DEPOSIT, 500)
HELD = after((DEPOSIT,))
PRICE = move(Code.PRICE, 1000)
PAID = after((PRICE,))
changed = msgspec.structs.replace


def test_a_job_pays_the_seller_and_the_platform() -> None:
    ledger = after(
        (move(Code.PRICE, 1000), move(Code.SERVICE_FEE, 100), move(Code.EXPENSE, 50)),
        (move(Code.EARNINGS, 950), move(Code.PLATFORM_FEE, 200)),
        (payout := hold(Code.PAYOUT, 950),),
        (post_of(payout, new_id(), eur(950), CAUSE),),
        (move(Code.FEES_PAID, 200),),
    )
    assert net(ledger) == {"buyer": -1150, "seller": 950, "platform": 200}
    assert list(faults(ledger)) == []


def test_a_hold_takes_no_money_and_reserves_it() -> None:
    assert net(HELD) == {}
    assert HELD.holds() == (DEPOSIT,)
    assert HELD.balances[Account.DEPOSIT] == Balance(credits_pending=500)
    assert refused(HELD, move(Code.DEPOSIT_CLAIM, 1)).account is Account.DEPOSIT


def test_a_partial_claim_restores_the_rest_in_the_same_step() -> None:
    claim = post_of(DEPOSIT, new_id(), eur(200), CAUSE), move(Code.DEPOSIT_CLAIM, 200)
    ledger = applied(HELD, *claim)
    assert net(ledger) == {"buyer": -200, "seller_due": 200}
    assert ledger.holds() == ()
    assert all(not one.debits_pending + one.credits_pending for one in ledger.balances.values())


def test_a_released_deposit_leaves_nothing() -> None:
    ledger = applied(HELD, void_of(DEPOSIT, new_id(), CAUSE))
    assert net(ledger) == {}
    assert ledger.holds() == ()


def test_a_deposit_that_was_captured_to_keep_it_goes_back() -> None:
    ledger = applied(HELD, post_of(DEPOSIT, new_id(), eur(500), CAUSE))
    ledger = applied(ledger, move(Code.DEPOSIT_CLAIM, 120), move(Code.DEPOSIT_RETURN, 380))
    ledger = applied(ledger, move(Code.REFUND_PAID, 380))
    assert net(ledger) == {"buyer": -120, "seller_due": 120}


@pytest.mark.parametrize("first", [Kind.POST_PENDING, Kind.VOID_PENDING])
@pytest.mark.parametrize("second", [Kind.POST_PENDING, Kind.VOID_PENDING])
def test_a_hold_resolves_once(first: Kind, second: Kind) -> None:
    resolutions = [
        changed(void_of(DEPOSIT, new_id(), CAUSE), kind=kind) for kind in (first, second)
    ]
    ledger = applied(HELD, resolutions[0])
    assert refused(ledger, resolutions[1]).reason is Reason.PENDING_RESOLVED
    assert refused(HELD, *resolutions).reason is Reason.PENDING_RESOLVED


def test_money_that_is_being_refunded_cannot_be_refunded_again() -> None:
    ledger = applied(PAID, move(Code.REFUND, 300))
    ledger = applied(ledger, refund := hold(Code.REFUND_PAID, 300))
    assert refused(ledger, move(Code.REFUND_PAID, 1)).reason is Reason.OVERDRAWN
    ledger = applied(ledger, void_of(refund, new_id(), CAUSE))
    assert net(applied(ledger, move(Code.REFUND_PAID, 300))) == {"buyer": -700, "escrow": 700}


def test_a_correction_goes_back_and_never_further() -> None:
    ledger = applied(PAID, correction_of(PRICE, new_id(), eur(400), CAUSE))
    assert net(ledger) == {"buyer": -600, "escrow": 600}
    again = correction_of(PRICE, new_id(), eur(601), CAUSE)
    assert refused(ledger, again).reason is Reason.MORE_THAN_CORRECTED
    assert net(applied(ledger, changed(again, money=eur(600)))) == {}


def test_what_was_posted_from_a_hold_can_be_corrected_and_a_correction_cannot() -> None:
    claim = post_of(DEPOSIT, new_id(), eur(200), CAUSE)
    ledger = applied(HELD, claim, back := correction_of(claim, new_id(), eur(200), CAUSE))
    assert net(ledger) == {}
    again = correction_of(back, new_id(), eur(200), CAUSE)
    assert refused(ledger, again).reason is Reason.CORRECTED_NOT_FOUND


def test_a_repeated_transfer_is_recognised() -> None:
    assert refused(PAID, PRICE) == Refused(Reason.EXISTS, PRICE.id)
    assert refused(PAID, changed(PRICE, money=eur(1))).reason is Reason.EXISTS_DIFFERENT


@pytest.mark.parametrize("code", Code)
def test_money_goes_no_way_but_that_of_its_purpose(code: Code) -> None:
    route = ROUTES[code]
    full = after((move(Code.PRICE, 900), move(Code.GOODWILL, 100), move(Code.COMPENSATION, 100)))
    full = applied(full, move(Code.PLATFORM_FEE, 100))
    for debit in Account:
        for credit in Account:
            if (debit, credit) != (route.debit, route.credit):
                detour = changed(move(code, 1), debit=debit, credit=credit)
                assert refused(full, detour).reason is Reason.NO_SUCH_ROUTE


BACK = correction_of(PRICE, new_id(), eur(1), CAUSE)
POST = post_of(DEPOSIT, new_id(), eur(1), CAUSE)
NOWHERE = TransferId("t_nowhere")


@pytest.mark.parametrize(
    ("ledger", "transfer", "reason"),
    [
        (PAID, changed(move(Code.PRICE, 1), leg=LegId("leg_2")), Reason.OTHER_LEG),
        (PAID, changed(move(Code.PRICE, 1), money=Money(1, "USD")), Reason.OTHER_CURRENCY),
        (PAID, move(Code.PRICE, 0), Reason.NOTHING_TO_MOVE),
        (PAID, hold(Code.EARNINGS, 1), Reason.MAY_NOT_PEND),
        (PAID, changed(move(Code.PRICE, 1), pending_id=PRICE.id), Reason.PENDING_UNEXPECTED),
        (PAID, move(Code.EARNINGS, 1001), Reason.OVERDRAWN),
        (PAID, move(Code.FEES_PAID, 1), Reason.OVERDRAWN),
        (HELD, changed(POST, pending_id=NOWHERE), Reason.PENDING_NOT_FOUND),
        (HELD, changed(POST, pending_id=None), Reason.PENDING_NOT_FOUND),
        (PAID, changed(POST, pending_id=PRICE.id), Reason.PENDING_NOT_FOUND),
        (HELD, changed(POST, credit=Account.ESCROW), Reason.PENDING_DIFFERENT),
        (HELD, changed(POST, code=Code.PRICE), Reason.PENDING_DIFFERENT),
        (HELD, changed(POST, money=eur(501)), Reason.MORE_THAN_PENDING),
        (HELD, changed(POST, kind=Kind.VOID_PENDING), Reason.NOT_ALL_PENDING),
        (PAID, changed(BACK, correction_of=NOWHERE), Reason.CORRECTED_NOT_FOUND),
        (HELD, changed(BACK, correction_of=DEPOSIT.id), Reason.CORRECTED_NOT_FOUND),
        (PAID, changed(BACK, credit=Account.SELLER), Reason.CORRECTION_DIFFERENT),
        (PAID, changed(BACK, kind=Kind.PENDING), Reason.CORRECTION_DIFFERENT),
        (PAID, changed(BACK, pending_id=PRICE.id), Reason.CORRECTION_DIFFERENT),
        (PAID, changed(BACK, code=Code.EXTRAS), Reason.CORRECTION_DIFFERENT),
    ],
)
def test_what_breaks_a_rule_is_refused_by_name(
    ledger: Ledger, transfer: Transfer, reason: Reason
) -> None:
    assert refused(ledger, transfer).reason is reason


def test_a_step_applies_as_a_whole_and_in_any_order() -> None:
    claim = post_of(DEPOSIT, new_id(), eur(200), CAUSE)
    step = (DEPOSIT, claim, move(Code.DEPOSIT_CLAIM, 200), move(Code.RECLAIM, 50))
    ledgers = [apply(empty(LEG, "EUR"), one) for one in permutations(step)]
    assert all(one == ledgers[0] for one in ledgers)
    too_much = (*step, move(Code.PAYOUT, 151))
    for one in permutations(too_much):
        assert refused(empty(LEG, "EUR"), *one).account is Account.SELLER_DUE


def test_the_outside_is_bounded_where_it_must_be() -> None:
    ledger = after((move(Code.GOODWILL, 500),))
    assert refused(ledger, move(Code.REFUND_PAID, 500)).account is Account.BUYER
    assert net(applied(ledger, move(Code.PRICE, 500), move(Code.REFUND_PAID, 500)))


def test_a_refund_under_way_counts_towards_what_the_buyer_paid() -> None:
    ledger = after((move(Code.GOODWILL, 500), move(Code.PRICE, 300)))
    ledger = applied(ledger, hold(Code.REFUND_PAID, 300))
    assert refused(ledger, hold(Code.REFUND_PAID, 1)).account is Account.BUYER


def test_a_journal_that_was_changed_is_noticed() -> None:
    steps = [(PRICE, DEPOSIT), (post_of(DEPOSIT, new_id(), eur(200), CAUSE),)]
    ledger = replay(LEG, "EUR", steps)
    assert isinstance(ledger, Ledger)
    assert list(faults(ledger)) == []
    more = {**ledger.balances, Account.SELLER: Balance(credits=1)}
    assert len(list(faults(changed(ledger, balances=more)))) == 2
    tampered = {**ledger.transfers, PRICE.id: changed(PRICE, money=eur(1))}
    assert len(list(faults(changed(ledger, transfers=tampered)))) == 2
    assert replay(LEG, "EUR", steps[1:]) == Refused(Reason.PENDING_NOT_FOUND, steps[1][0].id)


def test_a_ledger_has_a_currency() -> None:
    with pytest.raises(UnknownCurrency):
        empty(LEG, "ABC")
