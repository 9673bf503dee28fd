"""Lists deliverables in the tab `files` of the project panel, with the message that shows them."""

from collections.abc import Sequence

from greenroom.files.models import Manifest
from greenroom.ids import ThreadId
from greenroom.messaging.context import Messaging
from greenroom.messaging.panel.items import tab_of
from greenroom.messaging.panel.models import Snapshot, SnapshotLine, Tab
from greenroom.messaging.panel.put_tab import put_tab
from greenroom.messaging.panel.rules import has_panel
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.records import MESSAGING, tab_key

_MOST = 40
"""The latest ones; `GET /v1/threads/{threadId}/manifests` has all of them."""


async def lines_with(
    messaging: Messaging, thread: ThreadId, manifest: Manifest
) -> tuple[SnapshotLine, ...]:
    """The lines of the tab with a new deliverable on top."""
    item = await messaging.store.get(MESSAGING, tab_key(thread, Tab.FILES), consistent=True)
    known = None if item is None else tab_of(item)
    lines = known.lines if isinstance(known, Snapshot) else ()
    new = SnapshotLine(
        id=manifest.id,
        title=manifest.name,
        state="manifest",
        by=manifest.by,
        at_ms=manifest.created_ms,
    )
    return (new, *lines)[:_MOST]


def with_files_tab(
    planned: PlannedWrite, lines: Sequence[SnapshotLine], now_ms: int
) -> PlannedWrite:
    if not has_panel(planned.thread):
        return planned
    more = put_tab(planned.thread, Tab.FILES, lines, now_ms)
    ops, events = (*planned.ops, *more.ops), (*planned.events, *more.events)
    return PlannedWrite(more.thread, ops, events)
