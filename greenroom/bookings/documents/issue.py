"""Issues, replaces and voids the contracts of legs, in the transaction that changes the legs."""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from greenroom.bookings.card_policy import Rules
from greenroom.bookings.documents import document_rows
from greenroom.bookings.documents.contract_terms import contract_of, document_id_of, is_changed
from greenroom.bookings.documents.models import ACTIVE_STATES, DocumentState, DocumentVersion
from greenroom.bookings.models import Booking, Leg, LegStatus
from greenroom.bookings.pdf.contract import contract_hash


class DocumentChange(Struct, frozen=True):
    event: str
    """Such as `document.issued`."""
    document: DocumentVersion
    leg: Leg
    shown: bool = True
    """Whether the conversation says so."""


def issue_documents(
    connection: Connection, before: Booking, after: Booking, rules: Rules, now_ms: int
) -> Iterator[DocumentChange]:
    """Writes what became of documents. The legs are written already."""
    for leg in after.legs:
        old = before.leg(leg.id)
        if old is not None and not _concerns(old, leg):
            continue
        current = document_rows.current_version(connection, document_id_of(leg.id))
        if leg.status is LegStatus.CANCELLED:
            if current is not None and current.state in ACTIVE_STATES:
                voided = _ended(connection, current, DocumentState.VOID, now_ms)
                yield DocumentChange("document.voided", voided, leg)
            continue
        if current is None and (old is not None or not rules.documents.contracts):
            continue
        if current is not None and current.state in ACTIVE_STATES:
            replaced = _ended(connection, current, DocumentState.SUPERSEDED, now_ms)
            yield DocumentChange("document.superseded", replaced, leg, shown=False)
        version = 1 if current is None else current.version + 1
        issued = _issued(after, leg, version, rules, now_ms)
        document_rows.add_version(connection, issued)
        yield DocumentChange("document.issued", issued, leg)


def _concerns(old: Leg, leg: Leg) -> bool:
    cancelled = leg.status is LegStatus.CANCELLED and old.status is not LegStatus.CANCELLED
    return cancelled or is_changed(old, leg)


def _issued(booking: Booking, leg: Leg, version: int, rules: Rules, now_ms: int) -> DocumentVersion:
    contract = contract_of(booking, leg, version, now_ms, rules)
    return DocumentVersion(
        id=document_id_of(leg.id),
        version=version,
        group=booking.id,
        leg=leg.id,
        contract=contract,
        content_sha256=contract_hash(contract),
        consent=rules.documents.consent,
        issued_ms=now_ms,
    )


def _ended(
    connection: Connection, document: DocumentVersion, state: DocumentState, now_ms: int
) -> DocumentVersion:
    """A signed version keeps its signatures, and its PDF is still drawn."""
    ended = replace(document, state=state, ended_ms=now_ms)
    document_rows.save_version(connection, ended)
    return ended
