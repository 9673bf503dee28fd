"""Cuts the power while users keep sending, and at moments of the first start.

    python -m tests.torture.power_cuts [--seconds 120] [--cuts 40] [--starts 30] [--seed S]

The last run is the control: a server that acks before it has synced, which must lose messages. The
exit code is 1 if anything was lost or damaged, or if the control lost nothing.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
from pathlib import Path

from tests.disk.disk import why_there_is_none
from tests.disk.media import Kept
from tests.disk.test_first_start import check_cut, steps_of_a_start
from tests.torture.node_process import Serve
from tests.torture.power import cuts, losses, on_a_disk
from tests.torture.run import torture
from tests.torture.server import serve, serve_without_fsync


async def under_load(folder: Path, seconds: float, count: int, seed: str) -> dict[str, object]:
    async with on_a_disk(folder) as fleet:
        steps = cuts(seed, seconds=seconds, count=count)
        tally, findings = await torture(fleet, steps, seed)
    for finding in findings.all()[:20]:
        print(f"  {finding}")
    return {
        "cuts": tally.kills,
        "acked": tally.acked,
        "lost": tally.lost,
        "wrong": tally.wrong(),
        "unsynced_bytes": fleet.unsynced,
        "seconds": tally.seconds,
    }


async def compared(folder: Path, count: int, seed: str, serve: Serve) -> dict[str, int]:
    async with on_a_disk(folder, serve=serve) as fleet:
        acked, lost = await losses(fleet, cuts(seed, seconds=count, count=count), seed)
    return {"cuts": count, "acked": acked, "lost": lost}


def first_starts(folder: Path, count: int, seed: str) -> dict[str, int]:
    steps, chance = steps_of_a_start(folder / "whole"), random.Random(seed)
    for number in range(count):
        check_cut(folder / str(number), chance.randrange(steps), chance.choice([*Kept]))
    return {"steps": steps, "cuts": count}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--cuts", type=int, default=40)
    parser.add_argument("--starts", type=int, default=30)
    parser.add_argument("--control", type=int, default=6)
    parser.add_argument("--seed", default=str(random.randrange(2**32)))
    asked = parser.parse_args()
    if reason := why_there_is_none():
        print(f"no disk to cut the power of: {reason}")
        return 1
    print(f"seed {asked.seed}", flush=True)
    folder, told = Path(tempfile.mkdtemp(prefix="greenroom-power-")), dict[str, object]()
    for name in ("starts", "load", "full", "normal"):
        (folder / name).mkdir()
    told["first starts"] = first_starts(folder / "starts", asked.starts, asked.seed)
    load = asyncio.run(under_load(folder / "load", asked.seconds, asked.cuts, asked.seed))
    told["under load"] = load
    full = asyncio.run(compared(folder / "full", asked.control, asked.seed, serve))
    normal = asyncio.run(
        compared(folder / "normal", asked.control, asked.seed, serve_without_fsync)
    )
    told["synchronous=FULL"], told["synchronous=NORMAL"] = full, normal
    print(json.dumps(told))
    return 1 if load["wrong"] or full["lost"] or not normal["lost"] else 0


if __name__ == "__main__":
    sys.exit(main())
