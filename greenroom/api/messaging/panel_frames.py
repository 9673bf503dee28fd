"""The socket frames of the project panel: requests, their ack, and events."""

from greenroom.api.messaging.panel_shapes import PanelChange, PanelEdit
from greenroom.api.ws.frames import Ack, Frame, Id, Number
from greenroom.ids import ThreadId, UserId
from greenroom.messaging.panel.models import Tab


class EditPanel(Frame, tag="edit_panel", forbid_unknown_fields=True):
    """Edits a tab of the project panel. A retry with the same `clientId` gets the first answer."""

    id: Number
    thread_id: Id
    tab: Id
    """The tab: `brief`, `moodboard` or `shotlist`."""
    client_id: Id
    """An id that the client chooses. The same id is the same edit."""
    edit: PanelEdit
    """What to add, change, move or delete."""


class FocusPanel(Frame, tag="focus_panel", forbid_unknown_fields=True):
    """Says which tab of the project panel is on screen, and what is being edited in it. Repeat it
    every few seconds; otherwise it expires. Without a tab, the panel was closed."""

    thread_id: Id
    tab: Tab | None = None
    """The tab on screen."""
    object_id: Id | None = None
    """The object that is being edited, if any."""
    field: Id | None = None
    """The field that is being edited, if any."""


class EditPanelAck(Ack, tag="ack"):
    """The answer to `edit_panel`."""

    change: PanelChange
    """The edit as it was made."""


class PanelUpdated(Frame, tag="panel.updated"):
    """A tab of the project panel has changed."""

    thread_id: ThreadId
    tab: Tab
    """The tab that has changed."""
    version: int
    """Of the tab, after the change."""
    change: PanelChange | None = None
    """The edit. Load the tab again where it is left out, and where it does not follow the version
    that you have."""


class PanelFocused(Frame, tag="panel.focused"):
    """Somebody is in the project panel of a conversation on your screen, or has left it."""

    thread_id: ThreadId
    user_id: UserId
    tab: Tab | None = None
    """The tab that they see; left out if they have left the panel."""
    object_id: str | None = None
    """The object that they edit, if any."""
    field: str | None = None
    """The field that they edit, if any."""
    until: str | None = None
    """When it expires, unless it is renewed."""
