"""Runs ffmpeg, ffprobe and heif-convert as children of a child, with its limits and a time of
their own."""

import errno
import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache

from greenroom.files.decoder.isolation import end_with_parent
from greenroom.files.decoder.problems import NotDecodable

_MOST_OUTPUT = 40_000_000
_FULL_BYTES = 16_000_000


@cache
def find(*names: str) -> str | None:
    """The first of these programs that is installed."""
    return next((found for name in names if (found := shutil.which(name))), None)


def run(argv: Sequence[str], *, seconds: float) -> bytes:
    """What it writes on its output."""
    parent = os.getpid()
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            preexec_fn=lambda: end_with_parent(parent),
        )
    except subprocess.TimeoutExpired:
        raise NotDecodable(f"{argv[0]} takes too long") from None
    if done.returncode != 0:
        _check_disk()
        raise NotDecodable(f"{argv[0]} ended with {done.returncode}")
    if len(done.stdout) > _MOST_OUTPUT:
        raise NotDecodable(f"{argv[0]} writes too much")
    return done.stdout


def _check_disk() -> None:
    """A program does not say why it failed. Where the disk is full, it is not the file's fault."""
    if shutil.disk_usage(".").free < _FULL_BYTES:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
