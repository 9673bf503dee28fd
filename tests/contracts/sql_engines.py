"""The engines of the SQL database that test_sql.py runs on; none yet."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TypeAlias

from greenroom.sql.base import Database

Opened: TypeAlias = Callable[[Path], AbstractAsyncContextManager[Database]]
"""Opens an empty database. The folder is the test's own."""

ENGINES: Mapping[str, Opened] = {}
