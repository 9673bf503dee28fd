"""Where a table that is there is not as declared, and what DynamoDB would be asked to add. Pure.

More than was declared does no harm and is let be: other indexes, an index that carries more, a
stream that nobody reads. What one would get wrong: a TTL that is not declared is no such thing,
for DynamoDB takes items away by it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from greenroom.store.tables import Index, Table, beside_keys, index_key_names, projection

IMAGES = "NEW_AND_OLD_IMAGES"


class Difference(Struct, frozen=True):
    """What differs, in words, and the request that mends it; None where DynamoDB has none."""

    says: str
    action: str = ""
    fields: dict[str, Any] | None = None


def differences(
    table: Table, found: Mapping[str, Any], expiry: Mapping[str, Any]
) -> list[Difference]:
    """From what DescribeTable and DescribeTimeToLive say."""
    types = {d["AttributeName"]: d["AttributeType"] for d in found["AttributeDefinitions"]}
    there = {index["IndexName"]: index for index in found.get("GlobalSecondaryIndexes") or ()}
    told = _in_keys("its", found["KeySchema"], table.key_names, types)
    for index in table.indexes:
        if index.name in there:
            told += _in_index(table, index, there[index.name], types)
        else:
            told.append(_missing(table, index))
    if table.stream:
        told += _in_stream(found.get("StreamSpecification") or {})
    return told + in_expiry(table, expiry)


def unready(table: Table, found: Mapping[str, Any] | None) -> str | None:
    """What has to be waited for before the table can be used."""
    # UPDATING is what a change of a table that is in use looks like.
    if found is None or found["TableStatus"] not in ("ACTIVE", "UPDATING"):
        return "it does not become active"
    declared = {index.name for index in table.indexes}
    for index in found.get("GlobalSecondaryIndexes") or ():
        status = index.get("IndexStatus", "ACTIVE")
        if index["IndexName"] in declared and status not in ("ACTIVE", "UPDATING"):
            return f"its index {index['IndexName']} is still {status}"
    return None


def _in_keys(
    whose: str, found: Sequence[Mapping[str, str]], names: tuple[str, ...], types: dict[str, str]
) -> list[Difference]:
    keys = {part["KeyType"]: part["AttributeName"] for part in found}
    there = tuple(keys[kind] for kind in ("HASH", "RANGE") if kind in keys)
    if there != names:
        return [Difference(f"{whose} keys are {', '.join(there)} instead of {', '.join(names)}")]
    return [
        Difference(f"{whose} key {name} is of type {types[name]} instead of S")
        for name in names
        if types.get(name, "S") != "S"
    ]


def _in_index(
    table: Table, index: Index, found: Mapping[str, Any], types: dict[str, str]
) -> list[Difference]:
    told = _in_keys(f"its index {index.name}'s", found["KeySchema"], index_key_names(index), types)
    carried = found.get("Projection") or {}
    if carried.get("ProjectionType", "ALL") == "ALL":
        return told
    wanted = beside_keys(table, index)
    if wanted is None:
        return [*told, Difference(f"its index {index.name} does not carry the whole item")]
    lacking = [name for name in wanted if name not in (carried.get("NonKeyAttributes") or ())]
    if lacking:
        told.append(Difference(f"its index {index.name} does not carry {', '.join(lacking)}"))
    return told


def _missing(table: Table, index: Index) -> Difference:
    fields = {
        "AttributeDefinitions": text_attributes(index_key_names(index)),
        "GlobalSecondaryIndexUpdates": [{"Create": index_request(table, index)}],
    }
    return Difference(f"it lacks the index {index.name}", "UpdateTable", fields)


def _in_stream(found: Mapping[str, Any]) -> list[Difference]:
    if not found.get("StreamEnabled"):
        return [Difference("its stream is missing", "UpdateTable", {"StreamSpecification": STREAM})]
    if found["StreamViewType"] != IMAGES:
        return [Difference(f"its stream has {found['StreamViewType']} instead of {IMAGES}")]
    return []


def in_expiry(table: Table, found: Mapping[str, Any]) -> list[Difference]:
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
        "Projection": projection(table, index),
    }
