"""What every payment provider does. payment_providers.py lists them."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from greenroom.bookings.payments.answers import (
    AuthorisationId,
    Authorised,
    Cancelled,
    Captured,
    CaptureId,
    Declined,
    DeclineReason,
    Refunded,
    Unseen,
)
from greenroom.bookings.payments.charge import charge
from greenroom.bookings.problems import InvalidMoney, PaymentKeyReused, PaymentNotFound
from tests.bookings.payment_providers import PROVIDERS, Provider, eur, new_key


@pytest.fixture(params=PROVIDERS)
async def provider(request: pytest.FixtureRequest) -> AsyncIterator[Provider]:
    async with PROVIDERS[request.param](request) as opened:
        yield opened


async def test_money_is_held_taken_and_given_back(provider: Provider) -> None:
    payments = provider.payments
    held = await provider.hold(1000)
    assert provider.clock.now_ms() < held.capture_before_ms <= provider.in_days(7)
    taken = await payments.capture(new_key(), held.authorisation, eur(400))
    assert isinstance(taken, Captured)
    assert taken.money == eur(400)
    for _ in range(2):
        refund = await payments.refund(new_key(), taken.capture, eur(200))
        assert isinstance(refund, Refunded)
    assert await payments.refund(new_key(), taken.capture, eur(1)) == Declined(
        DeclineReason.TOO_MUCH
    )


async def test_a_declined_payment_holds_nothing(provider: Provider) -> None:
    key, payer = new_key(), provider.payer(provider.declined)
    for _ in range(2):
        answer = await provider.payments.authorise(
            key, eur(5), payer, capture_before_ms=provider.in_days(1)
        )
        assert isinstance(answer, Declined)
    assert await provider.payments.status(key) == answer


async def test_a_repeat_acts_once_and_gets_the_same_answer(provider: Provider) -> None:
    payments, keys = provider.payments, [new_key() for _ in range(3)]
    until_ms = provider.in_days(3)
    for _ in range(2):
        held = await payments.authorise(
            keys[0], eur(1000), provider.payer(), capture_before_ms=until_ms
        )
        assert isinstance(held, Authorised)
        taken = await payments.capture(keys[1], held.authorisation, eur(1000))
        assert isinstance(taken, Captured)
        assert isinstance(await payments.refund(keys[2], taken.capture, eur(1000)), Refunded)
        assert await payments.status(keys[0]) == held
        assert await payments.status(keys[1]) == taken
        provider.clock.advance(days=1)
        assert isinstance(await payments.refund(new_key(), taken.capture, eur(1)), Declined)


async def test_repeats_at_once_act_once(provider: Provider) -> None:
    held, key = await provider.hold(1000), new_key()
    calls = [provider.payments.capture(key, held.authorisation, eur(600)) for _ in range(5)]
    answers = await asyncio.gather(*calls)
    assert answers == [answers[0]] * 5
    assert isinstance(answers[0], Captured)


async def test_of_many_at_once_one_wins(provider: Provider) -> None:
    held = await provider.hold(1000)
    calls = [provider.payments.capture(new_key(), held.authorisation, eur(600)) for _ in range(12)]
    cancel = provider.payments.cancel(new_key(), held.authorisation)
    answers = await asyncio.gather(*calls, cancel)
    taken = [one for one in answers if isinstance(one, Captured)]
    gone = [one for one in answers if isinstance(one, Cancelled)]
    assert len(taken) + len(gone) == 1


async def test_refunds_at_once_give_back_no_more_than_was_taken(provider: Provider) -> None:
    taken = await provider.take(1000)
    calls = [provider.payments.refund(new_key(), taken.capture, eur(300)) for _ in range(12)]
    answers = await asyncio.gather(*calls)
    assert sum(isinstance(one, Refunded) for one in answers) == 3


async def test_a_key_belongs_to_one_call(provider: Provider) -> None:
    payments, held, key = provider.payments, await provider.hold(1000), new_key()
    await payments.capture(key, held.authorisation, eur(600))
    with pytest.raises(PaymentKeyReused, match=key):
        await payments.capture(key, held.authorisation, eur(601))
    with pytest.raises(PaymentKeyReused):
        await payments.cancel(key, held.authorisation)


async def test_a_hold_is_captured_once_and_not_beyond_its_amount(provider: Provider) -> None:
    payments, held = provider.payments, await provider.hold(1000)
    capture, authorisation = payments.capture, held.authorisation
    too_much = await capture(new_key(), authorisation, eur(1001))
    assert too_much == Declined(DeclineReason.TOO_MUCH)
    assert isinstance(await capture(new_key(), authorisation, eur(1)), Captured)
    again = await capture(new_key(), authorisation, eur(1))
    assert again == Declined(DeclineReason.ALREADY_CAPTURED)
    cancelled = await payments.cancel(new_key(), authorisation)
    assert cancelled == Declined(DeclineReason.ALREADY_CAPTURED)


async def test_a_hold_that_was_let_go_cannot_be_captured(provider: Provider) -> None:
    payments, held = provider.payments, await provider.hold()
    for _ in range(2):
        gone = await payments.cancel(new_key(), held.authorisation)
        assert gone == Cancelled(held.authorisation)
    answer = await payments.capture(new_key(), held.authorisation, eur(1))
    assert answer == Declined(DeclineReason.HOLD_CANCELLED)


async def test_a_hold_ends_when_the_provider_said(provider: Provider) -> None:
    payments = provider.payments
    first, second = await provider.hold(), await provider.hold()
    left_ms = first.capture_before_ms - provider.clock.now_ms()
    provider.clock.advance(ms=left_ms - 1)
    assert isinstance(await payments.capture(new_key(), first.authorisation, eur(1)), Captured)
    provider.clock.advance(ms=1)
    late = await payments.capture(new_key(), second.authorisation, eur(1))
    assert late == Declined(DeclineReason.HOLD_EXPIRED)
    assert isinstance(await payments.cancel(new_key(), second.authorisation), Cancelled)


async def test_unknown_payments_are_refused(provider: Provider) -> None:
    payments, key = provider.payments, new_key()
    nobody = AuthorisationId("auth_of_nobody")
    with pytest.raises(PaymentNotFound):
        await payments.capture(key, nobody, eur(1))
    with pytest.raises(PaymentNotFound):
        await payments.cancel(key, nobody)
    with pytest.raises(PaymentNotFound):
        await payments.refund(key, CaptureId(nobody), eur(1))
    assert await payments.status(key) == Unseen()


async def test_nothing_is_paid_with_nothing(provider: Provider) -> None:
    held = await provider.hold()
    with pytest.raises(InvalidMoney):
        await provider.payments.capture(new_key(), held.authorisation, eur(0))
    with pytest.raises(InvalidMoney):
        await provider.hold(0)


async def test_a_charge_takes_the_money_once(provider: Provider) -> None:
    key, until_ms = new_key(), provider.in_days(1)
    answers = [
        await charge(provider.payments, key, eur(700), provider.payer(), capture_before_ms=until_ms)
        for _ in range(2)
    ]
    assert answers == [answers[0]] * 2
    assert isinstance(answers[0], Captured)
    assert isinstance(await provider.take(), Captured)
