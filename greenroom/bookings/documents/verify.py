"""Tells anybody whether a PDF is a document that was signed here, by its SHA-256 alone.

Careful: the answer is public. It names no person, no title and no price.
"""

from enum import StrEnum

from msgspec import Struct
from sqlalchemy import Connection

from greenroom.bookings.context import Bookings
from greenroom.bookings.documents import document_rows
from greenroom.bookings.documents.models import DocumentState, DocumentVersion, FileKind
from greenroom.ids import DocumentId


class Verdict(StrEnum):
    SIGNED = "signed"
    VOIDED = "voided"
    SUPERSEDED = "superseded"
    PENDING = "pending"
    """Issued here, and not signed: a draft."""
    UNKNOWN = "unknown"


class Verified(Struct, frozen=True):
    document: DocumentId
    version: int
    status: Verdict
    signatures: int
    signed_ms: int
    ended_ms: int


async def verify(bookings: Bookings, sha256: str) -> Verified | None:
    """None for a file that was not made here."""

    def work(connection: Connection) -> Verified | None:
        file = document_rows.file_with(connection, sha256)
        if file is None:
            return None
        record = document_rows.record_of(connection, file.document)
        version = None if record is None else record.version(file.version)
        assert record is not None
        assert version is not None
        is_signed = file.kind is FileKind.SIGNED
        return Verified(
            document=file.document,
            version=file.version,
            status=_verdict(version, file.kind),
            signatures=len(record.signatures_of(file.version)) if is_signed else 0,
            signed_ms=version.signed_ms if is_signed else 0,
            ended_ms=version.ended_ms,
        )

    return await bookings.database.read(work)


def _verdict(version: DocumentVersion, kind: FileKind) -> Verdict:
    match version.state:
        case DocumentState.VOID:
            return Verdict.VOIDED
        case DocumentState.SUPERSEDED:
            return Verdict.SUPERSEDED
        case _:
            return Verdict.SIGNED if kind is FileKind.SIGNED else Verdict.PENDING
