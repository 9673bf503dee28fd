"""Runs random scenarios of tests/messaging against the reference model until it is stopped.

    python -m tests.soak_messaging [--minutes N] [--seed S] [--dynamodb]

Prints its progress. On a difference it prints the shortest scenario that shows it and exits with 1.
The printed seed repeats a run.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from contextlib import ExitStack
from itertools import count

from hypothesis import HealthCheck, Phase, given, seed, settings

from scripts import engines
from tests.messaging.model_runner import SCENES, ModelRunner, Step
from tests.messaging.world import world_on
from tests.stores import SQLITE, kept_open
from tests.world import UNLIMITED

_BATCH = 100


class Batch:
    """Some scenarios in one world, and the shortest one with a difference."""

    def __init__(self, runner: asyncio.Runner, url: str) -> None:
        self._runner = runner
        self._url = url
        self.scenes = 0
        self.steps = 0
        self.shortest: list[Step] | None = None

    def run(self, number: int) -> None:
        checked = settings(
            max_examples=_BATCH,
            deadline=None,
            database=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
            print_blob=False,
            report_multiple_bugs=False,
        )(seed(number)(given(scene=SCENES)(self._one)))
        with tempfile.TemporaryDirectory() as folder:
            url = self._url or f"{SQLITE}{folder}/world.db"
            with kept_open(self._runner, world_on(url, UNLIMITED)) as self._world:
                checked()

    def _one(self, scene: list[Step]) -> None:
        self.scenes += 1
        self.steps += len(scene)
        try:
            self._runner.run(self._play(scene))
        except Exception:
            # Hypothesis runs the shortest failure last.
            self.shortest = scene
            raise

    async def _play(self, scene: list[Step]) -> None:
        play = await ModelRunner.begin(self._world, self._world.another_node())
        await play.run(scene)


def soak(url: str, runner: asyncio.Runner, first_seed: int, minutes: float | None) -> int:
    started, scenes, steps = time.monotonic(), 0, 0
    for number in count(first_seed):
        taken = (time.monotonic() - started) / 60
        if minutes is not None and taken > minutes:
            break
        batch = Batch(runner, url)
        try:
            batch.run(number)
        except Exception:
            print("The shortest failing scenario, without steps that did nothing:")
            print([step for step in batch.shortest or [] if step[0] != "look"])
            raise
        scenes, steps = scenes + batch.scenes, steps + batch.steps
        print(f"{scenes} scenarios, {steps} steps, {taken:.1f} minutes", flush=True)
    print(f"No difference from the reference model: {scenes} scenarios, {steps} steps")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, help="when to stop; without it, never")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument("--dynamodb", action="store_true", help="on a DynamoDB Local of its own")
    asked = parser.parse_args()
    print(f"seed {asked.seed}", flush=True)
    with ExitStack() as stack:
        runner = stack.enter_context(asyncio.Runner())
        url = stack.enter_context(engines.running("dynamodb")).url if asked.dynamodb else ""
        return soak(url, runner, asked.seed, asked.minutes)


if __name__ == "__main__":
    sys.exit(main())
