"""Mistakes in the card engine, each planted by replacing one function. The model notices them."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from greenroom.bookings import booking_write, make_deadline, move_card, payment_results
from greenroom.bookings.audit import AuditTrail
from greenroom.bookings.booking_change import BookingChange
from greenroom.bookings.booking_write import BookingWrite
from greenroom.bookings.cards import apply, decide
from greenroom.bookings.chart import Code
from greenroom.bookings.models import Booking, Card, Operation
from greenroom.bookings.money import Money
from tests.bookings import card_run

Plant = Callable[[pytest.MonkeyPatch], None]


def _nothing(*_: Any, **__: Any) -> None:
    """Does not do what it should."""


def no_version_check(patch: pytest.MonkeyPatch) -> None:
    right = decide.move

    def move(booking: Booking, card: Card, request: decide.Request, *rest: Any) -> decide.Move:
        return right(booking, card, replace(request, version=card.version), *rest)

    patch.setattr(move_card, "move", move)


def everybody_may_answer(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(decide, "check_may", _nothing)


def one_of_several_is_enough(patch: pytest.MonkeyPatch) -> None:
    right = decide._made

    def made(declared: Any, transition: Any, *rest: Any, **before: Any) -> decide.Move:
        return right(declared, replace(transition, of_all=False), *rest, **before)

    patch.setattr(decide, "_made", made)


def the_key_is_not_stored(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(move_card, "keep_answer", _nothing)


def a_deadline_fires_for_any_version(patch: pytest.MonkeyPatch) -> None:
    right = make_deadline.make_deadline

    async def any_version(bookings: Any, card: Any, version: int) -> Any:
        found = [await right(bookings, card, one) for one in (version, version + 1)]
        return next((one for one in found if one is not None), None)

    patch.setattr(card_run, "make_deadline", any_version)


def a_refund_comes_from_the_platform(patch: pytest.MonkeyPatch) -> None:
    _post_instead(patch, Code.REFUND, lambda code, money: (Code.GOODWILL, money))


def the_escrow_is_not_divided_fully(patch: pytest.MonkeyPatch) -> None:
    one = Money(1, "EUR")
    _post_instead(patch, Code.EARNINGS, lambda code, money: (code, money - min(one, money)))


def the_platform_takes_no_commission(patch: pytest.MonkeyPatch) -> None:
    _post_instead(patch, Code.PLATFORM_FEE, lambda code, money: (Code.EARNINGS, money))


def a_claim_takes_all_of_the_hold(patch: pytest.MonkeyPatch) -> None:
    right = BookingChange.finish

    def finish(change: BookingChange, leg: Any, pending_id: str, money: Money | None) -> None:
        hold = change.ledger(leg).transfers[pending_id]  # type: ignore[index]
        right(change, leg, pending_id, None if money is None else hold.money)

    patch.setattr(BookingChange, "finish", finish)


def a_hold_is_never_released(patch: pytest.MonkeyPatch) -> None:
    right = BookingChange.request

    def request(change: BookingChange, operation: Operation, *rest: Any, **named: Any) -> Any:
        if operation is Operation.RELEASE:
            return None
        return right(change, operation, *rest, **named)

    patch.setattr(BookingChange, "request", request)


def moot_cards_stay_open(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(booking_write, "is_moot", lambda *_: False)


def a_late_charge_is_kept(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(payment_results, "give_back", _nothing)


def a_failed_card_keeps_what_was_taken(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(booking_write, "give_back_charges", _nothing)


def money_of_open_cards_is_divided(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(apply, "_of_open_cards", lambda *_: Money(0, "EUR"))


def a_card_takes_effect_before_all_is_paid(patch: pytest.MonkeyPatch) -> None:
    def request_charges(change: BookingChange, to_pay: Any) -> None:
        apply.request_charges(change, to_pay[:1])

    patch.setattr(booking_write, "request_charges", request_charges)


def a_transfer_is_not_audited(patch: pytest.MonkeyPatch) -> None:
    right = AuditTrail.add

    def add(trail: AuditTrail, actor: str, action: str, *rest: Any) -> None:
        if not action.startswith("transfer."):
            right(trail, actor, action, *rest)

    patch.setattr(AuditTrail, "add", add)


def the_outbox_is_not_told(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(BookingWrite, "_tell", _nothing)


def _post_instead(
    patch: pytest.MonkeyPatch, wrong: Code, with_: Callable[[Code, Money], tuple[Code, Money]]
) -> None:
    right = BookingChange.post

    def post(change: BookingChange, leg: Any, code: Code, money: Money) -> None:
        right(change, leg, *(with_(code, money) if code is wrong else (code, money)))

    patch.setattr(BookingChange, "post", post)


MISTAKES: Mapping[Plant, int] = {
    no_version_check: 0,
    everybody_may_answer: 1,
    one_of_several_is_enough: 1,
    the_key_is_not_stored: 0,
    a_deadline_fires_for_any_version: 20,
    a_refund_comes_from_the_platform: 0,
    the_escrow_is_not_divided_fully: 0,
    the_platform_takes_no_commission: 0,
    a_claim_takes_all_of_the_hold: 31,
    a_hold_is_never_released: 3,
    moot_cards_stay_open: 22,
    a_late_charge_is_kept: 1,
    a_failed_card_keeps_what_was_taken: 7,
    money_of_open_cards_is_divided: 165,
    a_card_takes_effect_before_all_is_paid: 0,
    a_transfer_is_not_audited: 0,
    the_outbox_is_not_told: 0,
}
"""With the first booking of seed 7 that notices it."""
