"""Let somebody into a thread: their side of it, their row, and the request that waits for them.

What one would get wrong: a seat that is not fresh has no row yet. So nobody has a thread in their
inbox whose first words are held; the first message puts the rows up (`shelve.stirred`). Nor has one
at whose gate nobody is let in. A row behind a quiet gate is on the shelf `away`.
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
    """`before` is the thread as it was before they came: of that they see nothing."""
    seat, gate = thread.members[user], thread.gates.get(user)
    last_seq, last_ms = (0, 0) if before is None else (before.last_seq, before.last_ms)
    member = Member(
        thread=thread.id,
        user=user,
        role=seat.role,
        service_role=seat.service_role,
        joined_seq=last_seq,
        joined_ms=last_ms + 1 if last_seq else 0,
        changed_ms=now_ms,
    )
    shows = seat.row_active_ms > 0 and rules.is_let_in(thread, user, now_ms)
    name = inbox_rows.active_index_of(gate) if shows else _hidden_shelf(gate)
    shelf = None if name is None else inbox_key(user, name)
    place = None if name is None else activity(now_ms, thread.id)
    ops: list[Op] = [Put(MESSAGING, items.member_item(member, shelf, place))]
    if gate is not None and gate.away is None:
        ops.append(Put(MESSAGING, request_item(thread.id, user, gate)))
    return ops


def _hidden_shelf(gate: Gate | None) -> str | None:
    return None if gate is None or gate.away is None else AWAY


def contact_ops(user: UserId, thread: ThreadId, others: Iterable[UserId]) -> list[Op]:
    """Whoever writes to somebody may be written to by them."""
    return [
        Put(MESSAGING, items.at(contact_key(user, other)) | {"threadId": thread})
        for other in others
        if other != user
    ]
