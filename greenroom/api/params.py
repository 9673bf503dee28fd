"""Declares the path and query parameters that contexts share: names, patterns and limits."""

from typing import Annotated, TypeAlias

from litestar.di import NamedDependency
from litestar.params import PathParameter, QueryParameter

from greenroom.ids import UserId
from greenroom.people.actor import Actor
from greenroom.store.cursors import MAX_CURSOR

MOST_BYTES = 128 * 1024
"""Limit of a request's body: fits 8,000 characters, each written as two escaped surrogates."""
MOST_BYTES_OF_NAMES = 16 * 1024
"""Limit of a body with names and an e-mail address, escaped in the same way."""

ID = r"^[A-Za-z0-9_-]+$"
MAX_ID = 64

Caller: TypeAlias = NamedDependency[Actor]

UserIdInPath: TypeAlias = Annotated[
    UserId, PathParameter(name="userId", pattern=ID, max_length=MAX_ID)
]
Cursor: TypeAlias = Annotated[
    str | None, QueryParameter(max_length=MAX_CURSOR, description="`next` of the page before.")
]
