"""Routes of documents: list, read, sign, download."""

from functools import partial
from typing import Annotated, Any, TypeAlias

from litestar import Request, Response, Router, get, post
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody, PathParameter
from msgspec import Meta, Struct

from greenroom.api.auth import BEARER, needs
from greenroom.api.bookings.document_shapes import (
    Document,
    DocumentList,
    document_shape,
    summary_shape,
)
from greenroom.api.bookings.params import CardIdInPath, TheBookings
from greenroom.api.client_address import client_address
from greenroom.api.messaging.params import TheMessaging, ThreadIdInPath
from greenroom.api.params import ID, MAX_ID, Caller
from greenroom.api.pdf_response import pdf_response
from greenroom.api.route_docs import refuses
from greenroom.blobs.base import BlobKey, ByteRange
from greenroom.bookings import Bookings
from greenroom.bookings.cards.problems import CardNotFound
from greenroom.bookings.documents.problems import (
    ConsentNeeded,
    DocumentDiffers,
    DocumentFileMissing,
    DocumentNotFound,
    DocumentReplaced,
    DocumentTooLong,
    DocumentVoid,
    NoReceipts,
)
from greenroom.bookings.documents.sign import NewSignature
from greenroom.bookings.pdf_files import content_at
from greenroom.ids import DocumentId
from greenroom.messaging.cards import documents as use_cases
from greenroom.messaging.problems import ThreadNotFound
from greenroom.people.actor import Scope

_MOST_BYTES = 4096
_PDF = {
    200: ResponseSpec(
        bytes, description="The PDF.", media_type="application/pdf", generate_examples=False
    ),
    206: ResponseSpec(
        bytes,
        description="The range that was asked for.",
        media_type="application/pdf",
        generate_examples=False,
    ),
}
DocumentIdInPath: TypeAlias = Annotated[
    DocumentId, PathParameter(name="documentId", pattern=ID, max_length=MAX_ID)
]
VersionFileInPath: TypeAlias = Annotated[
    str, PathParameter(name="versionFile", pattern=r"^[1-9][0-9]{0,8}\.pdf$", max_length=13)
]


class NewSignatureBody(Struct, rename="camel", forbid_unknown_fields=True):
    version: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    content_sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    consent: bool


@get(
    "/threads/{threadId:str}/documents",
    operation_id="getDocuments",
    summary="List the documents of a conversation",
    description="The contracts of its legs that you are a party of: the buyer, or the leg's "
    "provider. Moderators see all of them.",
    response_description="The current version of each, the newest first.",
    responses=refuses(ThreadNotFound),
)
async def get_documents(
    thread_id: ThreadIdInPath, actor: Caller, messaging: TheMessaging, bookings: TheBookings
) -> DocumentList:
    found = await use_cases.thread_documents(messaging, bookings, actor, thread_id)
    return DocumentList([summary_shape(one) for one in found])


@get(
    "/documents/{documentId:str}",
    operation_id="getDocument",
    summary="Get a document",
    description="All versions with their content, and who has signed them. For its parties and for "
    "moderators.",
    response_description="The document.",
    responses=refuses(DocumentNotFound),
)
async def get_document(
    document_id: DocumentIdInPath, actor: Caller, bookings: TheBookings
) -> Document:
    return document_shape(await use_cases.read_document(bookings, actor, document_id))


@post(
    "/documents/{documentId:str}/signatures",
    operation_id="signDocument",
    summary="Sign a document",
    description="You agree with the content that has this SHA-256, in the words of the version's "
    "`consent`. The words and their SHA-256, the time, your address and your program are recorded "
    "with it, and printed in the PDF for the other party. A version that was replaced, and another "
    "content, are refused. Signing the same again gives the same answer.",
    response_description="You have signed.",
    responses={200: ResponseSpec(Document, description="You had signed this version before.")}
    | refuses(
        DocumentNotFound,
        DocumentReplaced,
        DocumentVoid,
        DocumentDiffers,
        ConsentNeeded,
        body=True,
    ),
)
async def sign_document(
    request: Request[Any, Any, Any],
    document_id: DocumentIdInPath,
    data: JSONBody[NewSignatureBody],
    actor: Caller,
    messaging: TheMessaging,
    bookings: TheBookings,
) -> Response[Document]:
    new = NewSignature(
        version=data.version,
        content_sha256=data.content_sha256,
        consent=data.consent,
        ip=client_address(request),
        user_agent=request.headers.get("user-agent", ""),
    )
    signed = await use_cases.sign_document(messaging, bookings, actor, document_id, new)
    return Response(document_shape(signed.record), status_code=200 if signed.replayed else 201)


@get(
    "/documents/{documentId:str}/versions/{versionFile:str}",
    operation_id="getDocumentPdf",
    summary="Download a version of a document as PDF",
    description="`1.pdf`, `2.pdf` and so on. One that all have signed ends with a certificate of "
    "their signatures, and its bytes never change: `GET /v1/documents/verify/{sha256}` knows "
    "them. Before, it is a draft. A range is possible.",
    responses=_PDF | refuses(DocumentNotFound, DocumentTooLong, DocumentFileMissing),
)
async def get_document_pdf(
    request: Request[Any, Any, Any],
    document_id: DocumentIdInPath,
    version_file: VersionFileInPath,
    actor: Caller,
    messaging: TheMessaging,
    bookings: TheBookings,
) -> Response[bytes]:
    number = int(version_file.removesuffix(".pdf"))
    found = await use_cases.read_document_pdf(messaging, bookings, actor, document_id, number)
    read = partial(_read, bookings, found.key)
    return await pdf_response(request, f"{document_id}-{number}.pdf", found.size, read)


@get(
    "/cards/{cardId:str}/card.pdf",
    operation_id="getCardPdf",
    summary="Download a card as PDF",
    description="The card's current version with all its steps. A range is possible.",
    responses=_PDF | refuses(CardNotFound, DocumentTooLong, DocumentFileMissing),
)
async def get_card_pdf(
    request: Request[Any, Any, Any],
    card_id: CardIdInPath,
    actor: Caller,
    messaging: TheMessaging,
    bookings: TheBookings,
) -> Response[bytes]:
    found = await use_cases.read_card_pdf(messaging, bookings, actor, card_id)
    read = partial(_read, bookings, found.key)
    return await pdf_response(request, f"{card_id}.pdf", found.size, read)


@get(
    "/threads/{threadId:str}/booking/receipts.pdf",
    operation_id="getReceiptsPdf",
    summary="Download the receipts of a booking as PDF",
    description="What you paid and got back, or were paid out, as of now.",
    responses=_PDF | refuses(ThreadNotFound, NoReceipts, DocumentTooLong),
)
async def get_receipts_pdf(
    request: Request[Any, Any, Any],
    thread_id: ThreadIdInPath,
    actor: Caller,
    messaging: TheMessaging,
    bookings: TheBookings,
) -> Response[bytes]:
    content = await use_cases.receipts_pdf(messaging, bookings, actor, thread_id)

    async def read(part: ByteRange | None) -> bytes:
        return content if part is None else content[part.first : part.last + 1]

    return await pdf_response(request, "receipts.pdf", len(content), read)


async def _read(bookings: Bookings, key: BlobKey, part: ByteRange | None) -> bytes:
    return await content_at(bookings, key, part)


routes = Router(
    "/v1",
    route_handlers=[
        get_documents,
        get_document,
        sign_document,
        get_document_pdf,
        get_card_pdf,
        get_receipts_pdf,
    ],
    guards=[needs(Scope.USER)],
    security=BEARER,
    tags=["documents"],
    request_max_body_size=_MOST_BYTES,
)
