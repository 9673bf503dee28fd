"""Documents in the reference: examples, properties, parameters and the access matrix."""

from collections.abc import Mapping

from greenroom.api.bookings.document_shapes import (
    Document,
    DocumentList,
    DocumentSignature,
    DocumentSummary,
    DocumentVerdict,
    DocumentVersionShape,
)
from greenroom.api.bookings.rest.documents import NewSignatureBody
from greenroom.api.example_values import JONAS, LATER, MAYA, SAID
from greenroom.api.openapi.property import (
    Property,
    described,
    id_property,
    text_property,
    time_property,
)
from greenroom.api.route_docs import OperationExample
from greenroom.bookings.documents.models import DocumentState
from greenroom.bookings.documents.verify import Verdict
from greenroom.bookings.pdf.job import MOST_JOB_BYTES
from greenroom.ids import DocumentId, LegId

_CONTENT = '{"document_id":"doc_06dvx8k2q4m7w9z1y3t5r8p0ab","issued_ms":1760000400000,"version":1}'
_CONTENT_SHA256 = "1f9a3d1c8d2e4b6a7c5f0e9d8b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b"
_CONSENT = "I have read this contract and agree to it."
_CONSENT_SHA256 = "9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab"
_ID = DocumentId("doc_06dvx8k2q4m7w9z1y3t5r8p0ab")
_LEG = LegId("leg_06dvx8k2q4m7w9z1y3t5r8p0ab")
_SIGNED = DocumentSignature(JONAS, LATER, _CONTENT_SHA256, _CONSENT_SHA256)
_VERSION = DocumentVersionShape(
    version=1,
    state=DocumentState.ISSUED,
    content=_CONTENT,
    content_sha256=_CONTENT_SHA256,
    consent=_CONSENT,
    consent_sha256=_CONSENT_SHA256,
    issued_at=SAID,
    signed_at=None,
    ended_at=None,
    signatures=[_SIGNED],
)
_FIELDS = {
    "document_id": _ID,
    "leg_id": _LEG,
    "title": "Editorial in May",
    "version": 1,
    "state": DocumentState.ISSUED,
    "party_user_ids": [MAYA, JONAS],
    "waits_on_user_ids": [MAYA],
    "issued_at": SAID,
    "signed_at": None,
    "ended_at": None,
}
_PDF = "%PDF-1.7 …"
_SUMMARY = DocumentSummary(**_FIELDS)  # type: ignore[arg-type]
_DOCUMENT = Document(**_FIELDS, versions=[_VERSION])  # type: ignore[arg-type]
_VERDICT = DocumentVerdict(Verdict.SIGNED, _ID, 1, 2, LATER, None)

DOCUMENT_EXAMPLES: Mapping[str, OperationExample] = {
    "getDocuments": OperationExample({200: DocumentList([_SUMMARY])}),
    "getDocument": OperationExample({200: _DOCUMENT}),
    "signDocument": OperationExample(
        {200: _DOCUMENT, 201: _DOCUMENT}, NewSignatureBody(1, _CONTENT_SHA256, True)
    ),
    "verifyDocument": OperationExample({200: _VERDICT}),
    **dict.fromkeys(
        ("getDocumentPdf", "getCardPdf", "getReceiptsPdf"),
        OperationExample({200: _PDF, 206: _PDF}),
    ),
}
_HASH = r"^[0-9a-f]{64}$"


def _sha256(description: str) -> Property:
    return Property(description, max_length=64, min_length=64, pattern=_HASH)


DOCUMENT_PROPERTIES: Mapping[str, Property] = {
    "documents": described("The documents, the newest first."),
    "documentId": id_property("The document's id. It stays the same in all versions."),
    "DocumentSummary.legId": id_property("The leg that the contract is about."),
    "Document.legId": id_property("The leg that the contract is about."),
    "DocumentSummary.title": text_property("What the leg is called.", 120),
    "Document.title": text_property("What the leg is called.", 120),
    "DocumentSummary.version": described("The current version: the only one that can be signed."),
    "Document.version": described("The current version: the only one that can be signed."),
    "DocumentVersionShape.version": described("Counted from 1."),
    "DocumentVerdict.version": described("The version that the PDF was made of."),
    "NewSignatureBody.version": described("The version that you have read."),
    "NewSignatureBody.contentSha256": _sha256("Of the content that you have read."),
    "NewSignatureBody.consent": described(
        "Must be true: that you agree, in the words of `consent`."
    ),
    **{
        f"{shape}.state": described(
            "`issued` while it waits for signatures, `signed` by all, `superseded` by a newer "
            "version, `void` because the leg was cancelled."
        )
        for shape in ("DocumentSummary", "Document", "DocumentVersionShape")
    },
    "partyUserIds": id_property("Who signs it: the buyer and the provider."),
    "waitsOnUserIds": id_property("Who has not signed or answered yet."),
    "issuedAt": time_property("When the version was issued."),
    "DocumentSummary.signedAt": time_property("When the last party signed; null before."),
    "Document.signedAt": time_property("When the last party signed; null before."),
    "DocumentVersionShape.signedAt": time_property("When the last party signed; null before."),
    "DocumentSignature.signedAt": time_property("When they signed."),
    "DocumentSignature.userId": id_property("Who signed."),
    "DocumentVerdict.signedAt": time_property("When the last party signed it; null for a draft."),
    "endedAt": time_property("When it was replaced or voided; null while it holds."),
    "versions": described("All versions, the newest first."),
    "DocumentVersionShape.content": text_property(
        "What is agreed: the contract as canonical JSON (RFC 8785), the very text that is hashed. "
        "Money is in minor units, times are milliseconds since 1970.",
        MOST_JOB_BYTES,
    ),
    "contentSha256": _sha256("The SHA-256 of `content`."),
    "DocumentVersionShape.consent": text_property("The words that a signer agrees to.", 1000),
    "consentSha256": _sha256("The SHA-256 of these words."),
    "DocumentVersionShape.signatures": described(
        "Who has signed this version, the first one first."
    ),
    "DocumentVerdict.signatures": described("How many people have signed it; 0 for a draft."),
    "DocumentVerdict.status": described(
        "`signed`: it is the document that was signed, and it holds. `superseded` by a newer "
        "version. `voided`: its leg was cancelled. `pending`: a draft that was made here. "
        "`unknown`: no such file was made here."
    ),
}
DOCUMENT_PARAMETERS: Mapping[str, str] = {
    "documentId": "The document's id.",
    "versionFile": "The version's number, and `.pdf`: `1.pdf`.",
    "sha256": "The SHA-256 of the file, in hexadecimal with small letters.",
}

DOCUMENT_ACCESS = """
404 200 404 200 200 200 200 200 200 403  GET /v1/threads/{threadId}/documents
404 404 404 404 404 200 200 200 200 403  GET /v1/documents/{documentId}
404 404 404 404 404 201 404 404 201 403  POST /v1/documents/{documentId}/signatures
404 404 404 404 404 200 200 200 200 403  GET /v1/documents/{documentId}/versions/{versionFile}
404 404 404 404 404 200 200 200 200 403  GET /v1/cards/{cardId}/card.pdf
404 409 404 409 409 200 200 200 200 403  GET /v1/threads/{threadId}/booking/receipts.pdf
"""
