"""The PDF of a signed contract: drawn once, kept, and recognised by its SHA-256."""

import asyncio
import dataclasses
from pathlib import Path

import pytest

from greenroom.blobs.base import BlobHead, BlobKey
from greenroom.blobs.folder import FolderBlobs
from greenroom.bookings.documents import document_rows, draw
from greenroom.bookings.documents.draw import draw_due, key_of
from greenroom.bookings.documents.models import DocumentFile, DocumentVersion, FileKind
from greenroom.bookings.documents.problems import DocumentFileMissing, DocumentTooLong
from greenroom.bookings.documents.read_documents import document_pdf
from greenroom.bookings.documents.verify import Verdict, Verified, verify
from greenroom.bookings.pdf.canonical import sha256_hex
from greenroom.bookings.pdf_files import content_at
from greenroom.errors import Unavailable
from tests.bookings.contracts import SignedDeal, booked
from tests.bookings.deal import JONAS, MAYA, Deal
from tests.bookings.pdf.reading import words_of
from tests.stores import SECRET


async def signed_by_both(signed: SignedDeal) -> DocumentVersion:
    issued = await signed.current()
    for user in (MAYA, JONAS):
        await signed.sign(user, issued)
    return await signed.current()


async def file_of(signed: SignedDeal, version: DocumentVersion) -> DocumentFile | None:
    return await signed.deal.bookings.database.read(
        lambda connection: document_rows.find_file(
            connection, version.id, version.version, FileKind.SIGNED
        )
    )


async def bytes_of(signed: SignedDeal, version: int = 1) -> bytes:
    found = await document_pdf(signed.deal.bookings, await signed.record(), version)
    content = await content_at(signed.deal.bookings, found.key)
    assert len(content) == found.size
    return content


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*.pdf") if path.is_file()]


async def verdict(signed: SignedDeal, content: bytes) -> Verified | None:
    return await verify(signed.deal.bookings, sha256_hex(content))


async def test_a_pdf_is_judged_by_what_has_become_of_its_version(deal: Deal) -> None:
    signed = await booked(deal)
    draft = await bytes_of(signed)
    found = await verdict(signed, draft)
    assert found is not None
    assert (found.status, found.signatures, found.signed_ms) == (Verdict.PENDING, 0, 0)

    version = await signed_by_both(signed)
    await draw_due(signed.deal.bookings)
    assert await file_of(signed, version) is not None
    final = await bytes_of(signed)
    words = words_of(final)
    assert version.content_sha256 in words
    assert "203.0.113.24" in words
    assert f"https://atelier.example/verify?document={version.id}" in words.replace(" ", "")
    found = await verdict(signed, final)
    assert found is not None
    assert (found.status, found.signatures) == (Verdict.SIGNED, 2)
    assert await verdict(signed, final + b" ") is None

    await signed.reschedule()
    ended = await verdict(signed, final)
    assert ended is not None
    assert (ended.status, ended.ended_ms) == (Verdict.SUPERSEDED, deal.clock.now_ms())
    second = await bytes_of(signed, 2)
    await signed.cancel()
    voided = await verdict(signed, second)
    assert voided is not None
    assert (voided.status, voided.signed_ms) == (Verdict.VOIDED, 0)


async def test_two_nodes_draw_a_sealed_pdf_and_the_first_one_stays(
    sqlite_deal: Deal, tmp_path: Path
) -> None:
    """A sealed PDF has other bytes each time."""
    seals, blobs = iter((b"%one", b"%two")), FolderBlobs(tmp_path, SECRET, sqlite_deal.clock)
    signed = await booked(sqlite_deal, seal=lambda pdf: pdf + next(seals), blobs=blobs)
    version, record = await signed_by_both(signed), await signed.record()
    bookings = signed.deal.bookings
    made = await asyncio.gather(
        *(draw.pdf_of(bookings, record, version, FileKind.SIGNED) for _ in range(2))
    )
    assert made[0] == made[1]
    assert names_in(tmp_path) == [key_of(made[0]).rpartition("/")[2]]
    assert sha256_hex(await bytes_of(signed)) == made[0].sha256


class Killed(BaseException):
    """The process ends here."""


class DiesInPut(FolderBlobs):
    stores_first = False

    async def put(self, key: BlobKey, content: bytes, content_type: str) -> BlobHead:
        if self.stores_first:
            await super().put(key, content, content_type)
        raise Killed


@pytest.mark.parametrize("stores_first", [False, True])
async def test_a_node_that_dies_leaves_its_pdf_to_the_next(
    sqlite_deal: Deal, tmp_path: Path, stores_first: bool
) -> None:
    clock = sqlite_deal.clock
    signed = await booked(sqlite_deal, blobs=FolderBlobs(tmp_path, SECRET, clock))
    version, bookings = await signed_by_both(signed), sqlite_deal.bookings
    assert bookings.pdf is not None
    dying = DiesInPut(tmp_path, SECRET, clock)
    dying.stores_first = stores_first
    node = dataclasses.replace(bookings, pdf=dataclasses.replace(bookings.pdf, blobs=dying))
    with pytest.raises(Killed):
        await draw_due(node)
    await draw_due(bookings)
    assert await file_of(signed, version) is None, "the dead node still has its time"
    signed.deal.clock.advance(seconds=121)
    await draw_due(bookings)
    assert await file_of(signed, version) is not None
    assert (await signed.current()).draw_ms == 0


async def test_one_that_cannot_be_drawn_is_tried_later(
    sqlite_deal: Deal, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed = await booked(sqlite_deal)
    version, bookings = await signed_by_both(signed), signed.deal.bookings
    assert bookings.pdf is not None
    monkeypatch.setattr(bookings.pdf.renderer, "_cpu_seconds", 0)
    await draw_due(bookings)
    later = await signed.current()
    assert (later.draw_tries, later.draw_ms) == (1, signed.deal.clock.now_ms() + 2_000)
    monkeypatch.undo()
    signed.deal.clock.advance(seconds=3)
    await draw_due(bookings)
    assert await file_of(signed, version) is not None


async def test_what_is_too_long_is_refused_and_not_tried_again(
    sqlite_deal: Deal, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed = await booked(sqlite_deal)
    await signed_by_both(signed)
    monkeypatch.setattr("greenroom.bookings.pdf.renderer.MOST_JOB_BYTES", 10)
    with pytest.raises(DocumentTooLong):
        await bytes_of(signed)
    await draw_due(signed.deal.bookings)
    assert (await signed.current()).draw_ms == 0


async def test_a_lost_pdf_is_never_drawn_again(sqlite_deal: Deal) -> None:
    signed = await booked(sqlite_deal)
    version = await signed_by_both(signed)
    await bytes_of(signed)
    file = await file_of(signed, version)
    assert file is not None
    await signed.blobs.delete(key_of(file))
    with pytest.raises(DocumentFileMissing):
        await bytes_of(signed)


async def test_without_a_file_storage_there_is_no_pdf(sqlite_deal: Deal) -> None:
    signed = await booked(sqlite_deal)
    await signed_by_both(signed)
    node = dataclasses.replace(signed.deal.bookings, pdf=None)
    await draw_due(node)
    with pytest.raises(Unavailable):
        await document_pdf(node, await signed.record(), 1)
