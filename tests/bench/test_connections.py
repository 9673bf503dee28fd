"""The connections benchmark, with few connections: it runs and ends with a line of JSON."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.idle_clients import TooFewFiles, check_files

ROOT = Path(__file__).parents[2]


@pytest.mark.timeout(300)
def test_the_benchmark_of_connections_runs_and_ends_with_a_line_of_json() -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "bench.connections"),
            *("--connections", "60", "--few", "5", "--seconds", "0.5", "--rounds", "1"),
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    assert figures["connections"] == 60
    assert figures["bytes_per_connection"] > 1000
    assert 0 < figures["p50_ms_5"] <= figures["p99_ms_5"]
    assert 0 < figures["p50_ms_60"] <= figures["p99_ms_60"]
    assert figures["ratio"] == pytest.approx(figures["p99_ms_60"] / figures["p99_ms_5"], rel=0.1)


def test_a_limit_on_open_files_is_reported() -> None:
    with pytest.raises(TooFewFiles, match="ulimit -Hn"):
        check_files(10**9)
