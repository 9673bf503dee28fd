"""The refusals of the project panel."""

from typing import Any

from greenroom.errors import Clause, Problem


class NoPanel(Problem):
    """This conversation has no project panel yet: it gets one when it is bound to a booking."""


class UnknownTab(Problem):
    """The project panel has no such tab. It has: {tabs}."""

    tabs: tuple[str, ...]


class TabNotEditable(Problem):
    """The tab {tab} shows what is decided elsewhere. You can edit: {editable}."""

    tab: str
    editable: tuple[str, ...]


class InvalidPanelEdit(Problem):
    """This cannot be changed so: {reason}."""

    reason: Clause


class PanelObjectNotFound(Problem):
    """There is nothing with this id in the tab. It may have been deleted a while ago."""

    object_id: str


class PanelObjectDeleted(Problem):
    """Somebody has deleted this in the meantime, and your change was not saved. Add it again if you
    need it."""

    object_id: str
    deleted_by_user_id: str
    deleted_at: str


class EditClash(Problem):
    """Somebody has changed this in the meantime, and your change was not saved. Look at both, and
    send yours again with the new version if you want to keep it."""

    object_id: str
    field: str
    """`order` for the place of an object."""
    clash: dict[str, Any]
    """`current` and `yours`, and of the current value `version`, `setByUserId` and `setAt`."""


class TabFull(Problem):
    """The tab {tab} is full. Shorten or delete something, then try again."""

    tab: str


class EditIdReused(Problem):
    """The client id {client_id!r} was used for another edit in this conversation."""

    client_id: str


class NotAPictureHere(Problem):
    """The moodboard shows pictures that were sent in this conversation, and this is none that you
    can see. Send it first."""
