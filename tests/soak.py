"""The random sequences of tests/contracts against both engines, for as long as one likes.

    python -m tests.soak [--minutes N] [--seed S]

Starts a DynamoDB Local of its own, prints how far it is, and on a disagreement the shortest
sequence that shows it, as a program, and exits with 1. The seed that it prints repeats a run.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path
from uuid import uuid4

from hypothesis import HealthCheck, Phase, given, seed, settings

from scripts import engines
from tests.contracts.lockstep import Disagreement, Pair
from tests.contracts.sequences import Step, sequences, shown

_BATCH = 250

_PROGRAM = """\
# Run me from the checkout. The engines disagree:
{disagreement}
from decimal import Decimal
from greenroom.store.base import *
from greenroom.store.expressions import *
from tests.contracts.sequences import Advance, Again, BatchGet, Get, Walk, Write
from tests.contracts.tables import *
from tests.soak import replay

replay({sequence})
"""


class Soak:
    def __init__(self, runner: asyncio.Runner, pair: Pair) -> None:
        self._runner = runner
        self._pair = pair
        self.sequences = 0
        self.steps = 0
        self._smallest: tuple[list[Step], Exception] | None = None

    def batch(self, number: int) -> str | None:
        """Runs some sequences; the program that shows a disagreement, if there is one."""
        self._smallest = None
        checked = settings(
            max_examples=_BATCH,
            deadline=None,
            database=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
            print_blob=False,
        )(seed(number)(given(sequence=sequences)(self._one)))
        try:
            checked()
        except Exception as error:
            if self._smallest is None:
                raise
            sequence, found = self._smallest
            told = "\n".join(f"#   {line}" for line in str(found or error).splitlines())
            return _PROGRAM.format(disagreement=told, sequence=shown(sequence))
        return None

    def _one(self, sequence: list[Step]) -> None:
        self.sequences += 1
        self.steps += len(sequence)
        try:
            self._runner.run(self._pair.run(sequence))
        except Exception as error:
            # Hypothesis runs the smallest that it has found last.
            self._smallest = (sequence, error)
            raise


def replay(sequence: list[Step]) -> None:
    """Runs one sequence on fresh stores."""
    with (
        engines.running("dynamodb") as dynamodb,
        tempfile.TemporaryDirectory() as folder,
        asyncio.Runner() as runner,
    ):
        pair = runner.run(Pair.open(Path(folder), f"{dynamodb.url}&prefix=replay-"))
        try:
            runner.run(pair.run(sequence))
            print("The engines agree.")
        except Disagreement as found:
            print(found)
            sys.exit(1)
        finally:
            runner.run(pair.close())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, help="stop after so long (never, without)")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    asked = parser.parse_args()
    print(f"seed {asked.seed}", flush=True)
    started, ends = time.monotonic(), float("inf")
    if asked.minutes is not None:
        ends = started + 60 * asked.minutes
    with engines.running("dynamodb") as dynamodb, asyncio.Runner() as runner:
        number, sequences_run, steps_run = asked.seed, 0, 0
        while time.monotonic() < ends:
            # Fresh tables for every few batches: they only grow.
            with tempfile.TemporaryDirectory() as folder:
                url = f"{dynamodb.url}&prefix=soak-{uuid4().hex[:8]}-"
                pair = runner.run(Pair.open(Path(folder), url))
                soak = Soak(runner, pair)
                program = soak.batch(number)
                runner.run(pair.close())
            number += 1
            sequences_run += soak.sequences
            steps_run += soak.steps
            minutes = (time.monotonic() - started) / 60
            print(f"{sequences_run} sequences, {steps_run} calls, {minutes:.1f} min", flush=True)
            if program is not None:
                print(program)
                return 1
    print(f"{sequences_run} sequences, {steps_run} calls: the engines agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
