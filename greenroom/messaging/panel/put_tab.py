"""Writes the snapshot of a tab that follows from what is decided elsewhere.

The snapshot comes from what decides: documents, the journal, cards. It is written together with
the head of the thread, in the plan of the caller's own write (`plan.py`), so that a snapshot is
there with the message that tells the change, and sync finds it.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from greenroom.messaging.events import PanelUpdated
from greenroom.messaging.models import Thread
from greenroom.messaging.panel.edit_tab import under_version
from greenroom.messaging.panel.fields import KINDS
from greenroom.messaging.panel.items import tab_item
from greenroom.messaging.panel.models import SnapshotLine, Tab
from greenroom.messaging.panel.sizes import fitted_lines
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.records import MESSAGING
from greenroom.store.base import Put


def put_tab(
    head: Thread, tab: Tab, lines: Sequence[SnapshotLine], now_ms: int, *, left_out: int = 0
) -> PlannedWrite:
    """To be made part of a plan: `thread` is the new head, `ops` the write under the tab's version,
    and `events` tells the members. Lines that do not fit are counted in the snapshot instead."""
    assert tab not in KINDS, tab
    version = head.panel.get(tab, 0)
    packed = fitted_lines(tab, tuple(lines), left_out)
    item = tab_item(head.id, tab, version + 1, packed, now_ms)
    after = replace(head, panel={**head.panel, tab.value: version + 1})
    write = Put(MESSAGING, item, under_version(version))
    return PlannedWrite(after, (write,), (PanelUpdated(tab, version + 1, None),))
