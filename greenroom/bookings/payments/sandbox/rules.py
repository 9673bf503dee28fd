"""What a call does to the records of the sandbox. It does the same when it is run again."""

from hashlib import sha256
from typing import TypeVar

import msgspec
from msgspec import Struct

from greenroom.bookings.money import Money
from greenroom.bookings.payments.answers import (
    Answer,
    AuthorisationId,
    Authorised,
    Cancelled,
    Captured,
    CaptureId,
    Declined,
    DeclineReason,
    PaymentKey,
    Pending,
    Refunded,
    RefundId,
)
from greenroom.bookings.payments.methods import PaymentMethod
from greenroom.bookings.payments.sandbox.behaviours import behaviour_of
from greenroom.bookings.payments.sandbox.records import (
    AuthoriseCall,
    Call,
    CallRecord,
    CancelCall,
    CaptureCall,
    CaptureRecord,
    HoldRecord,
    HoldState,
    Record,
    Records,
    RefundCall,
)
from greenroom.bookings.problems import InvalidMoney, PaymentKeyReused, PaymentNotFound

R = TypeVar("R", CallRecord, HoldRecord, CaptureRecord)


def known_call(records: Records, key: PaymentKey) -> CallRecord | None:
    return _find(records, key, CallRecord)


def answer_at(known: CallRecord, now_ms: int) -> Answer:
    is_known = now_ms >= known.known_from_ms
    return known.answer if is_known else Pending(known.known_from_ms)


def perform(records: Records, key: PaymentKey, call: Call, now_ms: int) -> CallRecord:
    """Acts if the key is new, and returns what is on record for it."""
    if known := known_call(records, key):
        if known.call != call:
            raise PaymentKeyReused(key)
        return known
    if not isinstance(call, CancelCall) and not call.money:
        raise InvalidMoney("a payment needs an amount above zero")
    method = method_of(records, call)
    answer = _act(records, key, call, now_ms)
    made = CallRecord(call, method, answer, now_ms + behaviour_of(method).delay_ms)
    records.put(_name(CallRecord, key), made)
    return made


def method_of(records: Records, call: Call) -> PaymentMethod:
    match call:
        case AuthoriseCall(payer=payer):
            return payer.method
        case CaptureCall(authorisation=authorisation) | CancelCall(authorisation=authorisation):
            return _existing(records, authorisation, HoldRecord).method
        case RefundCall(capture=capture):
            return _existing(records, capture, CaptureRecord).method


def _act(records: Records, key: PaymentKey, call: Call, now_ms: int) -> Answer:
    match call:
        case AuthoriseCall():
            return _authorise(records, key, call, now_ms)
        case CaptureCall(authorisation, money):
            return _capture(records, key, authorisation, money, now_ms)
        case CancelCall(authorisation):
            return _cancel(records, authorisation, now_ms)
        case RefundCall(capture, money):
            return _refund(records, key, capture, money)


def _authorise(records: Records, key: PaymentKey, call: AuthoriseCall, now_ms: int) -> Answer:
    method = call.payer.method
    behaviour = behaviour_of(method)
    if behaviour.authorise:
        return Declined(behaviour.authorise)
    authorisation = AuthorisationId(_id("auth", key))
    capture_before_ms = min(call.capture_before_ms, now_ms + behaviour.hold_ms)
    _keep(records, authorisation, HoldRecord(method, call.money, capture_before_ms))
    return Authorised(authorisation, call.money, capture_before_ms)


def _capture(
    records: Records, key: PaymentKey, authorisation: AuthorisationId, money: Money, now_ms: int
) -> Answer:
    hold = _existing(records, authorisation, HoldRecord)
    if reason := _why_not(hold, now_ms) or behaviour_of(hold.method).capture:
        return Declined(reason)
    if hold.money < money:
        return Declined(DeclineReason.TOO_MUCH)
    capture = CaptureId(_id("capture", key))
    _keep(records, authorisation, msgspec.structs.replace(hold, state=HoldState.CAPTURED))
    _keep(records, capture, CaptureRecord(hold.method, money))
    return Captured(capture, money)


def _cancel(records: Records, authorisation: AuthorisationId, now_ms: int) -> Answer:
    hold = _existing(records, authorisation, HoldRecord)
    reason = _why_not(hold, now_ms)
    if reason is DeclineReason.ALREADY_CAPTURED:
        return Declined(reason)
    if reason is None:
        _keep(records, authorisation, msgspec.structs.replace(hold, state=HoldState.CANCELLED))
    return Cancelled(authorisation)


def _refund(records: Records, key: PaymentKey, capture: CaptureId, money: Money) -> Answer:
    captured = _existing(records, capture, CaptureRecord)
    if reason := behaviour_of(captured.method).refund:
        return Declined(reason)
    if captured.left < money:
        return Declined(DeclineReason.TOO_MUCH)
    _keep(records, capture, msgspec.structs.replace(captured, left=captured.left - money))
    return Refunded(RefundId(_id("refund", key)), money)


def _why_not(hold: HoldRecord, now_ms: int) -> DeclineReason | None:
    """Why nothing can be taken from a hold."""
    match hold.state:
        case HoldState.CAPTURED:
            return DeclineReason.ALREADY_CAPTURED
        case HoldState.CANCELLED:
            return DeclineReason.HOLD_CANCELLED
        case HoldState.HELD:
            return DeclineReason.HOLD_EXPIRED if now_ms >= hold.capture_before_ms else None


def _id(kind: str, key: PaymentKey) -> str:
    """Follows from the key, so that acting again makes the same."""
    return f"sandbox_{kind}_{sha256(key.encode()).hexdigest()[:32]}"


def _existing(records: Records, id: str, kind: type[R]) -> R:
    found = _find(records, id, kind)
    if found is None:
        raise PaymentNotFound(id)
    return found


def _find(records: Records, id: str, kind: type[R]) -> R | None:
    found = records.get(_name(kind, id))
    assert found is None or isinstance(found, kind)
    return found


def _keep(records: Records, id: str, record: Record) -> None:
    records.put(_name(type(record), id), record)


def _name(kind: type[Struct], id: str) -> str:
    return f"{kind.__struct_config__.tag}:{id}"
