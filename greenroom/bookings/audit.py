"""The audit trail: a chain of hashes for each booking group, which is only appended to.

The hash of an entry covers its content and the hash before it, so that nothing can be changed,
removed or put in between without every later hash telling. The group's row has the last one.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, insert

from greenroom.bookings.schema import AUDIT
from greenroom.ids import GroupId

_NEW_ENTRY = insert(AUDIT)
_canonical = msgspec.json.Encoder(order="sorted").encode


class AuditEntry(Struct, frozen=True, kw_only=True):
    group: str
    number: int
    at_ms: int
    actor: str
    action: str
    """Such as `card.accept` or `payment.done`."""
    subject: str
    """The id of what it is about."""
    facts: str
    """Canonical JSON of what was decided."""


def facts_of(value: object) -> str:
    return _canonical(value).decode()


def next_hash(before: str, entry: AuditEntry) -> str:
    return hashlib.sha256(before.encode() + b"\n" + _canonical(entry)).hexdigest()


class AuditTrail:
    """Appends the entries of one transaction."""

    def __init__(self, group: GroupId, number: int, last_hash: str, now_ms: int) -> None:
        self._group = group
        self._number = number
        self._hash = last_hash
        self._now_ms = now_ms
        self._rows: list[dict[str, Any]] = []

    def add(self, actor: str, action: str, subject: str, facts: object) -> None:
        self._number += 1
        entry = AuditEntry(
            group=self._group,
            number=self._number,
            at_ms=self._now_ms,
            actor=actor,
            action=action,
            subject=subject,
            facts=facts_of(facts),
        )
        self._hash = next_hash(self._hash, entry)
        row = msgspec.structs.asdict(entry)
        self._rows.append({"group_id": row.pop("group"), **row, "hash": self._hash})

    def write(self, connection: Connection) -> Mapping[str, Any]:
        """Returns what the group's row has to have."""
        if self._rows:
            connection.execute(_NEW_ENTRY, self._rows)
        return {"audit_number": self._number, "audit_hash": self._hash}


def first_break(rows: Sequence[Any]) -> int | None:
    """The number of the first entry of a group that does not follow from those before it."""
    last = ""
    for expected, row in enumerate(rows, 1):
        entry = AuditEntry(
            group=row.group_id,
            number=row.number,
            at_ms=row.at_ms,
            actor=row.actor,
            action=row.action,
            subject=row.subject,
            facts=row.facts,
        )
        last = next_hash(last, entry)
        if row.number != expected or row.hash != last:
            return expected
    return None
