"""Reads a page of a whole table with DynamoDB's Scan. Expired items are paid for, and left out."""

from functools import partial
from typing import Any

import msgspec

from greenroom.store.base import Page, PageOf
from greenroom.store.cursors import CursorCodec
from greenroom.store.dynamo.attributes import decode_item, is_expired
from greenroom.store.dynamo.client import DynamoClient
from greenroom.store.problems import InvalidCursor
from greenroom.store.tables import Table
from greenroom.store.values import Item


class Scan:
    def __init__(
        self, client: DynamoClient, cursors: CursorCodec, table: Table, consistent: bool
    ) -> None:
        self._client = client
        self._cursors = cursors
        self._table = table
        self._scope = msgspec.msgpack.encode((table.name, "scan"))
        self._payload = {"TableName": client.name(table), "ConsistentRead": consistent}

    async def page(self, limit: int, cursor: str | None) -> Page:
        start = None if cursor is None else self._start(cursor)
        now = self._client.now()
        live: list[Item] = []
        while True:
            payload: dict[str, Any] = {**self._payload, "Limit": limit + 1 - len(live)}
            if start is not None:
                payload["ExclusiveStartKey"] = start
            answer = await self._client.read("Scan", payload, self._table)
            items = [decode_item(found) for found in answer.get("Items") or ()]
            live += [item for item in items if not is_expired(self._table, item, now)]
            start = answer.get("LastEvaluatedKey")
            if len(live) > limit:
                return PageOf(tuple(live[:limit]), partial(self._cursor, live[limit - 1]))
            if not start:
                return PageOf(tuple(live), None)

    def _cursor(self, item: Item) -> str:
        position = tuple(str(item[name]) for name in self._table.key_names)
        return self._cursors.seal(self._scope, position)

    def _start(self, cursor: str) -> dict[str, Any]:
        position = self._cursors.unseal(self._scope, cursor)
        names = self._table.key_names
        if len(position) != len(names):
            raise InvalidCursor
        return {name: {"S": text} for name, text in zip(names, position, strict=True)}
