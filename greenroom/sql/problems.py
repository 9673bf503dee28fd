"""What both engines of the SQL database refuse with, in the same words."""

from greenroom.errors import Clause, Problem, Unavailable


class DatabaseUnavailable(Problem, Unavailable):
    """The database cannot be used at the moment: {reason}. Nothing was saved."""

    reason: str


class DatabaseBusy(Problem, Unavailable):
    """Others change the same data at the moment, and nothing was saved. Try again."""


class DatabaseOutcomeUnknown(Problem, Unavailable):
    """The connection to the database was lost while it saved, so the change may be saved or not:
    {reason}. Repeat the request with the same key, and it takes effect once."""

    reason: str


DATABASE_TROUBLE = (DatabaseUnavailable, DatabaseBusy, DatabaseOutcomeUnknown)
"""Temporary failures of the database: they say nothing about the work itself."""


class InvalidSqlValue(Problem):
    """This cannot be stored: {reason}."""

    reason: Clause


class DatabaseTooNew(Problem):
    """The tables of {schema} were changed by a newer Greenroom, which has the migration {found}.
    Start that version, or restore a backup made before."""

    schema: str
    found: str


class DatabaseNotMigrated(Problem):
    """The tables of {schema} in the SQL database are missing or out of date. Start one server with
    `greenroom serve --create-tables`, which brings them up to date."""

    schema: str


class MigrationFailed(Problem):
    """The tables of {schema} could not be brought up to date, and nothing was changed: {reason}."""

    schema: str
    reason: str


class DatabaseForeign(Problem):
    """{path} belongs to another program, or it is the item store. GREENROOM_SQL names the file of
    the SQL database."""

    path: str
