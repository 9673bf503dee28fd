"""Reads and writes the rows of documents, their signatures and their files.

Careful: a function here takes a connection with a transaction. What it means is decided elsewhere.
"""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, Row, Select, insert, select, update
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from greenroom.bookings import rows
from greenroom.bookings.documents.models import (
    DocumentFile,
    DocumentRecord,
    DocumentState,
    DocumentVersion,
    FileKind,
    Signature,
)
from greenroom.bookings.pdf.documents import Contract
from greenroom.bookings.schema import DOCUMENT_FILES, DOCUMENTS, SIGNATURES
from greenroom.ids import DocumentId, GroupId, LegId, UserId


def add_version(connection: Connection, document: DocumentVersion) -> None:
    values = _changing(document) | {
        "id": document.id,
        "version": document.version,
        "group_id": document.group,
        "leg_id": document.leg,
        "content": rows.packed(document.contract),
        "content_sha256": document.content_sha256,
        "consent": document.consent,
        "issued_ms": document.issued_ms,
        "draw_ms": 0,
        "draw_tries": 0,
    }
    connection.execute(insert(DOCUMENTS).values(values))


def save_version(connection: Connection, document: DocumentVersion) -> None:
    """Its state. What was agreed never changes."""
    connection.execute(
        update(DOCUMENTS)
        .where(DOCUMENTS.c.id == document.id, DOCUMENTS.c.version == document.version)
        .values(_changing(document))
    )


def _changing(document: DocumentVersion) -> dict[str, Any]:
    return {
        "state": document.state.value,
        "signed_ms": document.signed_ms,
        "ended_ms": document.ended_ms,
    }


def set_drawing(
    connection: Connection, before: DocumentVersion, *, draw_ms: int, tries: int
) -> bool:
    """When its PDF is drawn. False if another node has changed that since `before` was read."""
    changed = connection.execute(
        update(DOCUMENTS)
        .where(
            DOCUMENTS.c.id == before.id,
            DOCUMENTS.c.version == before.version,
            DOCUMENTS.c.draw_ms == before.draw_ms,
        )
        .values(draw_ms=draw_ms, draw_tries=tries)
    )
    return changed.rowcount == 1


def versions_to_draw(connection: Connection, now_ms: int, most: int) -> tuple[DocumentVersion, ...]:
    """The longest due first."""
    due = DOCUMENTS.c.draw_ms.between(1, now_ms)
    query = select(DOCUMENTS).where(due).order_by(DOCUMENTS.c.draw_ms).limit(most)
    return tuple(map(version_in, connection.execute(query)))


def group_of_document(connection: Connection, document: DocumentId) -> GroupId | None:
    query = select(DOCUMENTS.c.group_id).where(DOCUMENTS.c.id == document).limit(1)
    found = connection.execute(query).scalar()
    return None if found is None else GroupId(found)


def current_version(connection: Connection, document: DocumentId) -> DocumentVersion | None:
    query = _newest(select(DOCUMENTS).where(DOCUMENTS.c.id == document)).limit(1)
    found = connection.execute(query).first()
    return None if found is None else version_in(found)


def record_of(connection: Connection, document: DocumentId) -> DocumentRecord | None:
    query = _newest(select(DOCUMENTS).where(DOCUMENTS.c.id == document))
    versions = tuple(map(version_in, connection.execute(query)))
    return (
        DocumentRecord(versions=versions, signatures=_signatures(connection, (document,)))
        if versions
        else None
    )


def records_of_group(connection: Connection, group: GroupId) -> tuple[DocumentRecord, ...]:
    """The newest documents first."""
    query = _newest(select(DOCUMENTS).where(DOCUMENTS.c.group_id == group))
    versions = tuple(map(version_in, connection.execute(query)))
    ids = tuple(dict.fromkeys(one.id for one in versions))
    signatures = _signatures(connection, ids)
    found = (
        DocumentRecord(
            versions=tuple(one for one in versions if one.id == id),
            signatures=tuple(one for one in signatures if one.document == id),
        )
        for id in ids
    )
    return tuple(sorted(found, key=lambda one: -one.current.issued_ms))


def _newest(query: Select[Any]) -> Select[Any]:
    return query.order_by(DOCUMENTS.c.id, DOCUMENTS.c.version.desc())


def version_in(row: Row[Any]) -> DocumentVersion:
    return DocumentVersion(
        id=DocumentId(row.id),
        version=row.version,
        group=GroupId(row.group_id),
        leg=LegId(row.leg_id),
        state=DocumentState(row.state),
        contract=rows.unpacked(row.content, Contract),
        content_sha256=row.content_sha256,
        consent=row.consent,
        issued_ms=row.issued_ms,
        signed_ms=row.signed_ms,
        ended_ms=row.ended_ms,
        draw_ms=row.draw_ms,
        draw_tries=row.draw_tries,
    )


# Signatures


def add_signature(connection: Connection, signature: Signature) -> None:
    connection.execute(
        insert(SIGNATURES).values(
            document_id=signature.document,
            version=signature.version,
            signer=signature.signer,
            content_sha256=signature.content_sha256,
            consent=signature.consent,
            consent_sha256=signature.consent_sha256,
            ip=signature.ip,
            user_agent=signature.user_agent,
            at_ms=signature.at_ms,
        )
    )


def _signatures(connection: Connection, documents: Iterable[DocumentId]) -> tuple[Signature, ...]:
    found = connection.execute(
        select(SIGNATURES)
        .where(SIGNATURES.c.document_id.in_(tuple(documents)))
        .order_by(SIGNATURES.c.version, SIGNATURES.c.at_ms, SIGNATURES.c.signer)
    )
    return tuple(
        Signature(
            document=DocumentId(row.document_id),
            version=row.version,
            signer=UserId(row.signer),
            content_sha256=row.content_sha256,
            consent=row.consent,
            consent_sha256=row.consent_sha256,
            ip=row.ip,
            user_agent=row.user_agent,
            at_ms=row.at_ms,
        )
        for row in found
    )


# Files


def add_file(connection: Connection, file: DocumentFile) -> DocumentFile:
    """Records the PDF, unless the version has one of this kind: the first one stays."""
    values = {
        "sha256": file.sha256,
        "document_id": file.document,
        "version": file.version,
        "kind": file.kind.value,
        "at_ms": file.at_ms,
    }
    into = postgres_insert if connection.dialect.name == "postgresql" else sqlite_insert
    connection.execute(into(DOCUMENT_FILES).values(values).on_conflict_do_nothing())
    found = find_file(connection, file.document, file.version, file.kind)
    assert found is not None
    return found


def find_file(
    connection: Connection, document: DocumentId, version: int, kind: FileKind
) -> DocumentFile | None:
    return _file(
        connection.execute(
            select(DOCUMENT_FILES).where(
                DOCUMENT_FILES.c.document_id == document,
                DOCUMENT_FILES.c.version == version,
                DOCUMENT_FILES.c.kind == kind.value,
            )
        ).first()
    )


def file_with(connection: Connection, sha256: str) -> DocumentFile | None:
    return _file(
        connection.execute(select(DOCUMENT_FILES).where(DOCUMENT_FILES.c.sha256 == sha256)).first()
    )


def _file(row: Row[Any] | None) -> DocumentFile | None:
    if row is None:
        return None
    return DocumentFile(
        sha256=row.sha256,
        document=DocumentId(row.document_id),
        version=row.version,
        kind=FileKind(row.kind),
        at_ms=row.at_ms,
    )
