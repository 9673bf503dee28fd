"""Draws documents as PDF and stores them. A file that is stored is never drawn again."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from greenroom.blobs.base import BlobKey, Blobs, ByteRange
from greenroom.bookings.documents.problems import DocumentFileMissing, DocumentTooLong
from greenroom.bookings.pdf.documents import Document
from greenroom.bookings.pdf.renderer import Renderer, TooLong
from greenroom.errors import Unavailable
from greenroom.ids import DocumentId

if TYPE_CHECKING:
    from greenroom.bookings.context import Bookings

PDF = "application/pdf"


@dataclass(frozen=True)
class PdfFiles:
    renderer: Renderer
    blobs: Blobs
    public_url: str = ""
    """Where browsers reach this server; empty if the operator has not said."""

    async def drawn(self, document: Document) -> bytes:
        drawn = await self.renderer.render(document)
        if isinstance(drawn, TooLong):
            raise DocumentTooLong(drawn.job_bytes, drawn.most)
        return drawn.pdf

    async def put(self, key: BlobKey, pdf: bytes) -> None:
        await self.blobs.put(key, pdf, PDF)

    async def size_of(self, key: BlobKey) -> int | None:
        head = await self.blobs.head(key)
        return None if head is None else head.size

    def verify_url(self, document: DocumentId) -> str:
        base = self.public_url.rstrip("/")
        return f"{base}/verify?document={document}" if base else ""


def files_of(bookings: "Bookings") -> PdfFiles:
    if bookings.pdf is None:
        raise Unavailable("no PDF files are made here")
    return bookings.pdf


async def content_at(bookings: "Bookings", key: BlobKey, part: ByteRange | None = None) -> bytes:
    """Of a PDF that was stored. At most 20 MB, and some dozens of kB as a rule."""
    found = await files_of(bookings).blobs.get(key, part)
    if found is None:
        raise DocumentFileMissing
    return b"".join([piece async for piece in found])
