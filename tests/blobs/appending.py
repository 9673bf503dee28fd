"""A process that appends to a blob without end, and prints how many pieces it has given.

With a limit on the size of files a write fails in the middle, as on a full disk: then it prints the
name of the problem.
"""

import asyncio
import resource
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from greenroom.blobs.base import BlobKey
from greenroom.blobs.folder import FolderBlobs
from greenroom.clock import SystemClock
from greenroom.errors import Problem

PIECE = 100_000
KEY = BlobKey("threads/thr_1/attachments/fil_1")


def sent(length: int) -> bytes:
    """The first bytes of what the process appends."""
    return b"".join(bytes([n % 251]) * PIECE for n in range(length // PIECE + 1))[:length]


async def _content() -> AsyncIterator[bytes]:
    for number in range(10**6):
        yield bytes([number % 251]) * PIECE
        print(number, flush=True)
        await asyncio.sleep(0.001)


async def _append(folder: Path) -> None:
    blobs = FolderBlobs(folder, b"s" * 32, SystemClock())
    try:
        await blobs.append(KEY, 0, _content(), size=10**12)
    except Problem as problem:
        print(type(problem).__name__)


def killed_while_appending(folder: Path) -> None:
    command = [sys.executable, "-m", "tests.blobs.appending", str(folder), "-1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while int(process.stdout.readline()) < 50:
            pass
        process.kill()


def run_until_full(folder: Path, limit: int) -> str:
    """The name of the problem."""
    command = [sys.executable, "-m", "tests.blobs.appending", str(folder), str(limit)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return ran.stdout.splitlines()[-1]


if __name__ == "__main__":
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), -1))
    asyncio.run(_append(Path(sys.argv[1])))
