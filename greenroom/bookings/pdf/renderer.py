"""Draws documents as PDF, each in a process of its own, a few at a time."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from greenroom.bookings.pdf.canonical import Json
from greenroom.bookings.pdf.card import card_page
from greenroom.bookings.pdf.contract import contract_page
from greenroom.bookings.pdf.documents import Card, Contract, Document, Receipt
from greenroom.bookings.pdf.job import (
    MOST_JOB_BYTES,
    MOST_PDF_BYTES,
    Answer,
    Broken,
    Drawn,
    Job,
    decode_answer,
    encode,
)
from greenroom.bookings.pdf.open_seal import Sealing
from greenroom.bookings.pdf.receipt import receipt_page
from greenroom.errors import Unavailable
from greenroom.files.python_process import end_python, start_python

_MOST_ANSWER: Final = MOST_PDF_BYTES * 4 // 3 + 100_000
_WAIT_FACTOR: Final = 4
"""A child may wait so much longer than it computes, where the machine is busy."""
_log = logging.getLogger(__name__)


class DocumentNotDrawn(Unavailable):
    """The PDF could not be drawn: it took too much memory or time, or typst has failed."""


class Rendered(Struct, frozen=True):
    pdf: bytes
    missing: tuple[str, ...] = ()
    """Characters that no font has: the PDF shows their numbers and says so."""


class TooLong(Struct, frozen=True):
    """The document has more text than may be drawn. Nothing was computed."""

    job_bytes: int
    most: int = MOST_JOB_BYTES


class Renderer:
    def __init__(
        self,
        *,
        marketplace: str,
        fonts: tuple[str, ...] = (),
        at_once: int = 1,
        memory_bytes: int = 1_000_000_000,
        cpu_seconds: int = 10,
        seal: Sealing | None = None,
    ) -> None:
        """`seal` signs contracts that are signed. Those are not the same bytes twice."""
        self._marketplace = marketplace
        self._fonts = fonts
        self._memory_bytes = memory_bytes
        self._cpu_seconds = cpu_seconds
        self._seal = seal
        self._slots = asyncio.Semaphore(at_once)

    async def render(self, document: Document) -> Rendered | TooLong:
        job = self._job(document)
        if len(job) > MOST_JOB_BYTES:
            return TooLong(len(job))
        drawn = await self._drawn(job)
        if drawn.missing:
            codes = " ".join(f"U+{ord(c):04X}" for c in drawn.missing[:20])
            _log.warning("no font for %s: a PDF shows their numbers", codes)
        return Rendered(await self._sealed(document, drawn.pdf), drawn.missing)

    async def _sealed(self, document: Document, pdf: bytes) -> bytes:
        is_signed = isinstance(document, Contract) and bool(document.signatures)
        if self._seal is None or not is_signed:
            return pdf
        return await asyncio.to_thread(self._seal, pdf)

    def _job(self, document: Document) -> bytes:
        template, page = page_of(document, self._marketplace)
        return encode(
            Job(
                template=template,
                page=dict(page),
                issued_ms=document.issued_ms,
                fonts=self._fonts,
                memory_bytes=self._memory_bytes,
                cpu_seconds=self._cpu_seconds,
            )
        )

    async def _drawn(self, job: bytes) -> Drawn:
        async with self._slots:
            process = await start_python("greenroom.bookings.pdf", most_line=_MOST_ANSWER)
            try:
                async with asyncio.timeout(self._cpu_seconds * _WAIT_FACTOR):
                    said = await _said(process, job)
            except TimeoutError:
                said = b""
            finally:
                await end_python(process)
        return _checked(said)


def page_of(document: Document, marketplace: str) -> tuple[str, Mapping[str, Json]]:
    """The template, and what it prints."""
    match document:
        case Contract():
            return "contract", contract_page(document, marketplace)
        case Card():
            return "card", card_page(document, marketplace)
        case Receipt():
            return "receipt", receipt_page(document, marketplace)


async def _said(process: asyncio.subprocess.Process, job: bytes) -> bytes:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(job)
        await process.stdin.drain()
        process.stdin.write_eof()
    except OSError:
        return b""  # it has died
    said = bytearray()
    while len(said) <= _MOST_ANSWER and (read := await process.stdout.read(1_000_000)):
        said += read
    await process.wait()
    return bytes(said)


def _checked(said: bytes) -> Drawn:
    try:
        answer: Answer = decode_answer(said)
    except ValueError:
        answer = Broken("memory or time")
    if isinstance(answer, Broken):
        raise DocumentNotDrawn(f"A document could not be drawn: {answer.reason}")
    return answer
