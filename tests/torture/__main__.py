"""Clients keep sending while nodes, bus and store are killed, stopped and made to fail.

    python -m tests.torture [--seconds 300] [--kills 100] [--seed S] [--only sqlite|dynamodb|clock]

Three parts: one node on an SQLite file; several nodes on NATS and on DynamoDB Local behind a faulty
proxy; and one node on a machine whose clock is set back and forth. The printed seed repeats the
plan. Findings are printed as sentences and the nodes' logs are kept. The last line is JSON, and the
exit code is 1 if anything was wrong.
"""

import argparse
import asyncio
import logging
import os
import random
import shutil
import subprocess
import sys
import tempfile
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import msgspec

from scripts import engines
from scripts.engines.faketime import FakeClock
from tests.torture.checks import Findings
from tests.torture.fleet import Fleet, on_dynamodb, on_sqlite
from tests.torture.node_process import Serve
from tests.torture.plan import plan
from tests.torture.run import Tally, torture
from tests.torture.server import serve

_NODES = {"sqlite": 1, "dynamodb": 3, "clock": 1}
_MOST_SHOWN = 20
_CLOCK = "FAKETIME_TIMESTAMP_FILE"


async def run_part(
    name: str,
    folder: Path,
    *,
    seconds: float,
    kills: int,
    seed: str,
    dynamodb_url: str = "",
    serve: Serve = serve,
) -> tuple[Tally, Findings]:
    nodes, seed = _NODES[name], f"{seed} {name}"
    steps = plan(seed, seconds=seconds, kills=kills, nodes=nodes, clock=name == "clock")
    async with AsyncExitStack() as stack:
        fleet: Fleet
        if name == "sqlite":
            fleet = await stack.enter_async_context(on_sqlite(folder))
        elif name == "clock":
            clock = FakeClock(Path(os.environ[_CLOCK]))
            fleet = await stack.enter_async_context(on_sqlite(folder, clock))
        else:
            made = on_dynamodb(folder, dynamodb_url, nodes=nodes, seed=seed, serve=serve)
            fleet = await stack.enter_async_context(made)
        return await torture(fleet, steps, seed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", default=str(random.randrange(2**32)))
    parser.add_argument("--only", choices=_NODES)
    asked = parser.parse_args()
    logging.getLogger("aiohttp").setLevel(logging.CRITICAL)  # the proxy's clients are killed
    print(f"seed {asked.seed}", flush=True)
    names = [asked.only] if asked.only else list(_NODES)
    total = Tally()
    for name in names:
        wrong_clock = name == "clock" and _CLOCK not in os.environ
        one = with_a_wrong_clock if wrong_clock else partial(_one, name)
        try:
            total += one(asked.seconds / len(names), asked.kills // len(names), asked.seed)
        except engines.Unavailable as reason:
            print(f"{name}: left out, {reason}", flush=True)
    print(msgspec.json.encode(total).decode())
    return 1 if total.wrong() else 0


def with_a_wrong_clock(seconds: float, kills: int, seed: str) -> Tally:
    """In a process of its own, because libfaketime must be loaded when a process starts."""
    with tempfile.TemporaryDirectory(prefix="greenroom-clock-") as folder:
        clock = FakeClock(Path(folder) / "clock")
        asked = ["--seconds", str(seconds), "--kills", str(kills), "--seed", seed]
        done = subprocess.run(
            [sys.executable, "-m", "tests.torture", "--only", "clock", *asked],
            env={**os.environ, **clock.environment},
            stdout=subprocess.PIPE,
            text=True,
        )
    *said, last = done.stdout.splitlines()
    print("\n".join(said[1:]), flush=True)
    return msgspec.json.decode(last, type=Tally)


def _one(name: str, seconds: float, kills: int, seed: str) -> Tally:
    folder = Path(tempfile.mkdtemp(prefix=f"greenroom-torture-{name}-"))
    url, engine = "", None
    if name == "dynamodb":
        engine = engines.start("dynamodb")
        url = engine.url
    try:
        tally, findings = asyncio.run(
            run_part(name, folder, seconds=seconds, kills=kills, seed=seed, dynamodb_url=url)
        )
    finally:
        if engine is not None:
            engine.stop()
    print(f"{name}: {msgspec.json.encode(tally).decode()}", flush=True)
    for finding in findings.all()[:_MOST_SHOWN]:
        print(f"  {finding}")
    if tally.wrong():
        print(f"  what the nodes logged is in {folder}", flush=True)
    else:
        shutil.rmtree(folder)
    return tally


if __name__ == "__main__":
    sys.exit(main())
