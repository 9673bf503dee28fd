"""Runs the Alembic migrations of a schema inside the transaction of a connection."""

from collections.abc import Sequence
from typing import Any

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection

from greenroom.sql.base import Schema
from greenroom.sql.problems import DatabaseTooNew


def upgrade(connection: Connection, schema: Schema) -> None:
    """Careful: the caller holds a lock, so that no other node migrates at the same time, and rolls
    back if this raises."""
    scripts = ScriptDirectory(str(schema.folder), version_locations=[str(schema.folder)])
    _check_known(connection, schema, scripts)

    def steps(current: Any, _: MigrationContext) -> Any:
        return scripts._upgrade_revs("head", current)

    context = _context(connection, schema, fn=steps, script=scripts)
    with Operations.context(context):
        context.run_migrations()


def is_current(connection: Connection, schema: Schema) -> bool:
    """Whether nothing is left to migrate."""
    scripts = ScriptDirectory(str(schema.folder), version_locations=[str(schema.folder)])
    _check_known(connection, schema, scripts)
    return set(_versions(connection, schema)) == set(scripts.get_heads())


def _check_known(connection: Connection, schema: Schema, scripts: ScriptDirectory) -> None:
    for version in _versions(connection, schema):
        try:
            scripts.get_revision(version)
        except CommandError:
            raise DatabaseTooNew(schema.name, version) from None


def _versions(connection: Connection, schema: Schema) -> Sequence[str]:
    return _context(connection, schema).get_current_heads()


def _context(connection: Connection, schema: Schema, **more: Any) -> MigrationContext:
    options = {"version_table": schema.version_table, "target_metadata": schema.metadata, **more}
    return MigrationContext.configure(connection, opts=options)
