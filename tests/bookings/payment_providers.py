"""The payment providers that test_payments.py runs on, and short calls of one."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import TypeAlias

import pytest

from greenroom.bookings.money import Money
from greenroom.bookings.payments.answers import Answer, Authorised, Captured, PaymentKey
from greenroom.bookings.payments.base import Payments
from greenroom.bookings.payments.methods import Payer, PaymentMethod
from greenroom.bookings.payments.sandbox.provider import SandboxPayments
from greenroom.bookings.payments.sandbox.schema import SCHEMA
from greenroom.clock import ManualClock
from greenroom.ids import UserId
from greenroom.sql.base import Database
from tests.sql_databases import fresh_postgres, temporary_sql

DAY_MS = 86_400_000
BUYER = UserId("usr_buyer")
_numbers = count()


def eur(minor: int) -> Money:
    return Money(minor, "EUR")


def new_key() -> PaymentKey:
    return PaymentKey(f"pay_{next(_numbers)}")


@dataclass(frozen=True)
class Provider:
    """A provider, and what a test needs to know about it."""

    payments: Payments
    clock: ManualClock
    """The provider's."""
    good: PaymentMethod
    declined: PaymentMethod
    sent: list[tuple[PaymentKey, Answer]] = field(default_factory=list)
    """Answers that it sent by itself."""

    def payer(self, method: PaymentMethod | None = None) -> Payer:
        return Payer(BUYER, method or self.good)

    def in_days(self, days: int) -> int:
        return self.clock.now_ms() + days * DAY_MS

    async def hold(self, minor: int = 1000, method: PaymentMethod | None = None) -> Authorised:
        answer = await self.payments.authorise(
            new_key(), eur(minor), self.payer(method), capture_before_ms=self.in_days(7)
        )
        assert isinstance(answer, Authorised)
        return answer

    async def take(self, minor: int = 1000, method: PaymentMethod | None = None) -> Captured:
        held = await self.hold(minor, method)
        answer = await self.payments.capture(new_key(), held.authorisation, eur(minor))
        assert isinstance(answer, Captured)
        return answer


def sandbox_on(database: Database) -> Provider:
    clock, sent = ManualClock(), list[tuple[PaymentKey, Answer]]()

    async def on_answer(key: PaymentKey, answer: Answer) -> None:
        sent.append((key, answer))

    payments = SandboxPayments(database, clock, on_answer)
    return Provider(
        payments, clock, PaymentMethod("sandbox:ok"), PaymentMethod("sandbox:declines"), sent
    )


Opened: TypeAlias = Callable[[pytest.FixtureRequest], AbstractAsyncContextManager[Provider]]


@asynccontextmanager
async def _on_sqlite(_: pytest.FixtureRequest) -> AsyncIterator[Provider]:
    database = temporary_sql((SCHEMA,))
    try:
        yield sandbox_on(database)
    finally:
        await database.close()


@asynccontextmanager
async def _on_postgres(request: pytest.FixtureRequest) -> AsyncIterator[Provider]:
    async with fresh_postgres(request.getfixturevalue("postgresql_url")) as database:
        await database.migrate(SCHEMA)
        yield sandbox_on(database)


PROVIDERS: Mapping[str, Opened] = {"sandbox": _on_sqlite, "sandbox on PostgreSQL": _on_postgres}
