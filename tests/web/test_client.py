"""Runs the tests of the client library, web/tests, with Node."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"


@pytest.mark.skipif(
    shutil.which("npm") is None and os.environ.get("CI") != "true",
    reason="`npm` is not installed, which comes with Node 20 or newer",
)
def test_the_client_library_passes_its_tests() -> None:
    done = subprocess.run(
        ["npm", "test", "--silent", "--prefix", str(WEB)],
        env=os.environ | {"GREENROOM_TEST_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert "# fail 0" in done.stdout
    assert "# tests 0" not in done.stdout
