"""The sync source `notices`: new and acknowledged moderation notices."""

from msgspec import Struct

from greenroom.api.safety.shapes import ModerationNotice, notice_shape
from greenroom.api.sync import Known, SourceChanges
from greenroom.ids import NoticeId, UserId
from greenroom.people.actor import Actor
from greenroom.safety import Safety
from greenroom.safety.sync_notices import notice_cursor_now, sync_notices


class NoticeChanges(Struct, rename="camel"):
    """Changes in the list of moderation notices."""

    created: list[ModerationNotice]
    """New notices that are not acknowledged yet."""
    acknowledged: list[NoticeId]
    """Notices that were acknowledged on any device. Hide them."""


class NoticeSource:
    def __init__(self, safety: Safety) -> None:
        self._safety = safety

    async def changes(
        self, actor: Actor, position: bytes | None, known: Known, room: int
    ) -> SourceChanges:
        found = await sync_notices(self._safety, actor.user, position, room=room)
        created = [notice_shape(notice) for notice in found.created]
        acknowledged = list(found.acknowledged)
        return SourceChanges(
            changes=NoticeChanges(created, acknowledged) if created or acknowledged else None,
            position=found.cursor,
            more=found.more,
            reset=found.reset,
        )

    def position_now(self, user: UserId, last: bytes | None, room: int) -> bytes:
        return notice_cursor_now(self._safety, last, room=room)
