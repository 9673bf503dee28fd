"""Writes a new participant: their member item with its inbox row, and the request to them.

Careful: a member whose row is not active has no row yet. So nobody has a thread in their inbox
whose first message is held; the first message activates the rows (`inbox_rows.with_active_rows`).
Nor is there a row behind a closed gate. A row behind a silent gate is in the partition `away`.
"""

from collections.abc import Iterable

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import inbox_rows, items, rules
from greenroom.messaging.contact import request_item
from greenroom.messaging.models import Gate, Member, Thread
from greenroom.messaging.records import AWAY, MESSAGING, activity, contact_key, inbox_key
from greenroom.store.base import Op, Put


def new_participant_ops(
    thread: Thread, user: UserId, now_ms: int, *, before: Thread | None = None
) -> list[Op]:
    """`before` is the thread before they joined, which they do not see."""
    summary, gate = thread.members[user], thread.gates.get(user)
    last_seq, last_ms = (0, 0) if before is None else (before.last_seq, before.last_ms)
    member = Member(
        thread=thread.id,
        user=user,
        role=summary.role,
        service_role=summary.service_role,
        joined_seq=last_seq,
        joined_ms=last_ms + 1 if last_seq else 0,
        changed_ms=now_ms,
    )
    shows = summary.row_active_ms > 0 and rules.has_access(thread, user, now_ms)
    name = inbox_rows.active_partition(gate) if shows else _away_partition(gate)
    partition = None if name is None else inbox_key(user, name)
    position = None if name is None else activity(now_ms, thread.id)
    ops: list[Op] = [Put(MESSAGING, items.member_item(member, partition, position))]
    if gate is not None and gate.away is None:
        ops.append(Put(MESSAGING, request_item(thread.id, user, gate)))
    return ops


def _away_partition(gate: Gate | None) -> str | None:
    return None if gate is None or gate.away is None else AWAY


def contact_ops(user: UserId, thread: ThreadId, others: Iterable[UserId]) -> list[Op]:
    """Makes the user a contact of the others, who can then write without a request."""
    return [
        Put(MESSAGING, items.at(contact_key(user, other)) | {"threadId": thread})
        for other in others
        if other != user
    ]
