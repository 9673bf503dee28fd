"""Reads one item, a batch or a page of a query. Expired items are paid for, and left out.

Careful: DynamoDB limits a response to one megabyte, returns keys of a batch that it had no capacity
for, and says that there is more when a page ends exactly at the last item. So a page asks for one
item more than it returns, and continues until it knows.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from greenroom.aws.retries import Attempts
from greenroom.store.base import Key, Page, PageOf
from greenroom.store.cursors import CursorCodec, query_scope
from greenroom.store.dynamo.attributes import decode_item, decode_key, encode_key, is_expired
from greenroom.store.dynamo.client import DynamoClient
from greenroom.store.dynamo.encode import Placeholders, key_range_text
from greenroom.store.expressions import SortRange
from greenroom.store.problems import InvalidCursor, Throttled
from greenroom.store.tables import Index, Table
from greenroom.store.values import Item


async def get(client: DynamoClient, table: Table, key: Key, consistent: bool) -> Item | None:
    payload = {
        "TableName": client.name(table),
        "Key": encode_key(table, key),
        "ConsistentRead": consistent,
    }
    found = (await client.read("GetItem", payload, table)).get("Item")
    item = decode_item(found) if found else None
    return None if item is None or is_expired(table, item, client.now()) else item


async def batch_get(
    client: DynamoClient, table: Table, keys: Sequence[Key], consistent: bool
) -> dict[Key, Item]:
    wanted = [encode_key(table, key) for key in dict.fromkeys(keys)]
    now, items = client.now(), dict[Key, Item]()
    for found in await batch(client, table, wanted, consistent=consistent):
        item = decode_item(found)
        if not is_expired(table, item, now):
            items[decode_key(table, found)] = item
    return items


async def batch(
    client: DynamoClient, table: Table, keys: list[dict[str, Any]], *, consistent: bool
) -> list[dict[str, Any]]:
    """The items as DynamoDB returns them. Asks again for unprocessed keys."""
    name = client.name(table)
    found: list[dict[str, Any]] = []
    attempts = Attempts(client.sender.retry)
    while keys:
        if not await attempts.next_attempt():
            raise Throttled
        payload = {"RequestItems": {name: {"Keys": keys, "ConsistentRead": consistent}}}
        answer = await client.read("BatchGetItem", payload, table)
        found += (answer.get("Responses") or {}).get(name, ())
        left = (answer.get("UnprocessedKeys") or {}).get(name, {}).get("Keys", [])
        if len(left) < len(keys):
            attempts = Attempts(client.sender.retry)
        keys = left
    return found


class Query:
    """One query, page by page."""

    def __init__(
        self,
        client: DynamoClient,
        cursors: CursorCodec,
        table: Table,
        partition: str,
        sort: SortRange | None,
        index: Index | None,
        backward: bool,
        consistent: bool,
    ) -> None:
        self._client = client
        self._cursors = cursors
        self._table = table
        self._partition = partition
        self._index = index
        self._scope = query_scope(table, index, partition, sort, backward)
        source = table if index is None else index
        into = Placeholders()
        text = key_range_text((source.partition, partition), source.sort, sort, into)
        self._payload: dict[str, Any] = {
            "TableName": client.name(table),
            "KeyConditionExpression": text,
            "ScanIndexForward": not backward,
            "ConsistentRead": consistent,
            **into.fields(),
        }
        if index is not None:
            self._payload["IndexName"] = index.name

    async def page(self, limit: int, cursor: str | None) -> Page:
        start = None if cursor is None else self._start(cursor)
        now = self._client.now()
        shown: list[Item] = []
        while True:
            payload = {**self._payload, "Limit": limit + 1 - len(shown)}
            if start is not None:
                payload["ExclusiveStartKey"] = start
            answer = await self._client.read("Query", payload, self._table)
            items = [decode_item(found) for found in answer.get("Items") or ()]
            shown += [item for item in items if not is_expired(self._table, item, now)]
            start = answer.get("LastEvaluatedKey")
            if len(shown) > limit:
                return PageOf(tuple(shown[:limit]), partial(self._cursor, shown[limit - 1]))
            if not start:
                return PageOf(tuple(shown), None)

    def _position_names(self) -> tuple[str | None, ...]:
        """The attributes that make up a position in the result."""
        if self._index is None:
            return (self._table.sort,)
        return (self._index.sort, self._table.partition, self._table.sort)

    def _cursor(self, item: Item) -> str:
        position = (None if name is None else str(item[name]) for name in self._position_names())
        return self._cursors.seal(self._scope, tuple(position))

    def _start(self, cursor: str) -> dict[str, Any]:
        position = self._cursors.unseal(self._scope, cursor)
        names = self._position_names()
        if len(position) != len(names):
            raise InvalidCursor
        source = self._table if self._index is None else self._index
        start: dict[str, Any] = {source.partition: {"S": self._partition}}
        for name, text in zip(names, position, strict=True):
            if name is not None:
                start[name] = {"S": text}
        return start
