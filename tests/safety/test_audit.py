"""The audit log: complete, newest first, across months."""

import pytest

from greenroom.safety.audit import audit_log
from greenroom.safety.models import AuditEntry, Decision
from greenroom.safety.problems import ModeratorsOnly
from greenroom.store.problems import InvalidCursor
from tests.safety.world import SafetyWorld


async def _decided(world: SafetyWorld, count: int, *, days: int) -> list[AuditEntry]:
    found = []
    for number in range(count):
        case = await world.report_message(world.ana, f"msg_{number}", text=f"text {number}")
        found.append(await world.decide(case, Decision.DISMISS))
        world.clock.advance(days=days)
    return found


@pytest.mark.parametrize("days", [0, 1, 20, 45])
async def test_the_log_is_complete_and_newest_first_over_all_pages(
    world: SafetyWorld, days: int
) -> None:
    decided = await _decided(world, 9, days=days)
    shown: list[AuditEntry] = []
    cursor = None
    for _ in range(9):
        page = await audit_log(world.safety, world.mod, limit=4, cursor=cursor)
        assert len(page.entries) <= 4
        shown += page.entries
        cursor = page.next
        if cursor is None:
            break
    assert cursor is None
    assert {entry.case for entry in shown} == {entry.case for entry in decided}
    assert len(shown) == len(decided)
    assert [entry.at_ms for entry in shown] == sorted((e.at_ms for e in decided), reverse=True)


async def test_the_log_goes_back_one_year_at_most(world: SafetyWorld) -> None:
    await _decided(world, 1, days=500)
    with world.store.counting() as cost:
        page = await audit_log(world.safety, world.mod)
    assert page.entries == ()
    assert cost.read_units <= 12


async def test_only_moderators_read_the_log_and_made_up_cursors_are_refused(
    world: SafetyWorld,
) -> None:
    with pytest.raises(ModeratorsOnly):
        await audit_log(world.safety, world.ana)
    for cursor in ("%%%", "é", "AAAA", "MjAyNi0xMy0wMQ"):
        with pytest.raises(InvalidCursor):
            await audit_log(world.safety, world.mod, cursor=cursor)
