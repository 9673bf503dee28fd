"""Applies moderators' decisions to threads: messaging's implementation of safety's `Enforcer`.

Each method is idempotent, so that it can be called again after a crash.
"""

from contextlib import suppress
from dataclasses import dataclass

from greenroom.ids import MessageId, RequestId, ThreadId, UserId, time_of
from greenroom.messaging import items, rules
from greenroom.messaging.access import ThreadView
from greenroom.messaging.change import change_message
from greenroom.messaging.context import Messaging
from greenroom.messaging.delete import tombstoned
from greenroom.messaging.events import MessageDeleted
from greenroom.messaging.lock import lock
from greenroom.messaging.models import Member, Role
from greenroom.messaging.problems import RequestNotFound, ThreadNotFound
from greenroom.messaging.records import (
    MESSAGING,
    message_key,
    pending_partition,
)
from greenroom.messaging.release import check_release, discard_held, release
from greenroom.messaging.release_change import check_release_of_change, release_change
from greenroom.messaging.respond import decline
from greenroom.people.actor import SYSTEM, Actor, system
from greenroom.safety.models import Case, HeldEdit, HeldMessage, HeldName, SentMessage, WholeThread
from greenroom.store.ephemeral import EPHEMERAL

_AT_ONCE = 100


@dataclass(frozen=True)
class Enforcement:
    messaging: Messaging

    async def check_release(self, case: Case) -> None:
        match case.subject:
            case HeldMessage():
                await check_release(self.messaging, case.subject, case.text)
            case HeldEdit() | HeldName():
                await check_release_of_change(self.messaging, case)

    async def release(self, case: Case) -> bool:
        match case.subject:
            case HeldMessage():
                return await release(self.messaging, case, case.subject)
            case HeldEdit() | HeldName():
                return await release_change(self.messaging, case)
        return True

    async def takes_part(self, thread: ThreadId, user: UserId) -> bool:
        head = await self.messaging.thread_cache.read(thread)
        member = None if head is None else head.members.get(user)
        return member is not None and member.role not in rules.STAFF

    async def remove(self, case: Case) -> None:
        match case.subject:
            case HeldMessage():
                await discard_held(self.messaging, case, case.subject)
            case SentMessage(thread, message):
                await _tombstone(self.messaging, thread, message)
            case WholeThread(thread):
                await lock(self.messaging, system(), thread)
            case _:
                return

    async def close_requests(self, user: UserId) -> None:
        """Declines the user's pending requests on behalf of their targets."""
        cursor: str | None = None
        while True:
            page = await self.messaging.store.query(
                EPHEMERAL, pending_partition(user), limit=_AT_ONCE, cursor=cursor
            )
            for item in page.items:
                target = Actor(UserId(str(item["targetUser"])))
                with suppress(RequestNotFound):  # answered, or expired
                    await decline(self.messaging, target, RequestId(str(item["gateId"])))
            cursor = page.next
            if cursor is None:
                return


async def _tombstone(messaging: Messaging, thread_id: ThreadId, message_id: MessageId) -> None:
    head, _ = await messaging.thread_cache.load(thread_id)
    ms = time_of(message_id)
    if head is None or ms is None:
        raise ThreadNotFound
    key = message_key(thread_id, message_id, ms)
    item = await messaging.store.get(MESSAGING, key, consistent=True)
    if item is None:
        return
    view = ThreadView(head, Member(thread=thread_id, user=SYSTEM, role=Role.ADMIN))
    await change_message(
        messaging,
        view,
        items.message_of(item),
        lambda found, now: tombstoned(found, now, system()),
        MessageDeleted,
    )
