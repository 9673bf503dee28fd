"""What is printed: contracts with their signatures, action cards and receipts. Pure values."""

from typing import TypeAlias

from msgspec import Struct


class Amount(Struct, frozen=True):
    """Money in minor units of an ISO 4217 currency. Negative is what is given back."""

    minor: int
    currency: str


class Line(Struct, frozen=True):
    text: str
    amount: Amount


class Party(Struct, frozen=True):
    role: str
    name: str
    user_id: str


class Service(Struct, frozen=True):
    """One job: what, where, when and for how much."""

    what: str
    provider: str
    where: str
    starts_ms: int
    ends_ms: int
    zone: str
    """Where the job is, as an IANA name: Europe/Berlin."""
    price: Amount


class RefundStep(Struct, frozen=True):
    """Who cancels at least so many days before the start gets back so much of the price. 0 is until
    the start, -1 later."""

    days_before: int
    percent: int


class Signature(Struct, frozen=True):
    """Who signed, when and from where, and to which words they agreed."""

    name: str
    user_id: str
    signed_ms: int
    ip: str
    user_agent: str
    consent: str


class Contract(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Careful: contracts are signed with the hash of their fields. A new field needs a default,
    which is not hashed, and no default may change."""

    document_id: str
    version: int
    title: str
    issued_ms: int
    locale: str = "en"
    parties: tuple[Party, ...]
    services: tuple[Service, ...]
    extras: tuple[Line, ...] = ()
    deposit: Amount | None = None
    cancellation: tuple[RefundStep, ...] = ()
    terms: str = ""
    signatures: tuple[Signature, ...] = ()
    verify_url: str = ""


class Fact(Struct, frozen=True):
    label: str
    value: str


class Step(Struct, frozen=True):
    """Something that somebody did with the card."""

    at_ms: int
    by: str
    action: str
    note: str = ""


class Card(Struct, frozen=True, kw_only=True):
    card_id: str
    version: int
    kind: str
    title: str
    state: str
    booking_id: str
    issued_ms: int
    zone: str = "UTC"
    facts: tuple[Fact, ...] = ()
    steps: tuple[Step, ...] = ()


class Entry(Struct, frozen=True):
    """A transfer of the journal, as seen by the reader of the receipt."""

    entry_id: str
    at_ms: int
    text: str
    amount: Amount


class Receipt(Struct, frozen=True, kw_only=True):
    booking_id: str
    title: str
    reader: str
    """Whose receipt it is."""
    issued_ms: int
    locale: str = "en"
    zone: str = "UTC"
    entries: tuple[Entry, ...] = ()


Document: TypeAlias = Contract | Card | Receipt
