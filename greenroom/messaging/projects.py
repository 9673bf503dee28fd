"""Lists the actor's threads of a leg or of a linked booking group."""

from msgspec import Struct

from greenroom.messaging import access, rules
from greenroom.messaging.access import ThreadView
from greenroom.messaging.context import Messaging
from greenroom.messaging.problems import ThreadNotFound
from greenroom.messaging.records import (
    MESSAGING,
    PROJECT_THREADS,
    group_key,
    leg_key,
    thread_in,
)
from greenroom.messaging.thread_metadata import with_metadata
from greenroom.people.actor import Actor

MAX_PAGE = 50


class ProjectThreads(Struct, frozen=True):
    views: tuple[ThreadView, ...]
    next: str | None


async def threads_of_leg(
    messaging: Messaging, actor: Actor, leg_id: str, *, cursor: str | None = None
) -> ProjectThreads:
    return await _threads(messaging, actor, leg_key(leg_id), cursor)


async def threads_of_group(
    messaging: Messaging, actor: Actor, lbg_id: str, *, cursor: str | None = None
) -> ProjectThreads:
    return await _threads(messaging, actor, group_key(lbg_id), cursor)


async def _threads(
    messaging: Messaging, actor: Actor, project: str, cursor: str | None
) -> ProjectThreads:
    """In the order in which they were opened."""
    page = await messaging.store.query(
        MESSAGING, project, index=PROJECT_THREADS, limit=MAX_PAGE, cursor=cursor
    )
    views: list[ThreadView] = []
    for entry in page.items:
        try:
            view = await access.thread(messaging, actor, thread_in(entry["pk"]))
        except ThreadNotFound:
            continue
        if not rules.is_empty_request(view.thread, actor.user):
            views.append(view)
    return ProjectThreads(tuple(await with_metadata(messaging, views)), page.next)
