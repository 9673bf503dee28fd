"""Routes of the project panel: open it, read a tab and its history, edit."""

from typing import Annotated, TypeAlias

from litestar import Response, Router, get, post
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody, PathParameter, QueryParameter

from greenroom.api.auth import BEARER, needs
from greenroom.api.messaging.panel_shapes import (
    NewPanelEdit,
    Panel,
    PanelChange,
    PanelHistory,
    PanelTab,
    change_shape,
    edit_of,
    history_shape,
    panel_shape,
    tab_shape,
)
from greenroom.api.messaging.params import TheMessaging, ThreadIdInPath
from greenroom.api.params import ID, MAX_ID, MOST_BYTES, Caller, Cursor
from greenroom.api.route_docs import refuses
from greenroom.messaging.panel.edit_tab import edit_tab
from greenroom.messaging.panel.problems import (
    EditClash,
    EditIdReused,
    InvalidPanelEdit,
    NoPanel,
    NotAPictureHere,
    PanelObjectDeleted,
    PanelObjectNotFound,
    TabFull,
    TabNotEditable,
    UnknownTab,
)
from greenroom.messaging.panel.tab_history import MAX_PAGE, tab_history
from greenroom.messaging.panel.tabs import one_tab, open_panel
from greenroom.messaging.problems import (
    AcceptFirst,
    ConversationClosed,
    ConversationLocked,
    InvalidText,
    RequestPending,
    TextRefused,
    ThreadNotFound,
)
from greenroom.people.actor import Scope
from greenroom.store.problems import InvalidCursor

TabInPath: TypeAlias = Annotated[str, PathParameter(name="tab", pattern=ID, max_length=MAX_ID)]
_READING = (ThreadNotFound, NoPanel, AcceptFirst, RequestPending)


@get(
    "/",
    operation_id="getPanel",
    summary="Open the project panel",
    description="A conversation has one from the moment it is bound to a booking, a leg or a "
    "booking group, and if its kind is `booking` or `studio`.",
    response_description="All tabs, also empty ones, in their order.",
    responses=refuses(*_READING),
)
async def get_panel(thread_id: ThreadIdInPath, actor: Caller, messaging: TheMessaging) -> Panel:
    return panel_shape(thread_id, await open_panel(messaging, actor, thread_id))


@get(
    "/{tab:str}",
    operation_id="getPanelTab",
    summary="Get a tab of the project panel",
    response_description="The tab as it is now.",
    responses=refuses(*_READING, UnknownTab),
)
async def get_tab(
    thread_id: ThreadIdInPath, tab: TabInPath, actor: Caller, messaging: TheMessaging
) -> PanelTab:
    return tab_shape(await one_tab(messaging, actor, thread_id, tab))


@post(
    "/{tab:str}/edits",
    operation_id="editPanelTab",
    summary="Edit a tab of the project panel",
    description="Adds, changes, moves or deletes one object of `brief`, `moodboard` or `shotlist`. "
    "Edits of different fields merge. `set` and `move` name the version that they are based on: "
    "where it has changed, the answer is `edit-clash` with both values. Deleting needs no base, "
    "and wins. A retry with the same `clientId` returns the first answer.",
    response_description="The edit was made.",
    responses={
        200: ResponseSpec(
            PanelChange, description="It was made before, or there is nothing to change."
        )
    }
    | refuses(
        *_READING,
        UnknownTab,
        TabNotEditable,
        InvalidPanelEdit,
        NotAPictureHere,
        InvalidText,
        TextRefused,
        PanelObjectNotFound,
        PanelObjectDeleted,
        EditClash,
        TabFull,
        EditIdReused,
        ConversationLocked,
        ConversationClosed,
        body=True,
    ),
)
async def post_edit(
    thread_id: ThreadIdInPath,
    tab: TabInPath,
    data: JSONBody[NewPanelEdit],
    actor: Caller,
    messaging: TheMessaging,
) -> Response[PanelChange]:
    edited = await edit_tab(messaging, actor, thread_id, tab, data.client_id, edit_of(data.edit))
    return Response(change_shape(edited.entry), status_code=200 if edited.again else 201)


@get(
    "/{tab:str}/history",
    operation_id="getPanelTabHistory",
    summary="List who changed what in a tab",
    description="For the tabs that people edit.",
    response_description="A page of edits, the latest first.",
    responses=refuses(*_READING, UnknownTab, TabNotEditable, InvalidCursor),
)
async def get_tab_history(
    thread_id: ThreadIdInPath,
    tab: TabInPath,
    actor: Caller,
    messaging: TheMessaging,
    cursor: Cursor = None,
    limit: Annotated[int, QueryParameter(ge=1, le=MAX_PAGE)] = 20,
) -> PanelHistory:
    page = await tab_history(messaging, actor, thread_id, tab, limit=limit, cursor=cursor)
    return history_shape(page)


routes = Router(
    "/v1/threads/{threadId:str}/panel",
    route_handlers=[get_panel, get_tab, post_edit, get_tab_history],
    guards=[needs(Scope.USER)],
    security=BEARER,
    tags=["panel"],
    request_max_body_size=MOST_BYTES,
)
