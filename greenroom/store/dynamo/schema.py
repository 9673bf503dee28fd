"""Makes the declared tables that are missing, and waits until they can be used.

A table that is there is left as it is, but for its TTL, which is switched on where it is off: it
cannot be part of CreateTable. Another node may be doing the same at the same time.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from greenroom.store.dynamo.wire import Refused, Wire
from greenroom.store.problems import StoreUnavailable
from greenroom.store.tables import Index, Table, index_key_names, projection

_WAIT_SECONDS = 300
_POLL_SECONDS = (0.01, 1.0)


async def create_missing(wire: Wire, tables: Sequence[Table], prefix: str) -> None:
    for table in tables:
        if await _status(wire, prefix + table.name) is None:
            await _create(wire, table, prefix + table.name)
    for table in tables:
        await _wait_until_active(wire, prefix + table.name)
        if table.ttl is not None:
            await _expire_by(wire, prefix + table.name, table.ttl)


async def _create(wire: Wire, table: Table, name: str) -> None:
    try:
        await wire.send("CreateTable", create_request(table, name))
    except Refused as refused:
        if refused.kind != "ResourceInUseException":
            raise


async def _status(wire: Wire, name: str) -> str | None:
    try:
        answer = await wire.send("DescribeTable", {"TableName": name})
    except Refused as refused:
        if refused.kind == "ResourceNotFoundException":
            return None
        raise
    return str(answer["Table"]["TableStatus"])


async def _wait_until_active(wire: Wire, name: str) -> None:
    pause, longest = _POLL_SECONDS
    try:
        async with asyncio.timeout(_WAIT_SECONDS):
            # UPDATING is what a change of a table that is in use looks like.
            while await _status(wire, name) not in ("ACTIVE", "UPDATING"):
                await asyncio.sleep(pause)
                pause = min(2 * pause, longest)
    except TimeoutError:
        raise StoreUnavailable(f"table {name} did not become active") from None


async def _expire_by(wire: Wire, name: str, attribute: str) -> None:
    answer = await wire.send("DescribeTimeToLive", {"TableName": name})
    if answer["TimeToLiveDescription"]["TimeToLiveStatus"] in ("ENABLED", "ENABLING"):
        return
    wanted = {"Enabled": True, "AttributeName": attribute}
    try:
        await wire.send("UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": wanted})
    except Refused as refused:
        if "already enabled" not in refused.message:
            raise


def create_request(table: Table, name: str) -> dict[str, Any]:
    keys = [*table.key_names]
    for index in table.indexes:
        keys += index_key_names(index)
    request: dict[str, Any] = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": key, "AttributeType": "S"} for key in sorted(set(keys))
        ],
        "KeySchema": _key_schema(table.key_names),
    }
    if table.indexes:
        request["GlobalSecondaryIndexes"] = [_index(table, index) for index in table.indexes]
    if table.stream:
        request["StreamSpecification"] = {
            "StreamEnabled": True,
            "StreamViewType": "NEW_AND_OLD_IMAGES",
        }
    return request


def _key_schema(names: tuple[str, ...]) -> list[dict[str, str]]:
    return [
        {"AttributeName": name, "KeyType": kind}
        for name, kind in zip(names, ("HASH", "RANGE"), strict=False)
    ]


def _index(table: Table, index: Index) -> dict[str, Any]:
    return {
        "IndexName": index.name,
        "KeySchema": _key_schema(index_key_names(index)),
        "Projection": projection(table, index),
    }
