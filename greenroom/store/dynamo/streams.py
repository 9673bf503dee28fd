"""The change feed on DynamoDB Streams.

A stream is a forest of shards: each is an ordered log that ends some day and is continued by its
children. An item's changes lie in one shard at a time, so that they come in order if a shard is
read only after its parent. DynamoDB keeps them for a day.

What one would get wrong: an empty answer does not mean that a shard has no more, only several do.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from msgspec import Struct

from greenroom.store.base import Change
from greenroom.store.dynamo.attributes import decode_item, decode_key
from greenroom.store.dynamo.link import Link
from greenroom.store.dynamo.places import Places
from greenroom.store.dynamo.wire import Refused
from greenroom.store.problems import CheckpointTooOld, InvalidCursor, NoSuchTable, NotFollowed
from greenroom.store.tables import Table

_PAGE = 1000
_QUIET_ANSWERS = 3
_SHORTEST_WAIT = 0.05
_LONGEST_WAIT = 1.0
_AT_ONCE = 16


class Reading(Struct):
    """A shard that is being read."""

    shard: str
    iterator: str
    quiet: int = 0


class Feed:
    def __init__(self, link: Link, table: Table) -> None:
        self._link = link
        self._wire = link.wire
        self._table = table
        self._arn = ""
        self._places = Places("")
        self._readings: dict[str, Reading] = {}

    async def changes(self, after: str | None, follow: bool) -> AsyncIterator[Change]:
        if not self._table.stream:
            raise NotFollowed(self._table.name)
        self._places = Places.parse(after) if after is not None else Places("")
        await self._find_stream()
        await self._look_for_shards()
        wait = _SHORTEST_WAIT
        while True:
            told = False
            for reading, records in await self._next_pages():
                for record in records:
                    told = True
                    yield self._change(reading.shard, record)
            await self._move_on()
            if not follow and all(r.quiet >= _QUIET_ANSWERS for r in self._readings.values()):
                return
            wait = _SHORTEST_WAIT if told else min(wait * 1.5, _LONGEST_WAIT)
            if not told and follow:
                await asyncio.sleep(wait)

    async def _find_stream(self) -> None:
        try:
            answer = await self._wire.send(
                "DescribeTable", {"TableName": self._link.name(self._table)}
            )
        except Refused as refused:
            if refused.kind == "ResourceNotFoundException":
                raise NoSuchTable(self._table.name) from None
            raise
        arn = answer["Table"].get("LatestStreamArn")
        if arn is None:
            raise NotFollowed(self._table.name)
        self._arn = arn
        if not self._places.belong_to(_label(arn)):
            raise CheckpointTooOld(self._table.name)

    async def _look_for_shards(self) -> None:
        """Begins the shards whose turn has come."""
        parents: dict[str, str | None] = {}
        start: str | None = None
        while True:
            request = {"StreamArn": self._arn}
            if start is not None:
                request["ExclusiveStartShardId"] = start
            answer = await self._ask("DescribeStream", request)
            description = answer["StreamDescription"]
            for shard in description["Shards"]:
                parents[shard["ShardId"]] = shard.get("ParentShardId")
            start = description.get("LastEvaluatedShardId")
            if start is None:
                break
        if not self._places.know(parents):
            raise CheckpointTooOld(self._table.name)
        for shard in self._places.due():
            if shard not in self._readings:
                self._readings[shard] = Reading(shard, await self._iterator(shard))

    async def _iterator(self, shard: str) -> str:
        last = self._places.last(shard)
        request = {"StreamArn": self._arn, "ShardId": shard}
        if last:
            request |= {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": last}
        else:
            request["ShardIteratorType"] = "TRIM_HORIZON"
        try:
            answer = await self._ask("GetShardIterator", request)
        except Refused as refused:
            if last and refused.kind == "ValidationException":
                raise InvalidCursor from None  # a number that no stream gives
            raise
        return str(answer["ShardIterator"])

    async def _next_pages(self) -> list[tuple[Reading, list[dict[str, Any]]]]:
        slots = asyncio.Semaphore(_AT_ONCE)

        async def read(reading: Reading) -> list[dict[str, Any]]:
            async with slots:
                return await self._page(reading)

        readings = list(self._readings.values())
        pages = await asyncio.gather(*(read(reading) for reading in readings))
        return list(zip(readings, pages, strict=True))

    async def _page(self, reading: Reading) -> list[dict[str, Any]]:
        request = {"ShardIterator": reading.iterator, "Limit": _PAGE}
        try:
            answer = await self._wire.send_to_streams("GetRecords", request)
        except Refused as refused:
            if refused.kind == "ExpiredIteratorException":
                reading.iterator = await self._iterator(reading.shard)
                return []
            raise self._too_old(refused) from None
        records: list[dict[str, Any]] = answer["Records"]
        reading.quiet = 0 if records else reading.quiet + 1
        reading.iterator = answer.get("NextShardIterator") or ""
        return records

    async def _move_on(self) -> None:
        """From shards that have ended to those that continue them."""
        ended = [shard for shard, reading in self._readings.items() if not reading.iterator]
        for shard in ended:
            del self._readings[shard]
            self._places.end(shard)
        if ended or not self._readings:
            await self._look_for_shards()

    def _change(self, shard: str, record: dict[str, Any]) -> Change:
        told = record["dynamodb"]
        self._places.reach(shard, told["SequenceNumber"])
        old, new = told.get("OldImage"), told.get("NewImage")
        return Change(
            self._table.name,
            decode_key(self._table, told["Keys"]),
            decode_item(old) if old else None,
            decode_item(new) if new else None,
            int(float(told["ApproximateCreationDateTime"]) * 1000),
            self._places.checkpoint(),
        )

    async def _ask(self, action: str, request: dict[str, Any]) -> dict[str, Any]:
        try:
            return await self._wire.send_to_streams(action, request)
        except Refused as refused:
            raise self._too_old(refused) from None

    def _too_old(self, refused: Refused) -> Exception:
        if refused.kind in ("TrimmedDataAccessException", "ResourceNotFoundException"):
            return CheckpointTooOld(self._table.name)
        return refused


def _label(arn: str) -> str:
    """What tells a table's stream from that of a table of the same name that was there before."""
    return arn.rpartition("/")[2]
