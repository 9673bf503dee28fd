"""Runs the tests of the client library, web/tests, with Node: uploads on a folder and on S3."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"


@pytest.fixture
def bucket(request: pytest.FixtureRequest) -> dict[str, str]:
    """The variable that names it; without S3 everything else is tested."""
    try:
        return {"GREENROOM_TEST_SEAWEEDFS": request.getfixturevalue("s3_url")}
    except pytest.skip.Exception:
        return {}


@pytest.mark.skipif(
    shutil.which("npm") is None and os.environ.get("CI") != "true",
    reason="`npm` is not installed, which comes with Node 20 or newer",
)
def test_the_client_library_passes_its_tests(bucket: dict[str, str]) -> None:
    done = subprocess.run(
        ["npm", "test", "--silent", "--prefix", str(WEB)],
        env=os.environ | {"GREENROOM_TEST_PYTHON": sys.executable} | bucket,
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert "# fail 0" in done.stdout
    assert "# tests 0" not in done.stdout
    assert not bucket or "# skipped 0" in done.stdout
