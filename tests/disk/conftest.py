"""A machine with its own disk, if FUSE is available."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.disk.disk import why_there_is_none
from tests.disk.machine import Machine, machine


@pytest.fixture
def a_disk() -> None:
    if reason := why_there_is_none():
        if os.environ.get("CI") == "true":
            pytest.fail(f"no disk to cut the power of: {reason}", pytrace=False)
        pytest.skip(f"no disk to cut the power of: {reason}")


@pytest.fixture
def computer(a_disk: None, tmp_path: Path) -> Iterator[Machine]:
    with machine(tmp_path) as found:
        yield found
