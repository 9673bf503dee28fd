"""Documents as a marketplace would have them."""

from typing import Final

from greenroom.bookings.pdf.documents import (
    Amount,
    Card,
    Contract,
    Entry,
    Fact,
    Line,
    Party,
    Receipt,
    RefundStep,
    Service,
    Signature,
    Step,
)

_ISSUED_MS: Final = 1_795_046_400_000  # 2026-11-19
_HOUR_MS: Final = 3_600_000
_CONSENT: Final = (
    "I have read this contract and agree to it. I know that my electronic signature is as binding "
    "as one on paper."
)
_TERMS: Final = """The photographer delivers forty edited pictures within fourteen days of the \
shoot, in full resolution and in the sRGB colour space. The client chooses them from proofs that \
the photographer shares in this conversation.

The client may use the pictures on their own website, in social media and in printed matter for \
two years, in all countries. Advertising on television and on posters needs a further agreement. \
The photographer may show the pictures in a portfolio, unless the client objects in writing.

Should the weather make the shoot impossible, both sides agree on another day within thirty days \
at no further cost. Travel of more than fifty kilometres is paid by the client against receipts."""

SIGNATURES: Final = (
    Signature(
        "Maya Rodríguez",
        "usr_01JCZ8Q5M3T7X9",
        _ISSUED_MS + _HOUR_MS,
        "203.0.113.24",
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 15_6) AppleWebKit/605.1.15 Safari/605.1.15",
        _CONSENT,
    ),
    Signature(
        "Jonas Lindqvist",
        "usr_01JCZ8R0A6V2K4",
        _ISSUED_MS + 3 * _HOUR_MS,
        "2001:db8:85a3::8a2e:370:7334",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) Mobile/15E148",
        _CONSENT,
    ),
)

CONTRACT: Final = Contract(
    document_id="doc_01JCZ8T4W8H3N6",
    version=2,
    title="Portraits for the spring collection",
    issued_ms=_ISSUED_MS,
    locale="de",
    parties=(
        Party("Client", "Maya Rodríguez", "usr_01JCZ8Q5M3T7X9"),
        Party("Photographer", "Jonas Lindqvist", "usr_01JCZ8R0A6V2K4"),
    ),
    services=(
        Service(
            "Portrait shoot, full day",
            "Jonas Lindqvist",
            "Studio Nord, Schönhauser Allee 167\n10435 Berlin",
            _ISSUED_MS + 21 * 24 * _HOUR_MS + 9 * _HOUR_MS,
            _ISSUED_MS + 21 * 24 * _HOUR_MS + 17 * _HOUR_MS,
            "Europe/Berlin",
            Amount(125_000, "EUR"),
        ),
    ),
    extras=(
        Line("Make-up artist, half a day", Amount(28_000, "EUR")),
        Line("Ten more edited pictures", Amount(15_050, "EUR")),
    ),
    deposit=Amount(40_000, "EUR"),
    cancellation=(RefundStep(14, 100), RefundStep(7, 50), RefundStep(-1, 0)),
    terms=_TERMS,
)

CARD: Final = Card(
    card_id="crd_01JCZ9B2F5",
    version=4,
    kind="Reschedule",
    title="Move the shoot to 12 December",
    state="Accepted",
    booking_id="leg_01JCZ8S7E1",
    issued_ms=_ISSUED_MS + 30 * _HOUR_MS,
    zone="Europe/Berlin",
    facts=(
        Fact("Until now", "10 December 2026, 10:00 to 18:00"),
        Fact("Proposed", "12 December 2026, 09:00 to 17:00"),
        Fact("Costs", "None"),
        Fact("Why", "The studio is being painted on the tenth. They gave us the large room."),
    ),
    steps=(
        Step(_ISSUED_MS, "Jonas Lindqvist", "Proposed", "The studio called: can we move?"),
        Step(_ISSUED_MS + 5 * _HOUR_MS, "Maya Rodríguez", "Countered", "Only before five, please."),
        Step(_ISSUED_MS + 26 * _HOUR_MS, "Jonas Lindqvist", "Countered", "Nine to five then."),
        Step(_ISSUED_MS + 29 * _HOUR_MS, "Maya Rodríguez", "Accepted"),
    ),
)

RECEIPT: Final = Receipt(
    booking_id="lbg_01JCZ8S1Q9",
    title="Portraits for the spring collection",
    reader="Maya Rodríguez",
    issued_ms=_ISSUED_MS + 30 * 24 * _HOUR_MS,
    locale="de",
    zone="Europe/Berlin",
    entries=(
        Entry("trf_01A", _ISSUED_MS, "Portrait shoot, full day", Amount(125_000, "EUR")),
        Entry("trf_01B", _ISSUED_MS, "Make-up artist, half a day", Amount(28_000, "EUR")),
        Entry("trf_01C", _ISSUED_MS + 24 * _HOUR_MS, "Service fee", Amount(7_650, "EUR")),
        Entry(
            "trf_01D",
            _ISSUED_MS + 22 * 24 * _HOUR_MS,
            "Refund: the make-up artist was ill",
            Amount(-28_000, "EUR"),
        ),
        Entry(
            "trf_01E",
            _ISSUED_MS + 23 * 24 * _HOUR_MS,
            "Overtime, one hour and a half, agreed on the day of the shoot and confirmed by both",
            Amount(22_500, "EUR"),
        ),
    ),
)
