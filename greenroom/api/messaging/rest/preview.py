"""The route that checks a text before it is sent."""

from typing import Annotated, Literal

from litestar import Router, post
from litestar.params import JSONBody
from msgspec import Meta, Struct

from greenroom.api.auth import BEARER, needs
from greenroom.api.messaging.params import TheMessaging
from greenroom.api.messaging.shapes import Hint
from greenroom.api.params import MOST_BYTES, Caller
from greenroom.api.route_docs import refuses
from greenroom.ids import ThreadId, UserId
from greenroom.messaging.preview import MAX_RECIPIENTS, preview
from greenroom.messaging.problems import InvalidText, ThreadNotFound
from greenroom.people.actor import Scope
from greenroom.safety.limits import TooMany
from greenroom.safety.verdict import HINTS, Hold, Nudge, Refuse, Verdict

_Id = Annotated[str, Meta(min_length=1, max_length=64)]
_Outcome = Literal["fine", "nudge", "held", "refused"]
_OUTCOMES: dict[type[Verdict], _Outcome] = {Nudge: "nudge", Hold: "held", Refuse: "refused"}


class Recipient(Struct, rename="camel", forbid_unknown_fields=True):
    user_id: _Id


_Recipients = Annotated[list[Recipient], Meta(min_length=1, max_length=MAX_RECIPIENTS)]


class Unsent(Struct, rename="camel", forbid_unknown_fields=True):
    body: str
    thread_id: _Id | None = None
    """The conversation in which it would be sent."""
    participants: _Recipients | None = None
    """The people with whom it would open a conversation. Ignored if `threadId` is given. Without
    both, the text is checked as if sent to a stranger."""


class Preview(Struct, rename="camel"):
    verdict: _Outcome
    """The result of sending it: `fine` (it is sent), `nudge` (it is sent, but read the hints
    first), `held` (a moderator reviews it first) or `refused` (it cannot be sent)."""
    hints: list[Hint]
    """The reasons, as sentences for the author."""


@post(
    "/preview",
    operation_id="previewMessage",
    summary="Check a text before sending it",
    description="Says what sending or editing would lead to. Give `threadId` or `participants`: "
    "what you may say depends on who knows you. Nothing is sent or stored.",
    response_description="What sending the text would lead to.",
    status_code=200,
    responses=refuses(ThreadNotFound, InvalidText, TooMany, body=True),
)
async def preview_message(
    data: JSONBody[Unsent], actor: Caller, messaging: TheMessaging
) -> Preview:
    thread = None if data.thread_id is None else ThreadId(data.thread_id)
    others = [UserId(one.user_id) for one in data.participants or () if thread is None]
    verdict = await preview(messaging, actor, data.body, thread_id=thread, recipients=others)
    outcome = _OUTCOMES.get(type(verdict), "fine")
    hints = verdict.policy_hints if outcome != "fine" else ()
    return Preview(outcome, [Hint(hint, HINTS[hint]) for hint in hints])


routes = Router(
    "/v1",
    route_handlers=[preview_message],
    guards=[needs(Scope.USER)],
    security=BEARER,
    tags=["messages"],
    request_max_body_size=MOST_BYTES,
)
