"""A short run of the power cuts of `make torture`: no acknowledged write is lost, no file is
damaged.

A server that acknowledges too early is detected.
"""

from pathlib import Path

import pytest

from tests.torture.power import cuts, losses, on_a_disk
from tests.torture.run import torture
from tests.torture.server import serve_without_fsync

SECONDS, CUTS, SEED = 6, 3, "in make test"


@pytest.mark.timeout(600)
async def test_nothing_that_was_acked_is_lost(a_disk: None, tmp_path: Path) -> None:
    async with on_a_disk(tmp_path) as fleet:
        steps = cuts(SEED, seconds=SECONDS, count=CUTS)
        tally, findings = await torture(fleet, steps, SEED)
    assert findings.all() == [], f"what the node logged is in {tmp_path}"
    assert tally.wrong() == 0, tally
    assert tally.kills == CUTS
    assert tally.acked > 0
    assert fleet.unsynced > 0, "each of them was in the middle of something"


@pytest.mark.timeout(300)
async def test_a_server_that_acknowledges_too_early_loses_messages(
    a_disk: None, tmp_path: Path
) -> None:
    async with on_a_disk(tmp_path, serve=serve_without_fsync) as fleet:
        acked, lost = await losses(fleet, cuts(SEED, seconds=SECONDS, count=CUTS), SEED)
    assert acked > 0
    assert lost > 0
