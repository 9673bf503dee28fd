"""A kind word before a text is sent."""

from typing import Annotated

from litestar import Router, post
from litestar.params import JSONBody
from msgspec import Meta, Struct

from greenroom.api.auth import BEARER, needs
from greenroom.api.contract import refuses
from greenroom.api.rest.params import MOST_BYTES, Caller, TheMessaging
from greenroom.api.rest.shapes import Hint
from greenroom.ids import ThreadId
from greenroom.messaging.preview import preview
from greenroom.messaging.problems import InvalidText, ThreadNotFound
from greenroom.people.actor import Scope
from greenroom.safety.limits import TooMany
from greenroom.safety.verdict import HINTS, Nudge, Refuse


class Unsent(Struct, rename="camel", forbid_unknown_fields=True):
    body: str
    thread_id: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    """Where it would be sent; without, to somebody who does not know you."""


class Preview(Struct, rename="camel"):
    verdict: str
    """`fine`, `nudge` (it would go out; read the hints first) or `refused`."""
    hints: list[Hint]


@post(
    "/preview",
    operation_id="previewMessage",
    summary="Check a text before sending it",
    description="Nothing is sent or stored.",
    response_description="What sending the text would lead to.",
    status_code=200,
    responses=refuses(ThreadNotFound, InvalidText, TooMany, body=True),
)
async def preview_message(
    data: JSONBody[Unsent], actor: Caller, messaging: TheMessaging
) -> Preview:
    thread = None if data.thread_id is None else ThreadId(data.thread_id)
    verdict = await preview(messaging, actor, data.body, thread_id=thread)
    name = {Nudge: "nudge", Refuse: "refused"}.get(type(verdict), "fine")
    hints = verdict.policy_hints if name != "fine" else ()
    return Preview(name, [Hint(hint, HINTS[hint]) for hint in hints])


routes = Router(
    "/v1",
    route_handlers=[preview_message],
    guards=[needs(Scope.USER)],
    security=BEARER,
    tags=["messages"],
    request_max_body_size=MOST_BYTES,
)
