"""Checks a booking group against its own records: audit trail, cards, legs, money, documents.

Reads only, in one snapshot for each group, so that it may run while a server writes.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection, Row, select

from greenroom.bookings import journal, rows
from greenroom.bookings.audit import facts_of, first_break
from greenroom.bookings.journal import Ledger, Refused
from greenroom.bookings.models import Card, DepositState, Leg, Payment, PaymentState, Step
from greenroom.bookings.pdf.contract import contract_hash
from greenroom.bookings.pdf.documents import Contract
from greenroom.bookings.schema import (
    AMENDMENTS,
    AUDIT,
    CARDS,
    DOCUMENTS,
    GROUPS,
    LEGS,
    PAYMENTS,
    SIGNATURES,
    STEPS,
    TRANSFERS,
)
from greenroom.bookings.transfers import Transfer
from greenroom.ids import GroupId, LegId
from greenroom.sql.base import Database

_PAGE = 500
_PAYMENT_ACTIONS = frozenset(f"payment.{state}" for state in PaymentState)


class Checked(Struct, frozen=True):
    """What was looked at, and the first fault of each group that has one."""

    groups: int = 0
    entries: int = 0
    steps: int = 0
    transfers: int = 0
    legs: int = 0
    documents: int = 0
    faults: tuple[str, ...] = ()


class _Group(Struct, frozen=True):
    """All rows of a group."""

    row: Row[Any]
    audit: Sequence[Row[Any]]
    cards: tuple[Card, ...]
    steps: tuple[Step, ...]
    legs: Sequence[Row[Any]]
    amendments: Sequence[Row[Any]]
    transfers: Sequence[Row[Any]]
    payments: Sequence[Row[Any]]
    documents: Sequence[Row[Any]]
    signatures: Sequence[Row[Any]]

    def facts(self) -> Mapping[tuple[str, str], set[str]]:
        """What the audit trail has, by the first word of the action and the subject."""
        found: dict[tuple[str, str], set[str]] = {}
        for one in self.audit:
            found.setdefault((one.action.partition(".")[0], one.subject), set()).add(one.facts)
        return found


async def verify(database: Database) -> Checked:
    """Every group, one after the other."""
    checked = Checked()
    after = ""
    while groups := await database.read(lambda connection, last=after: _page(connection, last)):  # type: ignore[misc]
        for group in groups:
            checked = await database.read(
                lambda connection, id=group, so_far=checked: _with(connection, id, so_far)  # type: ignore[misc]
            )
        after = groups[-1]
    return checked


def _page(connection: Connection, after: str) -> tuple[GroupId, ...]:
    found = connection.execute(
        select(GROUPS.c.id).where(GROUPS.c.id > after).order_by(GROUPS.c.id).limit(_PAGE)
    )
    return tuple(GroupId(row.id) for row in found)


def _with(connection: Connection, id: GroupId, checked: Checked) -> Checked:
    group = _loaded(connection, id)
    fault = next(faults_of(group), None)
    return Checked(
        groups=checked.groups + 1,
        entries=checked.entries + len(group.audit),
        steps=checked.steps + len(group.steps),
        transfers=checked.transfers + len(group.transfers),
        legs=checked.legs + len(group.legs),
        documents=checked.documents + len(group.documents),
        faults=checked.faults if fault is None else (*checked.faults, f"{id}: {fault}"),
    )


def _loaded(connection: Connection, id: GroupId) -> _Group:
    def all_of(table: Any, *order: str) -> Sequence[Row[Any]]:
        found = select(table).where(table.c.group_id == id)
        return connection.execute(found.order_by(*(table.c[one] for one in order))).all()

    cards = tuple(rows.unpacked(row.card, Card) for row in all_of(CARDS, "id"))
    legs = all_of(LEGS, "number")
    documents = all_of(DOCUMENTS, "id", "version")
    amended = select(AMENDMENTS).where(AMENDMENTS.c.leg_id.in_([leg.id for leg in legs]))
    signed = select(SIGNATURES).where(SIGNATURES.c.document_id.in_([one.id for one in documents]))
    steps = (
        select(STEPS.c.step)
        .join(CARDS, CARDS.c.id == STEPS.c.card_id)
        .where(CARDS.c.group_id == id)
        .order_by(STEPS.c.card_id, STEPS.c.version)
    )
    return _Group(
        row=connection.execute(select(GROUPS).where(GROUPS.c.id == id)).one(),
        audit=all_of(AUDIT, "number"),
        cards=cards,
        steps=tuple(rows.unpacked(row.step, Step) for row in connection.execute(steps)),
        legs=legs,
        amendments=connection.execute(amended.order_by(AMENDMENTS.c.version)).all(),
        transfers=all_of(TRANSFERS, "number"),
        payments=all_of(PAYMENTS, "number"),
        documents=documents,
        signatures=connection.execute(signed).all(),
    )


def faults_of(group: _Group) -> Iterator[str]:
    """What does not add up. There is nothing unless somebody changed a record."""
    for check in _CHECKS:
        yield from check(group)


def _chain_faults(group: _Group) -> Iterator[str]:
    broken = first_break(group.audit)
    if broken is not None:
        yield f"audit entry {broken} does not follow from those before it"
        return
    last = group.audit[-1].hash if group.audit else ""
    if (group.row.audit_number, group.row.audit_hash) != (len(group.audit), last):
        yield f"the audit trail ends with entry {len(group.audit)}, not {group.row.audit_number}"


def _card_faults(group: _Group) -> Iterator[str]:
    facts, cards = group.facts(), {card.id: card for card in group.cards}
    steps: dict[str, list[Step]] = {id: [] for id in cards}
    for step in group.steps:
        steps[step.card].append(step)
        if facts_of(step) not in facts.get(("card", step.card), ()):
            yield f"step {step.version} of {step.card} is not what the audit trail says"
    for id, card in cards.items():
        made = steps[id]
        if [one.version for one in made] != list(range(1, card.version + 1)):
            yield f"{id} is version {card.version} and has {len(made)} steps"
        elif made[-1].after is not card.state:
            yield f"{id} is {card.state}, and its last step made it {made[-1].after}"
        elif _content(made) != card.payload:
            yield f"{id} does not say what its steps say"


def _content(steps: Sequence[Step]) -> object:
    return next((one.payload for one in reversed(steps) if one.payload is not None), None)


def _leg_faults(group: _Group) -> Iterator[str]:
    audited = {one.subject: one.facts for one in group.audit if one.action == "leg.changed"}
    amended = {row.leg_id: row.version for row in group.amendments}  # the last of each
    for row in group.legs:
        leg = rows.unpacked(row.leg, Leg)
        columns = (row.status, row.provider, row.version)
        if columns != (leg.status.value, leg.provider, leg.version):
            yield f"the columns of {row.id} are not what it says"
        if amended.get(row.id, 1) != leg.version:
            yield f"{row.id} is version {leg.version}, which no amendment has made"
        facts = audited.get(row.id)
        if facts is None or _unbound(rows.unpacked(facts, Leg)) != _unbound(leg):
            yield f"{row.id} is not what the audit trail says"


def _unbound(leg: Leg) -> Leg:
    """Without its thread, which is bound later without an amendment."""
    return replace(leg, thread=None)


def _journal_faults(group: _Group) -> Iterator[str]:
    facts = group.facts()
    numbers = [row.number for row in group.transfers]
    if numbers != list(range(1, group.row.transfers + 1)):
        yield f"the journal has {len(numbers)} transfers, not {group.row.transfers}"
    ledgers: dict[LegId, Ledger] = {}
    for _, step in groupby(group.transfers, key=lambda row: row.at_ms):
        made = [(row, rows.unpacked(row.transfer, Transfer)) for row in step]
        for row, one in made:
            if (row.minor, row.debit, row.credit) != (one.money.minor, one.debit, one.credit):
                yield f"the columns of transfer {row.number} are not what it says"
            if facts_of(one) not in facts.get(("transfer", one.id), ()):
                yield f"transfer {row.number} is not what the audit trail says"
        for leg in dict.fromkeys(one.leg for _, one in made):
            ledger = ledgers.get(leg) or journal.empty(leg, group.row.currency)
            after = journal.apply(ledger, [one for _, one in made if one.leg == leg])
            if isinstance(after, Refused):
                yield f"the journal of {leg} cannot be replayed: {after.reason}"
                return
            ledgers[leg] = after
    for ledger in ledgers.values():
        yield from journal.faults(ledger)
    yield from _deposit_faults(group, ledgers)


def _deposit_faults(group: _Group, ledgers: Mapping[LegId, Ledger]) -> Iterator[str]:
    """A deposit that is held is a pending transfer of the same amount."""
    for row in group.legs:
        leg = rows.unpacked(row.leg, Leg)
        if leg.deposit is not None and leg.deposit.state is DepositState.HELD:
            held = ledgers[leg.id].holds() if leg.id in ledgers else ()
            if leg.deposit.money not in [one.money for one in held]:
                yield f"the journal of {leg.id} does not hold its deposit of {leg.deposit.money}"


def _document_faults(group: _Group) -> Iterator[str]:
    hashes = {(row.id, row.version): row.content_sha256 for row in group.documents}
    for row in group.documents:
        if contract_hash(rows.unpacked(row.content, Contract)) != row.content_sha256:
            yield f"version {row.version} of {row.id} was changed after its hash was made"
    for row in group.signatures:
        if row.content_sha256 != hashes.get((row.document_id, row.version)):
            yield f"{row.signer} signed another content than version {row.version} has"
        if _sha256(row.consent) != row.consent_sha256:
            yield f"the consent of {row.signer} to {row.document_id} was changed"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _payment_faults(group: _Group) -> Iterator[str]:
    """How often one was tried is not in the audit trail: nobody decided it."""
    audited = {one.subject: one.facts for one in group.audit if one.action in _PAYMENT_ACTIONS}
    payments = {row.key: rows.unpacked(row.payment, Payment) for row in group.payments}
    for key in sorted(audited.keys() | payments.keys()):
        facts, payment = audited.get(key), payments.get(key)
        if facts is None or payment is None:
            yield f"payment {key} is not in the records and the audit trail both"
        elif _decided(rows.unpacked(facts, Payment)) != _decided(payment):
            yield f"payment {key} is not what the audit trail says"


def _decided(payment: Payment) -> Payment:
    is_stuck = payment.state is PaymentState.STUCK
    state = PaymentState.REQUESTED if is_stuck else payment.state
    return replace(payment, state=state, tries=0, problem="", due_ms=0)


_CHECKS: tuple[Callable[[_Group], Iterator[str]], ...] = (
    _chain_faults,
    _card_faults,
    _leg_faults,
    _journal_faults,
    _payment_faults,
    _document_faults,
)
