"""What the sandbox keeps: calls by key, holds and captures."""

from enum import StrEnum
from typing import TypeAlias

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, insert, select, update

from greenroom.bookings.money import Money
from greenroom.bookings.payments.answers import Answer, AuthorisationId, CaptureId
from greenroom.bookings.payments.methods import Payer, PaymentMethod
from greenroom.bookings.payments.sandbox.schema import LOCK, RECORDS


class AuthoriseCall(Struct, frozen=True, tag="authorise"):
    money: Money
    payer: Payer
    capture_before_ms: int


class CaptureCall(Struct, frozen=True, tag="capture"):
    authorisation: AuthorisationId
    money: Money


class CancelCall(Struct, frozen=True, tag="cancel"):
    authorisation: AuthorisationId


class RefundCall(Struct, frozen=True, tag="refund"):
    capture: CaptureId
    money: Money


Call: TypeAlias = AuthoriseCall | CaptureCall | CancelCall | RefundCall


class CallRecord(Struct, frozen=True, tag="call"):
    call: Call
    method: PaymentMethod
    answer: Answer
    known_from_ms: int
    """The answer is pending until then."""


class HoldState(StrEnum):
    HELD = "held"
    CAPTURED = "captured"
    CANCELLED = "cancelled"


class HoldRecord(Struct, frozen=True, tag="hold"):
    method: PaymentMethod
    money: Money
    capture_before_ms: int
    state: HoldState = HoldState.HELD


class CaptureRecord(Struct, frozen=True, tag="captured"):
    method: PaymentMethod
    left: Money
    """What can still be refunded."""


Record: TypeAlias = CallRecord | HoldRecord | CaptureRecord


class Records:
    """Records by name, within a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def lock(self) -> None:
        """Until the end of the transaction, no other call passes."""
        query = select(RECORDS.c.name).where(RECORDS.c.name == LOCK).with_for_update()
        self._connection.execute(query).one()

    def get(self, name: str) -> Record | None:
        query = select(RECORDS.c.record).where(RECORDS.c.name == name)
        found = self._connection.execute(query).scalar_one_or_none()
        return None if found is None else _DECODER.decode(found)

    def put(self, name: str, record: Record) -> None:
        values = {"record": msgspec.json.encode(record).decode()}
        changed = update(RECORDS).where(RECORDS.c.name == name).values(values)
        if not self._connection.execute(changed).rowcount:
            self._connection.execute(insert(RECORDS).values(name=name, **values))


_DECODER: msgspec.json.Decoder[Record] = msgspec.json.Decoder(Record)
