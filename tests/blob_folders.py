"""Folders of blobs for tests."""

import shutil
import tempfile
import weakref
from pathlib import Path

from greenroom.blobs.folder import FolderBlobs
from greenroom.clock import Clock
from tests.stores import SECRET


def temporary_blobs(clock: Clock) -> FolderBlobs:
    """In a folder that is removed when the test no longer has them."""
    folder = tempfile.mkdtemp(prefix="greenroom-blobs-")
    blobs = FolderBlobs(Path(folder), SECRET, clock)
    weakref.finalize(blobs, shutil.rmtree, folder, ignore_errors=True)
    return blobs
