"""A cursor of notices holds for as long as the policy keeps the logs of changes."""

from dataclasses import replace

import pytest

from greenroom.safety.sync_notices import notice_cursor_now, sync_notices
from tests.safety.world import SafetyWorld

DAY_MS = 86_400_000


@pytest.mark.parametrize("days", [2, 30, 60])
async def test_a_cursor_holds_for_as_long_as_the_policy_says(world: SafetyWorld, days: int) -> None:
    ana = await world.person("ana")
    world.safety = replace(world.safety, sync_ms=days * DAY_MS)
    cursor = notice_cursor_now(world.safety)
    world.clock.advance(days=days - 1)
    assert not (await sync_notices(world.safety, ana.user, cursor)).reset
    world.clock.advance(days=1)
    assert (await sync_notices(world.safety, ana.user, cursor)).reset
