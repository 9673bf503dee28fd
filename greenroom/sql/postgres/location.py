"""Parses the URL of a PostgreSQL database, as in GREENROOM_SQL.

postgresql://user:password@host:5432/database?schema=greenroom&pool=10
"""

import re

from msgspec import Struct
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

_DRIVER = "postgresql+asyncpg"
_SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_SSL = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
_OPTIONS = ("schema", "pool", "ssl", "host")
_MOST_CONNECTIONS = 100


class InvalidLocation(Exception):
    """The reason is a clause."""


class Location(Struct, frozen=True):
    url: URL
    """For SQLAlchemy, with the password."""
    schema: str | None
    """The schema that has the tables; None means the database's default."""
    pool: int
    """Connections that this node opens at most."""


def parse_location(text: str) -> Location:
    """Raises `InvalidLocation`, which never shows the password."""
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise InvalidLocation("it must be a URL") from None
    if not url.database:
        raise InvalidLocation("it must name a database: postgresql://user@host/database")
    options = {name: _one(name, value) for name, value in url.query.items()}
    if unknown := set(options) - set(_OPTIONS):
        raise InvalidLocation(f"{min(unknown)} is unknown; it may have {', '.join(_OPTIONS)}")
    schema, pool = options.pop("schema", None), _pool(options.pop("pool", "10"))
    if schema is not None and not _SCHEMA.fullmatch(schema):
        raise InvalidLocation("schema must have lower-case letters, digits and _ only")
    if options.get("ssl", "prefer") not in _SSL:
        raise InvalidLocation(f"ssl must be one of {', '.join(_SSL)}")
    return Location(url.set(drivername=_DRIVER, query=options), schema, pool)


def with_schema(text: str, schema: str) -> str:
    """The same URL with another schema."""
    url = make_url(text).update_query_dict({"schema": schema})
    return url.render_as_string(hide_password=False)


def _one(name: str, value: str | tuple[str, ...]) -> str:
    if isinstance(value, str):
        return value
    raise InvalidLocation(f"{name} must be given once")


def _pool(text: str) -> int:
    if text.isdecimal() and 1 <= int(text) <= _MOST_CONNECTIONS:
        return int(text)
    raise InvalidLocation(f"pool must be a number from 1 to {_MOST_CONNECTIONS}")
