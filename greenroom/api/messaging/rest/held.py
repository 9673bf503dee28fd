"""The route that returns what became of a message that was held, or waited for its files."""

from typing import Annotated

from litestar import Router, get
from litestar.params import PathParameter
from msgspec import Struct

from greenroom.api.auth import BEARER, needs
from greenroom.api.messaging.params import TheMessaging, ThreadIdInPath
from greenroom.api.params import Caller
from greenroom.api.route_docs import refuses
from greenroom.ids import MessageId
from greenroom.messaging.held import HeldStatus, own_held
from greenroom.messaging.problems import MessageNotFound
from greenroom.people.actor import Scope


class HeldOutcome(Struct, rename="camel"):
    """The outcome of one of your messages that was held for review, or waited for its files."""

    status: HeldStatus
    """`held`, `sent` or `rejected`; or `waiting` for its files, `failed` or `canceled`."""
    message_id: MessageId | None
    """Set once the message is sent."""
    reason: str | None
    """If it was rejected: the moderator's reason. If it has failed: why."""
    warned: bool
    """If it was rejected: whether you were warned."""


@get(
    "/threads/{threadId:str}/held/{clientMessageId:str}",
    operation_id="getHeldMessage",
    summary="Get the outcome of a held message",
    response_description="Whether it is still held, was sent, or was rejected.",
    responses=refuses(MessageNotFound),
)
async def get_held_message(
    thread_id: ThreadIdInPath,
    client_message_id: Annotated[
        str,
        PathParameter(
            name="clientMessageId",
            min_length=1,
            max_length=64,
            description="The client's own id of the message.",
        ),
    ],
    actor: Caller,
    messaging: TheMessaging,
) -> HeldOutcome:
    found = await own_held(messaging, actor, thread_id, client_message_id)
    return HeldOutcome(found.status, found.message, found.reason or None, found.warned)


routes = Router(
    "/v1",
    route_handlers=[get_held_message],
    guards=[needs(Scope.USER)],
    security=BEARER,
    tags=["safety"],
)
