"""What was decided, by whom and when: everything, newest first, over the ends of months."""

import pytest

from greenroom.safety.log import log
from greenroom.safety.models import Decision, Entry
from greenroom.safety.problems import ModeratorsOnly
from greenroom.store.problems import InvalidCursor
from tests.safety.world import World


async def _decided(world: World, count: int, *, days: int) -> list[Entry]:
    found = []
    for number in range(count):
        case = await world.report_message(world.ana, f"msg_{number}", text=f"text {number}")
        found.append(await world.decide(case, Decision.DISMISS))
        world.clock.advance(days=days)
    return found


@pytest.mark.parametrize("days", [0, 1, 20, 45])
async def test_everything_is_there_newest_first_page_by_page(world: World, days: int) -> None:
    decided = await _decided(world, 9, days=days)
    shown: list[Entry] = []
    cursor = None
    for _ in range(9):
        page = await log(world.safety, world.mod, limit=4, cursor=cursor)
        assert len(page.entries) <= 4
        shown += page.entries
        cursor = page.next
        if cursor is None:
            break
    assert cursor is None
    assert {entry.case for entry in shown} == {entry.case for entry in decided}
    assert len(shown) == len(decided)
    assert [entry.at_ms for entry in shown] == sorted((e.at_ms for e in decided), reverse=True)


async def test_it_looks_back_for_a_year_at_most(world: World) -> None:
    await _decided(world, 1, days=500)
    with world.store.counting() as cost:
        page = await log(world.safety, world.mod)
    assert page.entries == ()
    assert cost.read_units <= 12


async def test_it_is_for_moderators_and_its_cursors_are_its_own(world: World) -> None:
    with pytest.raises(ModeratorsOnly):
        await log(world.safety, world.ana)
    for cursor in ("%%%", "é", "AAAA", "MjAyNi0xMy0wMQ"):
        with pytest.raises(InvalidCursor):
            await log(world.safety, world.mod, cursor=cursor)
