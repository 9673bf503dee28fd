"""One job in a process of its own: takes its limits, decodes, and answers on a pipe."""

import os
from pathlib import Path
from typing import NoReturn

from msgspec import Struct

from greenroom.files.decoder import isolation
from greenroom.files.decoder.decode import decode
from greenroom.files.decoder.jobs import Answer, Broken, DiskFull, Job, encode
from greenroom.files.decoder.problems import is_disk_trouble

_SMALL_BYTES = 64_000_000
"""The largest preview of a picture or clip of a video."""
_ANSWERS = 3
"""The pipe to the decoder process: the only file that a child has open."""


def run_child(job: Job, answers: int) -> NoReturn:
    """Never returns to the loop that has forked it."""
    status = 1
    try:
        _leave_parent(answers)
        _limit(job)
        _say(_answer(job))
        status = 0
    finally:
        os._exit(status)


def _leave_parent(answers: int) -> None:
    os.setpgid(0, 0)
    isolation.end_with_parent(os.getppid())
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    os.dup2(answers, _ANSWERS)
    os.closerange(_ANSWERS + 1, 4096)


def _limit(job: Job) -> None:
    os.chdir(job.folder)
    isolation.limit(
        memory_bytes=job.memory_bytes,
        cpu_seconds=job.cpu_seconds * (3 if job.is_heavy else 1),
        file_bytes=max(_SMALL_BYTES, job.size + 10_000_000 if job.is_heavy else 0),
    )
    isolation.drop_privileges(readable=(Path(job.path),), writable=Path(job.folder))


def _answer(job: Job) -> Answer:
    try:
        return decode(job, _say)
    except MemoryError:
        return Broken("memory")
    except Exception as error:
        return DiskFull() if is_disk_trouble(error) else Broken(repr(error)[:1000])


def _say(what: Struct) -> None:
    left = encode(what) + b"\n"
    while left:
        left = left[os.write(_ANSWERS, left) :]
