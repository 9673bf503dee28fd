"""Compares `make bench-growth` of another commit with this one: both are measured in turns.

    python bench/growth_before.py OPTIONS      measures the commit whose `bench` is found first

Each turn is a process with files of its own. Careful: `milliseconds` runs `bench.growth` of either
commit, so it uses only what an older one has too.
"""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.report import last_line, table

HERE = Path(__file__).parents[1]


def compare(tree: Path, rounds: int, options: Sequence[str]) -> None:
    """Prints a ratio for each kind: above 1 where this commit is faster."""
    now: list[Mapping[str, float]] = []
    before: list[Mapping[str, float]] = []
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
        turns = [(HERE, now), (tree, before)]
        for checkout, found in turns[:: -1 if number % 2 else 1]:
            found.append(_measured(checkout, options))
    ratios = {
        name: [b[name] / n[name] for b, n in zip(before, now, strict=True)] for name in now[0]
    }
    rows = [
        [
            name,
            f"{statistics.median(one[name] for one in before):.3f}",
            f"{statistics.median(one[name] for one in now):.3f}",
            f"{statistics.median(found):.3f}",
            f"{min(found):.2f} to {max(found):.2f}",
        ]
        for name, found in ratios.items()
    ]
    print(table(["milliseconds", "before", "now", "ratio", "in the rounds"], rows) + "\n")
    medians = {name: round(statistics.median(found), 3) for name, found in ratios.items()}
    last_line({"lowest": min(medians.values()), "rounds": rounds} | medians)


def _measured(checkout: Path, options: Sequence[str]) -> Mapping[str, float]:
    answer = subprocess.run(
        [sys.executable, __file__, "--rounds", "1", *options],
        env={**os.environ, "PYTHONPATH": str(checkout)},
        stdout=subprocess.PIPE,
        check=True,
    )
    found: Mapping[str, float] = json.loads(answer.stdout.splitlines()[-1])
    return found


def milliseconds() -> None:
    """Prints the median milliseconds of each kind, with much data."""
    from bench import growth

    growth._print = lambda found, chosen: print(
        json.dumps({name: statistics.median(one.large) for name, one in found.items()})
    )
    growth.main()


if __name__ == "__main__":
    milliseconds()
