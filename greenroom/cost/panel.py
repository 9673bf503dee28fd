"""Cost patterns: open the project panel of a booking, edit it, read a tab and its history."""

from functools import partial

from greenroom.cost.fixture import TEXT, Fixture
from greenroom.cost.pattern import Act, Pattern
from greenroom.messaging.models import Kind, Thread
from greenroom.messaging.panel.edit_tab import edit_tab
from greenroom.messaging.panel.models import (
    END,
    Add,
    Edit,
    Edited,
    ObjectKind,
    SetField,
    SnapshotLine,
    Tab,
)
from greenroom.messaging.panel.put_tab import put_tab
from greenroom.messaging.panel.tab_history import tab_history
from greenroom.messaging.panel.tabs import one_tab, open_panel
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.update_thread import update_thread
from greenroom.people.actor import Actor

TITLE = "Project panel"
_SHOTS = 25
_SECTIONS = 5
_LINES = 8
_ID = "5b1e-4c3a-9d2f-7a6b8c9d0e1f"


async def _booking(fixture: Fixture) -> tuple[Actor, Actor, Thread]:
    """With a brief, a shot list, and the four tabs that follow from other records."""
    ana, ben = await fixture.pair()
    thread = await fixture.talk(ana, ben, kind=Kind.BOOKING)
    for number in range(_SECTIONS):
        new = _new(ObjectKind.SECTION, {"title": f"Part {number}", "text": TEXT})
        await _edit(fixture, ana, thread, Tab.BRIEF, f"s{number:07x}", new)
    for number in range(_SHOTS):
        new = _new(ObjectKind.SHOT, {"title": f"The yellow tram {number}", "notes": TEXT[:60]})
        await _edit(fixture, ben, thread, Tab.SHOTLIST, f"t{number:07x}", new)
    for tab in (Tab.FILES, Tab.DOCS, Tab.EXPENSES, Tab.ACTIONS):
        await update_thread(fixture.messaging, thread.id, partial(_with_lines, tab))
    return ana, ben, thread


def _with_lines(tab: Tab, head: Thread, ms: int) -> PlannedWrite:
    lines = [
        SnapshotLine(id=f"crd_01k9zq3v8xw5t7m2e4r6y8u{n:03}", title="Two more hours", amount=12_000)
        for n in range(_LINES)
    ]
    return put_tab(head, tab, lines, ms)


def _new(kind: ObjectKind, fields: dict[str, str]) -> Add:
    return Add(kind=kind, fields=dict(fields), after=END)


async def _edit(
    fixture: Fixture, by: Actor, thread: Thread, tab: Tab, number: str, edit: Edit
) -> Edited:
    fixture.clock.advance(seconds=7)
    return await edit_tab(fixture.messaging, by, thread.id, tab, f"{number}-{_ID}", edit)


async def _open(fixture: Fixture) -> Act:
    _, ben, thread = await _booking(fixture)
    return partial(open_panel, fixture.messaging, ben, thread.id)


async def _tab(fixture: Fixture) -> Act:
    _, ben, thread = await _booking(fixture)
    return partial(one_tab, fixture.messaging, ben, thread.id, "shotlist")


async def _set(fixture: Fixture) -> Act:
    ana, _, thread = await _booking(fixture)
    edit = SetField(object_id="shot-1", field="count", value=3, base=0)
    return partial(_edit, fixture, ana, thread, Tab.SHOTLIST, "u0000001", edit)


async def _first(fixture: Fixture) -> Act:
    ana, ben = await fixture.pair()
    thread = await fixture.talk(ana, ben, kind=Kind.BOOKING)
    new = _new(ObjectKind.SHOT, {"title": "The yellow tram"})
    return partial(_edit, fixture, ana, thread, Tab.SHOTLIST, "v0000001", new)


async def _history(fixture: Fixture) -> Act:
    _, ben, thread = await _booking(fixture)
    return partial(tab_history, fixture.messaging, ben, thread.id, "shotlist")


PATTERNS: tuple[Pattern, ...] = (
    Pattern(
        "open_panel",
        "open the project panel of a booking: 5 sections, 25 shots, 32 other lines",
        _open,
        most_read=4,
    ),
    Pattern("panel_tab", "read a tab with 25 shots again", _tab),
    Pattern("first_panel_edit", "add the first shot to a shot list", _first),
    Pattern("panel_edit", "change a shot in a list of 25", _set),
    Pattern("panel_history", "read the last 20 edits of a tab", _history),
)
