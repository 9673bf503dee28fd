"""What edits make of a tab: two editors with random edits on old and new versions."""

from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from greenroom.errors import Problem
from greenroom.ids import UserId
from greenroom.messaging.panel.fields import MAX_BYTES, MAX_OBJECTS, cleaned
from greenroom.messaging.panel.items import content, state_from
from greenroom.messaging.panel.models import (
    END,
    Add,
    Edit,
    LogEntry,
    Move,
    ObjectKind,
    PanelObject,
    Remove,
    SetField,
    Tab,
    TabState,
)
from greenroom.messaging.panel.order_keys import MAX_KEY
from greenroom.messaging.panel.problems import (
    EditClash,
    InvalidPanelEdit,
    PanelObjectDeleted,
    PanelObjectNotFound,
    TabFull,
)
from greenroom.messaging.panel.rules import MAX_REMOVED, applied
from greenroom.messaging.panel.sizes import fitted
from greenroom.messaging.problems import InvalidText

ANA, BEN = UserId("usr_ana"), UserId("usr_ben")
EMPTY = TabState(tab=Tab.SHOTLIST)


def shot(title: str, after: str | None = END) -> Add:
    return Add(kind=ObjectKind.SHOT, fields={"title": title}, after=after)


def made(state: TabState, *edits: Edit, by: UserId = ANA) -> TabState:
    for number, edit in enumerate(edits):
        state = applied(state, edit, by, 1000 + number).state
    return state


def titles(state: TabState) -> list[object]:
    return [one.fields["title"].value for one in state.objects]


THREE = made(EMPTY, shot("one"), shot("two"), shot("three"))
ONE, TWO, LAST = (one.id for one in THREE.objects)


def test_edits_of_different_fields_on_the_same_version_merge() -> None:
    base = THREE.objects[0].fields["title"].set.version
    ana = SetField(object_id=ONE, field="title", value="The gate", base=base)
    ben = SetField(object_id=ONE, field="count", value=3, base=0)
    both = applied(made(THREE, ana), ben, BEN, 2000).state
    other_way = applied(made(THREE, ben, by=BEN), ana, ANA, 2000).state
    for state in (both, other_way):
        found = {name: one.value for name, one in state.objects[0].fields.items()}
        assert found == {"title": "The gate", "count": 3}


def test_a_field_that_changed_since_is_refused_with_both_texts() -> None:
    base = THREE.objects[0].fields["title"].set.version
    changed = made(THREE, SetField(object_id=ONE, field="title", value="Hers", base=base))
    with pytest.raises(EditClash) as refused:
        applied(changed, SetField(object_id=ONE, field="title", value="His", base=base), BEN, 9)
    clash = refused.value.clash
    assert (clash["current"], clash["yours"]) == ("Hers", "His")
    assert (clash["setByUserId"], clash["version"]) == (ANA, 4)
    assert clash["setAt"] == "1970-01-01T00:00:01.000Z"
    again = SetField(object_id=ONE, field="title", value="His", base=clash["version"])
    assert titles(made(changed, again, by=BEN))[0] == "His"


def test_the_same_text_from_both_is_no_clash() -> None:
    base = THREE.objects[0].fields["title"].set.version
    edit = SetField(object_id=ONE, field="title", value="Same", base=base)
    changed = made(THREE, edit)
    assert applied(changed, edit, BEN, 9).state is changed


def test_a_deleted_object_wins_and_the_editor_is_told_who_deleted_it() -> None:
    gone = made(THREE, Remove(object_id=TWO), by=BEN)
    base = THREE.objects[1].fields["title"].set.version
    edits: Sequence[Edit] = (
        SetField(object_id=TWO, field="title", value="Mine", base=base),
        Move(object_id=TWO, after=None, base=base),
    )
    for edit in edits:
        with pytest.raises(PanelObjectDeleted) as refused:
            applied(gone, edit, ANA, 9)
        assert refused.value.deleted_by_user_id == BEN
    assert applied(gone, Remove(object_id=TWO), ANA, 9).state is gone


def test_a_place_after_a_deleted_object_is_where_it_was() -> None:
    gone = made(THREE, Remove(object_id=TWO))
    assert titles(made(gone, shot("new", after=TWO))) == ["one", "new", "three"]


def test_objects_are_added_and_moved_to_every_place() -> None:
    assert titles(made(THREE, shot("new", after=None))) == ["new", "one", "two", "three"]
    assert titles(made(THREE, shot("new", after=ONE))) == ["one", "new", "two", "three"]
    placed = THREE.objects[2].placed.version
    moved = made(THREE, Move(object_id=LAST, after=None, base=placed))
    assert titles(moved) == ["three", "one", "two"]
    with pytest.raises(EditClash) as refused:
        applied(moved, Move(object_id=LAST, after=ONE, base=placed), BEN, 9)
    assert refused.value.field == "order"
    assert (refused.value.clash["current"], refused.value.clash["yours"]) == (None, ONE)


def test_many_inserts_at_one_place_get_new_keys_throughout_and_keep_the_order() -> None:
    state, reordered = made(EMPTY, shot("first"), shot("last")), 0
    first = state.objects[0].id
    for number in range(MAX_OBJECTS - 2):
        done = applied(state, shot(f"n{number}", after=first), ANA, 5)
        state, reordered = done.state, reordered + done.entry.reordered
    assert reordered
    middle = [f"n{number}" for number in reversed(range(MAX_OBJECTS - 2))]
    assert titles(state) == ["first", *middle, "last"]
    assert all(len(one.order) <= MAX_KEY for one in state.objects)
    with pytest.raises(TabFull):
        applied(state, shot("one too many"), ANA, 5)


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        (SetField(object_id="shot-99", field="title", value="x", base=0), PanelObjectNotFound),
        (shot("x", after="shot-99"), PanelObjectNotFound),
        (Remove(object_id="shot-99"), PanelObjectNotFound),
        (Move(object_id=ONE, after=ONE, base=1), InvalidPanelEdit),
    ],
)
def test_what_is_not_there_is_refused(edit: Edit, problem: type[Problem]) -> None:
    with pytest.raises(problem):
        applied(THREE, edit, ANA, 9)


@pytest.mark.parametrize(
    ("tab", "edit"),
    [
        (Tab.BRIEF, shot("not here")),
        (Tab.SHOTLIST, Add(kind=ObjectKind.SHOT, fields={"color": "red"}, after=END)),
        (Tab.SHOTLIST, Add(kind=ObjectKind.SHOT, fields={"title": 3}, after=END)),
        (Tab.SHOTLIST, Add(kind=ObjectKind.SHOT, fields={"count": True}, after=END)),
        (Tab.SHOTLIST, Add(kind=ObjectKind.SHOT, fields={"count": -1}, after=END)),
        (Tab.SHOTLIST, Add(kind=ObjectKind.SHOT, fields={"done": "yes"}, after=END)),
        (Tab.SHOTLIST, Add(kind=ObjectKind.SHOT, fields={"title": "x" * 121}, after=END)),
        (Tab.MOODBOARD, Add(kind=ObjectKind.PICTURE, fields={"caption": "x"}, after=END)),
        (Tab.MOODBOARD, Add(kind=ObjectKind.PICTURE, fields={"fileId": "../x"}, after=END)),
        (Tab.MOODBOARD, SetField(object_id="x", field="fileId", value="fil_1", base=1)),
        (Tab.SHOTLIST, SetField(object_id="x", field="text", value="x", base=1)),
    ],
)
def test_a_field_of_the_wrong_type_or_length_is_refused(tab: Tab, edit: Edit) -> None:
    with pytest.raises((InvalidPanelEdit, InvalidText)):
        cleaned(tab, edit)


def test_a_title_is_one_line_and_empty_fields_are_left_out() -> None:
    fields = {"title": "  The\ngate ", "notes": " \n"}
    new = cleaned(Tab.SHOTLIST, Add(kind=ObjectKind.SHOT, fields=dict(fields), after=END))
    assert isinstance(new, Add)
    assert new.fields == {"title": "The gate"}


def test_a_full_tab_forgets_deletions_and_then_refuses_more() -> None:
    state = EMPTY
    for _ in range(MAX_REMOVED + 5):
        state = made(state, shot("gone"))
        state = made(state, Remove(object_id=state.objects[-1].id))
    assert len(state.removed) == MAX_REMOVED
    full = False
    while not full:
        new = made(state, Add(kind=ObjectKind.SHOT, fields={"notes": "x" * 200}, after=END))
        try:
            state = fitted(state, new)
        except TabFull:
            full = True
    assert len(state.removed) < MAX_REMOVED
    assert MAX_BYTES[Tab.SHOTLIST] - 1500 < len(content(state)) <= MAX_BYTES[Tab.SHOTLIST]
    smaller = made(state, Remove(object_id=state.objects[0].id))
    assert len(fitted(state, smaller).objects) == len(state.objects) - 1


values = st.sampled_from(["", "gate", "sun", "a longer text with an ü"])
steps = st.lists(
    st.tuples(
        st.sampled_from(["add", "set", "count", "move", "remove"]),
        st.integers(0, 30),
        st.integers(0, 30),
        values,
        st.integers(0, 3),
        st.booleans(),
    ),
    max_size=60,
)


@given(steps)
def test_no_accepted_edit_is_lost_and_everybody_sees_the_same(
    steps: list[tuple[str, int, int, str, int, bool]],
) -> None:
    """Each editor works on a tab that is up to three versions old."""
    states, log = [EMPTY], list[LogEntry]()
    expected: dict[tuple[str, str], object] = {}
    for number, (action, one, other, value, age, is_ben) in enumerate(steps):
        seen = states[max(0, len(states) - 1 - age)]
        edit = _edit(seen, action, one, other, value)
        try:
            done = applied(states[-1], edit, BEN if is_ben else ANA, number)
        except (EditClash, PanelObjectDeleted, PanelObjectNotFound, InvalidPanelEdit):
            continue
        if done.state is states[-1]:
            continue
        states.append(done.state)
        log.append(done.entry)
        if isinstance(edit, SetField):
            expected[edit.object_id, edit.field] = edit.value
        elif isinstance(edit, Add):
            expected |= {(done.entry.object_id, name): it for name, it in edit.fields.items()}
        elif isinstance(edit, Remove):
            expected = {key: it for key, it in expected.items() if key[0] != edit.object_id}
    last = states[-1]
    held = {
        (one.id, name): field.value for one in last.objects for name, field in one.fields.items()
    }
    assert held == expected
    orders = [one.order for one in last.objects] + [one.order for one in last.removed]
    assert len(orders) == len(set(orders))
    assert [one.order for one in last.objects] == sorted(one.order for one in last.objects)
    assert _followed(log) == {one.id: one for one in last.objects}
    assert state_from(last.tab, last.version, content(last)) == last


def _followed(log: Sequence[LogEntry]) -> dict[str, PanelObject]:
    """What somebody has who hears of every edit, and loads nothing again."""
    found: dict[str, PanelObject] = {}
    for entry in log:
        assert not entry.reordered
        if entry.after is None:
            del found[entry.object_id]
        else:
            found[entry.object_id] = entry.after
    return found


def _edit(seen: TabState, action: str, one: int, other: int, value: str) -> Edit:
    if action == "add" or not seen.objects:
        after = seen.objects[other % len(seen.objects)].id if seen.objects else END
        return Add(kind=ObjectKind.SHOT, fields={"title": value} if value else {}, after=after)
    found = seen.objects[one % len(seen.objects)]
    match action:
        case "set":
            known = found.fields.get("title")
            base = 0 if known is None else known.set.version
            return SetField(object_id=found.id, field="title", value=value, base=base)
        case "count":
            known = found.fields.get("count")
            base = 0 if known is None else known.set.version
            return SetField(object_id=found.id, field="count", value=other, base=base)
        case "move":
            after = seen.objects[other % len(seen.objects)].id
            return Move(object_id=found.id, after=after, base=found.placed.version)
    return Remove(object_id=found.id)
