"""Routes of messages that wait for their files: list, get, cancel."""

from typing import Annotated, TypeAlias

from litestar import Router, delete, get
from litestar.params import PathParameter

from greenroom.api.auth import BEARER, needs
from greenroom.api.messaging.params import TheMessaging, ThreadIdInPath
from greenroom.api.messaging.waiting_shapes import (
    WaitingMessage,
    WaitingMessages,
    all_waiting,
    waiting_shape,
)
from greenroom.api.params import MOST_BYTES, Caller
from greenroom.api.route_docs import refuses
from greenroom.messaging.cancel_waiting import cancel_waiting
from greenroom.messaging.problems import WaitingMessageNotFound
from greenroom.messaging.waiting import waiting_message
from greenroom.people.actor import Scope

_ClientIdInPath: TypeAlias = Annotated[
    str,
    PathParameter(
        name="clientMessageId",
        min_length=1,
        max_length=64,
        description="The client's own id of the message.",
    ),
]


@get(
    "/waiting-messages",
    operation_id="getWaitingMessages",
    summary="List your messages that wait for their files",
    description="Also those that could not be sent, until you cancel them.",
    response_description="All of them, the oldest first.",
    responses=refuses(),
)
async def get_waiting_messages(actor: Caller, messaging: TheMessaging) -> WaitingMessages:
    return await all_waiting(messaging, actor)


@get(
    "/threads/{threadId:str}/waiting-messages/{clientMessageId:str}",
    operation_id="getWaitingMessage",
    summary="Get a message that waits for its files",
    response_description="The message.",
    responses=refuses(WaitingMessageNotFound),
)
async def get_waiting_message(
    thread_id: ThreadIdInPath,
    client_message_id: _ClientIdInPath,
    actor: Caller,
    messaging: TheMessaging,
) -> WaitingMessage:
    return waiting_shape(await waiting_message(messaging, actor, thread_id, client_message_id))


@delete(
    "/threads/{threadId:str}/waiting-messages/{clientMessageId:str}",
    operation_id="cancelWaitingMessage",
    summary="Cancel a message that waits for its files",
    description="It is not sent, and its files can be used again. Also removes a message that "
    "could not be sent from the list.",
    response_description="It is canceled.",
    responses=refuses(WaitingMessageNotFound),
)
async def delete_waiting_message(
    thread_id: ThreadIdInPath,
    client_message_id: _ClientIdInPath,
    actor: Caller,
    messaging: TheMessaging,
) -> None:
    await cancel_waiting(messaging, actor, thread_id, client_message_id)


routes = Router(
    "/v1",
    route_handlers=[get_waiting_messages, get_waiting_message, delete_waiting_message],
    guards=[needs(Scope.USER)],
    security=BEARER,
    tags=["messages"],
    request_max_body_size=MOST_BYTES,
)
