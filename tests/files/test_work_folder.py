"""Temporary folders of checks: nothing is left of them, whatever ends a process."""

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from greenroom.files.work_folder import WorkFolder

_NODE = """
import asyncio, sys
from pathlib import Path
from greenroom.files.work_folder import WorkFolder
async def main():
    async with WorkFolder(Path(sys.argv[1])).check() as folder:
        (folder / "half").write_bytes(bytes(1000))
        print("ready", flush=True)
        await asyncio.sleep(60)
asyncio.run(main())
"""


def _left(folder: Path) -> list[Path]:
    return sorted(folder.rglob("half"))


def _node(folder: Path) -> subprocess.Popen[bytes]:
    """A process with a check under way."""
    node = subprocess.Popen(
        (sys.executable, "-c", _NODE, str(folder)),
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": "."},
    )
    assert node.stdout is not None
    assert node.stdout.readline() == b"ready\n"
    return node


async def test_a_folder_is_private_and_removed_after_the_check(tmp_path: Path) -> None:
    work = WorkFolder(tmp_path / "work")
    assert not (tmp_path / "work").exists(), "nothing is made before the first check"
    async with work.check() as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "half").write_bytes(b"x")
    assert _left(tmp_path) == []
    with pytest.raises(OSError, match="wrong"):
        await _failing_check(work)
    assert _left(tmp_path) == []
    work.close()
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["lock"]


async def test_nodes_that_begin_at_once_leave_each_other_alone(tmp_path: Path) -> None:
    for _ in range(20):
        nodes = [WorkFolder(tmp_path / "work") for _ in range(8)]
        async with AsyncExitStack() as stack:
            begun = (stack.enter_async_context(node.check()) for node in nodes)
            folders = await asyncio.gather(*begun)
            assert all(folder.is_dir() for folder in folders)
        for node in nodes:
            node.close()


async def _failing_check(work: WorkFolder) -> None:
    async with work.check() as folder:
        (folder / "half").write_bytes(b"x")
        raise OSError("something went wrong")


async def test_folders_of_a_killed_process_go_and_those_of_a_living_one_stay(
    tmp_path: Path,
) -> None:
    killed, living = _node(tmp_path), _node(tmp_path)
    try:
        assert len(_left(tmp_path)) == 2
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert len(_left(tmp_path)) == 2, "nobody has cleaned up yet"
        work = WorkFolder(tmp_path)
        async with work.check():
            assert len(_left(tmp_path)) == 1
        work.close()
    finally:
        living.kill()
        living.wait()
