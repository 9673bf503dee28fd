"""A server started on a full disk reports it, and starts once there is space."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.disk.disk import mounted
from tests.disk.machine import Machine

ROOMS = [0, 100, 4096, 8192, 20_000, 40_000, 100_000, 140_000]
"""Free bytes: for nothing, for a secret, for some of SQLite's files."""
COMMAND = [sys.executable, "-m", "greenroom", "serve"]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("is_first", [True, False], ids=["first start", "later start"])
def test_a_start_on_a_full_disk_tells_what_to_do(computer: Machine, is_first: bool) -> None:
    if not is_first:
        assert computer.start() is not None, computer.said()
        computer.end()
    refused = 0
    for room in ROOMS:
        computer.disk.limit(free=room)
        told = len(computer.said())
        address = computer.start()
        said = computer.said()[told:]
        computer.end()
        if address is None:
            refused += 1
            assert "disk I/O error" not in said or "full" in said, said
            assert "is full" in said or "No space left on device" in said, said
            assert "Free some space" in said or "GREENROOM_DATA names another" in said, said
            assert "Traceback" not in said, said
    assert refused >= 2, "there was room for everything"
    computer.disk.limit(free=None)
    assert computer.start() is not None, computer.said()


def test_the_command_prints_one_sentence(a_disk: None, tmp_path: Path) -> None:
    with mounted(tmp_path) as disk:
        disk.limit(free=30_000)
        environment = {"GREENROOM_DATA": str(disk.root / "data"), "GREENROOM_PORT": "0"}
        done = subprocess.run(
            COMMAND, env=environment, capture_output=True, text=True, timeout=60, check=False
        )
    assert done.returncode == 2
    assert "The disk under the store is full" in done.stderr
    assert done.stderr.strip().count("\n") == 0, done.stderr


def test_a_backup_to_a_full_disk_is_refused(a_disk: None, tmp_path: Path) -> None:
    with mounted(tmp_path) as disk:
        environment = {"GREENROOM_DATA": str(tmp_path / "data")}
        made = subprocess.run(
            [*COMMAND[:3], "token", "ada"], env=environment, capture_output=True, timeout=60
        )
        assert made.returncode == 2, "there are no users yet"
        source = tmp_path / "data" / "greenroom.db"
        subprocess.run(
            [
                sys.executable,
                "-c",
                "import asyncio; from greenroom import open_store, settings; "
                "from greenroom.clock import "
                "SystemClock\nasync def main():\n async with open_store.opened("
                "settings.read_settings(), SystemClock(), create_tables=False): pass\n"
                "asyncio.run(main())",
            ],
            env=environment,
            check=True,
            timeout=60,
        )
        assert source.stat().st_size > 20_000
        disk.limit(free=10_000)
        done = subprocess.run(
            [*COMMAND[:3], "backup", str(disk.root / "copy.db")],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 2
        assert "The disk under the store is full" in done.stderr
        assert list(disk.root.iterdir()) == []
