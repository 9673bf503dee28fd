"""The socket's own requests and announcements: signing in, resuming, ping, restarts."""

from greenroom.api.example_cursor import NEXT
from greenroom.api.platform.policy import READS, SIGN_INS
from greenroom.api.registry import Example, SocketEvent, SocketRequest
from greenroom.api.ws import frames
from greenroom.api.ws.frames import Ack, AuthAck, PingAck, ResumeAck
from greenroom.api.ws.session import Session
from greenroom.ids import UserId

_THREAD = "thr_01k75q8h3c9m2n4p6r8t0v2x4z"
_USER = UserId("usr_01k75pf200e1k6cdq0v2xq7f3m")
_EXPIRES = "2025-10-09T10:00:00.000Z"


async def on_ping(session: Session, request: frames.Ping) -> Ack:
    return PingAck(request.id, cursor=session.cursor())


async def _handled_by_the_session(_: Session, request: frames.Frame) -> Ack:
    raise NotImplementedError(type(request).__name__)


REQUESTS: tuple[SocketRequest, ...] = (
    SocketRequest(
        frame=frames.Auth,
        handle=_handled_by_the_session,
        limit=SIGN_INS,
        ack=AuthAck,
        examples=(
            Example("a user", frames.Auth(1, "eyJhbGciOi…")),
            Example("a service, for a user", frames.Auth(1, "eyJhbGciOi…", _USER)),
        ),
        ack_examples=(
            Example("signed in", AuthAck(1, cursor=NEXT, user_id=_USER, expires_at=_EXPIRES)),
        ),
    ),
    SocketRequest(
        frame=frames.Resume,
        handle=_handled_by_the_session,
        limit=READS,
        ack=ResumeAck,
        examples=(
            Example("after a short break", frames.Resume(11, NEXT)),
            Example("with what the client has", frames.Resume(11, NEXT, {_THREAD: 4})),
        ),
        ack_examples=(
            Example("caught up", ResumeAck(11, cursor=NEXT)),
            Example("too late for the inbox", ResumeAck(11, cursor=NEXT, reset=["inbox"])),
        ),
    ),
    SocketRequest(
        frame=frames.Ping,
        handle=on_ping,
        limit=READS,
        ack=PingAck,
        examples=(Example("ping", frames.Ping(12)),),
        ack_examples=(Example("pong", PingAck(12, cursor=NEXT)),),
    ),
)

EVENTS: tuple[SocketEvent, ...] = (
    SocketEvent(frame=frames.Resync, examples=(Example("resync", frames.Resync()),)),
    SocketEvent(frame=frames.Expiring, examples=(Example("expiring", frames.Expiring(_EXPIRES)),)),
    SocketEvent(
        frame=frames.Closing,
        examples=(Example("a restart", frames.Closing("the server restarts", 840)),),
    ),
)
