"""Gives the other threads of a booking the status of their legs, and the summary of them.

A card in the thread of the whole group, or of one leg, may change what another thread is about. It
is idempotent, and repeated until the outbox row is marked.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from greenroom.bookings.models import Leg
from greenroom.bookings.panel_lines import PanelLines
from greenroom.bookings.project_snapshot import packed_snapshot, project_snapshot
from greenroom.ids import RequestId, ThreadId
from greenroom.messaging.cards.status import legs_of, status_of
from greenroom.messaging.cards.tabs import with_tabs
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import ThreadUpdated
from greenroom.messaging.models import Thread
from greenroom.messaging.panel.models import Tab
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.set_status import ThreadChange, change_plan, write_change

_TABS = (Tab.ACTIONS, Tab.EXPENSES, Tab.DOCS)


async def update_threads(
    messaging: Messaging, home: ThreadId, legs: Sequence[Leg], told: ThreadId | None = None
) -> None:
    """Of a whole group; `told` shows it already."""
    threads = {home, *(leg.thread for leg in legs if leg.thread is not None)}
    for thread in sorted(threads - {told}):
        head = await messaging.thread_cache.read(thread)
        own = legs_of(thread, home, legs)
        if head is not None and own and not _shows(head, own, messaging.clock.now_ms()):
            await _update(messaging, thread, own)


async def begin_panel(messaging: Messaging, thread: ThreadId, lines: PanelLines) -> None:
    """Shows a thread that has just been bound to its leg all that there is of it already."""
    await _update(messaging, thread, lines.legs, lines)


def _shows(head: Thread, legs: Sequence[Leg], now_ms: int) -> bool:
    snapshot = packed_snapshot(project_snapshot(legs, now_ms))
    status = head.locked_from or head.status
    return (status, head.project_snapshot) == (status_of(legs), snapshot)


async def _update(
    messaging: Messaging, thread: ThreadId, legs: Sequence[Leg], lines: PanelLines | None = None
) -> None:
    written = set[RequestId]()
    change = ThreadChange(status=status_of(legs))

    def plan(head: Thread, ms: int) -> PlannedWrite:
        changed = change_plan(messaging, head, change, ms, written, announces=False)
        snapshot = packed_snapshot(project_snapshot(legs, messaging.clock.now_ms()))
        after = replace(changed.thread, project_snapshot=snapshot)
        planned = PlannedWrite(after, changed.ops, (ThreadUpdated(),))
        return planned if lines is None else with_tabs(planned, lines, _TABS, ms)

    await write_change(messaging, thread, plan, written)
