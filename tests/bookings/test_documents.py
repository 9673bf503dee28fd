"""Contracts of booked legs: issued, signed, replaced and voided, on both SQL engines."""

import asyncio

import pytest
from sqlalchemy import select

from greenroom.bookings.audit import first_break
from greenroom.bookings.cards.payloads import Complete, Extra, Extras, Safety
from greenroom.bookings.documents.models import DocumentState
from greenroom.bookings.documents.problems import (
    ConsentNeeded,
    DocumentDiffers,
    DocumentNotFound,
    DocumentReplaced,
    DocumentVoid,
)
from greenroom.bookings.documents.read_documents import document, documents_of_thread
from greenroom.bookings.news import DocumentNews, news_in
from greenroom.bookings.pdf.canonical import sha256_hex
from greenroom.bookings.pdf.contract import contract_hash
from greenroom.bookings.schema import AUDIT, OUTBOX
from tests.bookings.contracts import AGENT, NAMES, SignedDeal, booked
from tests.bookings.deal import JONAS, MAYA, OUTSIDER, THREAD, Deal, euros


async def told(signed: SignedDeal) -> list[tuple[str, int]]:
    """Events of documents, with their version."""

    rows = await signed.deal.bookings.database.read(
        lambda connection: connection.execute(select(OUTBOX.c.body).order_by(OUTBOX.c.id)).all()
    )
    news = [news_in(row.body) for row in rows]
    return [(one.event, one.version) for one in news if isinstance(one, DocumentNews)]


async def test_a_booking_issues_its_contract_and_both_sides_sign_it(deal: Deal) -> None:
    signed = await booked(deal)
    issued = await signed.current()
    assert (issued.version, issued.state) == (1, DocumentState.ISSUED)
    assert issued.content_sha256 == contract_hash(issued.contract)
    assert [one.name for one in issued.contract.parties] == list(NAMES.values())
    assert issued.contract.services[0].price.minor == 40_000

    first = await signed.sign(JONAS, issued)
    assert first.record.current.state is DocumentState.ISSUED
    deal.clock.advance(seconds=60)
    second = await signed.sign(MAYA, issued)
    current = second.record.current
    assert (current.state, current.signed_ms) == (DocumentState.SIGNED, deal.clock.now_ms())
    signature = second.record.signatures_of(1)[0]
    assert (signature.signer, signature.ip, signature.user_agent) == (JONAS, "203.0.113.24", AGENT)
    assert signature.consent_sha256 == sha256_hex(issued.consent)
    assert await told(signed) == [
        ("document.issued", 1),
        ("document.signed", 1),
        ("document.signed", 1),
    ]


async def test_signing_again_changes_nothing(deal: Deal) -> None:
    signed = await booked(deal)
    issued = await signed.current()
    made = await asyncio.gather(*(signed.sign(MAYA, issued) for _ in range(5)))
    assert sorted(one.replayed for one in made) == [False, True, True, True, True]
    assert len((await signed.record()).signatures) == 1
    await signed.reschedule()
    assert (await signed.sign(MAYA, issued)).replayed


async def test_a_change_of_terms_replaces_the_contract(deal: Deal) -> None:
    signed = await booked(deal)
    first = await signed.current()
    for user in (MAYA, JONAS):
        await signed.sign(user, first)
    await signed.agree(Extras(items=(Extra(title="Ten more pictures", price=euros(150)),)))
    second = await signed.current()
    assert (second.version, second.state) == (2, DocumentState.ISSUED)
    assert second.contract.extras[0].text == "Ten more pictures"
    old = (await signed.record()).version(1)
    assert old is not None
    assert (old.state, old.ended_ms) == (DocumentState.SUPERSEDED, deal.clock.now_ms())
    with pytest.raises(DocumentReplaced) as refused:
        await signed.sign(MAYA, first, content="0" * 64)
    assert refused.value.current == 2
    await signed.agree(Safety(measures=("A chaperone is present",)))
    assert "A chaperone is present" in (await signed.current()).contract.terms
    await signed.reschedule()
    assert (await signed.current()).version == 4


async def test_what_is_no_term_issues_no_version(sqlite_deal: Deal) -> None:
    signed = await booked(sqlite_deal)
    sqlite_deal.clock.advance(days=21)
    await signed.agree(Complete())
    assert (await signed.current()).version == 1


async def test_a_cancelled_leg_voids_its_contract(deal: Deal) -> None:
    signed = await booked(deal)
    issued = await signed.current()
    await signed.sign(MAYA, issued)
    await signed.cancel()
    assert (await signed.current()).state is DocumentState.VOID
    assert (await told(signed))[-1] == ("document.voided", 1)
    with pytest.raises(DocumentVoid):
        await signed.sign(JONAS, issued)


async def test_only_what_was_read_is_signed_and_only_with_consent(sqlite_deal: Deal) -> None:
    signed = await booked(sqlite_deal)
    issued = await signed.current()
    with pytest.raises(DocumentDiffers) as refused:
        await signed.sign(MAYA, issued, content="0" * 64)
    assert refused.value.content_sha256 == issued.content_sha256
    with pytest.raises(ConsentNeeded):
        await signed.sign(MAYA, issued, consent=False)
    assert (await signed.record()).signatures == ()


async def test_others_cannot_tell_that_a_document_exists(sqlite_deal: Deal) -> None:
    signed = await booked(sqlite_deal)
    issued, bookings = await signed.current(), sqlite_deal.bookings
    with pytest.raises(DocumentNotFound):
        await signed.sign(OUTSIDER, issued)
    with pytest.raises(DocumentNotFound):
        await document(bookings, issued.id, OUTSIDER, staff=False)
    assert await documents_of_thread(bookings, THREAD, OUTSIDER, staff=False) == ()
    assert await document(bookings, issued.id, OUTSIDER, staff=True)


async def test_signing_against_a_change_has_one_outcome(deal: Deal) -> None:
    signed = await booked(deal)
    for days in (40, 50, 60):
        issued = await signed.current()
        made = await asyncio.gather(
            signed.sign(MAYA, issued),
            signed.reschedule(days),
            signed.sign(JONAS, issued),
            return_exceptions=True,
        )
        record = await signed.record()
        old = record.version(issued.version)
        assert old is not None
        signers = {one.signer for one in record.signatures_of(old.version)}
        refused = [one for one in made if isinstance(one, DocumentReplaced)]
        assert made[1] is None
        assert len(signers) + len(refused) == 2
        assert (record.current.version, record.current.state) == (
            issued.version + 1,
            DocumentState.ISSUED,
        )
        assert old.state is DocumentState.SUPERSEDED
        assert bool(old.signed_ms) == (len(signers) == 2)


async def test_the_audit_trail_has_every_signature(sqlite_deal: Deal) -> None:
    signed = await booked(sqlite_deal)
    await signed.sign(MAYA, await signed.current())
    await signed.reschedule()
    rows = await sqlite_deal.bookings.database.read(
        lambda connection: connection.execute(select(AUDIT).order_by(AUDIT.c.number)).all()
    )
    assert first_break(rows) is None
    actions = [row.action for row in rows if row.action.startswith("document.")]
    expected = ["issued", "signed", "superseded", "issued"]
    assert actions == [f"document.{one}" for one in expected]
