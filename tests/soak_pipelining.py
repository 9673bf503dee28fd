"""Runs random scenarios of tests/socket/pipeline_scenarios.py until it is stopped.

    python -m tests.soak_pipelining [--minutes N] [--seed S]

Prints its progress, and on a failure the scenario, and exits with 1.
"""

import argparse
import logging
import random
import sys
import tempfile
import time
import traceback
from itertools import count
from pathlib import Path

import uvloop

from tests.remote_store import Fault
from tests.socket.pipeline_scenarios import FINE, HELD, REFUSED, SMALL, Scenario, run_scenario


def drawn(seed: int) -> Scenario:
    chance = random.Random(seed)
    return Scenario(
        seed,
        failing=chance.choice((0.0, 0.05, 0.15, 0.3)),
        faults=chance.choice((tuple(Fault), *((fault,) for fault in Fault))),
        breaks=chance.choice((0, 0, 1, 4)),
        nodes=chance.choice((1, 1, 2, 3)),
        most_ops=chance.choice((None, None, SMALL)),
        texts=chance.choice((FINE, (*FINE, HELD, REFUSED))),
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--minutes", type=float, help="stop after so long (never, without)")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    asked = parser.parse_args()
    logging.disable(logging.ERROR)  # the many failures of the store
    started, messages, tries = time.monotonic(), 0, 0
    for number in count(asked.seed):
        scene = drawn(number)
        try:
            with tempfile.TemporaryDirectory() as folder:
                sent = uvloop.run(run_scenario(scene, Path(folder)))
        except Exception:
            traceback.print_exc()
            print(f"seed {number}: {scene}")
            return 1
        messages, tries = messages + len(sent), tries + sum(one.tries for one in sent)
        taken = (time.monotonic() - started) / 60
        scenes = number - asked.seed + 1
        print(f"{scenes} scenes, {messages} messages, {tries} tries, {taken:.1f} min", flush=True)
        if asked.minutes is not None and taken > asked.minutes:
            return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
