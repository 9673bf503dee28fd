"""Describes the tables of the SQL database for docs/data-model.md."""

from collections.abc import Iterator

from sqlalchemy import Column, Table, UniqueConstraint

from greenroom.app import REGISTRY
from greenroom.sql.base import PURPOSE


def sql_tables() -> str:
    found = [table for schema in REGISTRY.sql_schemas for table in schema.metadata.sorted_tables]
    by_name = sorted(found, key=lambda table: table.name)
    return "\n\n".join("\n".join(_section(table)) for table in by_name)


def _section(table: Table) -> Iterator[str]:
    yield f"### `{table.name}`"
    yield ""
    yield table.info[PURPOSE]
    yield ""
    yield "| column | type | |"
    yield "| --- | --- | --- |"
    for column in table.columns:
        yield f"| `{column.name}` | {_type(column)} | {', '.join(_about(table, column))} |"
    indexes = sorted(table.indexes, key=lambda index: str(index.name))
    if indexes:
        yield ""
        named = (f"`{one.name}` ({_names(one.columns)})" for one in indexes)
        yield f"Indexes: {', '.join(named)}."


def _type(column: Column[object]) -> str:
    return "text" if column.type.python_type is str else "integer"


def _about(table: Table, column: Column[object]) -> Iterator[str]:
    if column.primary_key:
        yield "key" if len(table.primary_key) == 1 else "part of the key"
    for key in column.foreign_keys:
        yield f"a row of `{key.column.table.name}`"
    if column.unique or _is_in_unique(table, column):
        yield "unique" if column.unique else "part of a unique key"
    if column.nullable:
        yield "may be null"


def _is_in_unique(table: Table, column: Column[object]) -> bool:
    unique = (one for one in table.constraints if isinstance(one, UniqueConstraint))
    return any(len(one.columns) > 1 and column.name in one.columns for one in unique)


def _names(columns: object) -> str:
    assert hasattr(columns, "keys")
    return ", ".join(f"`{name}`" for name in columns.keys())  # noqa: SIM118 (no dict)
