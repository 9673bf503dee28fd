"""Handles one client's socket: authentication, requests, events, replay and closing.

    waiting    for a token: in the first frame, or in the subprotocol
    live       requests are answered as they complete, events are sent as they come
    replaying  what the client missed is being read; new events wait, and come after it, none twice
    over       one side has closed: nothing more is read or sent

Careful: a client may send faster than its requests complete. A limited number runs at once; further
input stays unread. So does all input of a client that does not read its answers.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Coroutine
from typing import Any, TypeVar

import msgspec

from greenroom.api import errors
from greenroom.api.auth import NotAllowed
from greenroom.api.duplicate_keys import DuplicateKey, check_keys
from greenroom.api.problems import (
    AuthRequired,
    InvalidFrame,
    Overloaded,
    ResumeInProgress,
    TooManySockets,
)
from greenroom.api.registry import SessionPart
from greenroom.api.tokens import TokenExpired
from greenroom.api.ws import frames
from greenroom.api.ws.close_codes import Closed
from greenroom.api.ws.encode import encode
from greenroom.api.ws.event_delivery import EventDelivery
from greenroom.api.ws.frames import Ack, AuthAck, Frame
from greenroom.api.ws.ordered_tasks import OrderedTasks
from greenroom.api.ws.replay import replay
from greenroom.api.ws.session_transport import Transport
from greenroom.api.ws.socket_server import SocketServer
from greenroom.api.ws.token_timer import TokenTimer
from greenroom.clock import iso
from greenroom.errors import Problem
from greenroom.people.access import AccountSuspended
from greenroom.people.actor import Actor, Scope
from greenroom.realtime.bus import user_topic
from greenroom.realtime.outbox import Outbox
from greenroom.safety.limits import TooMany

MOST_UNDER_WAY = 256
"""Concurrent requests of one client. At this limit its socket is not read."""
_CHECK_MS = 600_000
_LONGEST_REASON = 200
_RESYNC = encode(frames.Resync())
_log = logging.getLogger(__name__)


_T = TypeVar("_T")
_P = TypeVar("_P", bound=SessionPart)


class Session:
    def __init__(self, server: SocketServer, transport: Transport) -> None:
        self.server = server
        self.transport = transport
        self.outbox = Outbox(transport.write, _RESYNC)
        self._parts = [make(self) for make in server.registry.session_parts]
        self.delivery = EventDelivery(self.outbox, self._parts)
        self.actor: Actor | None = None
        self.is_over = False
        self._takes_more = True
        self._tasks: set[asyncio.Task[None]] = set()
        self._ordered = OrderedTasks()
        self._unread: deque[bytes] | None = None
        """Created on demand: few sessions need it."""
        self._authentication: asyncio.Task[None] | None = None
        self._is_resuming = False
        self._replayed_to: str | None = None
        """The cursor at the end of the last replay, which records what was sent."""
        self._invalid_count = 0
        self._checked_ms = 0
        self._token_timer = TokenTimer(server.clock, self._warn, self._on_expired)
        self._loop = asyncio.get_running_loop()  # kept: each look-up is a system call
        self._auth_timer = self._loop.call_later(server.timeouts.first_frame, self._on_auth_timeout)

    # Called by the transport.

    def receive(self, payload: bytes) -> None:
        if not self._takes_more:
            return
        if self._unread or not self._has_room():
            self._unread = self._unread or deque()
            self._unread.append(payload)
            self.transport.pause_reading()
        else:
            self._take(payload)

    def authenticate(self, token: str) -> None:
        """Authenticates with the token from the subprotocol."""
        self.receive(encode(frames.Auth(0, token)))

    def pause_writes(self) -> None:
        """Called when the client reads more slowly than we write."""
        self.outbox.pause()
        self.transport.pause_reading()

    def resume_writes(self) -> None:
        self.outbox.resume()
        self._take_rest()

    def close(self, code: int, reason: str) -> None:
        if not self.is_over:
            self._end()
            self.transport.close(code, reason)

    def disconnected(self) -> None:
        self._end()
        self.outbox.close()
        for part in self._parts:
            part.close(draining=self.server.is_draining)

    async def finish(self) -> None:
        """Accepts no more requests, and completes the running ones."""
        self._takes_more = False
        self._unread = None
        self.transport.pause_reading()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self.server.timeouts.finish)

    async def renew(self) -> None:
        """Checks the account of a client that only listens, and renews the session's parts. A
        client that sends requests is checked with each of them."""
        if self.actor is None or self.is_over:
            return
        now_ms = self.server.clock.now_ms()
        if not 0 <= now_ms - self._checked_ms < _CHECK_MS:
            self._checked_ms = now_ms
            try:
                await self.server.authenticator.check(self.actor)
            except AccountSuspended as problem:
                self._refuse(None, problem)
                self._close_if_fatal(problem)
                return
        for part in self._parts:
            await part.renew()

    # Incoming frames.

    def _has_room(self) -> bool:
        return (
            self._authentication is None
            and len(self._tasks) < MOST_UNDER_WAY
            and not self.outbox.is_full
        )

    def _take_rest(self) -> None:
        """Handles waiting frames, as far as the limit allows."""
        while self._unread and self._has_room():
            self._take(self._unread.popleft())
        if not self._unread and self._has_room() and self._takes_more:
            self.transport.resume_reading()

    def _take(self, payload: bytes) -> None:
        try:
            request = self.server.decode(payload)
            check_keys(payload, fewest=self.server.fewest_keys[type(request)])
        except (DuplicateKey, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            self._refuse_invalid(
                frames.number_in(payload), InvalidFrame(str(error)[:_LONGEST_REASON])
            )
            return
        self.server.received[type(request)] += 1
        number: int | None = getattr(request, "id", None)
        if self.actor is None and not isinstance(request, frames.Auth):
            self._refuse_invalid(number, AuthRequired())
            return
        self._invalid_count = 0
        if not self.server.has_room():
            self._refuse(number, Overloaded())
        elif self.actor is None:
            self._authentication = self.start(self._answer(request))
        elif isinstance(request, frames.Resume):
            self._take_resume(request)
        else:
            self.start(self._answer(request), self._ordering_key(request))

    def _take_resume(self, request: frames.Resume) -> None:
        if self._is_resuming:
            self._refuse(request.id, ResumeInProgress())
        else:
            self._is_resuming = True
            self.start(self._answer(request))

    def _ordering_key(self, request: Frame) -> str | None:
        ordering_key = self.server.requests[type(request)].ordering_key
        return None if ordering_key is None else ordering_key(self, request)

    def is_ordered(self, key: str) -> bool:
        """Whether a request with this ordering key is running."""
        return key in self._ordered

    def start(self, work: Coroutine[Any, Any, None], key: str | None = None) -> asyncio.Task[None]:
        if key is None:
            task = self._loop.create_task(work)
        else:
            task = self._ordered.start(key, work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        self.server.under_way += 1
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self.server.under_way -= 1
        self._tasks.discard(task)
        self._ordered.leave(task)
        if not task.cancelled() and (bug := task.exception()) is not None:
            _log.error("something in the background of a socket went wrong", exc_info=bug)
        if task is self._authentication:
            self._authentication = None
            self._take_rest()
            if not self._is_resuming:
                self.delivery.resume_live(caught_up=False)
        elif self._unread or len(self._tasks) == MOST_UNDER_WAY - 1:
            self._take_rest()

    def start_next(self) -> None:
        """Called by a handler once later requests can no longer overtake its own."""
        if self._ordered.is_in_use:
            self._ordered.leave(asyncio.current_task())

    # For handlers and parts.

    @property
    def authenticated_actor(self) -> Actor:
        assert self.actor is not None
        return self.actor

    def context(self, kind: type[_T]) -> _T:
        return self.server.contexts[kind]

    def part(self, kind: type[_P]) -> _P:
        """The part of this kind: a context's state for this connection."""
        return next(part for part in self._parts if isinstance(part, kind))

    def refuse(self, problem: Problem) -> None:
        """Sends a problem that answers no request."""
        self._refuse(None, problem)

    # Handling requests.

    async def _answer(self, request: Frame) -> None:
        number: int | None = getattr(request, "id", None)
        try:
            if isinstance(request, frames.Auth):
                answer: Ack | None = await self._handle_auth(request)
            elif isinstance(request, frames.Resume):
                answer = None
                await self._handle_resume(request)
            else:
                assert self.actor is not None
                handler = self.server.requests[type(request)]
                await self.server.authenticator.check(self.actor)
                await self.server.limits.spend(self.actor.user, handler.limit)  # before any work
                answer = await handler.handle(self, request)
        except Problem as problem:
            self._refuse(number, problem)
            self._close_if_fatal(problem)
        except Exception:
            _log.exception("a request of type %s failed", type(request).__name__)
            self._send_problem(number, self.server.problems.internal)
        else:
            self.server.acked += answer is not None
            if answer is not None and not self.is_over:
                self.outbox.send_reply(encode(answer))

    async def _spend(self, actor: Actor, request: Frame) -> None:
        """Spends the request's rate limit before any work is done."""
        limit = self.server.requests[type(request)].limit
        await self.server.limits.spend(actor.user, limit)

    async def _handle_auth(self, request: frames.Auth) -> AuthAck:
        actor, expires_ms = await self.server.authenticator.authenticate_with_expiry(
            request.token, request.act_for
        )
        if not actor.may(Scope.USER):
            raise NotAllowed((Scope.USER,))
        await self._spend(actor, request)
        if self.actor is not None and actor.user != self.actor.user:
            raise AuthRequired
        cursor = self.cursor()
        if self.actor is None:
            await self._listen(actor)
            cursor = self.server.sync.cursor_now(actor.user)
        if self.actor is None and not self.is_over:
            self.transport.authenticated()
            if (oldest := self.server.authenticated(self, actor.user)) is not None:
                oldest.close_oldest()
        self.actor = actor
        self._auth_timer.cancel()
        if not self.is_over:
            self._token_timer.renew(expires_ms)
        return AuthAck(request.id, cursor=cursor, user_id=actor.user, expires_at=iso(expires_ms))

    async def _listen(self, actor: Actor) -> None:
        """Subscribes to events. They are held back until it is known whether the client resumes."""
        self._checked_ms = self.server.clock.now_ms()
        for part in self._parts:
            part.on_authenticated(actor)
        self.delivery.hold()
        if not self.is_over:
            self.delivery.user = actor.user
            self.server.hub.add(user_topic(actor.user), self.delivery)
            await self.server.hub.bus.ready()

    def cursor(self) -> str | None:
        if (
            self.actor is None
            or not self.delivery.is_cursor_valid()
            or not self.server.hub.is_caught_up
        ):
            return None
        return self.server.sync.cursor_now(self.actor.user, self._replayed_to)

    async def _handle_resume(self, request: frames.Resume) -> None:
        """Sends its own answer, because held events must follow right after it."""
        assert self.actor is not None
        caught_up = False
        self.delivery.hold()
        try:
            await self.server.authenticator.check(self.actor)
            await self._spend(self.actor, request)
            ack = await replay(self, self.actor, request)
            self._replayed_to = ack.cursor
            self.server.acked += 1
            if not self.is_over:
                self.outbox.send_reply(encode(ack))
            caught_up = True
        finally:
            self._is_resuming = False
            self.delivery.resume_live(caught_up=caught_up)

    # Closing.

    def close_unauthenticated(self) -> None:
        """Makes room for another unauthenticated socket."""
        self.close(Closed.SLOW_TO_START, "no token came, and others wait")

    def close_oldest(self) -> None:
        """Makes room for a newer socket of the same user."""
        self._refuse(None, TooManySockets(self.server.most_per_user))
        self.close(Closed.TOO_MANY_SOCKETS, "the user has opened too many sockets")

    def _end(self) -> None:
        self.server.left(self, None if self.actor is None else self.actor.user)
        self.is_over = True
        self._takes_more = False
        self._unread = None
        self._auth_timer.cancel()
        self._token_timer.cancel()
        self.delivery.end()
        self.server.hub.remove(user_topic(self.delivery.user), self.delivery)

    def _close_if_fatal(self, problem: Problem) -> None:
        """Closes the socket if the user may not connect (any more). Internal errors do not close
        it."""
        if self.server.problems.is_server_error(problem):
            return
        if isinstance(problem, TooMany) and self.actor is None:
            self.close(Closed.TOO_MUCH, "too many sockets were opened")
        elif self.actor is None:
            self.close(Closed.NO_TOKEN, "the token is not accepted")
        elif isinstance(problem, AccountSuspended):
            self.close(Closed.EXPIRED, "the account is suspended")

    def _on_auth_timeout(self) -> None:
        self.close(Closed.SLOW_TO_START, "no token came")

    def _warn(self, expires_ms: int) -> None:
        self.outbox.send_reply(encode(frames.Expiring(iso(expires_ms))))

    def _on_expired(self) -> None:
        self._refuse(None, TokenExpired())
        self.close(Closed.EXPIRED, "the token has expired")

    # Errors.

    def _refuse_invalid(self, number: int | None, problem: Problem) -> None:
        self._refuse(number, problem)
        self._invalid_count += 1
        if self._invalid_count >= self.server.most_invalid:
            self.close(Closed.TOO_MUCH, "too many invalid requests")

    def _refuse(self, number: int | None, problem: Problem) -> None:
        if self.server.problems.is_server_error(problem) and not isinstance(problem, Overloaded):
            errors.log_server_error(self.server.problems, problem, "a request of a socket")
        self._send_problem(number, self.server.problems.document_of(problem))

    def _send_problem(self, number: int | None, document: dict[str, Any]) -> None:
        self.server.metrics.refusals["socket", errors.code_of(document)] += 1
        if not self.is_over:
            self.outbox.send_reply(encode(frames.Problem(document, number)))
