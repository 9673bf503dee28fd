"""One client's socket, from the first frame to the last.

    waiting   for a token: in the first frame, or in the subprotocol
    live      requests are answered as they are done, events are told as they come
    replaying what was missed is being read; events wait, and come after it, none twice

What one would get wrong: the connection listens *before* anything is replayed, or something would
fall between the two; and once something may have been lost no cursor is given out until the client
has resumed, or what was lost would stay so.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

import msgspec

from greenroom.api import errors
from greenroom.api.problems import NotAFrame, OneAtATime, Overloaded, SayWhoFirst
from greenroom.api.tokens import TokenExpired
from greenroom.api.ws import frames
from greenroom.api.ws.desk import Desk
from greenroom.api.ws.frames import Ack
from greenroom.api.ws.herald import encode
from greenroom.clock import iso
from greenroom.errors import Problem
from greenroom.ids import MessageId, ThreadId, UserId
from greenroom.messaging import presence
from greenroom.people.actor import Actor
from greenroom.realtime.base import Notice, thread_topic, user_topic
from greenroom.realtime.outbox import Outbox

FIRST_FRAME_SECONDS = 10
MOST_UNDER_WAY = 256
"""Requests of one client at once; while there are more, nothing is read from its socket."""
_MOST_BUFFERED = 2000
_WARN_MS = 60_000
_RESYNC = encode(frames.Resync())
_decode = msgspec.json.Decoder(frames.Request).decode
_log = logging.getLogger(__name__)


class Closed:
    """Why a socket is closed. 4000 and above are ours."""

    RESTART = 1012
    TOO_MUCH = 1008
    NO_TOKEN = 4401
    EXPIRED = 4403
    SLOW_TO_START = 4408


class Wire(Protocol):
    """The transport."""

    def write(self, payload: bytes) -> None: ...

    def close(self, code: int, reason: str) -> None: ...

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


class Session:
    def __init__(self, desk: Desk, wire: Wire) -> None:
        self.desk = desk
        self.wire = wire
        self.outbox = Outbox(wire.write, _RESYNC)
        self.actor: Actor | None = None
        self.on_screen: set[ThreadId] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._lines: dict[str, asyncio.Task[None]] = {}
        self._expires_ms = 0
        self._timer = asyncio.get_running_loop().call_later(FIRST_FRAME_SECONDS, self._too_slow)
        self._buffered: list[Notice] | None = None
        self._behind = False
        self._mistakes = 0
        self.is_closed = False

    # The hub's side.

    @property
    def user(self) -> UserId:
        return UserId("") if self.actor is None else self.actor.user

    def hear(self, notice: Notice) -> None:
        if self._buffered is None:
            self.outbox.tell(notice.payload)
        elif len(self._buffered) < _MOST_BUFFERED:
            self._buffered.append(notice)
        else:
            self.missed()

    def missed(self) -> None:
        self._behind = True
        self.outbox.give_up()

    # The wire's side.

    def receive(self, payload: bytes) -> None:
        try:
            request = _decode(payload)
        except msgspec.MsgspecError as error:
            self._mistaken(payload, error)
            return
        if self.actor is None and not isinstance(request, frames.Auth):
            self._refuse(getattr(request, "id", None), SayWhoFirst())
            return
        if not self.desk.has_room():
            self._refuse(getattr(request, "id", None), Overloaded())
            return
        self._start(self._answer(request), self._line(request))

    def authenticate(self, token: str) -> None:
        """With the token of the subprotocol, as if the first frame had brought it."""
        self.receive(encode(frames.Auth(0, token)))

    def disconnected(self) -> None:
        if self.is_closed:
            return
        self.is_closed = True
        self._timer.cancel()
        if self.actor is not None:
            self.desk.hub.remove(user_topic(self.actor.user), self)
            self._start(self.look_at(()))

    def close(self, code: int, reason: str) -> None:
        self.wire.close(code, reason)

    async def drain(self) -> None:
        """Lets what was accepted be answered."""
        self.wire.pause_reading()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5)

    # Requests.

    def _start(self, work: Coroutine[Any, Any, None], line: str | None = None) -> None:
        if line is not None:
            work = self._after(self._lines.get(line), work)
        task = asyncio.get_running_loop().create_task(work)
        if line is not None:
            self._lines[line] = task
        self._tasks.add(task)
        task.add_done_callback(self._done)
        self.desk.under_way += 1
        if len(self._tasks) == MOST_UNDER_WAY:
            self.wire.pause_reading()

    def _line(self, request: frames.Request) -> str | None:
        """What one client writes into one thread takes effect in the order in which it was sent.
        Where the store keeps that order itself nothing has to wait."""
        if isinstance(request, frames.Send) and not self.desk.messaging.store.in_order:
            return request.thread_id
        return None

    async def _after(
        self, before: asyncio.Task[None] | None, work: Coroutine[Any, Any, None]
    ) -> None:
        if before is not None:
            await asyncio.wait([before])
        await work

    def _done(self, task: asyncio.Task[None]) -> None:
        self.desk.under_way -= 1
        self._tasks.discard(task)
        for line in [line for line, last in self._lines.items() if last is task]:
            del self._lines[line]
        if len(self._tasks) == MOST_UNDER_WAY - 1 and not self.is_closed:
            self.wire.resume_reading()

    async def _answer(self, request: frames.Request) -> None:
        number: int | None = getattr(request, "id", None)
        try:
            if isinstance(request, frames.Auth):
                answer: Ack | None = await self._authenticated(request)
            elif isinstance(request, frames.Resume):
                answer = None
                await self._resumed(request)
            else:
                assert self.actor is not None
                await self.desk.authenticator.check(self.actor)
                answer = await self.desk.handlers[type(request)](self, request)
        except Problem as problem:
            self._refuse(number, problem)
            if self.actor is None:
                self.close(Closed.NO_TOKEN, "the token is not accepted")
            return
        except Exception:
            _log.exception("a request of type %s failed", type(request).__name__)
            self._tell_problem(number, errors.INTERNAL)
            return
        if answer is not None and not self.is_closed:
            self.outbox.answer(encode(answer))

    async def _authenticated(self, request: frames.Auth) -> Ack:
        actor, expires_ms = await self.desk.authenticator.admit(request.token, request.act_for)
        if self.actor is not None and actor.user != self.actor.user:
            raise SayWhoFirst
        is_new, self.actor = self.actor is None, actor
        self._expires_ms = expires_ms
        self._timer.cancel()
        self._watch_token()
        if is_new and not self.is_closed:
            self.desk.hub.add(user_topic(actor.user), self)
            await self.desk.hub.bus.ready()
        return Ack(
            request.id,
            cursor=self.cursor(),
            user_id=actor.user,
            expires_at=iso(expires_ms),
        )

    def cursor(self) -> str | None:
        if self._behind or self._buffered is not None or self.actor is None:
            return None
        return self.desk.cursor(self.actor.user)

    async def _resumed(self, request: frames.Resume) -> None:
        if self._buffered is not None:
            raise OneAtATime
        assert self.actor is not None
        self._buffered, self._behind = [], False
        given: dict[MessageId, int] = {}
        cursor, more, reset = request.cursor, True, False
        try:
            while more and not reset:
                changes = await self.desk.changes(self.actor, cursor, request.have)
                cursor, more, reset = changes.cursor, changes.more, changes.reset
                for changed in changes.threads:
                    given |= {shown.message_id: shown.version for shown in changed.messages}
                if changes.threads or changes.gone:
                    self.outbox.answer(encode(frames.Synced(request.id, changes)))
        finally:
            waiting, self._buffered = self._buffered, None
        self.outbox.answer(encode(Ack(request.id, cursor=cursor, reset=reset)))
        for notice in waiting:
            if notice.message is None or given.get(notice.message, 0) < notice.version:
                self.outbox.tell(notice.payload)

    async def look_at(self, threads: tuple[ThreadId, ...]) -> None:
        """These are on screen now, and no others."""
        wanted = set(threads)
        for thread in self.on_screen - wanted:
            self.on_screen.discard(thread)
            self.desk.hub.remove(thread_topic(thread), self)
            if self.actor is not None and not self._is_elsewhere(thread):
                await presence.vanish(self.desk.messaging, self.actor, thread)
        if self.actor is None or self.is_closed:
            return
        for thread in wanted:
            if thread not in self.on_screen:
                self.on_screen.add(thread)
                self.desk.hub.add(thread_topic(thread), self)
            for payload in await self.desk.appeared(self.actor, thread):
                self.outbox.tell(payload)

    def _is_elsewhere(self, thread: ThreadId) -> bool:
        """Whether the user has the thread on another screen of this node."""
        return any(
            other is not self and other.user == self.user and thread in other.on_screen
            for other in self.desk.sessions
        )

    # What goes wrong.

    def _refuse(self, number: int | None, problem: Problem) -> None:
        self._tell_problem(number, errors.document_of(problem))

    def _tell_problem(self, number: int | None, document: dict[str, Any]) -> None:
        if not self.is_closed:
            self.outbox.answer(encode(frames.Problem(document, number)))

    def _mistaken(self, payload: bytes, error: Exception) -> None:
        self._mistakes += 1
        self._refuse(_number_in(payload), NotAFrame(str(error)))
        if self._mistakes >= self.desk.most_mistakes:
            self.close(Closed.TOO_MUCH, "too many frames that are none")

    def _too_slow(self) -> None:
        self.close(Closed.SLOW_TO_START, "no token came")

    def _watch_token(self) -> None:
        """Warns a minute before the token ends, and closes when it does."""
        left_ms = self._expires_ms - self.desk.messaging.clock.now_ms()
        if left_ms <= 0:
            self._refuse(None, TokenExpired())
            self.close(Closed.EXPIRED, "the token has expired")
            return
        act: Callable[[], None] = self._watch_token
        wait_ms = left_ms
        if left_ms > _WARN_MS:
            act, wait_ms = self._warn, min(left_ms - _WARN_MS, 3_600_000)
        self._timer = asyncio.get_running_loop().call_later(wait_ms / 1000, act)

    def _warn(self) -> None:
        if self._expires_ms - self.desk.messaging.clock.now_ms() <= _WARN_MS + 1000:
            self.outbox.tell(encode(frames.Expiring(iso(self._expires_ms))))
        self._watch_token()


def _number_in(payload: bytes) -> int | None:
    """The number of a request that is otherwise no frame, so that the client knows which."""
    try:
        return msgspec.json.decode(payload, type=_Numbered).id
    except msgspec.MsgspecError:
        return None


class _Numbered(msgspec.Struct):
    id: int | None = None
