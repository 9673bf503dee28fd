"""The benchmark of files, with small files: it runs and ends with a line of JSON."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.timeout(300)
def test_the_benchmark_of_files_runs_and_ends_with_a_line_of_json(vision_model: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "bench.files", "--mb", "8", "--rounds", "1", "--photos", "2"),
            *("--videos", "0", "--rated", "3", "--uploads", "3", "--seconds", "0.5"),
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    for name in ("upload_vs_bare", "download_vs_bare", "photo_p99_ms", "chat_p99_ratio"):
        assert figures[name] > 0, name
    assert figures["rated_per_s"] > 0
