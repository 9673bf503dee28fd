"""A booking of Ana and Ben with a project panel, and short ways to edit it."""

from greenroom.ids import ThreadId
from greenroom.messaging import open as opening
from greenroom.messaging.models import Kind, Role, Thread
from greenroom.messaging.panel.edit_tab import edit_tab
from greenroom.messaging.panel.models import (
    END,
    Add,
    Edit,
    Edited,
    FieldValue,
    ObjectKind,
    PanelObject,
    SetField,
    TabState,
)
from greenroom.messaging.panel.tabs import one_tab
from greenroom.people.actor import Actor, Scope
from tests.messaging.world import MessagingWorld


async def booking(world: MessagingWorld) -> Thread:
    ana, ben = await world.person("ana"), await world.person("ben")
    by_service = Actor(ana.user, ana.scopes | {Scope.SERVICE})
    asked = opening.Opening(
        kind=Kind.BOOKING,
        role=Role.BUYER,
        others=(opening.Invited(ben.user, Role.SELLER),),
        leg_id="leg_lisbon",
    )
    thread = await opening.open_thread(world.messaging, by_service, asked)
    assert not thread.gates
    return thread


def new_shot(title: str, after: str | None = END) -> Add:
    return Add(kind=ObjectKind.SHOT, fields={"title": title}, after=after)


def with_value(one: PanelObject, field: str, value: FieldValue) -> SetField:
    """Of an object as its editor sees it."""
    known = one.fields.get(field)
    base = 0 if known is None else known.set.version
    return SetField(object_id=one.id, field=field, value=value, base=base)


async def edits(
    world: MessagingWorld,
    name: str,
    thread: ThreadId,
    client_id: str,
    edit: Edit,
    tab: str = "shotlist",
) -> Edited:
    return await edit_tab(world.messaging, world.actors[name], thread, tab, client_id, edit)


async def shots(world: MessagingWorld, name: str, thread: ThreadId) -> TabState:
    found = await one_tab(world.messaging, world.actors[name], thread, "shotlist")
    assert isinstance(found, TabState)
    return found
