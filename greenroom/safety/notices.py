"""Reads, syncs and acknowledges moderation notices, and lists a user's held texts."""

from contextlib import suppress

from msgspec import Struct

from greenroom.clock import iso
from greenroom.ids import NoticeId, UserId
from greenroom.people.actor import Actor
from greenroom.safety import items, records
from greenroom.safety.context import Safety
from greenroom.safety.events import NoticeAcknowledged
from greenroom.safety.models import (
    AuditEntry,
    Case,
    HeldEdit,
    HeldMessage,
    HeldText,
    ModerationNotice,
    RatedFile,
    SomePerson,
    held_kind,
    notice_of,
)
from greenroom.safety.problems import NoticeNotFound
from greenroom.store.expressions import Prefix
from greenroom.store.problems import ConditionFailed

MAX_PAGE = 50


class Notices(Struct, frozen=True):
    notices: tuple[ModerationNotice, ...]
    next: str | None


class HeldPage(Struct, frozen=True):
    held: tuple[HeldText, ...]
    next: str | None


async def notices(
    safety: Safety, actor: Actor, *, limit: int = 20, cursor: str | None = None
) -> Notices:
    """Unacknowledged ones, newest first."""
    page = await safety.store.query(
        records.SAFETY,
        records.user_partition(actor.user),
        Prefix(records.NOTICE),
        limit=max(1, min(limit, MAX_PAGE)),
        backward=True,
        cursor=cursor,
        consistent=True,
    )
    return Notices(tuple(map(items.notice_of, page.items)), page.next)


class Acknowledged(Struct, frozen=True):
    id: NoticeId
    at_ms: int


class NoticeChanges(Struct, frozen=True):
    created: tuple[ModerationNotice, ...] = ()
    acknowledged: tuple[Acknowledged, ...] = ()
    next: str | None = None


async def notices_since(
    safety: Safety, user: UserId, since_ms: int, cursor: str | None = None
) -> NoticeChanges:
    """For sync: notices acknowledged or created since then, oldest first."""
    page = await safety.store.query(
        records.SAFETY,
        records.user_partition(user),
        records.acknowledged_since(since_ms),
        limit=MAX_PAGE,
        cursor=cursor,
    )
    acknowledged = []
    created = []
    for item in page.items:
        notice, noted_ms = items.notice_of(item), items.acknowledged_ms(item)
        if noted_ms is not None:
            acknowledged.append(Acknowledged(notice.id, noted_ms))
        elif notice.at_ms >= since_ms:
            created.append(notice)
    return NoticeChanges(tuple(created), tuple(acknowledged), page.next)


async def correct_release(safety: Safety, case: Case, entry: AuditEntry) -> None:
    """Corrects a notice of a release if the text could not be added to its thread."""
    if entry.about is None:
        return
    page = await safety.store.query(
        records.SAFETY,
        records.user_partition(entry.about),
        Prefix(records.NOTICE + iso(entry.at_ms)),
        limit=MAX_PAGE,
        consistent=True,
    )
    for notice in map(items.notice_of, page.items):
        if notice == notice_of(case, entry, notice.id):
            with suppress(ConditionFailed):  # acknowledged in the meantime
                await safety.store.write(items.rejected_after_all(notice))


async def as_stored(safety: Safety, notice: ModerationNotice) -> ModerationNotice:
    """The notice as stored after the decision was enforced."""
    item = await safety.store.get(records.SAFETY, records.notice_key(notice), consistent=True)
    return notice if item is None else items.notice_of(item)


async def acknowledge(safety: Safety, actor: Actor, notice_id: NoticeId) -> None:
    """Removes the notice from the list on all devices of the user; it stays stored."""
    key = records.notice_key_of(actor.user, notice_id)
    item = None
    if key is not None:
        item = await safety.store.get(records.SAFETY, key, consistent=True)
    if item is None:
        raise NoticeNotFound
    notice = items.notice_of(item)
    try:
        await safety.store.write(*items.acknowledged(notice, safety.clock.now_ms()))
    except ConditionFailed:
        raise NoticeNotFound from None
    safety.publish(NoticeAcknowledged(actor.user, notice.id))


async def held_texts(
    safety: Safety, actor: Actor, *, limit: int = 20, cursor: str | None = None
) -> HeldPage:
    """The actor's messages, edits and thread names that wait for a moderator."""
    page = await safety.store.query(
        records.SAFETY,
        records.user_partition(actor.user),
        Prefix(records.HELD),
        limit=max(1, min(limit, MAX_PAGE)),
        cursor=cursor,
        consistent=True,
    )
    keys = [records.case_key(items.case_in(item)) for item in page.items]
    found = await safety.store.batch_get(records.SAFETY, keys, consistent=True) if keys else {}
    cases = [items.case_of(found[key]) for key in keys if key in found]
    texts = [text for case in cases if case.is_open and (text := _held_text(case)) is not None]
    return HeldPage(tuple(sorted(texts, key=lambda text: text.held_ms)), page.next)


def _held_text(case: Case) -> HeldText | None:
    subject, kind = case.subject, held_kind(case.subject)
    if kind is None or isinstance(subject, SomePerson | RatedFile):
        return None
    return HeldText(
        kind=kind,
        thread=subject.thread,
        client_message_id=subject.client_message_id if isinstance(subject, HeldMessage) else None,
        message=subject.message if isinstance(subject, HeldEdit) else None,
        text=case.text,
        has_files=bool(case.files),
        reply_to=case.reply_to,
        held_ms=case.opened_ms,
    )
