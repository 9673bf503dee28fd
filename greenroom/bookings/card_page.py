"""Says what the PDF of an action card prints: its facts and its steps. Pure."""

from collections.abc import Iterator, Mapping

from greenroom.bookings.card_summary import summary_of
from greenroom.bookings.cards.instants import ms_of
from greenroom.bookings.cards.payloads import (
    Cancel,
    Complete,
    DepositClaim,
    Dispute,
    Expense,
    Extras,
    LegTerms,
    Offer,
    Overtime,
    Payload,
    Proofs,
    Reschedule,
    Safety,
)
from greenroom.bookings.cards.types import DECLARATIONS
from greenroom.bookings.models import Step
from greenroom.bookings.money import Money
from greenroom.bookings.pdf.amounts import written
from greenroom.bookings.pdf.documents import Amount, Card as PrintedCard, Fact, Step as PrintedStep
from greenroom.bookings.pdf.moments import period
from greenroom.bookings.read_cards import CardRecord
from greenroom.bookings.step_events import event_of
from greenroom.ids import UserId
from greenroom.people.actor import SYSTEM

_AUTOMATIC = "Automatic"
_MOST_STEPS = 60
"""The newest: a card that goes back and forth for months still fits on some pages."""


def card_page_of(record: CardRecord, names: Mapping[UserId, str], zone: str) -> PrintedCard:
    card = record.card
    return PrintedCard(
        card_id=card.id,
        version=card.version,
        kind=DECLARATIONS[card.type].title,
        title=summary_of(card)[:200],
        state=card.state.value,
        booking_id=record.group,
        issued_ms=card.changed_ms,
        zone=zone,
        facts=tuple(_facts(card.payload, names, zone)),
        steps=tuple(_step(one, names) for one in record.steps[-_MOST_STEPS:]),
    )


def _step(step: Step, names: Mapping[UserId, str]) -> PrintedStep:
    action = event_of(step).removeprefix("card.").replace("_", " ").capitalize()
    by = _AUTOMATIC if step.actor == SYSTEM else names.get(step.actor, step.actor)
    return PrintedStep(step.at_ms, by, action, step.note)


def _facts(payload: Payload, names: Mapping[UserId, str], zone: str) -> Iterator[Fact]:
    match payload:
        case Offer(legs=legs):
            for number, leg in enumerate(legs, 1):
                yield from _leg(leg, names, f" {number}" if len(legs) > 1 else "")
        case Reschedule(starts_at=starts, ends_at=ends):
            yield Fact("New time", period(ms_of(starts), ms_of(ends), zone))
        case Extras(items=items):
            for one in items:
                yield Fact(one.title, _money(one.price))
        case Overtime(minutes=minutes, price=price):
            yield Fact("Overtime", f"{minutes} minutes")
            yield Fact("Price", _money(price))
        case Proofs(title=title, files=files, round=round):
            yield Fact("Proofs", title)
            yield Fact("Round", str(round))
            yield Fact("Files", "\n".join(files) or "None")
        case Expense(title=title, price=price):
            yield Fact("Expense", title)
            yield Fact("Amount", _money(price))
        case Cancel(reason=reason, refund=refund):
            yield Fact("Reason", reason)
            yield Fact("Refund", "By the policy" if refund is None else _money(refund))
        case DepositClaim(amount=amount, reason=reason):
            yield Fact("Amount", _money(amount))
            yield Fact("Reason", reason)
        case Dispute():
            yield from _dispute(payload)
        case Safety(measures=measures):
            yield Fact("Measures", "\n".join(measures))
        case Complete():
            pass
    if note := getattr(payload, "note", ""):
        yield Fact("Note", note)


def _leg(leg: LegTerms, names: Mapping[UserId, str], number: str) -> Iterator[Fact]:
    yield Fact(f"Job{number}", leg.title)
    yield Fact("Provider", names.get(leg.provider, leg.provider))
    yield Fact("When", period(ms_of(leg.starts_at), ms_of(leg.ends_at), leg.time_zone))
    if where := "\n".join(filter(None, (leg.place, leg.city))):
        yield Fact("Where", where)
    yield Fact("Price", _money(leg.price))
    if leg.deposit is not None:
        yield Fact("Deposit", _money(leg.deposit))


def _dispute(payload: Dispute) -> Iterator[Fact]:
    yield Fact("Reason", payload.reason)
    if payload.refund is not None:
        yield Fact("Refund asked for", _money(payload.refund))
    if payload.claim is not None:
        yield Fact("Claim on the deposit", _money(payload.claim))
    if payload.answer:
        yield Fact("Answer", payload.answer)


def _money(money: Money) -> str:
    return written(Amount(money.minor, money.currency))
