"""Describes the declared tables as terminal text, Markdown and CloudFormation.

The output depends only on the declarations and their order.
"""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from greenroom.store.tables import (
    Index,
    Kind,
    Projection,
    Table,
    index_key_names,
    projection_request,
)

_WIDTH = 100
_MARGIN = 10


def readable(tables: Sequence[Table]) -> str:
    """The output of `greenroom tables`, at most 100 columns wide."""
    return "\n\n".join(_readable_table(table) for table in tables) + "\n"


def _readable_table(table: Table) -> str:
    lines = [table.name, *_field("", table.purpose)]
    lines += _field("keys", ", ".join(table.key_names))
    if table.ttl is not None:
        lines += _field("expires", f"an item with {table.ttl}, from that second on")
    lines += _field("stream", "old and new images" if table.stream else "none")
    lines += _readable_kinds(table.kinds)
    for index in table.indexes:
        lines += _field("index", f"{index.name} ({', '.join(index_key_names(index))})")
        lines += _field("", index.purpose)
        lines += _field("", f"carries {_projection_text(index)}")
    return "\n".join(lines)


def _readable_kinds(kinds: Sequence[Kind]) -> list[str]:
    """Each key on its own line with its meaning below, because some keys are long."""
    lines: list[str] = []
    partition = None
    for kind in kinds:
        if kind.partition != partition:
            lines += _field("items", kind.partition)
            partition = kind.partition
        if kind.sort is not None:
            lines += _field("", kind.sort, indent=2)
        lines += _field("", kind.meaning, indent=6)
    return lines


def _field(name: str, text: str, *, indent: int = 0) -> list[str]:
    margin = " " * (_MARGIN + indent)
    first = f"  {name}".ljust(len(margin))
    return wrap(text, _WIDTH, initial_indent=first, subsequent_indent=margin)


def _projection_text(index: Index) -> str:
    match index.projection:
        case Projection.ALL:
            return "the whole item"
        case Projection.KEYS:
            return "the keys"
        case names:
            return f"the keys, {', '.join(names)}"


def markdown(tables: Sequence[Table]) -> str:
    """The generated part of docs/data-model.md."""
    return "\n\n".join(_markdown_table(table) for table in tables) + "\n"


def _markdown_table(table: Table) -> str:
    keys = " and ".join(f"`{name}`" for name in table.key_names)
    ttl = "Items stay" if table.ttl is None else f"An item with `{table.ttl}` is gone from then on"
    stream = "its changes can be followed" if table.stream else "its changes are not followed"
    if table.stream and not table.old_images:
        stream += " (without the item before)"
    if table.unfollowed:
        stream += f", except those of {' and '.join(map(_code, table.unfollowed))}"
    parts = [f"### {table.name}", table.purpose, f"Key: {keys}. {ttl}; {stream}."]
    kinds = [
        (_code(kind.partition), _code(kind.sort) if kind.sort else "", kind.meaning)
        for kind in table.kinds
    ]
    parts.append(_grid(("partition", "sort", "item"), kinds))
    if table.indexes:
        indexes = [_markdown_index(index) for index in table.indexes]
        parts.append(_grid(("index", "keys", "carries", "purpose"), indexes))
    return "\n\n".join(parts)


def _markdown_index(index: Index) -> tuple[str, ...]:
    keys = ", ".join(_code(name) for name in index_key_names(index))
    return (_code(index.name), keys, _projection_text(index), index.purpose)


def _code(text: str) -> str:
    return f"`{text}`"


def _grid(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def cloudformation(tables: Sequence[Table]) -> dict[str, Any]:
    """A template that creates all tables, and keeps them when its stack is deleted."""
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": "The tables of Greenroom",
        "Resources": {
            table.name: {
                "Type": "AWS::DynamoDB::Table",
                "DeletionPolicy": "Retain",
                "UpdateReplacePolicy": "Retain",
                "Properties": _table_properties(table),
            }
            for table in tables
        },
    }


def _table_properties(table: Table) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "TableName": table.name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": "S"} for name in _all_key_names(table)
        ],
        "KeySchema": _key_schema(table.key_names),
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
    }
    if table.indexes:
        properties["GlobalSecondaryIndexes"] = [
            {
                "IndexName": index.name,
                "KeySchema": _key_schema(index_key_names(index)),
                "Projection": projection_request(table, index),
            }
            for index in table.indexes
        ]
    if table.ttl is not None:
        properties["TimeToLiveSpecification"] = {"AttributeName": table.ttl, "Enabled": True}
    if table.stream:
        properties["StreamSpecification"] = {"StreamViewType": "NEW_AND_OLD_IMAGES"}
    return properties


def _all_key_names(table: Table) -> tuple[str, ...]:
    names = list(table.key_names)
    for index in table.indexes:
        names += index_key_names(index)
    return tuple(dict.fromkeys(names))


def _key_schema(names: tuple[str, ...]) -> list[dict[str, str]]:
    return [
        {"AttributeName": name, "KeyType": kind}
        for name, kind in zip(names, ("HASH", "RANGE"), strict=False)
    ]
