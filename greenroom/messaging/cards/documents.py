"""Reads and signs documents on behalf of a party or of staff, and gives out their PDF files."""

from collections.abc import Sequence

from msgspec import Struct

from greenroom.blobs.base import BlobKey
from greenroom.bookings import Bookings
from greenroom.bookings.card_page import card_page_of
from greenroom.bookings.card_policy import DOCUMENT_FILES, SIGNING
from greenroom.bookings.documents.draw import draw_due
from greenroom.bookings.documents.models import DocumentRecord, DocumentState
from greenroom.bookings.documents.problems import NoReceipts
from greenroom.bookings.documents.read_documents import (
    DocumentPdf,
    document,
    document_pdf,
    documents_of_thread,
)
from greenroom.bookings.documents.sign import NewSignature, Signed, sign
from greenroom.bookings.pdf_files import files_of
from greenroom.bookings.read_bookings import booking_of_thread
from greenroom.bookings.receipt_page import receipt_page_of
from greenroom.files.records import card_blob
from greenroom.ids import CardId, DocumentId, ThreadId, UserId
from greenroom.messaging import access
from greenroom.messaging.cards.after_decision import after_decision
from greenroom.messaging.cards.read import read_booking, read_card
from greenroom.messaging.context import Messaging
from greenroom.people import directory
from greenroom.people.actor import Actor, Scope


class CardPdf(Struct, frozen=True):
    key: BlobKey
    size: int


async def thread_documents(
    messaging: Messaging, bookings: Bookings, actor: Actor, thread_id: ThreadId
) -> tuple[DocumentRecord, ...]:
    """The newest first."""
    staff = actor.may(Scope.MODERATOR)
    if not staff:
        await access.thread(messaging, actor, thread_id)
    return await documents_of_thread(bookings, thread_id, actor.user, staff=staff)


async def read_document(
    bookings: Bookings, actor: Actor, document_id: DocumentId
) -> DocumentRecord:
    """Somebody who has left the conversation still has their contract."""
    staff = actor.may(Scope.MODERATOR)
    return await document(bookings, document_id, actor.user, staff=staff)


async def sign_document(
    messaging: Messaging,
    bookings: Bookings,
    actor: Actor,
    document_id: DocumentId,
    new: NewSignature,
) -> Signed:
    await messaging.safety.limits.spend(actor.user, SIGNING)
    signed = await sign(bookings, actor.user, document_id, new)
    if not signed.replayed:
        await after_decision(messaging, bookings, signed.record.current.group)
        if signed.record.current.state is DocumentState.SIGNED:
            bookings.tasks.start(draw_due(bookings))
    return signed


async def read_document_pdf(
    messaging: Messaging, bookings: Bookings, actor: Actor, document_id: DocumentId, version: int
) -> DocumentPdf:
    await messaging.safety.limits.spend(actor.user, DOCUMENT_FILES)
    record = await read_document(bookings, actor, document_id)
    return await document_pdf(bookings, record, version)


async def read_card_pdf(
    messaging: Messaging, bookings: Bookings, actor: Actor, card_id: CardId
) -> CardPdf:
    """Of the card's version now. It is drawn for the first one who asks, and kept."""
    await messaging.safety.limits.spend(actor.user, DOCUMENT_FILES)
    record, files = await read_card(messaging, bookings, actor, card_id), files_of(bookings)
    card = record.card
    key = card_blob(card.thread, f"{card.id}-{card.version}.pdf")
    size = await files.size_of(key)
    if size is not None:
        return CardPdf(key, size)
    booking = await booking_of_thread(bookings, card.thread)
    leg = None if booking is None else booking.leg(card.leg)
    people = (*(step.actor for step in record.steps), *_providers(record.view.content))
    names = await _names(messaging, people)
    page = card_page_of(record, names, "UTC" if leg is None else leg.time_zone)
    content = await files.drawn(page)
    await files.put(key, content)
    return CardPdf(key, len(content))


async def receipts_pdf(
    messaging: Messaging, bookings: Bookings, actor: Actor, thread_id: ThreadId
) -> bytes:
    """As of now, so that it is not kept."""
    await messaging.safety.limits.spend(actor.user, DOCUMENT_FILES)
    seen = await read_booking(messaging, bookings, actor, thread_id)
    if seen is None or seen.side is None or not seen.legs:
        raise NoReceipts
    names = await _names(messaging, (actor.user,))
    reader = names.get(actor.user, actor.user)
    page = receipt_page_of(seen, reader, bookings.clock.now_ms())
    return await files_of(bookings).drawn(page)


def _providers(content: object) -> tuple[UserId, ...]:
    return tuple(leg.provider for leg in getattr(content, "legs", ()))


async def _names(messaging: Messaging, users: Sequence[UserId]) -> dict[UserId, str]:
    found = await directory.by_ids(messaging.people, users)
    return {one.id: one.name for one in found}
