"""Registers bookings: their SQL tables, settings and policy. The conversation has their routes."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from greenroom.api.bookings.access_matrix import ACCESS
from greenroom.api.bookings.document_docs import (
    DOCUMENT_ACCESS,
    DOCUMENT_EXAMPLES,
    DOCUMENT_PARAMETERS,
    DOCUMENT_PROPERTIES,
)
from greenroom.api.bookings.examples import EXAMPLES
from greenroom.api.bookings.problems import PROBLEMS
from greenroom.api.bookings.properties import PARAMETERS, PROPERTIES
from greenroom.api.bookings.rest import bookings, cards, documents, moderation, verify_document
from greenroom.api.composition import Composition, Contexts
from greenroom.api.pages.verify_document import verify_document_js, verify_document_page
from greenroom.api.registry import ContextApi
from greenroom.background.leased_jobs import LeasedJob
from greenroom.blobs.base import Blobs
from greenroom.bookings import Bookings
from greenroom.bookings.card_policy import LIMITS, BookingRules, Cards, DocumentRules, Rules
from greenroom.bookings.documents.draw import DRAW_SECONDS, draw_due
from greenroom.bookings.payments.sandbox.provider import SandboxPayments
from greenroom.bookings.payments.sandbox.schema import SCHEMA as SANDBOX
from greenroom.bookings.pdf.open_seal import open_seal
from greenroom.bookings.pdf.renderer import Renderer
from greenroom.bookings.pdf_files import PdfFiles
from greenroom.bookings.policy import RefundRules
from greenroom.bookings.schema import SCHEMA
from greenroom.bookings.settings import BookingSettings
from greenroom.settings import split_list
from greenroom.sql.missing import MissingDatabase


def _build(composition: Composition) -> Bookings:
    policy = composition.policy
    database = composition.sql or MissingDatabase()
    takes_payments = composition.settings[BookingSettings].payments == "sandbox"
    return Bookings(
        database,
        composition.clock,
        composition.ids,
        Rules(
            policy[Cards],
            policy[BookingRules],
            policy[RefundRules],
            takes_payments,
            policy[DocumentRules],
        ),
        SandboxPayments(database, composition.clock) if takes_payments else None,
        None if composition.blobs is None else _pdf_files(composition, composition.blobs),
    )


def _pdf_files(composition: Composition, blobs: Blobs) -> PdfFiles:
    settings, now_ms = composition.settings[BookingSettings], composition.clock.now_ms()
    key_file = Path(settings.seal_file) if settings.seal_file else None
    now = datetime.fromtimestamp(now_ms / 1000, UTC)
    renderer = Renderer(
        marketplace=settings.marketplace,
        fonts=tuple(split_list(settings.fonts)),
        at_once=settings.pdfs_at_once,
        seal=open_seal(key_file, settings.seal_passphrase, now),
    )
    return PdfFiles(renderer, blobs, settings.public_url)


def _leased_jobs(contexts: Contexts) -> Sequence[LeasedJob]:
    bookings = contexts[Bookings]
    if isinstance(bookings.database, MissingDatabase):
        return ()
    return (LeasedJob("documents", DRAW_SECONDS, partial(draw_due, bookings)),)


async def _close(contexts: Contexts) -> None:
    await contexts[Bookings].tasks.finish()


API = ContextApi(
    name="bookings",
    build=_build,
    close=_close,
    sql=(SCHEMA, SANDBOX),
    settings=(BookingSettings,),
    policy=(Cards, BookingRules, RefundRules, DocumentRules),
    limits=LIMITS,
    routes=(
        cards.routes,
        bookings.routes,
        documents.routes,
        moderation.routes,
        verify_document.routes,
        verify_document_page,
        verify_document_js,
    ),
    dependencies={"bookings": lambda contexts: contexts[Bookings]},
    problems=PROBLEMS,
    examples={**EXAMPLES, **DOCUMENT_EXAMPLES},
    demo="greenroom.demo.bookings",
    properties={**PROPERTIES, **DOCUMENT_PROPERTIES},
    parameters={**PARAMETERS, **DOCUMENT_PARAMETERS},
    access="\n".join((ACCESS, DOCUMENT_ACCESS)),
    leased_jobs=_leased_jobs,
)
