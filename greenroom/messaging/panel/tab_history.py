"""Reads who changed what in a tab of the project panel, the latest edit first."""

from msgspec import Struct

from greenroom.ids import ThreadId
from greenroom.messaging.context import Messaging
from greenroom.messaging.panel.access import thread_with_panel
from greenroom.messaging.panel.fields import editable_tab
from greenroom.messaging.panel.items import entry_of
from greenroom.messaging.panel.models import LogEntry
from greenroom.messaging.records import MESSAGING, panel_log, thread_partition
from greenroom.people.actor import Actor

MAX_PAGE = 50


class TabHistory(Struct, frozen=True):
    entries: tuple[LogEntry, ...]
    next: str | None


async def tab_history(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    tab_name: str,
    *,
    limit: int = 20,
    cursor: str | None = None,
) -> TabHistory:
    tab = editable_tab(tab_name)
    await thread_with_panel(messaging, actor, thread_id)
    page = await messaging.store.query(
        MESSAGING,
        thread_partition(thread_id),
        panel_log(tab),
        limit=limit,
        backward=True,
        cursor=cursor,
        consistent=True,
    )
    return TabHistory(tuple(map(entry_of, page.items)), page.next)
