"""Starts and ends a module of this package in a process of its own, with pipes to it.

The process is given no more of the environment than it needs: no secrets. It ends with this one.
"""

import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path

import greenroom


async def start_python(module: str, *arguments: str, most_line: int) -> asyncio.subprocess.Process:
    """Runs `python -m module PARENT arguments`. `most_line` is the length of the longest line that
    it may answer."""
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", module, str(os.getpid()), *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=most_line,
        env={
            "PATH": os.environ.get("PATH", os.defpath),
            "PYTHONPATH": str(Path(greenroom.__file__).parents[1]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "RAYON_NUM_THREADS": "1",
            "LC_ALL": "C.UTF-8",
        },
        start_new_session=True,
    )


async def end_python(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()
    assert process.stdin is not None
    process.stdin.close()
    with suppress(OSError):  # what was not sent; Python would complain that nobody asked
        await process.stdin.wait_closed()
