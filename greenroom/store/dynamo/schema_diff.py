"""Compares an existing DynamoDB table with its declaration. Pure functions.

Additional indexes, wider projections and an unused stream are harmless and ignored.

Careful: an undeclared TTL is not harmless, because DynamoDB deletes items by it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from greenroom.store.tables import (
    Index,
    Table,
    index_key_names,
    non_key_attributes,
    projection_request,
)

IMAGES = "NEW_AND_OLD_IMAGES"


class Difference(Struct, frozen=True):
    """A difference, and the request that fixes it; `action` is empty if there is none."""

    message: str
    action: str = ""
    fields: dict[str, Any] | None = None


def diff_schema(
    table: Table, found: Mapping[str, Any], expiry: Mapping[str, Any]
) -> list[Difference]:
    """From the responses of DescribeTable and DescribeTimeToLive."""
    types = {d["AttributeName"]: d["AttributeType"] for d in found["AttributeDefinitions"]}
    existing = {index["IndexName"]: index for index in found.get("GlobalSecondaryIndexes") or ()}
    diffs = _diff_keys("its", found["KeySchema"], table.key_names, types)
    for index in table.indexes:
        if index.name in existing:
            diffs += _diff_index(table, index, existing[index.name], types)
        else:
            diffs.append(_missing_index(table, index))
    if table.stream:
        diffs += _diff_stream(found.get("StreamSpecification") or {})
    return diffs + diff_ttl(table, expiry)


def not_ready_reason(table: Table, found: Mapping[str, Any] | None) -> str | None:
    """Why the table cannot be used yet; None if it can."""
    # A table stays usable while it is UPDATING.
    if found is None or found["TableStatus"] not in ("ACTIVE", "UPDATING"):
        return "it does not become active"
    declared = {index.name for index in table.indexes}
    for index in found.get("GlobalSecondaryIndexes") or ():
        status = index.get("IndexStatus", "ACTIVE")
        if index["IndexName"] in declared and status not in ("ACTIVE", "UPDATING"):
            return f"its index {index['IndexName']} is still {status}"
    return None


def _diff_keys(
    whose: str, found: Sequence[Mapping[str, str]], names: tuple[str, ...], types: dict[str, str]
) -> list[Difference]:
    keys = {part["KeyType"]: part["AttributeName"] for part in found}
    existing = tuple(keys[kind] for kind in ("HASH", "RANGE") if kind in keys)
    if existing != names:
        return [Difference(f"{whose} keys are {', '.join(existing)} instead of {', '.join(names)}")]
    return [
        Difference(f"{whose} key {name} is of type {types[name]} instead of S")
        for name in names
        if types.get(name, "S") != "S"
    ]


def _diff_index(
    table: Table, index: Index, found: Mapping[str, Any], types: dict[str, str]
) -> list[Difference]:
    diffs = _diff_keys(
        f"its index {index.name}'s", found["KeySchema"], index_key_names(index), types
    )
    carried = found.get("Projection") or {}
    if carried.get("ProjectionType", "ALL") == "ALL":
        return diffs
    wanted = non_key_attributes(table, index)
    if wanted is None:
        return [*diffs, Difference(f"its index {index.name} does not carry the whole item")]
    missing = [name for name in wanted if name not in (carried.get("NonKeyAttributes") or ())]
    if missing:
        diffs.append(Difference(f"its index {index.name} does not carry {', '.join(missing)}"))
    return diffs


def _missing_index(table: Table, index: Index) -> Difference:
    fields = {
        "AttributeDefinitions": text_attributes(index_key_names(index)),
        "GlobalSecondaryIndexUpdates": [{"Create": index_request(table, index)}],
    }
    return Difference(f"it lacks the index {index.name}", "UpdateTable", fields)


def _diff_stream(found: Mapping[str, Any]) -> list[Difference]:
    if not found.get("StreamEnabled"):
        return [Difference("its stream is missing", "UpdateTable", {"StreamSpecification": STREAM})]
    if found["StreamViewType"] != IMAGES:
        return [Difference(f"its stream has {found['StreamViewType']} instead of {IMAGES}")]
    return []


def diff_ttl(table: Table, found: Mapping[str, Any]) -> list[Difference]:
    on = found.get("TimeToLiveStatus") in ("ENABLED", "ENABLING")
    attribute = found.get("AttributeName") if on else None
    if attribute == table.ttl:
        return []
    if attribute is not None:
        return [Difference(f"its items expire by {attribute}, which is not declared")]
    wanted = {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": table.ttl}}
    return [Difference(f"its items do not expire by {table.ttl}", "UpdateTimeToLive", wanted)]


STREAM = {"StreamEnabled": True, "StreamViewType": IMAGES}


def text_attributes(names: Sequence[str]) -> list[dict[str, str]]:
    return [{"AttributeName": name, "AttributeType": "S"} for name in names]


def key_schema(names: tuple[str, ...]) -> list[dict[str, str]]:
    return [
        {"AttributeName": name, "KeyType": kind}
        for name, kind in zip(names, ("HASH", "RANGE"), strict=False)
    ]


def index_request(table: Table, index: Index) -> dict[str, Any]:
    return {
        "IndexName": index.name,
        "KeySchema": key_schema(index_key_names(index)),
        "Projection": projection_request(table, index),
    }
