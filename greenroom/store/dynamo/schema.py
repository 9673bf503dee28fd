"""Holds the tables that are there against the declarations, and makes or mends them where asked.

Only what DynamoDB adds while a table is in use is added: an index, a stream, a TTL. Nothing is ever
taken away. Another node may be doing the same at the same time, which is why every step looks
again at what is there now.
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from greenroom.store.dynamo.differences import (
    STREAM,
    Difference,
    differences,
    in_expiry,
    index_request,
    key_schema,
    text_attributes,
    unready,
)
from greenroom.store.dynamo.wire import Refused, Wire
from greenroom.store.problems import NoSuchTable, StoreCorrupt, StoreUnavailable, Throttled
from greenroom.store.tables import Table, index_key_names

_WAIT_SECONDS = 300
_POLL_SECONDS = (0.01, 1.0)
_log = logging.getLogger(__name__)


async def check(wire: Wire, tables: Sequence[Table], prefix: str) -> None:
    """Refuses a table that is missing or not as declared."""
    for table in tables:
        await _bring_up(wire, table, prefix + table.name, add=False, fresh=False)


async def create_missing(wire: Wire, tables: Sequence[Table], prefix: str) -> None:
    """Makes the tables that are missing, and adds to those that are there what can be added."""
    fresh = {
        table.name
        for table in tables
        if await _describe(wire, prefix + table.name) is None
        and await _create(wire, table, prefix + table.name)
    }
    for table in tables:
        await _bring_up(wire, table, prefix + table.name, add=True, fresh=table.name in fresh)


async def _create(wire: Wire, table: Table, name: str) -> bool:
    """Whether it was us who did it."""
    try:
        await wire.send("CreateTable", create_request(table, name))
    except Refused as refused:
        if refused.kind != "ResourceInUseException":
            raise
        return False
    return True


async def _bring_up(wire: Wire, table: Table, name: str, *, add: bool, fresh: bool) -> None:
    """Waits until the table can be used and is as declared."""
    shortest, longest = _POLL_SECONDS
    pause = shortest
    waits_for: str | None = None
    try:
        async with asyncio.timeout(_WAIT_SECONDS):
            while True:
                found = await _describe(wire, name)
                if found is None and not add:
                    raise NoSuchTable(table.name)
                waits_for = unready(table, found)
                if found is not None and waits_for is None:
                    told = await _differences(wire, table, name, found, fresh)
                    if not told:
                        return
                    await _mend(wire, name, told, add)
                    pause = shortest
                    if not fresh:
                        _log.info("table %s: %s; it is being added", name, told[0].says)
                await asyncio.sleep(pause)
                pause = min(2 * pause, longest)
    except TimeoutError:
        raise StoreUnavailable(f"table {name}: {waits_for or 'it cannot be changed'}") from None


async def _mend(wire: Wire, name: str, told: Sequence[Difference], add: bool) -> None:
    """Asks for the first of what is missing; refuses if anything is not to be mended."""
    if not add or not all(difference.action for difference in told):
        raise _refusal(name, told)
    first = told[0]
    try:
        await wire.send(first.action, {"TableName": name, **(first.fields or {})})
    except Throttled:
        return  # one index at a time is added to a table, and somebody is adding one
    except Refused as refused:
        busy = refused.kind == "ResourceInUseException"
        if not busy and "already" not in refused.message:  # as when another node was quicker
            reason = f"{first.says}, and DynamoDB does not add it: {refused.message}"
            raise StoreCorrupt(_called(name), reason) from None


def _refusal(name: str, told: Sequence[Difference]) -> StoreCorrupt:
    reason = "; ".join(difference.says for difference in told)
    if all(difference.action for difference in told):
        reason += " (--create-tables adds it)"
    return StoreCorrupt(_called(name), reason)


def _called(name: str) -> str:
    return f"DynamoDB's table {name}"


async def _describe(wire: Wire, name: str) -> dict[str, Any] | None:
    try:
        answer = await wire.send("DescribeTable", {"TableName": name})
    except Refused as refused:
        if refused.kind == "ResourceNotFoundException":
            return None
        raise
    found: dict[str, Any] = answer["Table"]
    return found


async def _differences(
    wire: Wire, table: Table, name: str, found: dict[str, Any], fresh: bool
) -> list[Difference]:
    """A table that we have just made is as we asked, but for its TTL, which cannot be asked for."""
    if fresh and table.ttl is None:
        return []
    answer = await wire.send("DescribeTimeToLive", {"TableName": name})
    expiry = answer["TimeToLiveDescription"]
    return in_expiry(table, expiry) if fresh else differences(table, found, expiry)


def create_request(table: Table, name: str) -> dict[str, Any]:
    keys = [*table.key_names]
    for index in table.indexes:
        keys += index_key_names(index)
    request: dict[str, Any] = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": text_attributes(sorted(set(keys))),
        "KeySchema": key_schema(table.key_names),
    }
    if table.indexes:
        request["GlobalSecondaryIndexes"] = [index_request(table, i) for i in table.indexes]
    if table.stream:
        request["StreamSpecification"] = STREAM
    return request
