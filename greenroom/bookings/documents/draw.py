"""Draws the PDF of a version, stores it, and records its SHA-256: the first one stays for good.

    draw ──> blob under its own SHA-256 ──> recorded, unless another one was ──> PDF is there

A sealed PDF has other bytes each time. So each try has a blob of its own, SQL records one of them,
and what another try has stored is deleted. Killed between two steps, the next try starts over.
"""

import logging

from msgspec.structs import replace
from sqlalchemy import Connection

from greenroom.blobs.base import BlobKey
from greenroom.bookings.context import Bookings
from greenroom.bookings.documents import document_rows
from greenroom.bookings.documents.models import (
    DocumentFile,
    DocumentRecord,
    DocumentVersion,
    FileKind,
)
from greenroom.bookings.documents.problems import DocumentTooLong
from greenroom.bookings.pdf import documents as pdf
from greenroom.bookings.pdf.canonical import sha256_hex
from greenroom.bookings.pdf.documents import Contract
from greenroom.bookings.pdf_files import PdfFiles, files_of
from greenroom.errors import Problem, Unavailable

DRAW_SECONDS = 1.0
_AT_ONCE = 20
_LEASE_MS = 120_000
"""How long a node has to draw one before another one tries."""
_FIRST_PAUSE_MS = 1_000
_LONGEST_PAUSE_MS = 3_600_000
_TROUBLE = (Problem, Unavailable, OSError, TimeoutError)
_log = logging.getLogger(__name__)


def key_of(file: DocumentFile) -> BlobKey:
    return BlobKey(f"documents/{file.document}/{file.version}-{file.sha256}.pdf")


async def draw_due(bookings: Bookings) -> None:
    """Draws signed documents that have no PDF yet. Every node may do it."""
    if bookings.pdf is None:
        return
    now_ms = bookings.clock.now_ms()
    due = await bookings.database.read(
        lambda connection: document_rows.versions_to_draw(connection, now_ms, _AT_ONCE)
    )
    for version in due:
        await _draw(bookings, version)


async def _draw(bookings: Bookings, version: DocumentVersion) -> None:
    claimed = replace(
        version, draw_ms=bookings.clock.now_ms() + _LEASE_MS, draw_tries=version.draw_tries + 1
    )
    if not await _set(bookings, version, claimed.draw_ms, claimed.draw_tries):
        return  # another node draws it
    try:
        record = await _record(bookings, version)
        await pdf_of(bookings, record, version, FileKind.SIGNED)
    except DocumentTooLong as trouble:
        _log.error("%s, version %d: %s", version.id, version.version, trouble)
        await _set(bookings, claimed, 0, claimed.draw_tries)
    except _TROUBLE as trouble:  # one that fails holds up no other
        _log.warning("%s, version %d is drawn later: %r", version.id, version.version, trouble)
        pause_ms = min(_FIRST_PAUSE_MS * 2 ** min(claimed.draw_tries, 20), _LONGEST_PAUSE_MS)
        retry_ms = bookings.clock.now_ms() + pause_ms
        await _set(bookings, claimed, retry_ms, claimed.draw_tries)
    else:
        await _set(bookings, claimed, 0, claimed.draw_tries)


async def _set(bookings: Bookings, before: DocumentVersion, draw_ms: int, tries: int) -> bool:
    return await bookings.database.write(
        lambda connection: document_rows.set_drawing(
            connection, before, draw_ms=draw_ms, tries=tries
        )
    )


async def _record(bookings: Bookings, version: DocumentVersion) -> DocumentRecord:
    def work(connection: Connection) -> DocumentRecord:
        record = document_rows.record_of(connection, version.id)
        assert record is not None
        return record

    return await bookings.database.read(work)


async def pdf_of(
    bookings: Bookings, record: DocumentRecord, version: DocumentVersion, kind: FileKind
) -> DocumentFile:
    """The version's PDF, which is drawn if there is none yet."""
    files = files_of(bookings)
    known = await bookings.database.read(
        lambda connection: document_rows.find_file(connection, version.id, version.version, kind)
    )
    if known is not None:
        return known
    content = await files.drawn(_printed(files, record, version, kind))
    return await _kept(bookings, files, version, kind, content)


async def _kept(
    bookings: Bookings, files: PdfFiles, version: DocumentVersion, kind: FileKind, content: bytes
) -> DocumentFile:
    made = DocumentFile(
        sha256=sha256_hex(content),
        document=version.id,
        version=version.version,
        kind=kind,
        at_ms=bookings.clock.now_ms(),
    )
    await files.put(key_of(made), content)
    kept = await bookings.database.write(
        lambda connection: document_rows.add_file(connection, made)
    )
    if kept.sha256 != made.sha256:
        await files.blobs.delete(key_of(made))
    return kept


def _printed(
    files: PdfFiles, record: DocumentRecord, version: DocumentVersion, kind: FileKind
) -> Contract:
    if kind is FileKind.DRAFT:
        return version.contract
    names = {one.user_id: one.name for one in version.contract.parties}
    signatures = tuple(
        pdf.Signature(
            name=names[one.signer],
            user_id=one.signer,
            signed_ms=one.at_ms,
            ip=one.ip,
            user_agent=one.user_agent,
            consent=one.consent,
        )
        for one in record.signatures_of(version.version)
    )
    return replace(version.contract, signatures=signatures, verify_url=files.verify_url(version.id))
