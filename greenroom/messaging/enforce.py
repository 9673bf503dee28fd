"""What a moderator's decision does to threads: safety's `Enforcer`, filled here.

Each may be called again with the same case after a crash, and then changes nothing.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import TypeGuard

from msgspec.structs import replace

from greenroom.ids import MessageId, RequestId, ThreadId, UserId, time_of
from greenroom.messaging import items, rules
from greenroom.messaging.access import Side, check_member
from greenroom.messaging.answer import decline
from greenroom.messaging.append import Planned, append, frame_op, said
from greenroom.messaging.change import change_frame
from greenroom.messaging.context import Messaging
from greenroom.messaging.delete import entombed
from greenroom.messaging.events import MessageCreated, MessageDeleted
from greenroom.messaging.lock import lock
from greenroom.messaging.models import Frame, FrameKind, Member, Role, Thread, score
from greenroom.messaging.problems import RequestNotFound, ThreadNotFound
from greenroom.messaging.records import (
    MESSAGING,
    claim_key,
    member_key,
    message_key,
    pending_partition,
)
from greenroom.messaging.send import are_apart, mentions_in
from greenroom.people.actor import SYSTEM, Actor, system
from greenroom.safety.models import Case, HeldMessage, SentMessage, WholeThread
from greenroom.safety.records import EPHEMERAL
from greenroom.store.base import Key, Update
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed

_AT_ONCE = 100


@dataclass(frozen=True)
class Enforcement:
    messaging: Messaging

    async def release(self, case: Case) -> None:
        """A held text enters its thread now, as its author's, with the next seq."""
        if isinstance(case.subject, HeldMessage):
            await _release(self.messaging, case, case.subject)

    async def remove(self, case: Case) -> None:
        match case.subject:
            case HeldMessage(thread, author, client_id):
                await _throw_away(self.messaging, thread, author, client_id)
            case SentMessage(thread, message):
                await _entomb(self.messaging, thread, message)
            case WholeThread(thread):
                await lock(self.messaging, system(), thread)
            case _:
                return

    async def fold(self, user: UserId) -> None:
        """The requests that wait at other people's gates are turned away for them."""
        cursor: str | None = None
        while True:
            page = await self.messaging.store.query(
                EPHEMERAL, pending_partition(user), limit=_AT_ONCE, cursor=cursor
            )
            for item in page.items:
                target = Actor(UserId(str(item["targetUser"])))
                with suppress(RequestNotFound):  # answered, or run out
                    await decline(self.messaging, target, RequestId(str(item["gateId"])))
            cursor = page.next
            if cursor is None:
                return


async def _release(messaging: Messaging, case: Case, subject: HeldMessage) -> None:
    claim = claim_key(subject.thread, subject.author, subject.client_message_id)
    side = member_key(subject.thread, subject.author)
    item = await messaging.store.get(MESSAGING, side, consistent=True)
    author = None if item is None else items.member_of(item)
    kept, _ = await messaging.heads.load(subject.thread)
    apart = kept is not None and await are_apart(messaging, kept)
    mentions = () if kept is None else await mentions_in(messaging, kept, case.text)

    def plan(head: Thread, ms: int) -> Planned:
        now_ms = messaging.clock.now_ms()
        check_member(head, subject.author, now_ms)
        if apart and not rules.is_behind_gate(head, subject.author, now_ms):
            raise ThreadNotFound
        frame = _released(messaging, case, subject.author, mentions, head, ms)
        became = Update(
            MESSAGING,
            claim,
            (
                F("state").remove(),
                F("messageId").set(frame.id),
                F("seq").set(frame.seq),
                F("ts").set(frame.ms),
            ),
            F("state").equals("held"),
        )
        after = said(head, frame)
        if author is not None and rules.unread_of(head, author):
            # Sending reads, but this was sent before what they have not read yet.
            after = replace(after, seats=head.seats)
        return Planned(after, (frame_op(frame), became), (MessageCreated(frame),))

    try:
        await append(messaging, subject.thread, plan)
    except ConditionFailed as refusal:
        if not _only_about(refusal, claim):
            raise
    except ThreadNotFound:  # the author has gone since, or is kept apart from the other one
        await _throw_away(messaging, subject.thread, subject.author, subject.client_message_id)


def _released(
    messaging: Messaging,
    case: Case,
    author: UserId,
    mentions: tuple[UserId, ...],
    head: Thread,
    ms: int,
) -> Frame:
    return Frame(
        thread=head.id,
        id=messaging.ids.message(ms),
        seq=head.last_seq + 1,
        ms=ms,
        kind=FrameKind.TEXT,
        author=author,
        body=case.text,
        mentions=mentions,
        reply_to=case.reply_to,
        policy_tags=tuple(case.policy_tags),
        policy_hints=tuple(case.policy_hints),
        spam_score=score(case.spam_score),
    )


def _only_about(refusal: ConditionFailed, key: Key) -> TypeGuard[ConditionFailed]:
    """Released already, or thrown away."""
    return any(getattr(failure.op, "key", None) == key for failure in refusal.failed)


async def _throw_away(
    messaging: Messaging, thread: ThreadId, author: UserId, client_id: str
) -> None:
    try:
        await messaging.store.write(
            Update(
                MESSAGING,
                claim_key(thread, author, client_id),
                (F("state").set("removed"),),
                F("state").equals("held"),
            )
        )
    except ConditionFailed:
        return


async def _entomb(messaging: Messaging, thread_id: ThreadId, message_id: MessageId) -> None:
    head, _ = await messaging.heads.load(thread_id)
    ms = time_of(message_id)
    if head is None or ms is None:
        raise ThreadNotFound
    key = message_key(thread_id, message_id, ms)
    item = await messaging.store.get(MESSAGING, key, consistent=True)
    if item is None:
        return
    side = Side(head, Member(thread=thread_id, user=SYSTEM, role=Role.ADMIN))
    await change_frame(
        messaging,
        side,
        items.frame_of(item),
        lambda found, now: entombed(found, now, system()),
        MessageDeleted,
    )
