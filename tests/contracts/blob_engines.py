"""The engines of the blob store that test_blobs.py runs on; none yet."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TypeAlias

from greenroom.blobs.base import Blobs

Opened: TypeAlias = Callable[[Path], AbstractAsyncContextManager[Blobs]]
"""Opens an empty blob store. The folder is the test's own."""

ENGINES: Mapping[str, Opened] = {}
