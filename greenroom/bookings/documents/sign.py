"""Signs a version of a document: once for each signer, and only what they have read."""

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from greenroom.bookings.booking_write import BookingWrite
from greenroom.bookings.context import Bookings
from greenroom.bookings.documents import document_rows
from greenroom.bookings.documents.issue import DocumentChange
from greenroom.bookings.documents.models import (
    DocumentRecord,
    DocumentState,
    DocumentVersion,
    Signature,
)
from greenroom.bookings.documents.problems import (
    ConsentNeeded,
    DocumentDiffers,
    DocumentNotFound,
    DocumentReplaced,
    DocumentVoid,
)
from greenroom.bookings.pdf.canonical import sha256_hex
from greenroom.bookings.transfers import Cause
from greenroom.ids import CardId, DocumentId, UserId

MAX_ADDRESS = 64
MAX_USER_AGENT = 300


class NewSignature(Struct, frozen=True, kw_only=True):
    version: int
    content_sha256: str
    """Of what the signer has read."""
    consent: bool
    ip: str = ""
    user_agent: str = ""


class Signed(Struct, frozen=True):
    record: DocumentRecord
    replayed: bool = False
    """Whether the signer had signed this version before."""


async def sign(
    bookings: Bookings, user: UserId, document_id: DocumentId, new: NewSignature
) -> Signed:
    if not new.consent:
        raise ConsentNeeded

    def work(connection: Connection) -> Signed:
        now_ms = bookings.clock.now_ms()
        group = document_rows.group_of_document(connection, document_id)
        if group is None:
            raise DocumentNotFound
        write = BookingWrite(connection, group, now_ms, bookings.rules)
        record = _record(connection, document_id)
        if user not in record.current.parties:
            raise DocumentNotFound
        if _has_signed(record, user, new):
            return Signed(record, replayed=True)
        current = _checked(record.current, new)
        signature = _signature(current, user, new, now_ms)
        document_rows.add_signature(connection, signature)
        after = _with(record, signature, now_ms)
        if after.state is DocumentState.SIGNED:
            document_rows.save_version(connection, after)
            document_rows.set_drawing(connection, after, draw_ms=max(1, now_ms), tries=0)
        leg = write.booking.leg(after.leg)
        assert leg is not None
        write.begin(Cause(CardId(document_id), after.version, now_ms))
        write.tell_document(DocumentChange("document.signed", after, leg), user, signature)
        write.finish()
        return Signed(_record(connection, document_id))

    return await bookings.database.write(work)


def _record(connection: Connection, document: DocumentId) -> DocumentRecord:
    record = document_rows.record_of(connection, document)
    assert record is not None
    return record


def _has_signed(record: DocumentRecord, user: UserId, new: NewSignature) -> bool:
    """The same answer for a repeat, also when the version has been replaced since."""
    made = (one for one in record.signatures_of(new.version) if one.signer == user)
    return any(one.content_sha256 == new.content_sha256 for one in made)


def _checked(current: DocumentVersion, new: NewSignature) -> DocumentVersion:
    if current.state is DocumentState.VOID:
        raise DocumentVoid
    if new.version != current.version:
        raise DocumentReplaced(new.version, current.version)
    if new.content_sha256 != current.content_sha256:
        raise DocumentDiffers(current.version, current.content_sha256)
    return current


def _signature(current: DocumentVersion, user: UserId, new: NewSignature, now_ms: int) -> Signature:
    return Signature(
        document=current.id,
        version=current.version,
        signer=user,
        content_sha256=current.content_sha256,
        consent=current.consent,
        consent_sha256=sha256_hex(current.consent),
        ip=new.ip[:MAX_ADDRESS],
        user_agent=new.user_agent[:MAX_USER_AGENT],
        at_ms=now_ms,
    )


def _with(record: DocumentRecord, signature: Signature, now_ms: int) -> DocumentVersion:
    """When all have signed, its PDF is due."""
    current = record.current
    signed = {one.signer for one in record.signatures_of(current.version)} | {signature.signer}
    if not signed.issuperset(current.parties):
        return current
    return replace(current, state=DocumentState.SIGNED, signed_ms=now_ms)
