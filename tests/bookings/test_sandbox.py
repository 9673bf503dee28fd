"""The sandbox: each way in which its payment methods misbehave."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest

from greenroom.bookings.money import Money
from greenroom.bookings.payments.answers import (
    Authorisation,
    Authorised,
    Cancelled,
    Captured,
    Declined,
    DeclineReason,
    PaymentKey,
    Pending,
    Unseen,
)
from greenroom.bookings.payments.charge import charge
from greenroom.bookings.payments.methods import PaymentMethod, payment_method
from greenroom.bookings.payments.sandbox.behaviours import BEHAVIOURS, DELAY_MS
from greenroom.bookings.payments.sandbox.provider import SandboxPayments
from greenroom.bookings.payments.sandbox.schema import SCHEMA
from greenroom.bookings.problems import CurrencyMismatch
from greenroom.errors import Unavailable
from greenroom.sql.base import Database
from tests.bookings.payment_providers import DAY_MS, Provider, eur, new_key, sandbox_on
from tests.sql_databases import differences, fresh_postgres, fresh_sqlite, temporary_sql

ROOT = Path(__file__).parents[2]


@pytest.fixture
async def database() -> AsyncIterator[Database]:
    opened = temporary_sql((SCHEMA,))
    yield opened
    await opened.close()


@pytest.fixture
def sandbox(database: Database) -> Provider:
    return sandbox_on(database)


async def authorise(sandbox: Provider, method: str, key: PaymentKey) -> Authorisation:
    payer = sandbox.payer(PaymentMethod(f"sandbox:{method}"))
    until_ms = 1_760_000_000_000 + 30 * DAY_MS
    return await sandbox.payments.authorise(key, eur(1000), payer, capture_before_ms=until_ms)


@pytest.mark.parametrize(
    ("method", "reason"),
    [
        ("declines", DeclineReason.DECLINED),
        ("insufficient_funds", DeclineReason.INSUFFICIENT_FUNDS),
        ("nobody_knows", DeclineReason.METHOD_INVALID),
    ],
)
async def test_a_method_can_be_declined(
    sandbox: Provider, method: str, reason: DeclineReason
) -> None:
    assert await authorise(sandbox, method, new_key()) == Declined(reason)


async def test_a_late_answer_is_pending_until_it_is_known(sandbox: Provider) -> None:
    key, expected_ms = new_key(), sandbox.clock.now_ms() + DELAY_MS
    assert await authorise(sandbox, "delays", key) == Pending(expected_ms)
    sandbox.clock.advance(ms=DELAY_MS - 1)
    assert await authorise(sandbox, "delays", key) == Pending(expected_ms)
    assert await sandbox.payments.status(key) == Pending(expected_ms)
    sandbox.clock.advance(ms=1)
    held = await sandbox.payments.status(key)
    assert isinstance(held, Authorised)
    assert await authorise(sandbox, "delays", key) == held
    assert isinstance(
        await sandbox.payments.capture(new_key(), held.authorisation, eur(1)), Pending
    )


async def test_a_late_answer_can_be_a_refusal(sandbox: Provider) -> None:
    key = new_key()
    assert isinstance(await authorise(sandbox, "delays_then_declines", key), Pending)
    sandbox.clock.advance(ms=DELAY_MS)
    assert await sandbox.payments.status(key) == Declined(DeclineReason.DECLINED)


async def test_after_a_lost_answer_the_call_has_acted(sandbox: Provider) -> None:
    key = new_key()
    with pytest.raises(Unavailable):
        await authorise(sandbox, "lost_answer", key)
    held = await sandbox.payments.status(key)
    assert isinstance(held, Authorised)
    assert await authorise(sandbox, "lost_answer", key) == held
    capture = new_key()
    with pytest.raises(Unavailable):
        await sandbox.payments.capture(capture, held.authorisation, eur(10))
    assert isinstance(await sandbox.payments.status(capture), Captured)


async def test_what_does_not_get_through_has_not_acted(sandbox: Provider) -> None:
    key = new_key()
    for _ in range(2):
        with pytest.raises(Unavailable):
            await authorise(sandbox, "unreachable", key)
    assert await sandbox.payments.status(key) == Unseen()


async def test_an_answer_can_come_twice_more(sandbox: Provider) -> None:
    key = new_key()
    held = await authorise(sandbox, "answers_twice", key)
    assert sandbox.sent == [(key, held)] * 2
    sandbox.sent.clear()
    await authorise(sandbox, "ok", new_key())
    assert sandbox.sent == []


async def test_a_card_is_held_for_seven_days_at_most(sandbox: Provider) -> None:
    now_ms = sandbox.clock.now_ms()
    held = cast(Authorised, await authorise(sandbox, "ok", new_key()))
    assert held.capture_before_ms == now_ms + 7 * DAY_MS
    short = await sandbox.payments.authorise(
        new_key(), eur(1), sandbox.payer(), capture_before_ms=now_ms + 5
    )
    assert cast(Authorised, short).capture_before_ms == now_ms + 5
    soon = cast(Authorised, await authorise(sandbox, "expires_soon", new_key()))
    assert soon.capture_before_ms == now_ms + 3_600_000


async def test_captures_and_refunds_can_be_declined(sandbox: Provider) -> None:
    held = await sandbox.hold(method=PaymentMethod("sandbox:capture_declines"))
    answer = await sandbox.payments.capture(new_key(), held.authorisation, eur(1))
    assert answer == Declined(DeclineReason.DECLINED)
    taken = await sandbox.take(method=PaymentMethod("sandbox:refund_declines"))
    refund = await sandbox.payments.refund(new_key(), taken.capture, eur(1))
    assert refund == Declined(DeclineReason.DECLINED)


async def test_a_charge_that_cannot_be_captured_holds_nothing(sandbox: Provider) -> None:
    payer, key = sandbox.payer(PaymentMethod("sandbox:capture_declines")), new_key()
    until_ms = sandbox.in_days(1)
    answer = await charge(sandbox.payments, key, eur(5), payer, capture_before_ms=until_ms)
    assert isinstance(answer, Declined)
    assert isinstance(await sandbox.payments.status(PaymentKey(f"{key}:cancel")), Cancelled)


async def test_a_charge_goes_on_after_every_lost_answer(sandbox: Provider) -> None:
    payer, key = sandbox.payer(PaymentMethod("sandbox:lost_answer")), new_key()
    until_ms = sandbox.in_days(1)
    for _ in range(2):
        with pytest.raises(Unavailable):
            await charge(sandbox.payments, key, eur(5), payer, capture_before_ms=until_ms)
    answer = await charge(sandbox.payments, key, eur(5), payer, capture_before_ms=until_ms)
    assert isinstance(answer, Captured)


async def test_another_currency_is_refused(sandbox: Provider) -> None:
    held = await sandbox.hold()
    with pytest.raises(CurrencyMismatch, match="JPY cannot be combined with one in EUR"):
        await sandbox.payments.capture(new_key(), held.authorisation, Money(1, "JPY"))


async def test_what_is_held_outlives_the_process(database: Database) -> None:
    before = sandbox_on(database)
    held = await before.hold()
    after = SandboxPayments(database, before.clock)
    assert isinstance(await after.capture(new_key(), held.authorisation, eur(1)), Captured)


def test_the_methods_are_tokens() -> None:
    assert [payment_method(one) for one in BEHAVIOURS] == list(BEHAVIOURS)


async def test_the_migrations_make_the_tables(
    tmp_path_factory: pytest.TempPathFactory, postgresql_url: str
) -> None:
    async with (
        fresh_sqlite(tmp_path_factory.mktemp("sandbox")) as sqlite,
        fresh_postgres(postgresql_url) as postgres,
    ):
        for database in (sqlite, postgres):
            await database.migrate(SCHEMA)
            assert await differences(database, SCHEMA) == []


def test_the_readme_lists_every_method() -> None:
    readme = (ROOT / "greenroom/bookings/payments/README.md").read_text()
    assert set(re.findall(r"`(sandbox:\w+)`", readme)) == set(BEHAVIOURS)
