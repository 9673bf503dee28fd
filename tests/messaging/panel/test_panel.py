"""The panel of a booking: opened, edited by both sides, on each store engine."""

import asyncio
import dataclasses
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest

from greenroom.errors import Problem
from greenroom.messaging.events import Event, PanelUpdated
from greenroom.messaging.lock import lock
from greenroom.messaging.models import Thread
from greenroom.messaging.panel.editing import set_editing
from greenroom.messaging.panel.models import (
    END,
    Add,
    EditingPlace,
    ObjectKind,
    Remove,
    SnapshotLine,
    Tab,
    TabState,
)
from greenroom.messaging.panel.problems import (
    EditClash,
    EditIdReused,
    NoPanel,
    NotAPictureHere,
    PanelObjectDeleted,
    TabFull,
    TabNotEditable,
    UnknownTab,
)
from greenroom.messaging.panel.put_tab import put_tab
from greenroom.messaging.panel.tab_history import tab_history
from greenroom.messaging.panel.tabs import one_tab, open_panel
from greenroom.messaging.participants import leave
from greenroom.messaging.plan import Plan
from greenroom.messaging.problems import ConversationLocked, TextRefused, ThreadNotFound
from greenroom.messaging.update_thread import update_thread
from greenroom.people.actor import Actor, Scope
from greenroom.safety.limits import TooMany
from tests.messaging.file_steps import ready_file, send_files
from tests.messaging.panel.steps import booking, edits, new_shot, shots, with_value
from tests.messaging.test_events import RecordedEvents
from tests.messaging.test_lost_answers import Lossy
from tests.messaging.world import MessagingWorld
from tests.world import messaging_on

SCAM = "10000 followers for $9!!! Guaranteed income, dm me on telegram"


def _with_lines(tab: Tab, lines: Sequence[SnapshotLine]) -> Plan:
    return lambda head, ms: put_tab(head, tab, lines, ms)


async def test_both_sides_edit_and_the_history_says_who(world: MessagingWorld) -> None:
    thread = await booking(world)
    added = await edits(world, "ana", thread.id, "a1", new_shot("The gate"))
    assert added.entry.after is not None
    await edits(world, "ben", thread.id, "b1", with_value(added.entry.after, "count", 3))
    await edits(world, "ana", thread.id, "a2", with_value(added.entry.after, "title", "The door"))
    state = await shots(world, "ben", thread.id)
    assert {name: one.value for name, one in state.objects[0].fields.items()} == {
        "title": "The door",
        "count": 3,
    }
    page = await tab_history(world.messaging, world.actors["ben"], thread.id, "shotlist", limit=2)
    assert [(one.action, one.made.by, one.before) for one in page.entries] == [
        ("set", world.user("ana"), {"title": "The gate"}),
        ("set", world.user("ben"), {}),
    ]
    rest = await tab_history(
        world.messaging, world.actors["ben"], thread.id, "shotlist", cursor=page.next
    )
    assert [one.action for one in rest.entries] == ["add"]
    assert rest.next is None


async def test_a_clash_and_a_deleted_object_are_told(world: MessagingWorld) -> None:
    thread = await booking(world)
    new = (await edits(world, "ana", thread.id, "a1", new_shot("The gate"))).entry.after
    assert new is not None
    await edits(world, "ana", thread.id, "a2", with_value(new, "title", "Hers"))
    with pytest.raises(EditClash) as clash:
        await edits(world, "ben", thread.id, "b1", with_value(new, "title", "His"))
    assert (clash.value.clash["current"], clash.value.clash["yours"]) == ("Hers", "His")
    await edits(world, "ben", thread.id, "b2", Remove(object_id=new.id))
    with pytest.raises(PanelObjectDeleted) as gone:
        await edits(world, "ana", thread.id, "a3", with_value(new, "notes", "Mine"))
    assert gone.value.deleted_by_user_id == world.user("ben")


async def test_a_repeat_gets_the_first_answer_whatever_happened_since(
    world: MessagingWorld,
) -> None:
    thread = await booking(world)
    first = await edits(world, "ana", thread.id, "a1", new_shot("The gate"))
    assert first.entry.after is not None
    change = with_value(first.entry.after, "title", "The door")
    second = await edits(world, "ana", thread.id, "a2", change)
    await edits(world, "ben", thread.id, "b1", Remove(object_id=first.entry.object_id))
    for client_id, edit, answer in (("a1", new_shot("The gate"), first), ("a2", change, second)):
        repeat = await edits(world, "ana", thread.id, client_id, edit)
        assert (repeat.entry, repeat.again) == (answer.entry, True)
    with pytest.raises(EditIdReused):
        await edits(world, "ana", thread.id, "a1", new_shot("Another"))
    assert (await edits(world, "ben", thread.id, "a1", new_shot("His"))).again is False
    assert len((await shots(world, "ana", thread.id)).objects) == 1


async def test_edits_at_once_on_two_nodes_are_all_there_in_one_order(
    world: MessagingWorld,
) -> None:
    thread, other = await booking(world), world.another_node()
    count = 6
    await asyncio.gather(
        *(edits(world, "ana", thread.id, f"a{n}", new_shot(f"a{n}", None)) for n in range(count)),
        *(edits(other, "ben", thread.id, f"b{n}", new_shot(f"b{n}", None)) for n in range(count)),
        *(edits(other, "ana", thread.id, "a0", new_shot("a0", None)) for _ in range(2)),
    )
    state = await shots(world, "ben", thread.id)
    assert len(state.objects) == 2 * count == state.version
    assert len({one.order for one in state.objects}) == 2 * count
    assert state == await shots(other, "ana", thread.id)


async def test_one_of_two_wins_a_field_on_two_nodes(world: MessagingWorld) -> None:
    thread, other = await booking(world), world.another_node()
    new = (await edits(world, "ana", thread.id, "a1", new_shot("The gate"))).entry.after
    assert new is not None
    answers = await asyncio.gather(
        edits(world, "ana", thread.id, "a2", with_value(new, "title", "Hers")),
        edits(other, "ben", thread.id, "b2", with_value(new, "title", "His")),
        return_exceptions=True,
    )
    lost = [one for one in answers if isinstance(one, EditClash)]
    assert len(lost) == 1
    title = (await shots(world, "ana", thread.id)).objects[0].fields["title"].value
    assert title == lost[0].clash["current"]


async def test_an_edit_whose_answer_was_lost_is_made_and_told_once(
    world: MessagingWorld,
) -> None:
    thread = await booking(world)
    heard: list[Event] = []

    def publish(_: Thread, event: Event) -> None:
        heard.append(event)

    lossy = Lossy(world.store)
    node = dataclasses.replace(
        messaging_on(lossy, world.clock),  # type: ignore[arg-type]
        publish=publish,
    )
    lossy.loses = True
    world.messaging = node
    answer = await edits(world, "ana", thread.id, "a1", new_shot("The gate"))
    assert not lossy.loses
    assert answer.again
    assert [one for one in heard if isinstance(one, PanelUpdated)] == [
        PanelUpdated(Tab.SHOTLIST, 1, answer.entry)
    ]
    assert len((await shots(world, "ana", thread.id)).objects) == 1


async def test_an_inquiry_has_no_panel_and_outsiders_find_no_thread(
    world: MessagingWorld,
) -> None:
    inquiry, thread = await world.inquiry(), await booking(world)
    await world.person("cleo")
    tries: tuple[tuple[str, Any, type[Problem]], ...] = (
        ("ana", inquiry, NoPanel),
        ("cleo", thread, ThreadNotFound),
    )
    for name, where, problem in tries:
        actor = world.actors[name]
        with pytest.raises(problem):
            await open_panel(world.messaging, actor, where.id)
        with pytest.raises(problem):
            await one_tab(world.messaging, actor, where.id, "brief")
        with pytest.raises(problem):
            await tab_history(world.messaging, actor, where.id, "brief")
        with pytest.raises(problem):
            await edits(world, name, where.id, "x1", new_shot("x"))
        with pytest.raises(problem):
            await set_editing(world.messaging, actor, where.id, EditingPlace(Tab.BRIEF))


async def test_somebody_who_left_loses_the_panel(world: MessagingWorld) -> None:
    thread = await booking(world)
    await edits(world, "ben", thread.id, "b1", new_shot("His"))
    await leave(world.messaging, world.actors["ben"], thread.id)
    with pytest.raises(ThreadNotFound):
        await open_panel(world.messaging, world.actors["ben"], thread.id)
    with pytest.raises(ThreadNotFound):
        await edits(world, "ben", thread.id, "b1", new_shot("His"))


async def test_a_locked_thread_shows_its_panel_and_takes_no_edits(world: MessagingWorld) -> None:
    thread = await booking(world)
    first = await edits(world, "ana", thread.id, "a1", new_shot("Before"))
    moderator = Actor((await world.person("mod")).user, frozenset({Scope.USER, Scope.MODERATOR}))
    await lock(world.messaging, moderator, thread.id)
    with pytest.raises(ConversationLocked):
        await edits(world, "ana", thread.id, "a2", new_shot("After"))
    assert (await edits(world, "ana", thread.id, "a1", new_shot("Before"))).entry == first.entry
    assert len((await shots(world, "ben", thread.id)).objects) == 1


async def test_unknown_tabs_and_snapshots_cannot_be_edited(world: MessagingWorld) -> None:
    thread = await booking(world)
    with pytest.raises(UnknownTab):
        await edits(world, "ana", thread.id, "a1", new_shot("x"), tab="budget")
    with pytest.raises(TabNotEditable):
        await edits(world, "ana", thread.id, "a1", new_shot("x"), tab="docs")


async def test_texts_are_checked_like_messages_and_edits_are_limited(
    world: MessagingWorld,
) -> None:
    thread = await booking(world)
    with pytest.raises(TextRefused):
        await edits(world, "ana", thread.id, "a1", new_shot(SCAM))
    assert (await shots(world, "ana", thread.id)).version == 0
    made = 0
    with suppress(TooMany):
        for made in range(200):  # noqa: B007
            await edits(world, "ana", thread.id, "a2", new_shot("Once"))
    assert 50 < made < 199
    assert (await shots(world, "ana", thread.id)).version == 1


async def test_the_moodboard_shows_pictures_of_the_conversation_only(
    world: MessagingWorld,
) -> None:
    thread = await booking(world)
    other = await world.inquiry("ana", "zoe")
    here, elsewhere, unsent = [
        await ready_file(world, "ana", where) for where in (thread.id, other.id, thread.id)
    ]
    await send_files(world, "ana", thread.id, here)
    await send_files(world, "ana", other.id, elsewhere)

    def with_picture(file: str) -> Add:
        return Add(kind=ObjectKind.PICTURE, fields={"fileId": file}, after=END)

    added = await edits(world, "ben", thread.id, "b1", with_picture(here), tab="moodboard")
    assert added.entry.after is not None
    assert added.entry.after.fields["fileId"].value == here
    for number, file in enumerate((elsewhere, unsent, "fil_" + "0" * 26)):
        with pytest.raises(NotAPictureHere):
            await edits(world, "ana", thread.id, f"a{number}", with_picture(file), tab="moodboard")


async def test_a_snapshot_is_written_in_a_plan_and_read_with_the_rest(
    world: MessagingWorld,
) -> None:
    thread = await booking(world)
    lines = [
        SnapshotLine(id=f"crd_{n}", title="Two more hours", state="proposed", amount=12000)
        for n in range(100)
    ]
    for _ in range(2):
        await update_thread(world.messaging, thread.id, _with_lines(Tab.ACTIONS, lines))
    panel = await open_panel(world.messaging, world.actors["ben"], thread.id)
    assert [one.tab for one in panel.tabs] == list(Tab)
    actions = panel.tabs[-1]
    assert not isinstance(actions, TabState)
    assert actions.version == 2
    assert actions.lines == tuple(lines[: len(actions.lines)])
    assert len(actions.lines) + actions.left_out == 100 > actions.left_out > 0


async def test_a_full_panel_opens_in_one_query_of_at_most_4_units(
    unlimited_world: MessagingWorld,
) -> None:
    world = unlimited_world
    thread = await booking(world)
    long = "ä" * 500
    kinds = {
        "brief": (ObjectKind.SECTION, "text"),
        "moodboard": (ObjectKind.NOTE, "text"),
        "shotlist": (ObjectKind.SHOT, "notes"),
    }
    for tab, (kind, field) in kinds.items():
        with suppress(TabFull):
            for number in range(40):
                new = Add(kind=kind, fields={field: long}, after=END)
                await edits(world, "ana", thread.id, f"{tab}{number}", new, tab=tab)
        assert 2 < number < 39
    lines = [SnapshotLine(id=f"x{n}", title="y" * 40) for n in range(100)]
    for tab in (Tab.FILES, Tab.DOCS, Tab.EXPENSES, Tab.ACTIONS):
        await update_thread(world.messaging, thread.id, _with_lines(tab, lines))
    with world.store.counting() as cost:
        await open_panel(world.messaging, world.actors["ana"], thread.id)
    access = 2  # the member and the head
    assert 2 < cost.read_units - access <= 4


async def test_members_are_told_what_changed_and_nobody_else(
    world: MessagingWorld,
) -> None:
    thread = await booking(world)
    await world.person("cleo")
    recorded = RecordedEvents(world)
    world.messaging = dataclasses.replace(world.messaging, publish=recorded)
    await edits(world, "ana", thread.id, "a1", new_shot("The gate"))
    assert recorded.take() == [("PanelUpdated", {"ana", "ben"})]
    await set_editing(
        world.messaging, world.actors["ana"], thread.id, EditingPlace(Tab.SHOTLIST, "shot-1")
    )
    assert recorded.take() == [("PanelEditing", {"ben"})]
