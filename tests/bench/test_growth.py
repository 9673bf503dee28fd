"""The growth benchmark, in its quick form: it runs and ends with a line of JSON."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.growth import STEPS

ROOT = Path(__file__).parents[2]


@pytest.mark.timeout(1200)
def test_the_growth_benchmark_runs_and_ends_with_a_line_of_json() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench.growth", "--quick"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=1000,
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    ratios = [figures[name + at_once] for name in STEPS for at_once in ("", "_16")]
    assert figures["worst"] == max(ratios)
