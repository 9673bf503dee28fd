"""Checks the existing tables against the declarations, and creates or extends them if asked.

It adds only what DynamoDB can add to a table in use: an index, a stream, a TTL. It never removes
anything. Another node may be doing the same, so every step describes the table again.
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from greenroom.store.dynamo.schema_diff import (
    STREAM,
    Difference,
    diff_schema,
    diff_ttl,
    index_request,
    key_schema,
    not_ready_reason,
    text_attributes,
)
from greenroom.store.dynamo.sender import DynamoError, RequestSender
from greenroom.store.problems import NoSuchTable, StoreCorrupt, StoreUnavailable, Throttled
from greenroom.store.tables import Table, index_key_names

_WAIT_SECONDS = 300
_POLL_SECONDS = (0.01, 1.0)
_log = logging.getLogger(__name__)


async def check(sender: RequestSender, tables: Sequence[Table], prefix: str) -> None:
    """Raises if a table is missing or differs from its declaration."""
    for table in tables:
        await _wait_until_ready(sender, table, prefix + table.name, add=False, fresh=False)


async def create_missing(sender: RequestSender, tables: Sequence[Table], prefix: str) -> None:
    """Creates missing tables, and adds what can be added to existing ones."""
    fresh = {
        table.name
        for table in tables
        if await _describe(sender, prefix + table.name) is None
        and await _create(sender, table, prefix + table.name)
    }
    for table in tables:
        await _wait_until_ready(
            sender, table, prefix + table.name, add=True, fresh=table.name in fresh
        )


async def _create(sender: RequestSender, table: Table, name: str) -> bool:
    """Whether this call created the table."""
    try:
        await sender.send("CreateTable", create_request(table, name))
    except DynamoError as error:
        if error.kind != "ResourceInUseException":
            raise
        return False
    return True


async def _wait_until_ready(
    sender: RequestSender, table: Table, name: str, *, add: bool, fresh: bool
) -> None:
    """Waits until the table is usable and matches its declaration."""
    shortest, longest = _POLL_SECONDS
    pause = shortest
    waits_for: str | None = None
    try:
        async with asyncio.timeout(_WAIT_SECONDS):
            while True:
                found = await _describe(sender, name)
                if found is None and not add:
                    raise NoSuchTable(table.name)
                waits_for = not_ready_reason(table, found)
                if found is not None and waits_for is None:
                    diffs = await _differences(sender, table, name, found, fresh)
                    if not diffs:
                        return
                    await _add_first(sender, name, diffs, add)
                    pause = shortest
                    if not fresh:
                        _log.info("table %s: %s; it is being added", name, diffs[0].message)
                await asyncio.sleep(pause)
                pause = min(2 * pause, longest)
    except TimeoutError:
        raise StoreUnavailable(f"table {name}: {waits_for or 'it cannot be changed'}") from None


async def _add_first(
    sender: RequestSender, name: str, diffs: Sequence[Difference], add: bool
) -> None:
    """Requests the first missing part; raises if any difference cannot be fixed."""
    if not add or not all(difference.action for difference in diffs):
        raise _refusal(name, diffs)
    first = diffs[0]
    try:
        await sender.send(first.action, {"TableName": name, **(first.fields or {})})
    except Throttled:
        return  # DynamoDB adds one index at a time, and another one is being added
    except DynamoError as error:
        busy = error.kind == "ResourceInUseException"
        if not busy and "already" not in error.message:  # another node was faster
            reason = f"{first.message}, and DynamoDB does not add it: {error.message}"
            raise StoreCorrupt(_label(name), reason) from None


def _refusal(name: str, diffs: Sequence[Difference]) -> StoreCorrupt:
    reason = "; ".join(difference.message for difference in diffs)
    if all(difference.action for difference in diffs):
        reason += " (--create-tables adds it)"
    return StoreCorrupt(_label(name), reason)


def _label(name: str) -> str:
    return f"DynamoDB's table {name}"


async def _describe(sender: RequestSender, name: str) -> dict[str, Any] | None:
    try:
        answer = await sender.send("DescribeTable", {"TableName": name})
    except DynamoError as error:
        if error.kind == "ResourceNotFoundException":
            return None
        raise
    found: dict[str, Any] = answer["Table"]
    return found


async def _differences(
    sender: RequestSender, table: Table, name: str, found: dict[str, Any], fresh: bool
) -> list[Difference]:
    """A table just created can differ only in its TTL, which CreateTable does not set."""
    if fresh and table.ttl is None:
        return []
    answer = await sender.send("DescribeTimeToLive", {"TableName": name})
    expiry = answer["TimeToLiveDescription"]
    return diff_ttl(table, expiry) if fresh else diff_schema(table, found, expiry)


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
