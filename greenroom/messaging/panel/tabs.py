"""Reads the tabs of a project panel."""

import asyncio

from msgspec import Struct

from greenroom.ids import ThreadId
from greenroom.messaging.context import Messaging
from greenroom.messaging.panel.access import thread_with_panel
from greenroom.messaging.panel.fields import KINDS, known_tab
from greenroom.messaging.panel.items import tab_of
from greenroom.messaging.panel.models import Snapshot, Tab, TabState
from greenroom.messaging.records import MESSAGING, TABS, tab_key, thread_partition
from greenroom.people.actor import Actor


class Panel(Struct, frozen=True):
    tabs: tuple[TabState | Snapshot, ...]
    """All of them, also empty ones, in their order."""


async def open_panel(messaging: Messaging, actor: Actor, thread_id: ThreadId) -> Panel:
    """One query, at most 4 read units; the head says where it was too early, and that tab is read
    again."""
    view = await thread_with_panel(messaging, actor, thread_id)
    page = await messaging.store.query_as(
        tab_of, MESSAGING, thread_partition(thread_id), TABS, limit=len(Tab)
    )
    found = {one.tab: one for one in page.items}
    late = [tab for tab in Tab if _version(found.get(tab)) < view.thread.panel.get(tab, 0)]
    again = await asyncio.gather(*(_read(messaging, thread_id, tab) for tab in late))
    found |= {one.tab: one for one in again}
    return Panel(tuple(found.get(tab) or _empty(tab) for tab in Tab))


async def one_tab(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, tab_name: str
) -> TabState | Snapshot:
    tab = known_tab(tab_name)
    await thread_with_panel(messaging, actor, thread_id)
    return await _read(messaging, thread_id, tab)


async def edited_tab(messaging: Messaging, thread_id: ThreadId, tab: Tab) -> TabState:
    """On nobody's behalf."""
    found = await _read(messaging, thread_id, tab)
    assert isinstance(found, TabState)
    return found


async def _read(messaging: Messaging, thread_id: ThreadId, tab: Tab) -> TabState | Snapshot:
    item = await messaging.store.get(MESSAGING, tab_key(thread_id, tab), consistent=True)
    return _empty(tab) if item is None else tab_of(item)


def _empty(tab: Tab) -> TabState | Snapshot:
    return TabState(tab=tab) if tab in KINDS else Snapshot(tab=tab)


def _version(found: TabState | Snapshot | None) -> int:
    return 0 if found is None else found.version
