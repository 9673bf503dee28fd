"""Documents over REST: read, signed, downloaded and verified."""

import json
from collections.abc import AsyncIterator
from hashlib import sha256
from typing import Any

import pytest

from greenroom.bookings import Bookings
from tests.api.deals import OK, Deals, deals_in, euros
from tests.api.world import ApiWorld, ok_json, refused
from tests.bookings.pdf.reading import words_of


@pytest.fixture
async def deals(sqlite_world: ApiWorld) -> AsyncIterator[Deals]:
    async with deals_in(sqlite_world) as opened:
        await opened.booked()
        yield opened
        await opened.settle()


async def the_document(deals: Deals, name: str = "ana") -> Any:
    [found] = (await deals.world.get(name, f"/threads/{deals.thread}/documents"))["documents"]
    return await deals.world.get(name, f"/documents/{found['documentId']}")


async def sign(deals: Deals, name: str, document: Any, **other: object) -> Any:
    version = document["versions"][0]
    body = {
        "version": version["version"],
        "contentSha256": version["contentSha256"],
        "consent": True,
    } | other
    path = f"/documents/{document['documentId']}/signatures"
    return await deals.world.ask(name, "POST", path, body, User_Agent="Firefox/150.0")


async def pdf(deals: Deals, name: str, path: str, **headers: str) -> Any:
    return await deals.world.ask(name, "GET", path, **headers)


async def verified(deals: Deals, content: bytes) -> Any:
    """Without a token."""
    digest = sha256(content).hexdigest()
    answer = await deals.world.client.get(f"/v1/documents/verify/{digest}")
    assert answer.headers["cache-control"] == "no-store"
    return ok_json(answer)


async def test_both_sides_read_and_sign_what_they_read(deals: Deals) -> None:
    ana, ben = deals.world.ids["ana"], deals.world.ids["ben"]
    document = await the_document(deals)
    [version] = document["versions"]
    assert sha256(version["content"].encode()).hexdigest() == version["contentSha256"]
    assert sha256(version["consent"].encode()).hexdigest() == version["consentSha256"]
    assert json.loads(version["content"])["services"][0]["price"] == euros(400)
    assert document["waitsOnUserIds"] == [ana, ben]
    signed = ok_json(await sign(deals, "ben", document), 201)
    assert (signed["state"], signed["waitsOnUserIds"]) == ("issued", [ana])
    again = ok_json(await sign(deals, "ben", document), 200)
    assert again["versions"][0]["signatures"] == signed["versions"][0]["signatures"]
    final = ok_json(await sign(deals, "ana", document), 201)
    assert (final["state"], final["waitsOnUserIds"]) == ("signed", [])
    page = await deals.world.get("ana", f"/threads/{deals.thread}/messages")
    told = [one["event"] for one in page["messages"] if one["event"]]
    assert told.count("document.signed") == 2
    panel = await deals.world.get("ana", f"/threads/{deals.thread}/panel/docs")
    assert [line["state"] for line in panel["lines"]] == ["signed"]


async def test_another_version_or_content_is_not_signed(deals: Deals) -> None:
    document = await the_document(deals)
    other = await sign(deals, "ana", document, contentSha256="0" * 64)
    assert refused(other, 409, "document-differs")["version"] == 1
    refused(await sign(deals, "ana", document, consent=False), 422, "consent-needed")
    refused(await sign(deals, "ana", document, version=7), 409, "document-replaced")
    refused(await sign(deals, "cleo", document), 404, "document-not-found")
    refused(await sign(deals, "mod", document), 404, "document-not-found")


async def test_a_signed_pdf_is_downloaded_and_verified_by_anybody(deals: Deals) -> None:
    document = await the_document(deals)
    path = f"/documents/{document['documentId']}/versions/1.pdf"
    draft = (await pdf(deals, "ana", path)).content
    assert await verified(deals, draft) == {
        "status": "pending",
        "documentId": document["documentId"],
        "version": 1,
        "signatures": 0,
        "signedAt": None,
        "endedAt": None,
    }
    for name in ("ana", "ben"):
        signed = ok_json(await sign(deals, name, document), 201)
    await deals.settle()
    final = await pdf(deals, "ben", path)
    assert final.headers["content-type"] == "application/pdf"
    assert final.headers["cache-control"] == "no-store"
    assert final.headers["content-disposition"].startswith("attachment;")
    assert "Firefox/150.0" in words_of(final.content)
    found = await verified(deals, final.content)
    assert (found["status"], found["signatures"]) == ("signed", 2)
    assert found["signedAt"] == signed["signedAt"]
    assert await verified(deals, final.content + b" ") == {"status": "unknown"}
    part = await pdf(deals, "ana", path, Range="bytes=0-3")
    assert (part.status_code, part.content) == (206, b"%PDF")
    beyond = await pdf(deals, "ana", path, Range="bytes=99999999-")
    assert beyond.status_code == 416
    head = await deals.world.ask("ana", "HEAD", path)
    assert int(head.headers["content-length"]) == len(final.content)
    missing = await pdf(deals, "ana", path.replace("1.pdf", "2.pdf"))
    refused(missing, 404, "document-not-found")


async def test_verifying_is_limited_by_address(deals: Deals) -> None:
    path = f"/v1/documents/verify/{'0' * 64}"
    for _ in range(60):
        ok_json(await deals.world.client.get(path))
    late = await deals.world.client.get(path)
    refused(late, 429, "too-many")
    assert int(late.headers["retry-after"]) > 0
    wrong = await deals.world.client.get("/v1/documents/verify/ABC")
    assert wrong.status_code == 400


async def test_cards_and_receipts_are_downloaded(deals: Deals) -> None:
    [card] = (await deals.world.get("ana", f"/threads/{deals.thread}/cards"))["cards"]
    for _ in range(2):
        shown = await pdf(deals, "ben", f"/cards/{card['cardId']}/card.pdf")
        assert "400.00 EUR" in words_of(shown.content).replace("\u00a0", " ")
    refused(await pdf(deals, "cleo", f"/cards/{card['cardId']}/card.pdf"), 404, "card-not-found")
    path = f"/threads/{deals.thread}/booking/receipts.pdf"
    paid = words_of((await pdf(deals, "ana", path)).content)
    assert "Price" in paid
    refused(await pdf(deals, "cleo", path), 404, "thread-not-found")
    other = await deals.world.talk()
    refused(await pdf(deals, "ana", f"/threads/{other}/booking/receipts.pdf"), 409, "no-receipts")


async def test_a_change_of_terms_asks_for_new_signatures(deals: Deals) -> None:
    document = await the_document(deals)
    ok_json(await sign(deals, "ana", document), 201)
    extras = {"type": "extras", "items": [{"title": "Ten more pictures", "price": euros(150)}]}
    made = ok_json(await deals.propose("ben", extras), 201)["card"]
    ok_json(await deals.step("ana", made, "accept", paymentMethod=OK), 201)
    await deals.world.contexts[Bookings].tasks.finish()
    refused(await sign(deals, "ben", document), 409, "document-replaced")
    now = await the_document(deals, "ben")
    assert [one["state"] for one in now["versions"]] == ["issued", "superseded"]
    assert len(now["waitsOnUserIds"]) == 2
