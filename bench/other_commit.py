"""Checks out another commit into a temporary folder, to be measured next to this one."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_HERE = Path(__file__).parents[1]


@contextmanager
def checkout(commit: str, repository: Path = _HERE) -> Iterator[Path]:
    """A temporary folder with the commit's `greenroom` and `bench`."""
    with tempfile.TemporaryDirectory(prefix="before-") as folder:
        command = ["git", "-C", str(repository), "archive", commit, "greenroom", "bench"]
        archive = subprocess.run(command, capture_output=True, check=False)
        if archive.returncode:
            raise NoSuchCommit(archive.stderr.decode().strip())
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        yield Path(folder)


class NoSuchCommit(Exception):
    """Git does not know the commit."""
