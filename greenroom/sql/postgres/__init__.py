"""The SQL database on PostgreSQL."""

from greenroom.sql.postgres.engine import PostgresDatabase
from greenroom.sql.postgres.location import InvalidLocation, Location, parse_location

__all__ = ["InvalidLocation", "Location", "PostgresDatabase", "parse_location"]
