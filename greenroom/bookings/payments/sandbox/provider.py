"""The sandbox: a payment provider that moves no money and misbehaves on demand.

The payment method says how; behaviours.py lists them. It declines, answers late, loses an answer,
answers twice, cannot be reached, and ends holds after 7 days, as cards do.
"""

from collections.abc import Callable
from typing import cast

from sqlalchemy import Connection

from greenroom.bookings.money import Money
from greenroom.bookings.payments.answers import (
    Answer,
    Authorisation,
    AuthorisationId,
    Cancellation,
    Capture,
    CaptureId,
    PaymentKey,
    Pending,
    Refund,
    Status,
    Unseen,
)
from greenroom.bookings.payments.base import OnAnswer
from greenroom.bookings.payments.methods import Payer
from greenroom.bookings.payments.sandbox.behaviours import behaviour_of
from greenroom.bookings.payments.sandbox.records import (
    AuthoriseCall,
    Call,
    CallRecord,
    CancelCall,
    CaptureCall,
    Records,
    RefundCall,
)
from greenroom.bookings.payments.sandbox.rules import answer_at, known_call, method_of, perform
from greenroom.clock import Clock
from greenroom.errors import Unavailable
from greenroom.sql.base import Database


class SandboxPayments:
    def __init__(self, database: Database, clock: Clock, on_answer: OnAnswer | None = None) -> None:
        self._database = database
        self._clock = clock
        self._on_answer = on_answer

    async def authorise(
        self, key: PaymentKey, money: Money, payer: Payer, *, capture_before_ms: int
    ) -> Authorisation:
        answer = await self._call(key, AuthoriseCall(money, payer, capture_before_ms))
        return cast(Authorisation, answer)

    async def capture(
        self, key: PaymentKey, authorisation: AuthorisationId, money: Money
    ) -> Capture:
        return cast(Capture, await self._call(key, CaptureCall(authorisation, money)))

    async def cancel(self, key: PaymentKey, authorisation: AuthorisationId) -> Cancellation:
        return cast(Cancellation, await self._call(key, CancelCall(authorisation)))

    async def refund(self, key: PaymentKey, capture: CaptureId, money: Money) -> Refund:
        return cast(Refund, await self._call(key, RefundCall(capture, money)))

    async def status(self, key: PaymentKey) -> Status:
        known = await self._database.read(lambda connection: known_call(Records(connection), key))
        return answer_at(known, self._clock.now_ms()) if known else Unseen()

    async def _call(self, key: PaymentKey, call: Call) -> Answer:
        now_ms = self._clock.now_ms()
        known, is_first = await self._database.write(_performing(key, call, now_ms))
        behaviour, answer = behaviour_of(known.method), answer_at(known, now_ms)
        if behaviour.answers_twice and not isinstance(answer, Pending):
            await self._send(key, answer)
            await self._send(key, answer)
        if behaviour.loses_answer and is_first:
            raise Unavailable("the sandbox lost the answer, as its payment method says")
        return answer

    async def _send(self, key: PaymentKey, answer: Answer) -> None:
        if self._on_answer is not None:
            await self._on_answer(key, answer)


def _performing(
    key: PaymentKey, call: Call, now_ms: int
) -> Callable[[Connection], tuple[CallRecord, bool]]:
    def work(connection: Connection) -> tuple[CallRecord, bool]:
        records = Records(connection)
        records.lock()
        if behaviour_of(method_of(records, call)).unreachable:
            raise Unavailable("the sandbox cannot be reached, as its payment method says")
        is_first = known_call(records, key) is None
        return perform(records, key, call, now_ms), is_first

    return work
