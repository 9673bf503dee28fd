"""Tests of PDF files as they are drawn, in a child process."""

import asyncio
import time
from hashlib import sha256
from pathlib import Path

import pytest
from msgspec.structs import replace

from greenroom.bookings.pdf.contract import contract_hash
from greenroom.bookings.pdf.documents import Contract, Document
from greenroom.bookings.pdf.renderer import DocumentNotDrawn, Rendered, Renderer, TooLong
from tests.bookings.pdf.reading import pages_of, words_of
from tests.bookings.pdf.samples import CARD, CONTRACT, RECEIPT, SIGNATURES

_URL = "https://greenroom.example/verify/doc_1"
_EMOJI = Path("/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf")
_SIGNED = replace(CONTRACT, signatures=SIGNATURES, verify_url=_URL)


async def _rendered(document: Document) -> Rendered:
    rendered = await Renderer(marketplace="Atelier & Co.").render(document)
    assert isinstance(rendered, Rendered)
    return rendered


async def _terms(terms: str) -> tuple[Rendered, str]:
    rendered = await _rendered(replace(CONTRACT, terms=terms))
    return rendered, words_of(rendered.pdf)


async def test_a_contract_prints_all_that_is_agreed() -> None:
    pages = pages_of((await _rendered(CONTRACT)).pdf)
    text = " ".join(pages[0].split())
    assert len(pages) == 1
    for said in (
        *("Atelier & Co.", CONTRACT.title, "Maya Rodríguez", "usr_01JCZ8R0A6V2K4", "10435 Berlin"),
        *("10 December 2026, 10:00 to 18:00 (Europe/Berlin, UTC+1)", "Ten more edited pictures"),
        *("1.680,50 EUR", "A deposit of 400,00 EUR", "At least 7 days before the start 50%"),
        *("against receipts.", "Page 1 of 1", contract_hash(CONTRACT)),
    ):
        assert said in text


async def test_a_signed_contract_ends_with_its_certificate() -> None:
    pages = pages_of((await _rendered(_SIGNED)).pdf)
    certificate = " ".join(pages[-1].split())
    assert len(pages) == 2
    for signature in SIGNATURES:
        consent = sha256(signature.consent.encode()).hexdigest()
        for said in (signature.name, signature.user_id, signature.ip, consent):
            assert said in certificate
    for said in ("19 November 2026, 01:00:00 UTC", _URL, contract_hash(CONTRACT), "Version 2"):
        assert said in certificate


async def test_a_card_prints_its_facts_and_its_timeline() -> None:
    text = words_of((await _rendered(CARD)).pdf)
    assert "State Accepted" in text
    assert "Proposed 12 December 2026, 09:00 to 17:00" in text
    at = [text.index(one.action + " " + one.by, text.index("Timeline")) for one in CARD.steps]
    assert at == sorted(at)


async def test_a_receipt_prints_its_transfers_and_their_sum() -> None:
    text = words_of((await _rendered(RECEIPT)).pdf)
    assert "For Maya Rodríguez" in text
    assert "\u2212280,00 EUR" in text
    assert "Total 1.551,50 EUR" in text
    assert "No money has moved" in words_of((await _rendered(replace(RECEIPT, entries=()))).pdf)


async def test_the_same_document_gives_the_same_bytes() -> None:
    first, second = [(await _rendered(_SIGNED)).pdf for _ in range(2)]
    assert first == second
    assert (await _rendered(replace(_SIGNED, issued_ms=_SIGNED.issued_ms + 1000))).pdf != first


async def test_markup_is_printed_as_it_was_typed() -> None:
    typed = (
        '#eval("1") #read("/etc/passwd") $x^2$ *b* _i_ \\ @ref <label> `raw` = h // c /* #image '
        "('a.png') https://a.b/c \"q\" 'q' -- ... ~ {{x}} %s #import \"@preview/tiaoma:1.0.0\": *"
    )
    rendered, text = await _terms(typed)
    assert "".join(typed.split()) in "".join(text.split())
    assert not rendered.missing


async def test_scripts_that_typst_has_fonts_for_are_printed() -> None:
    rendered, text = await _terms("Ωμέγα Привет Łódź שלום")
    assert not rendered.missing
    assert "Ωμέγα Привет Łódź" in text
    assert "שלום" in text


async def test_characters_without_a_font_are_printed_as_their_numbers() -> None:
    rendered, text = await _terms("Signed by 王小 👩\u200d👧 and nobody else")
    assert rendered.missing == ("小", "王", "👧", "👩")
    assert "Signed by [U+738B][U+5C0F] [U+1F469][U+1F467] and nobody else" in text
    assert "Characters that could not be printed are shown by their Unicode number" in text


@pytest.mark.skipif(not _EMOJI.exists(), reason="fonts-noto-color-emoji is not installed")
async def test_more_fonts_print_more_characters() -> None:
    renderer = Renderer(marketplace="Atelier", fonts=(str(_EMOJI.parent),))
    rendered = await renderer.render(replace(CONTRACT, terms="👩\u200d👧 agreed"))
    assert isinstance(rendered, Rendered)
    assert not rendered.missing
    assert "👩" in words_of(rendered.pdf)


async def test_reversed_text_cannot_hide() -> None:
    _, text = await _terms("The price is \u202e000,1\u202c EUR")
    assert "The price is [U+202E]000,1[U+202C] EUR" in text


async def test_a_long_word_stays_on_the_page() -> None:
    _, text = await _terms("W" * 200)
    assert text.count("W") > 200
    widest = max(len(line) for line in text.split() if line.startswith("WW"))
    assert widest < 60


@pytest.mark.parametrize(
    "text",
    [
        "क्" * 18_000,
        "م" * 50_000,
        "a" + "\u0301" * 50_000,
        "1," * 50_000,
        "王" * 20_000,
        "\n" * 9_000,
    ],
    ids=["conjuncts", "one word", "marks", "one line", "no font", "empty lines"],
)
async def test_no_text_costs_more_than_its_bound(text: str) -> None:
    """The child is ended after 10 seconds of CPU time. On an idle machine none takes three."""
    rendered, printed = await _terms("Begin\n" + text + "\nEnd")
    assert rendered.pdf.startswith(b"%PDF-1.7")
    assert "Begin" in printed
    assert "End" in printed


async def test_a_document_with_too_much_text_is_not_begun() -> None:
    long = replace(CONTRACT, terms="a" * 200_000)
    begun = time.monotonic()
    found = await Renderer(marketplace="Atelier").render(long)
    assert isinstance(found, TooLong)
    assert found.job_bytes > found.most
    assert time.monotonic() - begun < 1


@pytest.mark.parametrize(
    ("memory_bytes", "cpu_seconds"),
    [(50_000_000, 10), (1_000_000_000, 0)],
    ids=["memory", "time"],
)
async def test_a_child_that_reaches_its_limit_is_ended(memory_bytes: int, cpu_seconds: int) -> None:
    renderer = Renderer(marketplace="Atelier", memory_bytes=memory_bytes, cpu_seconds=cpu_seconds)
    with pytest.raises(DocumentNotDrawn):
        await renderer.render(replace(CONTRACT, terms="王 " * 20_000))


async def test_the_server_goes_on_while_documents_are_drawn() -> None:
    renderer = Renderer(marketplace="Atelier", at_once=2)
    drawing = asyncio.gather(*(renderer.render(CONTRACT) for _ in range(4)))
    longest, last = 0.0, time.monotonic()
    while not drawing.done():
        await asyncio.sleep(0.005)
        longest, last = max(longest, time.monotonic() - last), time.monotonic()
    assert longest < 0.5
    assert len(await drawing) == 4


async def test_a_contract_may_be_nearly_empty() -> None:
    empty = Contract(document_id="doc_1", version=1, title="", issued_ms=0, parties=(), services=())
    assert "CONTRACT" in words_of((await _rendered(empty)).pdf)
