"""The frames of the socket itself: signing in, resuming, answers, and what the server announces.

Contexts add requests, acks and events of their own (`api/<context>/frames.py`). The AsyncAPI
document, docs/reference/socket.json and the web client's types are built from all of them.

Every frame has a `type`. A client's frame also has a number of its own choosing (`id`) where it is
answered; the `ack` or `problem` repeats it. Every other frame from the server is an event.
"""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct

from greenroom.api.tokens import MAX_TOKEN_LENGTH
from greenroom.ids import UserId
from greenroom.store.cursors import MAX_CURSOR

Id: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64)]
Number: TypeAlias = Annotated[int, Meta(ge=0, le=2**53)]
MOST_KNOWN = 1000


class Frame(Struct, rename="camel", omit_defaults=True, tag_field="type"):
    """A frame either way."""


# What a client sends.


class Auth(Frame, tag="auth", forbid_unknown_fields=True):
    """The first frame, unless the token came in the subprotocol; and again before it expires."""

    id: Number
    token: Annotated[str, Meta(extra_json_schema={"maxLength": MAX_TOKEN_LENGTH})]
    act_for: Id | None = None
    """For a service: the user on whose behalf it acts."""


class Resume(Frame, tag="resume", forbid_unknown_fields=True):
    """Replays what was missed since the cursor; then everything is live."""

    id: Number
    cursor: Annotated[str, Meta(max_length=MAX_CURSOR)]
    have: Annotated[dict[Id, Number], Meta(max_length=MOST_KNOWN)] = {}
    """For each thread the `seq` up to which the client has every message: only up to the first gap,
    or what is missing there is not told again. What is left out may come twice."""


class Ping(Frame, tag="ping", forbid_unknown_fields=True):
    """Asks for an answer, and for the cursor of now."""

    id: Number


# What the server answers.


class Ack(Frame, tag="ack"):
    """The request is done, and what it wrote is on the disk."""

    id: int


class AuthAck(Ack, tag="ack"):
    """The answer to `auth`."""

    cursor: str | None = None
    """Where to resume from."""
    user_id: UserId | None = None
    """Who you are."""
    expires_at: str | None = None
    """When the token expires. Send another `auth` before."""


class PingAck(Ack, tag="ack"):
    """The answer to `ping`."""

    cursor: str | None = None
    """Where to resume from."""


class ResumeAck(Ack, tag="ack"):
    """The answer to `resume`: everything that was missed has been sent."""

    cursor: str | None = None
    """Where to resume from."""
    reset: list[str] = []
    """The sources whose part of the cursor is too old: load what they show again."""


class Problem(Frame, tag="problem"):
    """Refused. The same words as over REST (RFC 9457); without `id` it is about no request."""

    problem: dict[str, Any]
    id: int | None = None


# What the server tells.


class Synced(Frame, tag="synced"):
    """A part of what was missed, in the shape of `GET /v1/sync`."""

    id: int
    changes: Any


class Resync(Frame, tag="resync"):
    """Something may not have come: `resume` with the last cursor."""


class Expiring(Frame, tag="token.expiring"):
    """Send `auth` with a new token, or the socket is closed."""

    expires_at: str


class Closing(Frame, tag="closing"):
    """The server is about to close the socket. Come back after the delay."""

    reason: Literal["the server restarts"]
    reconnect_after_ms: int
