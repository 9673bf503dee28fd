"""Reads documents for those who may: the parties of each, and staff."""

from msgspec import Struct
from sqlalchemy import Connection

from greenroom.blobs.base import BlobKey
from greenroom.bookings import rows
from greenroom.bookings.context import Bookings
from greenroom.bookings.documents import document_rows
from greenroom.bookings.documents.draw import key_of, pdf_of
from greenroom.bookings.documents.models import (
    DocumentFile,
    DocumentRecord,
    DocumentVersion,
    FileKind,
)
from greenroom.bookings.documents.problems import DocumentFileMissing, DocumentNotFound
from greenroom.bookings.pdf_files import files_of
from greenroom.ids import DocumentId, ThreadId, UserId


class DocumentPdf(Struct, frozen=True):
    file: DocumentFile
    size: int

    @property
    def key(self) -> BlobKey:
        return key_of(self.file)


async def documents_of_thread(
    bookings: Bookings, thread: ThreadId, user: UserId, *, staff: bool
) -> tuple[DocumentRecord, ...]:
    """Those of the thread's legs that the user is a party of; all of them for staff."""

    def work(connection: Connection) -> tuple[DocumentRecord, ...]:
        group = rows.group_of_thread(connection, thread)
        if group is None:
            return ()
        booking = rows.find_booking(connection, group)
        here = {leg.id for leg in booking.legs if thread in (leg.thread, booking.thread)}
        return tuple(
            one
            for one in document_rows.records_of_group(connection, group)
            if one.current.leg in here and _may_read(one, user, staff=staff)
        )

    return await bookings.database.read(work)


async def document(
    bookings: Bookings, document_id: DocumentId, user: UserId, *, staff: bool
) -> DocumentRecord:
    record = await bookings.database.read(
        lambda connection: document_rows.record_of(connection, document_id)
    )
    if record is None or not _may_read(record, user, staff=staff):
        raise DocumentNotFound
    return record


def _may_read(record: DocumentRecord, user: UserId, *, staff: bool) -> bool:
    return staff or user in record.current.parties


async def document_pdf(bookings: Bookings, record: DocumentRecord, number: int) -> DocumentPdf:
    """The signed PDF of a version; without all signatures its draft. It is drawn if need be."""
    version = record.version(number)
    if version is None:
        raise DocumentNotFound
    file = await pdf_of(bookings, record, version, _kind(version))
    size = await files_of(bookings).size_of(key_of(file))
    if size is None:
        raise DocumentFileMissing
    return DocumentPdf(file, size)


def _kind(version: DocumentVersion) -> FileKind:
    return FileKind.SIGNED if version.signed_ms else FileKind.DRAFT
