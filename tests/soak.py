"""Runs random sequences of tests/contracts on both engines until stopped.

    python -m tests.soak [--minutes N] [--seed S]

Starts its own DynamoDB Local and prints its progress. On a disagreement it prints a short program
that shows it, and exits with 1. The printed seed repeats a run.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from itertools import count
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from scripts import engines
from tests.contracts.lockstep import Disagreement, Pair
from tests.contracts.sequences import Step, as_python, sequences
from tests.contracts.shrink import shrink
from tests.stores import kept_open

_BATCH = 100

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


class Batch:
    """Some sequences on one pair of stores, and a program that shows a disagreement."""

    def __init__(self, runner: asyncio.Runner, pair: Pair) -> None:
        self._runner = runner
        self._pair = pair
        self._failed: list[Step] = []
        self.sequences = 0
        self.steps = 0
        self.program: str | None = None

    def run(self, number: int) -> None:
        checked = settings(
            max_examples=_BATCH,
            deadline=None,
            database=None,
            phases=(Phase.generate,),
            suppress_health_check=list(HealthCheck),
            print_blob=False,
            report_multiple_bugs=False,
        )(seed(number)(given(sequence=sequences)(self._one)))
        try:
            checked()
        except Exception:
            if not self._failed:
                raise
            found = shrink(self._failed, lambda shorter: self._said(shorter) is not None)
            lines = str(self._said(found)).splitlines()
            self.program = _PROGRAM.format(
                disagreement="\n".join(f"#   {line}" for line in lines), sequence=as_python(found)
            )

    def _one(self, sequence: list[Step]) -> None:
        self.sequences += 1
        self.steps += len(sequence)
        if said := self._said(sequence):
            self._failed = sequence
            raise said

    def _said(self, sequence: list[Step]) -> Exception | None:
        try:
            self._runner.run(self._pair.run(sequence))
        except Exception as error:
            return error
        return None


def run_batch(url: str, runner: asyncio.Runner, number: int) -> Batch:
    with (
        tempfile.TemporaryDirectory() as folder,
        kept_open(runner, Pair.opened(Path(folder), url)) as pair,
    ):
        batch = Batch(runner, pair)
        batch.run(number)
        return batch


def replay(sequence: list[Step]) -> None:
    """Runs one sequence on fresh stores."""
    with (
        engines.running("dynamodb") as dynamodb,
        tempfile.TemporaryDirectory() as folder,
        asyncio.Runner() as runner,
        kept_open(runner, Pair.opened(Path(folder), dynamodb.url)) as pair,
    ):
        try:
            runner.run(pair.run(sequence))
            print("The engines agree.")
        except Disagreement as found:
            print(found)
            sys.exit(1)


def soak(url: str, runner: asyncio.Runner, first_seed: int, minutes: float | None) -> int:
    started, sequences_run, steps = time.monotonic(), 0, 0
    try:
        for number in count(first_seed):
            if minutes is not None and time.monotonic() - started > 60 * minutes:
                break
            # Fresh tables for every batch: they only grow.
            batch = run_batch(url, runner, number)
            sequences_run += batch.sequences
            steps += batch.steps
            taken = (time.monotonic() - started) / 60
            print(f"{sequences_run} sequences, {steps} steps, {taken:.1f} minutes", flush=True)
            if batch.program is not None:
                print(batch.program)
                return 1
    except KeyboardInterrupt:
        pass
    print(f"The engines agree: {sequences_run} sequences, {steps} steps, no difference")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, help="stop after so long (never, without)")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    asked = parser.parse_args()
    print(f"seed {asked.seed}", flush=True)
    with engines.running("dynamodb") as dynamodb, asyncio.Runner() as runner:
        return soak(dynamodb.url, runner, asked.seed, asked.minutes)


if __name__ == "__main__":
    sys.exit(main())
