"""A booked deal with its contract, and what its two sides do with it in one line each."""

import dataclasses
from dataclasses import dataclass

from greenroom.blobs.folder import FolderBlobs
from greenroom.bookings.card_policy import Rules
from greenroom.bookings.cards.payloads import Cancel, Payload, Reschedule
from greenroom.bookings.documents.models import DocumentRecord, DocumentVersion
from greenroom.bookings.documents.read_documents import documents_of_thread
from greenroom.bookings.documents.sign import NewSignature, Signed, sign
from greenroom.bookings.models import Parties
from greenroom.bookings.pdf.open_seal import Sealing
from greenroom.bookings.pdf.renderer import Renderer
from greenroom.bookings.pdf_files import PdfFiles
from greenroom.ids import UserId
from tests.blob_folders import temporary_blobs
from tests.bookings.deal import JONAS, MAYA, THREAD, Deal

NAMES = {MAYA: "Maya Rodríguez", JONAS: "Jonas Lindqvist"}
AGENT = "Mozilla/5.0 (X11; Linux x86_64)"


@dataclass
class SignedDeal:
    deal: Deal
    blobs: FolderBlobs

    async def record(self, user: UserId = MAYA) -> DocumentRecord:
        [found] = await documents_of_thread(self.deal.bookings, THREAD, user, staff=False)
        return found

    async def current(self) -> DocumentVersion:
        return (await self.record()).current

    async def sign(
        self, user: UserId, version: DocumentVersion, *, content: str = "", consent: bool = True
    ) -> Signed:
        new = NewSignature(
            version=version.version,
            content_sha256=content or version.content_sha256,
            consent=consent,
            ip="203.0.113.24",
            user_agent=AGENT,
        )
        return await sign(self.deal.bookings, user, version.id, new)

    async def agree(self, payload: Payload) -> None:
        """Jonas proposes it, and Maya accepts."""
        proposed = await self.deal.propose(JONAS, payload)
        await self.deal.answer(MAYA, proposed.card, "accept")

    async def reschedule(self, days: float = 30) -> None:
        later = Reschedule(starts_at=self.deal.days(days), ends_at=self.deal.days(days + 0.2))
        await self.agree(later)

    async def cancel(self) -> None:
        await self.deal.propose(MAYA, Cancel(reason="The campaign was stopped."))


async def booked(
    deal: Deal, *, seal: Sealing | None = None, blobs: FolderBlobs | None = None
) -> SignedDeal:
    """Prices are settled elsewhere, so that an accepted offer is a booking at once."""
    blobs = blobs or temporary_blobs(deal.clock)
    files = PdfFiles(Renderer(marketplace="Atelier", seal=seal), blobs, "https://atelier.example")
    rules = Rules(takes_payments=False)
    deal.bookings = dataclasses.replace(deal.bookings, rules=rules, pdf=files)
    deal.parties = Parties(THREAD, MAYA, (JONAS,), NAMES)
    signed = SignedDeal(deal, blobs)
    await signed.agree(deal.offer())
    return signed
