"""`python -m tests.files.breaking_decoder PARENT HOW`: a decoder process that breaks while it finds
out the type of a file."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from greenroom.files.decoder import decode, server


def _raise(error: Exception) -> object:
    raise error


WAYS: dict[str, Callable[[], object]] = {
    "an error": lambda: _raise(ValueError("odd")),
    "memory": lambda: _raise(MemoryError()),
    "a crash": os.abort,
    "CPU time": lambda: sum(iter(int, 1)),
}


def _broken_guess(_: Path) -> object:
    return WAYS[sys.argv[2]]()


if __name__ == "__main__":
    vars(decode)["guess"] = _broken_guess
    server.main(int(sys.argv[1]))
