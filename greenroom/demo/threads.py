"""Writes the sample threads into the store, once; existing data is left as it is.

Each sample thread gets a clock of its own, set to the time of its first message, and contexts made
with that clock. This is safe: in a thread `seq` and times only increase, the clock only moves
forward and ends before now, and no client is connected yet.
"""

import asyncio
import logging
from collections.abc import Iterable, Mapping
from itertools import repeat

from greenroom.clock import ManualClock
from greenroom.demo.models import SampleMessage, SampleReport, SampleScheduled, SampleThread
from greenroom.demo.sample_threads import SAMPLE_THREADS
from greenroom.demo.seeding import Seeding
from greenroom.demo.upload import SampleFile, Uploader
from greenroom.files.judge_band import judge_band
from greenroom.ids import FileId, MessageId, ThreadId
from greenroom.messaging import Messaging
from greenroom.messaging.draft import save_draft
from greenroom.messaging.edit import edit
from greenroom.messaging.models import GateStatus, NewAttachment, Role, Thread
from greenroom.messaging.open import Invited, Opening, open_thread
from greenroom.messaging.outgoing import Outgoing, Sent
from greenroom.messaging.panel.edit_tab import edit_tab
from greenroom.messaging.problems import (
    AlreadyAsked,
    ClientIdReused,
    ConversationClosed,
    OpeningKeyReused,
    RequestPending,
    ThreadNotFound,
)
from greenroom.messaging.react import react
from greenroom.messaging.read import mark_read
from greenroom.messaging.report import report_message
from greenroom.messaging.respond import accept
from greenroom.messaging.row_settings import RowChanges, change_row
from greenroom.messaging.schedule_message import NewScheduled, schedule_message
from greenroom.messaging.send import send
from greenroom.messaging.send_manifest import send_manifest
from greenroom.messaging.set_avatar import set_avatar
from greenroom.messaging.set_thread_picture import set_thread_picture
from greenroom.people.actor import Actor, Scope
from greenroom.safety.claim import claim
from greenroom.safety.decide import decide
from greenroom.safety.models import SentMessage, case_id

_log = logging.getLogger(__name__)
_MINUTE_MS = 60_000
_HOUR_MS = 60 * _MINUTE_MS
_DAY_MS = 24 * _HOUR_MS
_MORNING_HOUR = 9
_STAFF = (Role.SUPPORT, Role.ADMIN)
_MODERATOR = "ada"
_CONFLICTS = (
    OpeningKeyReused,
    ClientIdReused,
    AlreadyAsked,
    RequestPending,
    ThreadNotFound,
    ConversationClosed,
)
"""Refusals that mean: an older version, or a user, has made something else of this thread."""


async def seed_samples(seeding: Seeding) -> None:
    """Writes what is not there yet."""
    await seed_threads(seeding, SAMPLE_THREADS)


async def seed_threads(seeding: Seeding, samples: Iterable[SampleThread]) -> None:
    uploader = Uploader()
    try:
        for sample in samples:
            await _seed_thread(seeding, sample, uploader)
    finally:
        await uploader.close()


async def _seed_thread(seeding: Seeding, sample: SampleThread, uploader: Uploader) -> None:
    clock = ManualClock(seeding.now_ms - sample.began * _MINUTE_MS)
    messaging = seeding.contexts_at(clock)[Messaging]
    try:
        await _Seeder(messaging, clock, seeding.actors, sample, seeding.now_ms, uploader).write()
    except _CONFLICTS as problem:
        _log.warning(
            "%s differs from this version's sample, and is left as it is: %s", sample.key, problem
        )


class _Seeder:
    def __init__(
        self,
        messaging: Messaging,
        clock: ManualClock,
        cast: Mapping[str, Actor],
        sample: SampleThread,
        now_ms: int,
        uploader: Uploader,
    ) -> None:
        self._messaging = messaging
        self._clock = clock
        self._cast = cast
        self._sample = sample
        self._now_ms = now_ms
        self._uploader = uploader
        self._said: list[MessageId | None] = []
        self._attached: list[tuple[NewAttachment, ...]] = []

    async def write(self) -> None:
        """Every write has an idempotency key, so an interrupted start continues where it stopped. A
        finished thread is left alone, whatever users have done to it."""
        sample = self._sample
        thread = await self._open()
        if sample.last_seq and thread.last_seq >= sample.last_seq:
            return
        await self._accept(thread)
        await self._set_pictures(thread.id)
        for number, line in enumerate(sample.messages):
            self._clock.advance(seconds=60 * line.after)
            await self._say(thread.id, number, line)
        await self._fill_panel(thread.id)
        for report in sample.reports:
            await self._report(thread.id, report)
        await self._set_member_states(thread)
        for number, later in enumerate(sample.scheduled):
            await self._schedule(thread.id, number, later)

    async def _open(self) -> Thread:
        sample, cast = self._sample, self._cast
        opener = cast[sample.opener]
        if sample.role in _STAFF:
            opener = Actor(opener.user, frozenset({Scope.USER, Scope.MODERATOR}))
        elif sample.booking_id is not None:  # the marketplace opens it for its client
            opener = Actor(opener.user, frozenset({Scope.USER, Scope.SERVICE}))
        opening = Opening(
            kind=sample.kind,
            others=tuple(Invited(cast[name].user, role) for name, role in sample.others.items()),
            role=sample.role,
            subject=sample.subject,
            booking_id=sample.booking_id,
            leg_id=sample.leg_id,
            city=sample.city,
        )
        return await open_thread(self._messaging, opener, opening, key=sample.key)

    async def _accept(self, thread: Thread) -> None:
        for name in self._sample.accepted:
            gate = thread.gates.get(self._cast[name].user)
            if gate is not None and gate.status is GateStatus.PENDING:
                await accept(self._messaging, self._cast[name], gate.id)

    async def _say(self, thread: ThreadId, number: int, line: SampleMessage) -> None:
        messaging, author = self._messaging, self._cast[line.author]
        replies_to = None if line.replies_to is None else self._said[line.replies_to]
        client_id = f"{self._sample.key}:{number}"
        attachments = await self._attachments(thread, client_id, line)
        self._attached.append(attachments)
        if line.manifest is not None:
            recorded = await send_manifest(
                messaging, author, thread, client_id, line.manifest, line.text
            )
            self._said.append(recorded.message.id)
            return
        outgoing = Outgoing(client_id, line.text, replies_to, attachments=attachments)
        outcome = await send(messaging, author, thread, outgoing)
        if not isinstance(outcome, Sent):
            self._said.append(None)
            return
        message = outcome.message.id
        self._said.append(message)
        for name, emoji in line.reactions:
            await react(messaging, self._cast[name], thread, message, emoji)
        if line.edited_to is not None:
            self._clock.advance(seconds=60)
            await edit(messaging, author, thread, message, line.edited_to)

    async def _set_pictures(self, thread: ThreadId) -> None:
        messaging, sample = self._messaging, self._sample
        if sample.picture is not None:
            opener = self._cast[sample.opener]
            file = await self._upload(opener, sample.picture, "picture", thread)
            await set_thread_picture(messaging, opener, thread, file)
        people = [self._cast[name] for name in sample.avatars]
        uploads = map(self._upload, people, sample.avatars.values(), repeat("avatar"))
        for person, avatar in zip(people, await asyncio.gather(*uploads), strict=True):
            await set_avatar(messaging, person, avatar)

    async def _attachments(
        self, thread: ThreadId, client_id: str, line: SampleMessage
    ) -> tuple[NewAttachment, ...]:
        """Without those that cannot be made on this machine."""
        author = self._cast[line.author]
        uploads = (self._upload(author, one, client_id, thread) for one in line.files)
        uploaded = zip(await asyncio.gather(*uploads), line.files, strict=True)
        return tuple(NewAttachment(file, one.alt) for file, one in uploaded if file is not None)

    async def _upload(
        self, owner: Actor, sample: SampleFile, use: str, thread: ThreadId | None = None
    ) -> FileId | None:
        files, key = self._messaging.files, f"{self._sample.key}:{use}"
        return await self._uploader.upload(files, owner, sample, key=key, thread=thread)

    async def _schedule(self, thread: ThreadId, number: int, later: SampleScheduled) -> None:
        midnight_ms = self._now_ms - self._now_ms % _DAY_MS
        send_ms = midnight_ms + later.in_days * _DAY_MS + _MORNING_HOUR * _HOUR_MS
        key = f"{self._sample.key}:scheduled:{number}"
        new = NewScheduled(later.text, send_ms)
        await schedule_message(self._messaging, self._cast[later.author], thread, new, key=key)

    async def _fill_panel(self, thread: ThreadId) -> None:
        messaging, sample = self._messaging, self._sample
        for number, made in enumerate(sample.panel):
            client_id = f"{sample.key}:panel:{number}"
            author = self._cast[made.author]
            await edit_tab(messaging, author, thread, made.tab, client_id, made.edit)

    async def _report(self, thread: ThreadId, report: SampleReport) -> None:
        messaging, message = self._messaging, self._said[report.line]
        assert message is not None
        by = self._cast[report.by]
        await report_message(messaging, by, thread, message, report.reason, report.note)
        if report.decision is None:
            return
        self._clock.advance(seconds=30 * 60)
        moderator = Actor(self._cast[_MODERATOR].user, frozenset({Scope.MODERATOR}))
        case = await claim(messaging.safety, moderator, case_id(SentMessage(thread, message)))
        if report.band is not None:
            for one in self._attached[report.line]:
                await judge_band(messaging.files, moderator, one.file, report.band, case_id=case.id)
        await decide(
            messaging.safety,
            moderator,
            case.id,
            report.decision,
            version=case.version,
            note=report.why,
        )

    async def _set_member_states(self, thread: Thread) -> None:
        """Sets each member's read position and settings."""
        last = self._sample.last_seq
        for name in (self._sample.opener, *self._sample.others):
            actor, side = self._cast[name], self._sample.member_states.get(name)
            pending = actor.user in thread.gates and name not in self._sample.accepted
            unread = last if pending else 0 if side is None else side.unread
            if last - unread > 0:
                await mark_read(self._messaging, actor, thread.id, last - unread)
            if side is not None:
                await self._arrange(actor, thread.id, name)

    async def _arrange(self, actor: Actor, thread: ThreadId, name: str) -> None:
        side = self._sample.member_states[name]
        wishes = RowChanges(
            pinned=True if side.pinned else None,
            muted_until_ms=self._now_ms + 30 * _DAY_MS if side.muted else None,
            archived=True if side.archived else None,
        )
        if wishes != RowChanges():
            await change_row(self._messaging, actor, thread, wishes)
        if side.draft:
            await save_draft(self._messaging, actor, thread, side.draft)
