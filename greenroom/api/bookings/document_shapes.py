"""The JSON shapes of documents. Times are ISO strings in UTC.

Careful: from where somebody signed is in the PDF, which only the parties have, and not here.
"""

import msgspec
from msgspec import UNSET, Struct, UnsetType

from greenroom.bookings.documents.models import (
    DocumentRecord,
    DocumentState,
    DocumentVersion,
    Signature,
)
from greenroom.bookings.documents.verify import Verdict, Verified
from greenroom.bookings.pdf.canonical import canonical_json, sha256_hex
from greenroom.clock import iso
from greenroom.ids import DocumentId, LegId, UserId


class DocumentSignature(Struct, rename="camel"):
    user_id: UserId
    signed_at: str
    content_sha256: str
    consent_sha256: str


class DocumentVersionShape(Struct, rename="camel"):
    version: int
    state: DocumentState
    content: str
    content_sha256: str
    consent: str
    consent_sha256: str
    issued_at: str
    signed_at: str | None
    ended_at: str | None
    signatures: list[DocumentSignature]


class DocumentSummary(Struct, rename="camel"):
    """The current version of a document, without its content."""

    document_id: DocumentId
    leg_id: LegId
    title: str
    version: int
    state: DocumentState
    party_user_ids: list[UserId]
    waits_on_user_ids: list[UserId]
    issued_at: str
    signed_at: str | None
    ended_at: str | None


class Document(DocumentSummary, rename="camel"):
    """A document with all its versions."""

    versions: list[DocumentVersionShape]


class DocumentList(Struct, rename="camel"):
    documents: list[DocumentSummary]


class DocumentVerdict(Struct, rename="camel"):
    """What is known of a PDF: nothing but the status of one that was not made here."""

    status: Verdict
    document_id: DocumentId | UnsetType = UNSET
    version: int | UnsetType = UNSET
    signatures: int | UnsetType = UNSET
    signed_at: str | UnsetType | None = UNSET
    ended_at: str | UnsetType | None = UNSET


def summary_shape(record: DocumentRecord) -> DocumentSummary:
    return DocumentSummary(**_summary(record))  # type: ignore[arg-type]


def document_shape(record: DocumentRecord) -> Document:
    versions = [_version(record, one) for one in record.versions]
    return Document(**_summary(record), versions=versions)  # type: ignore[arg-type]


def _summary(record: DocumentRecord) -> dict[str, object]:
    current = record.current
    signed = {one.signer for one in record.signatures_of(current.version)}
    waits = current.state is DocumentState.ISSUED
    return {
        "document_id": current.id,
        "leg_id": current.leg,
        "title": current.contract.title,
        "version": current.version,
        "state": current.state,
        "party_user_ids": list(current.parties),
        "waits_on_user_ids": [one for one in current.parties if waits and one not in signed],
        "issued_at": iso(current.issued_ms),
        "signed_at": _at(current.signed_ms),
        "ended_at": _at(current.ended_ms),
    }


def _version(record: DocumentRecord, version: DocumentVersion) -> DocumentVersionShape:
    return DocumentVersionShape(
        version=version.version,
        state=version.state,
        content=canonical_json(msgspec.to_builtins(version.contract)).decode(),
        content_sha256=version.content_sha256,
        consent=version.consent,
        consent_sha256=sha256_hex(version.consent),
        issued_at=iso(version.issued_ms),
        signed_at=_at(version.signed_ms),
        ended_at=_at(version.ended_ms),
        signatures=[_signature(one) for one in record.signatures_of(version.version)],
    )


def _signature(one: Signature) -> DocumentSignature:
    return DocumentSignature(one.signer, iso(one.at_ms), one.content_sha256, one.consent_sha256)


def verdict_shape(found: Verified | None) -> DocumentVerdict:
    if found is None:
        return DocumentVerdict(Verdict.UNKNOWN)
    return DocumentVerdict(
        status=found.status,
        document_id=found.document,
        version=found.version,
        signatures=found.signatures,
        signed_at=_at(found.signed_ms),
        ended_at=_at(found.ended_ms),
    )


def _at(ms: int) -> str | None:
    return iso(ms) if ms else None
