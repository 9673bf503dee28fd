"""The socket requests and events of the project panel, with their handlers and examples."""

from greenroom.api.example_values import JONAS, SAID, THREAD
from greenroom.api.messaging import panel_frames as frames
from greenroom.api.messaging.focused_threads import FocusedThreads
from greenroom.api.messaging.panel_examples import CHANGE, NEW_SHOT, NEW_TITLE
from greenroom.api.messaging.panel_shapes import change_shape, edit_of
from greenroom.api.registry import Example, SocketEvent, SocketRequest
from greenroom.api.ws.session import Session
from greenroom.ids import ThreadId
from greenroom.messaging import Messaging
from greenroom.messaging.panel.edit_tab import edit_tab
from greenroom.messaging.panel.models import EditingPlace, Tab
from greenroom.messaging.policy import RECEIPTS


async def on_edit_panel(session: Session, request: frames.EditPanel) -> frames.EditPanelAck:
    edited = await edit_tab(
        session.context(Messaging),
        session.authenticated_actor,
        ThreadId(request.thread_id),
        request.tab,
        request.client_id,
        edit_of(request.edit),
    )
    return frames.EditPanelAck(request.id, change=change_shape(edited.entry))


async def on_focus_panel(session: Session, request: frames.FocusPanel) -> None:
    place = None
    if request.tab is not None:
        place = EditingPlace(request.tab, request.object_id, request.field)
    session.part(FocusedThreads).set_editing(ThreadId(request.thread_id), place)


def order_of_edits(_: Session, request: frames.EditPanel) -> str:
    """A client's edits of one panel are made in the order in which they were sent."""
    return f"panel {request.thread_id}"


REQUESTS: tuple[SocketRequest, ...] = (
    SocketRequest(
        frame=frames.EditPanel,
        handle=on_edit_panel,
        ack=frames.EditPanelAck,
        ordering_key=order_of_edits,
        examples=(
            Example("add a shot", frames.EditPanel(14, THREAD, "shotlist", "e-1", NEW_SHOT)),
            Example("change a title", frames.EditPanel(15, THREAD, "shotlist", "e-2", NEW_TITLE)),
        ),
        ack_examples=(Example("changed", frames.EditPanelAck(15, CHANGE)),),
    ),
    SocketRequest(
        frame=frames.FocusPanel,
        handle=on_focus_panel,
        limit=RECEIPTS,
        examples=(
            Example("editing", frames.FocusPanel(THREAD, Tab.SHOTLIST, "shot-1", "title")),
            Example("closed", frames.FocusPanel(THREAD)),
        ),
    ),
)

EVENTS: tuple[SocketEvent, ...] = (
    SocketEvent(
        frame=frames.PanelUpdated,
        examples=(
            Example("edited", frames.PanelUpdated(THREAD, Tab.SHOTLIST, 2, CHANGE)),
            Example("to be loaded again", frames.PanelUpdated(THREAD, Tab.DOCS, 3)),
        ),
    ),
    SocketEvent(
        frame=frames.PanelFocused,
        examples=(
            Example(
                "editing",
                frames.PanelFocused(THREAD, JONAS, Tab.SHOTLIST, "shot-1", "title", SAID),
            ),
            Example("left", frames.PanelFocused(THREAD, JONAS)),
        ),
    ),
)
