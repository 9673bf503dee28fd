"""Runs random scenarios on the product and on the reference model, and compares what users see.

A step is a verb and three numbers that choose among what exists at that moment, so any list of
steps is a valid scenario and Hypothesis can shorten it. The steps run on two nodes in turn; a third
one only reads, so that reading has no side effects.
"""

import asyncio
import dataclasses
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from uuid import uuid4

from hypothesis import strategies as st

from greenroom.background.models import Stage
from greenroom.background.progress import load_state
from greenroom.background.rebuild import request_rebuild
from greenroom.errors import Problem
from greenroom.files.access import file_views
from greenroom.files.create_file import create_file
from greenroom.files.delete_file import delete_file
from greenroom.files.file_urls import MAX_FILES, Wanted, file_urls
from greenroom.files.models import FileState, NewFile, SafeMode
from greenroom.files.problems import FileNotFound, FileNotReady
from greenroom.files.set_band import apply_band
from greenroom.files.set_preferences import set_safe_mode
from greenroom.files.storage import storage
from greenroom.ids import FileId, MessageId, RequestId, ThreadId, UserId
from greenroom.messaging import (
    Messaging,
    delete,
    draft,
    edit,
    history,
    inbox,
    lock,
    open as opening,
    participants,
    react,
    read,
    read_all,
    rename,
    respond,
    row_settings,
    send,
)
from greenroom.messaging.block import block_person, block_sender, unblock_person
from greenroom.messaging.cancel_waiting import cancel_waiting
from greenroom.messaging.context import DeferredWork
from greenroom.messaging.edit_thread import edit_thread
from greenroom.messaging.models import (
    Folder,
    Kind,
    Message,
    NewAttachment,
    Role,
    Thread,
    WaitingMessage,
    WaitingStatus,
)
from greenroom.messaging.outgoing import Canceled, Failed, Outgoing, Sent, Waiting
from greenroom.messaging.pairs import direct_id
from greenroom.messaging.problems import FileAlreadyUsed, InvalidAttachments, ThreadNotFound
from greenroom.messaging.set_status import ThreadChange
from greenroom.messaging.waiting import waiting_messages
from greenroom.people.actor import Actor, Scope
from greenroom.people.join import join
from tests.messaging import file_steps
from tests.messaging.file_steps import SHA256
from tests.messaging.reference_model import (
    ACCEPTED,
    BAD,
    BLOCKED,
    COMING,
    DECLINED,
    PENDING,
    READY,
    Attached,
    Post,
    ReferenceModel,
    Refused,
    Talk,
    Wait,
)
from tests.messaging.sync_client import SyncClient
from tests.messaging.world import MessagingWorld

Step: TypeAlias = tuple[str, int, int, int]

PEOPLE = 5
_MINUTE, _DAY = 60_000, 86_400_000
_PAUSES = (1000, 5000, 30_000, 3 * _MINUTE, 11 * _MINUTE, _DAY, 8 * _DAY, 16 * _DAY, 40 * _DAY)
_EMOJI = ("👍", "🎉")
_OFTEN = ("send", "send", "send", "send", "read", "read", "wait", "rest")
_VERBS = (
    "look",
    *_OFTEN,
    *("open", "direct", "again", "reply", "edit", "delete", "react", "take_back"),
    *("deliver", "unread", "mute", "pin", "archive", "hide", "spam", "draft", "sync"),
    *("read_all",),
    *("accept", "decline", "refuse", "block", "unblock"),
    *("leave", "add", "remove", "rename", "lock"),
    *("announce", "announce", "announce", "attach", "attach", "settle", "settle", "settle"),
    *("cancel", "drop", "band", "ask_again"),
    *("band", "band", "view", "view", "view"),
)
_NUMBER = st.integers(0, 59)
STEPS = st.tuples(st.sampled_from(_VERBS), _NUMBER, _NUMBER, _NUMBER)
SCENES = st.lists(STEPS, min_size=24, max_size=48)


@dataclass
class ModelRunner:
    nodes: list[Messaging]
    watch: Messaging
    world: MessagingWorld
    model: ReferenceModel
    users: list[UserId]
    moderator: Actor
    sent: list[tuple[UserId, ThreadId, Outgoing, MessageId]] = field(default_factory=list)
    waited: list[tuple[Wait, Outgoing]] = field(default_factory=list)
    gates: dict[tuple[UserId, ThreadId], RequestId] = field(default_factory=dict)
    clients: dict[UserId, SyncClient] = field(default_factory=dict)
    every: int = 1
    """Everybody's view is compared after this many steps."""
    turn: int = 0

    @classmethod
    async def begin(cls, world: MessagingWorld, other: MessagingWorld) -> "ModelRunner":
        people = world.messaging.people
        run = uuid4().hex[:12]
        users = [(await join(people, f"p{n}.{run}")).id for n in range(PEOPLE)]
        play = cls(
            [world.messaging, other.messaging],
            dataclasses.replace(world.another_node().messaging, deferred=DeferredWork(most=0)),
            world,
            ReferenceModel(world.clock.now_ms()),
            users,
            Actor(UserId("usr_" + "0" * 26), frozenset({Scope.MODERATOR})),
        )
        for user in users:
            play.clients[user] = SyncClient(play.watch, Actor(user))
            await play.clients[user].reload()
        return play

    async def run(self, scene: list[Step]) -> None:
        prelude: list[Step] = [
            ("direct", 0, 0, 0), ("send", 0, 0, 0), ("accept", 1, 0, 0),
            ("open", 0, 1, 0), ("send", 0, 1, 0),
            ("open", 3, 0, 2), ("accept", 0, 1, 0),
        ]  # fmt: skip
        for step in (*prelude, *scene):
            self.turn += 1
            verb, *numbers = step
            touched = await getattr(self, f"_{verb}")(*numbers)
            if self.turn % self.every == 0:
                await self._check(touched)
        await self._check_all()

    # Steps: each chooses, runs on both sides, and returns the thread it was about

    async def _look(self, *_: int) -> None:
        if self.every == 1:
            await self._check_all()

    async def _wait(self, a: int, b: int = 0, *_: int) -> None:
        """Timers run, or the node that would run them is down."""
        self.world.clock.advance(ms=_PAUSES[a % len(_PAUSES)])
        self.model.now = self.world.clock.now_ms()
        if b % 2:
            await self._background()

    async def _rest(self, a: int, b: int, _: int) -> None:
        """Everybody reads everything, an hour passes, and one user opens the inbox."""
        if b % 2:
            for user in self.users:
                for row in self.model.rows(user):
                    last = self.model.talks[row.thread].last_for(user)
                    await self._do(read.mark_read(self._node, Actor(user), row.thread, last))
                    self.model.read(user, row.thread, last)
            await self._wait(4)
        await inbox.inbox(self._node, Actor(self._user(a)))
        await self._node.deferred.run()

    async def _sync(self, a: int, *_: int) -> None:
        client = self.clients[self._user(a)]
        await client.sync()
        assert client.shown() == await client.reloaded()

    async def _open(self, a: int, b: int, c: int) -> ThreadId | None:
        user, kind = self._user(a), (Kind.INQUIRY, Kind.BOOKING, Kind.STUDIO)[c % 3]
        kind = Kind.BOOKING if kind is Kind.STUDIO else kind
        others = [other for other in self.users if other != user]
        chosen = [others[(b + n) % len(others)] for n in range(1 + c % 4 // 2 * (1 + b % 2))]
        roles = {who: Role.BUYER if n % 2 else Role.SELLER for n, who in enumerate(chosen)}
        invited = tuple(opening.Invited(who, role) for who, role in roles.items())
        plain = {who: role.value for who, role in roles.items()}
        found: list[ThreadId | None] = []
        told = self._expect(lambda: found.append(self.model.finds(kind.value, user, plain)))
        try:
            thread = await opening.open_thread(
                self._node,
                Actor(user),
                opening.Opening(kind=kind, role=Role.BUYER, others=invited),
            )
        except Problem as problem:
            self._agree(problem, told)
            return None
        assert told is None
        if found[0] is not None:
            assert thread.id == found[0]
            return thread.id
        assert thread.id not in self.model.talks
        self.model.open(thread.id, kind.value, user, "buyer", plain)
        self.gates |= {(who, thread.id): gate.id for who, gate in thread.gates.items() if gate.id}
        return thread.id

    async def _direct(self, a: int, b: int, _: int) -> ThreadId | None:
        user, other = self._two(a, b)
        thread = await direct_id(self._node, user, other)
        told = self._expect(lambda: self.model.open_direct(thread, user, other))
        try:
            opened = await opening.open_direct(self._node, Actor(user), other)
        except Problem as problem:
            self._agree(problem, told)
            return None
        assert told is None
        assert opened.id == thread
        self.gates |= {(who, thread): gate.id for who, gate in opened.gates.items() if gate.id}
        return thread

    async def _send(self, a: int, b: int, c: int, reply_to: MessageId | None = None) -> ThreadId:
        user, talk = self._user(a), self._talk(b, c)
        outgoing = Outgoing(f"c{self.turn}", f"word {self.turn}", reply_to)
        posts: list[Post] = []
        told = self._expect(
            lambda: posts.append(self.model.send(user, talk.id, outgoing.body, reply_to))
        )
        try:
            sent = await send.send(self._node, Actor(user), talk.id, outgoing)
        except Problem as problem:
            self._agree(problem, told)
            return talk.id
        assert told is None
        assert isinstance(sent, Sent)
        posts[0].id = sent.message.id
        self.sent.append((user, talk.id, outgoing, sent.message.id))
        await self._learn_asked(talk.id)
        return talk.id

    async def _reply(self, a: int, b: int, c: int) -> ThreadId:
        message = self._message(self._talk(b, c), c)
        return await self._send(a, b, c, message)

    async def _again(self, a: int, b: int, _: int) -> ThreadId | None:
        """A retry, or another text with the same client message id."""
        if not self.sent:
            return None
        user, thread, outgoing, message = self.sent[a % len(self.sent)]
        if b % 3:
            sent = await send.send(self._node, Actor(user), thread, outgoing)
            assert isinstance(sent, Sent)
            assert sent.message.id == message
            return thread
        other = Outgoing(outgoing.client_id, "something else")
        return await self._both(
            thread, send.send(self._node, Actor(user), thread, other), _refuse("ClientIdReused")
        )

    async def _edit(self, a: int, b: int, c: int) -> ThreadId:
        talk, body = self._talk(b, c), f"better {self.turn}"
        user, message = self._author(talk, a, c)
        return await self._both(
            talk.id,
            edit.edit(self._node, Actor(user), talk.id, message, body),
            lambda: self.model.edit(user, talk.id, message, body),
        )

    async def _delete(self, a: int, b: int, c: int) -> ThreadId:
        talk = self._talk(b, c)
        user, message = self._author(talk, a, c)
        shown = [file for file in self.model.files.values() if file.post and file.state == READY]
        if shown and a % 2:
            post = shown[c % len(shown)].post
            assert post is not None
            assert post.id is not None
            talk = self.model.talks[shown[c % len(shown)].talk]
            user, message = post.author, post.id
        return await self._both(
            talk.id,
            delete.delete(self._node, Actor(user), talk.id, message),
            lambda: self.model.delete(user, talk.id, message),
        )

    async def _react(self, a: int, b: int, c: int, there: bool = True) -> ThreadId:
        user, talk, emoji = self._user(a), self._talk(b, c), _EMOJI[a % 2]
        message = self._message(talk, c)
        verb = react.react if there else react.remove_reaction
        return await self._both(
            talk.id,
            verb(self._node, Actor(user), talk.id, message, emoji),
            lambda: self.model.react(user, talk.id, message, emoji, there),
        )

    async def _take_back(self, a: int, b: int, c: int) -> ThreadId:
        return await self._react(a, b, c, there=False)

    async def _read(self, a: int, b: int, c: int) -> ThreadId:
        user, talk = self._user(a), self._talk(b, c)
        seq = talk.last if c % 3 else a % (talk.last + 2)
        return await self._both(
            talk.id,
            read.mark_read(self._node, Actor(user), talk.id, seq),
            lambda: self.model.read(user, talk.id, seq),
        )

    async def _deliver(self, a: int, b: int, c: int) -> ThreadId:
        user, talk = self._user(a), self._talk(b, c)
        return await self._both(
            talk.id,
            read.mark_delivered(self._node, Actor(user), talk.id, talk.last),
            lambda: self.model.deliver(user, talk.id, talk.last),
        )

    async def _unread(self, a: int, b: int, c: int) -> ThreadId:
        user, talk = self._user(a), self._talk(b, c)
        seq = None if c % 2 else a % (talk.last + 2)
        return await self._both(
            talk.id,
            read.mark_unread(self._node, Actor(user), talk.id, seq),
            lambda: self.model.unread(user, talk.id, seq),
        )

    async def _mute(self, a: int, b: int, c: int) -> ThreadId:
        user, talk = self._user(a), self._talk(b, c)
        until = 0 if c % 3 == 0 else self.model.now + _PAUSES[c % len(_PAUSES)]
        return await self._both(
            talk.id,
            row_settings.mute(self._node, Actor(user), talk.id, until),
            lambda: self.model.change_row(user, talk.id, muted_until=until),
        )

    async def _pin(self, a: int, b: int, c: int) -> ThreadId:
        user, talk, there = self._user(a), self._talk(b, c), bool(c % 3)
        return await self._both(
            talk.id,
            row_settings.pin(self._node, Actor(user), talk.id, there),
            lambda: self.model.change_row(user, talk.id, pinned=there),
        )

    async def _archive(self, a: int, b: int, c: int) -> ThreadId:
        user, talk, there = self._user(a), self._talk(b, c), bool(c % 4)
        return await self._both(
            talk.id,
            row_settings.archive(self._node, Actor(user), talk.id, there),
            lambda: self.model.change_row(user, talk.id, archived=there),
        )

    async def _spam(self, a: int, b: int, c: int) -> ThreadId:
        user, talk, there = self._user(a), self._talk(b, c), bool(c % 2)
        return await self._both(
            talk.id,
            row_settings.mark_spam(self._node, Actor(user), talk.id, there),
            lambda: self.model.change_row(user, talk.id, spam=there),
        )

    async def _hide(self, a: int, b: int, c: int) -> ThreadId:
        user, talk, there = self._user(a), self._talk(b, c), bool(c % 3)
        return await self._both(
            talk.id,
            row_settings.change_row(
                self._node, Actor(user), talk.id, row_settings.RowChanges(hidden=there)
            ),
            lambda: self.model.change_row(user, talk.id, hidden=there),
        )

    async def _read_all(self, a: int, _: int, c: int) -> None:
        user, folder = self._user(a), (Folder.ALL, Folder.OFFERS, Folder.HIDDEN)[c % 3]
        await read_all.mark_all_read(self._node, Actor(user), folder)
        for row in self.model.rows(user, folder.value):
            if row.unread:
                self.model.read(user, row.thread, self.model.talks[row.thread].last_for(user))

    async def _draft(self, a: int, b: int, c: int) -> ThreadId:
        user, talk, body = self._user(a), self._talk(b, c), f"I {self.turn}" if c % 3 else ""
        return await self._both(
            talk.id,
            draft.save_draft(self._node, Actor(user), talk.id, body),
            lambda: self.model.change_row(user, talk.id, draft=body),
        )

    async def _accept(self, a: int, *_: int) -> ThreadId | None:
        return await self._answer(a, respond.accept, ACCEPTED)

    async def _decline(self, a: int, *_: int) -> ThreadId | None:
        return await self._answer(a, respond.decline, DECLINED)

    async def _refuse(self, a: int, *_: int) -> ThreadId | None:
        return await self._answer(a, block_sender, BLOCKED)

    async def _block(self, a: int, b: int, c: int) -> ThreadId | None:
        user, other = self._two(a, b)
        named = self._talk(b, c)
        asked_from = named.id if c % 3 == 0 and named.is_open_to(user, self.model.now) else None
        await block_person(self._node, Actor(user), other, thread_id=asked_from)
        self.model.block(user, other)
        return named.id if asked_from is not None else await direct_id(self._node, user, other)

    async def _unblock(self, a: int, b: int, _: int) -> None:
        user, other = (
            sorted(self.model.blocks)[a % len(self.model.blocks)]
            if (self.model.blocks)
            else self._two(a, b)
        )
        await unblock_person(self._node, Actor(user), other)
        self.model.unblock(user, other)

    async def _leave(self, a: int, b: int, c: int) -> ThreadId:
        user, talk = self._user(a), self._talk(b, c)
        return await self._both(
            talk.id,
            participants.leave(self._node, Actor(user), talk.id),
            lambda: self.model.leave(user, talk.id),
        )

    async def _add(self, a: int, b: int, c: int) -> ThreadId:
        (user, other), talk = self._two(a, c), self._talk(b, c)
        role = Role.SELLER if a % 2 else Role.BUYER
        done = await self._both(
            talk.id,
            participants.add(self._node, Actor(user), talk.id, opening.Invited(other, role)),
            lambda: self.model.add(user, talk.id, other, role.value),
        )
        if not talk.seems_to_have_accepted(other):
            await self._learn_gate(other, talk.id)
        return done

    async def _remove(self, a: int, b: int, c: int) -> ThreadId:
        (user, other), talk = self._two(a, c), self._talk(b, c)
        return await self._both(
            talk.id,
            participants.remove(self._node, Actor(user), talk.id, other),
            lambda: self.model.remove(user, talk.id, other),
        )

    async def _rename(self, a: int, b: int, c: int) -> ThreadId:
        user, talk, name = self._user(a), self._talk(b, c), f"About {c % 5}"
        return await self._both(
            talk.id,
            rename.rename(self._node, Actor(user), talk.id, name),
            lambda: self.model.rename(user, talk.id, name),
        )

    async def _lock(self, _: int, b: int, c: int) -> ThreadId:
        talk, locked = self._talk(b, c), c % 4 == 0
        verb = lock.lock if locked else lock.unlock
        return await self._both(
            talk.id,
            verb(self._node, self.moderator, talk.id),
            lambda: self.model.lock(self.moderator.user, talk.id, locked),
        )

    # Files

    async def _announce(self, a: int, b: int, c: int) -> ThreadId | None:
        """And sends it, usually: before it is ready, or after."""
        user, talk = self._user(a), self._talk(b, c)
        places = [(who, at) for at in self.model.talks.values() for who in at.sides]
        allowed = [(who, at) for who, at in places if self.model.may_attach(who, at)]
        if allowed and b % 8:
            user, talk = allowed[a % len(allowed)]
        name, size = f"photo {self.turn}.jpg", 100 + self.turn
        found: list[Attached] = []
        told = self._expect(
            lambda: found.append(self.model.announce(user, talk.id, FileId(""), name, size))
        )
        new = NewFile(name=name, size=size, sha256=SHA256, thread=talk.id)
        try:
            file = await create_file(self._node.files, Actor(user), new)
        except Problem as problem:
            self._agree(problem, told)
            return talk.id
        assert told is None
        found[0].id = file.id
        self.model.files[file.id] = found[0]
        if c % 4 == 0:
            return talk.id
        if c % 4 == 1:
            await self._settle_file(found[0], READY)
        return await self._send_files(user, talk.id, [found[0]], f"caption {a}" if a % 2 else "")

    async def _attach(self, a: int, b: int, c: int) -> ThreadId | None:
        """Usually by its owner, where it belongs, together with another one."""
        first = self._file(c)
        if first is None:
            return None
        user = first.owner if a % 6 else self._user(b)
        thread = first.talk if b % 6 else self._talk(b, c).id
        own = [
            file
            for file in self.model.files.values()
            if (file.owner, file.talk, file.is_used) == (first.owner, first.talk, False)
            and file is not first
        ]
        body = "" if c % 3 else f"caption {self.turn}"
        return await self._send_files(user, thread, [first, *own[: a % 3]], body)

    async def _send_files(
        self, user: UserId, thread: ThreadId, files: list[Attached], body: str
    ) -> ThreadId:
        attachments = tuple(NewAttachment(file.id) for file in files)
        outgoing = Outgoing(f"a{self.turn}", body, attachments=attachments)
        made: list[Post | Wait] = []
        told = self._expect(
            lambda: made.append(self.model.attach(user, thread, outgoing.client_id, body, files))
        )
        try:
            outcome = await send.send(self._node, Actor(user), thread, outgoing)
        except Problem as problem:
            is_late = isinstance(
                problem, FileNotFound | InvalidAttachments | FileAlreadyUsed | FileNotReady
            )
            if not is_late or told != "ThreadNotFound":
                self._agree(problem, told)
            return thread  # a node that does not know yet that they have left looks at files first
        assert told is None
        if isinstance(made[0], Wait):
            assert outcome == Waiting(outgoing.client_id)
            self.waited.append((made[0], outgoing))
            return thread
        assert isinstance(outcome, Sent)
        made[0].id = outcome.message.id
        await self._learn_asked(thread)
        self.sent.append((user, thread, outgoing, outcome.message.id))
        return thread

    async def _settle(self, a: int, _: int, c: int) -> ThreadId | None:
        """A check ends, and what waits for the file is sent at once: the order of two messages of
        different people that are ready at the same moment is not defined."""
        coming = [file for file in self.model.files.values() if file.state == COMING]
        if not coming:
            return None
        file, state = coming[a % len(coming)], BAD if c % 5 == 0 else READY
        await self._settle_file(file, state)
        await self._background()
        return file.talk

    async def _settle_file(self, file: Attached, state: str) -> None:
        ended = FileState.REFUSED if state == BAD else FileState.READY
        file.rated = state == BAD or file.size % 3 > 0
        fields: dict[str, Any] = {} if file.rated else {"labels": {}}
        await file_steps.settle(self.world, file.id, ended, **fields)
        self.model.settle(file, state)

    async def _cancel(self, a: int, *_: int) -> None:
        if not self.waited:
            return
        wait, _outgoing = self.waited[a % len(self.waited)]
        told = self._expect(lambda: self.model.cancel(wait))
        doing = cancel_waiting(self._node, Actor(wait.author), wait.talk, wait.client_id)
        assert await self._do(doing) == told
        if told is None and wait.state not in ("canceled",):
            self.waited = [one for one in self.waited if one[0] is not wait]

    async def _ask_again(self, a: int, *_: int) -> None:
        """A retry of a message that waited."""
        if not self.waited:
            return
        wait, outgoing = self.waited[a % len(self.waited)]
        outcome = await send.send(self._node, Actor(wait.author), wait.talk, outgoing)
        expected = {PENDING: Waiting, "sent": Sent, "canceled": Canceled}
        assert isinstance(outcome, expected.get(wait.state, Failed))

    async def _drop(self, a: int, _: int, c: int) -> None:
        file = self._file(c)
        if file is None:
            return
        user = file.owner if a % 4 else self._user(a)
        told = self._expect(lambda: self.model.drop(user, file))
        assert await self._do(delete_file(self._node.files, Actor(user), file.id)) == told

    async def _band(self, a: int, b: int, c: int) -> ThreadId | None:
        """A moderator decides, and the message follows by a timer."""
        file = self._file(c)
        if file is None or file.state != READY:
            return None
        now_ms = self.world.clock.now_ms()
        file.band, file.rated = a % 3, True
        await apply_band(self._node.files, file.id, file.band, self.moderator.user, now_ms)
        await self._background()
        return file.talk

    async def _view(self, a: int, b: int, c: int) -> ThreadId | None:
        """Of somebody who sees another's file: their preference changes, and what their thread
        requires of them. So often that the two meet."""
        shown = [
            (file, user)
            for file in self.model.files.values()
            for user in self.model.talks[file.talk].sides
            if file.post and user != file.owner and self.model.sees_file(user, file)
        ]
        if not shown:
            return None
        file, viewer = shown[a % len(shown)]
        mode = (SafeMode.SHOW, SafeMode.SHOW, SafeMode.BLUR, SafeMode.HIDE)[b % 4]
        await set_safe_mode(self._node.files, Actor(viewer), mode)
        self.model.prefers[viewer] = mode.value
        talk, safe_mode = self.model.talks[file.talk], bool(c % 3)
        user = talk.opener if a % 4 else viewer
        change = ThreadChange(safe_mode=safe_mode)
        return await self._both(
            talk.id,
            edit_thread(self._node, Actor(user), talk.id, change),
            lambda: self.model.set_safe_mode(user, talk.id, safe_mode),
        )

    async def _background(self) -> None:
        """Timers and followers run until they have nothing to do."""
        self.model.expire()
        await self.world.run_timers()
        await file_steps.follow_files(self.world)
        follower = file_steps.files_follower(self.world)
        state = await load_state(self.world.store, follower.name)
        if state is not None and state.stage is Stage.NEEDS_REBUILD:  # a long pause
            await request_rebuild(self.world.store, follower)
            await file_steps.follow_files(self.world)
        waits = self.model.look_at_waits()
        for wait, post in waits:
            page = await history.history(
                self.watch, Actor(wait.author), wait.talk, limit=100, after=None
            )
            [post.id] = [one.id for one in page.messages if one.seq == post.seq]
            await self._learn_asked(wait.talk)

    def _file(self, c: int) -> Attached | None:
        """Prefers the last ones."""
        files = list(self.model.files.values())[-8:]
        return files[c % len(files)] if files else None

    async def _learn_asked(self, thread: ThreadId) -> None:
        talk = self.model.talks[thread]
        for who in talk.away:
            if talk.asked_back(who, self.model.now):
                await self._learn_gate(who, thread)

    # Choosing, and running a step on both sides

    @property
    def _node(self) -> Messaging:
        return self.nodes[self.turn % 3 % 2]

    def _user(self, a: int) -> UserId:
        return self.users[a % PEOPLE]

    def _two(self, a: int, b: int) -> tuple[UserId, UserId]:
        user = self._user(a)
        return user, self.users[(a + 1 + b % (PEOPLE - 1)) % PEOPLE]

    def _talk(self, b: int, c: int) -> Talk:
        """Prefers the first threads, where most has happened."""
        return list(self.model.talks.values())[b % (1 + c % len(self.model.talks))]

    def _message(self, talk: Talk, c: int) -> MessageId:
        known = [post.id for post in talk.posts if post.id is not None]
        return known[c % len(known)] if known else MessageId("msg_" + "0" * 26)

    def _author(self, talk: Talk, a: int, c: int) -> tuple[UserId, MessageId]:
        """Usually the author."""
        message = self._message(talk, c)
        authors = [post.author for post in talk.posts if post.id == message]
        return (authors[0] if authors and a % 4 else self._user(a)), message

    async def _answer(self, a: int, verb: object, state: str) -> ThreadId | None:
        asks = sorted((user, talk.id) for talk in self.model.talks.values() for user in talk.asks)
        if not asks:
            return None
        user, thread = asks[a % len(asks)]
        return await self._both(
            thread,
            verb(self._node, Actor(user), self.gates[user, thread]),  # type: ignore[operator]
            lambda: self.model.answer(user, thread, state),
        )

    async def _learn_gate(self, user: UserId, thread: ThreadId) -> None:
        head, _ = await self.world.another_node().messaging.thread_cache.load(thread)
        assert head is not None
        self.gates[user, thread] = head.gates[user].id

    def _expect(self, act: object) -> str | None:
        try:
            act()  # type: ignore[operator]
        except Refused as refused:
            return refused.name
        return None

    def _agree(self, problem: Problem, told: str | None) -> None:
        assert type(problem).__name__ == told

    async def _do(self, doing: Awaitable[object]) -> str | None:
        try:
            await doing
        except Problem as problem:
            return type(problem).__name__
        return None

    async def _both(self, thread: ThreadId, doing: Awaitable[object], act: object) -> ThreadId:
        told = self._expect(act)
        assert await self._do(doing) == told
        return thread

    # Comparing both

    async def _check(self, touched: ThreadId | None) -> None:
        await asyncio.gather(*(self._check_page(user, Folder.ALL) for user in self.users))
        if self.model.files:
            await asyncio.gather(*(self._check_files(user) for user in self.users))
        if touched is not None:
            await asyncio.gather(*(self._check_thread(user, touched) for user in self.users))

    async def _check_all(self) -> None:
        await asyncio.gather(*(self._check_user(user) for user in self.users))

    async def _check_user(self, user: UserId) -> None:
        for folder in Folder:
            await self._check_page(user, folder)
        await self._check_files(user)
        for thread in self.model.talks:
            await self._check_thread(user, thread)
        await self._check_pages(user)
        counts = await inbox.counts(self.watch, Actor(user))
        unread, badge = self.model.counts(user)
        assert (dict(counts.unread), counts.badge) == (unread, badge)

    async def _check_files(self, user: UserId) -> None:
        """What a user has, waits for, and sees of the others' files."""
        actor, files = Actor(user), self.watch.files
        shown = await waiting_messages(self.watch, actor)
        assert sorted((one.client_id, _problem_of(one)) for one in shown) == sorted(
            (one.client_id, "" if one.state == PENDING else _CODES[one.state])
            for one in self.model.listed_waits(user)
        )
        used = await storage(files, actor)
        assert (used.bytes, used.files) == self.model.quota(user)
        known = list(self.model.files.values())[-100:]
        seen = await file_views(files, actor, [file.id for file in known])
        assert set(seen) == {file.id for file in known if self.model.sees_file(user, file)}
        for file in known:
            if file.id in seen:
                found = seen[file.id].file
                assert (found.use is not None) == file.is_used
                assert found.band == file.band
        others = tuple(file for file in seen if seen[file].viewer is not None)[-MAX_FILES:]
        if others:
            shown_files = await file_urls(files, actor, Wanted(files=others))
            assert {one.file: one.shown.value for one in shown_files} == {
                file: self.model.shows_as(user, self.model.files[file]) for file in others
            }

    async def _check_page(self, user: UserId, folder: Folder) -> None:
        page = await inbox.inbox(self.watch, Actor(user), folder, limit=50)
        shown = [
            (row.thread.id, row.state.folder, row.state.unread, row.state.muted)
            for row in page.rows
        ]
        rows = self.model.rows(user, folder.value)
        assert shown == [(row.thread, row.folder, row.unread, row.muted) for row in rows]
        assert [row.mine.pinned for row in page.rows] == [row.pinned for row in rows]
        for row, expected in zip(page.rows, rows, strict=True):
            assert expected.preview in (None, _preview_of(row.thread))
        assert page.counts is not None
        unread, badge = self.model.counts(user)
        assert (dict(page.counts.unread), page.counts.badge) == (unread, badge)

    async def _check_pages(self, user: UserId) -> None:
        """Pages of three rows give the same rows."""
        shown: list[ThreadId] = []
        page = await inbox.inbox(self.watch, Actor(user), limit=3)
        shown += [row.thread.id for row in page.rows]
        while page.next is not None:
            page = await inbox.inbox(self.watch, Actor(user), limit=3, cursor=page.next)
            shown += [row.thread.id for row in page.rows]
        assert shown == [row.thread for row in self.model.rows(user)]

    async def _check_thread(self, user: UserId, thread: ThreadId) -> None:
        talk = self.model.talks.get(thread)
        try:
            seen = await history.history(self.watch, Actor(user), thread, limit=100)
        except ThreadNotFound:
            assert talk is None or not talk.is_open_to(user, self.model.now)
            return
        assert talk is not None
        assert talk.is_open_to(user, self.model.now)
        posts = self.model.posts(user, talk)
        assert [_of_message(message) for message in seen.messages] == [
            _of_post(post) for post in posts
        ]
        head = seen.view.thread
        found = await draft.draft(self.watch, Actor(user), thread)
        assert ("" if found is None else found.body) == talk.sides[user].draft
        assert set(head.members) == set(talk.sides)
        assert set(head.awaiting) == talk.awaits
        assert head.subject == talk.subject
        for message, post in zip(seen.messages, posts, strict=True):
            by = history.Seen(head, seen.members).by(message)
            assert set(by) == self.model.seen_by(user, talk, post)


def _preview_of(thread: Thread) -> tuple[str, str]:
    return thread.preview, thread.preview_event


def _of_message(message: Message) -> tuple[object, ...]:
    return (
        message.seq,
        message.ms,
        message.author,
        message.body,
        message.event,
        message.about,
        message.reply_to,
        {emoji: set(users) for emoji, users in message.reactions.items()},
        [edit.body for edit in message.edits],
        message.deleted_ms is not None,
        [(one.file, one.name, one.band) for one in message.attachments],
        message.band,
    )


def _of_post(post: Post) -> tuple[object, ...]:
    return (
        post.seq,
        post.ms,
        post.author,
        post.body,
        post.event,
        post.about,
        post.reply_to,
        post.reactions,
        post.said_before,
        post.deleted,
        [(file.id, file.name, file.band) for file in post.files],
        max([file.band for file in post.files], default=0),
    )


_CODES = {
    "FileExpired": "file-expired",
    "FileNotReady": "file-not-ready",
    "ThreadNotFound": "thread-not-found",
    "AcceptFirst": "accept-first",
    "ConversationLocked": "conversation-locked",
    "ConversationClosed": "conversation-closed",
    "RequestPending": "request-pending",
    "PlainTextOnly": "plain-text-only",
}


def _problem_of(message: WaitingMessage) -> str:
    assert (message.status is WaitingStatus.FAILED) == bool(message.problem)
    return message.problem


def _refuse(name: str) -> object:
    def act() -> None:
        raise Refused(name)

    return act
