"""Says where in the project panel somebody is, to those who have the thread on screen.

Nothing is stored: a client says it again every few seconds while it lasts, and who comes later
hears of it then. Careful: nothing is shown to or about somebody behind a gate.
"""

from greenroom.ids import ThreadId
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import PanelEditing
from greenroom.messaging.panel.access import check_panel
from greenroom.messaging.panel.models import EditingPlace
from greenroom.messaging.presence import shown_to
from greenroom.people.actor import Actor

EDITING_MS = 15_000


async def set_editing(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, place: EditingPlace | None
) -> None:
    thread, shown = await shown_to(messaging, actor, thread_id)
    if place is not None:
        check_panel(thread, actor.user)
    until_ms = 0 if place is None else messaging.clock.now_ms() + EDITING_MS
    messaging.publish(thread, PanelEditing(actor.user, place, until_ms, shown))
