"""Maps the problems of bookings to HTTP statuses and titles."""

from greenroom.api.problem_table import ProblemResponse, Problems
from greenroom.bookings import problems as bookings
from greenroom.bookings.cards import problems as cards
from greenroom.bookings.documents import problems as documents

PROBLEMS = Problems(
    responses={
        # not there, or not visible to the caller
        cards.CardNotFound: ProblemResponse(404),
        cards.LegNotFound: ProblemResponse(404),
        cards.NoStuckPayment: ProblemResponse(404),
        documents.DocumentNotFound: ProblemResponse(404),
        # invalid input
        cards.UnknownCardType: ProblemResponse(422),
        cards.InvalidCard: ProblemResponse(422),
        cards.LegNeeded: ProblemResponse(422),
        cards.PaymentMethodNeeded: ProblemResponse(422),
        bookings.InvalidMoney: ProblemResponse(422),
        bookings.UnknownCurrency: ProblemResponse(422),
        bookings.CurrencyMismatch: ProblemResponse(422),
        bookings.UnknownTimeZone: ProblemResponse(422),
        bookings.InvalidStart: ProblemResponse(422),
        bookings.InvalidPaymentMethod: ProblemResponse(422),
        documents.ConsentNeeded: ProblemResponse(422),
        documents.DocumentTooLong: ProblemResponse(422),
        # not allowed for this caller
        cards.NotYourTurn: ProblemResponse(403),
        cards.CannotPropose: ProblemResponse(403),
        # not in this state
        documents.DocumentReplaced: ProblemResponse(409),
        documents.DocumentVoid: ProblemResponse(409),
        documents.DocumentDiffers: ProblemResponse(409),
        documents.DocumentFileMissing: ProblemResponse(409),
        documents.NoReceipts: ProblemResponse(409),
        cards.NoCardsHere: ProblemResponse(409),
        cards.CardChanged: ProblemResponse(409),
        cards.CardNotOpen: ProblemResponse(409),
        cards.CardKeyReused: ProblemResponse(409),
        cards.LegNotReady: ProblemResponse(409),
        cards.CardAlreadyOpen: ProblemResponse(409),
        cards.TooManyCards: ProblemResponse(409),
        bookings.PaymentKeyReused: ProblemResponse(409),
        bookings.PaymentNotFound: ProblemResponse(409),
    },
    example_values={
        "document-replaced.version": 1,
        "document-replaced.current": 2,
        "document-differs.version": 2,
        "content_sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "document-too-long.bytes": 140_000,
        "document-too-long.most": 120_000,
        "card_type": "offer",
        "known": ("offer", "reschedule"),
        "card-changed.state": "accepted",
        "card-not-open.state": "declined",
        "transition": "accept",
        "possible": (),
        "card": "crd_06dvx8k2q4m7w9z1y3t5r8p0ab",
        "leg-not-ready.status": "completed",
        "needed": ("confirmed",),
        "legs": ("leg_06dvx8k2q4m7w9z1y3t5r8p0ab",),
        "amount": "400.00 EUR",
        "altogether": 200,
        "given": "USD",
        "expected": "EUR",
        "currency": "XYZ",
        "unknown-time-zone.name": "Berlin",
        "key": "lbg_06dvx8k2q4m7w9z1y3t5r8p0ab:p1",
        "payment": "lbg_06dvx8k2q4m7w9z1y3t5r8p0ab:p1",
    },
)
