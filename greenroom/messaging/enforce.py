"""Applies moderators' decisions to threads: messaging's implementation of safety's `Enforcer`.

Each method is idempotent, so that it can be called again after a crash.
"""

from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from greenroom.files.set_band import apply_band
from greenroom.files.withhold_manifest import withhold_manifest
from greenroom.ids import FileId, MessageId, RequestId, ThreadId, UserId
from greenroom.messaging import rules
from greenroom.messaging.access import find_message, system_view
from greenroom.messaging.change import change_message
from greenroom.messaging.context import Messaging
from greenroom.messaging.delete import file_ops_of_tombstone, tombstoned
from greenroom.messaging.events import MessageDeleted
from greenroom.messaging.lock import lock
from greenroom.messaging.problems import RequestNotFound, ThreadNotFound
from greenroom.messaging.records import (
    pending_partition,
)
from greenroom.messaging.release import check_release, discard_held, release
from greenroom.messaging.release_change import check_release_of_change, release_change
from greenroom.messaging.respond import decline
from greenroom.people.actor import Actor, system
from greenroom.safety.models import (
    Case,
    Decision,
    HeldEdit,
    HeldMessage,
    HeldName,
    SentMessage,
    WholeThread,
)
from greenroom.store.ephemeral import EPHEMERAL

_AT_ONCE = 100


@dataclass(frozen=True)
class Enforcement:
    messaging: Messaging

    async def check_release(self, case: Case) -> None:
        match case.subject:
            case HeldMessage():
                await check_release(self.messaging, case, case.subject)
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
                looked = case.decision is not Decision.FOLDED  # else closed with another case
                await discard_held(self.messaging, case, case.subject, is_removal=looked)
            case SentMessage(thread, message):
                await _tombstone(self.messaging, thread, message)
                if case.manifest is not None:  # its author may have deleted the message before
                    await withhold_manifest(self.messaging.files, thread, case.manifest)
            case WholeThread(thread):
                await lock(self.messaging, system(), thread)
            case _:
                return

    async def set_band(self, file: FileId, band: int, by: UserId, at_ms: int) -> None:
        await apply_band(self.messaging.files, file, band, by, at_ms)

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
    if head is None:
        raise ThreadNotFound
    message = await find_message(messaging, thread_id, message_id)
    if message is None:
        return
    await change_message(
        messaging,
        system_view(head),
        message,
        lambda found, now: tombstoned(found, now, system()),
        MessageDeleted,
        also=partial(file_ops_of_tombstone, messaging, is_removal=True),
    )
