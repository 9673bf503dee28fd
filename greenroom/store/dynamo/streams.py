"""Reads a table's changes from DynamoDB Streams.

A stream is a forest of shards. Each shard is an ordered log that ends after some hours and is
continued by its children. An item's changes are in one shard at a time, so they arrive in order if
a shard is read only after its parent. DynamoDB keeps changes for a day.

Careful: an empty response does not mean that a shard has no more records. Only several in a row do.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from msgspec import Struct

from greenroom.store.base import Change
from greenroom.store.dynamo.attributes import decode_item, decode_key
from greenroom.store.dynamo.checkpoints import StreamCheckpoint
from greenroom.store.dynamo.client import DynamoClient
from greenroom.store.dynamo.sender import DynamoError
from greenroom.store.problems import (
    CheckpointTooOld,
    InvalidCursor,
    NoSuchTable,
    NotFollowed,
    StoreUnavailable,
)
from greenroom.store.tables import Table
from greenroom.store.values import Item

_PAGE = 1000
_EMPTY_RESPONSES = 3
_SHORTEST_WAIT = 0.05
_LONGEST_WAIT = 1.0
_TRIES_FOR_SHARDS = 10
_AT_ONCE = 16


class ShardReader(Struct):
    """The read position in one shard."""

    shard: str
    iterator: str
    empty_responses: int = 0


class Feed:
    def __init__(
        self,
        client: DynamoClient,
        table: Table,
        moved: Callable[[str], None] | None = None,
        prefixes: tuple[str, ...] = (),
        *,
        with_old: bool = True,
        attributes: frozenset[str] = frozenset(),
    ) -> None:
        self._client = client
        self._sender = client.sender
        self._table = table
        self._moved = moved
        self._prefixes = prefixes
        self._with_old = with_old and table.old_images
        self._attributes = attributes
        self._arn = ""
        self._checkpoint = StreamCheckpoint("")
        self._readers: dict[str, ShardReader] = {}

    async def changes(
        self, after: str | None, follow: bool, linger: float = 0.0
    ) -> AsyncIterator[Change]:
        if not self._table.stream:
            raise NotFollowed(self._table.name)
        self._checkpoint = (
            StreamCheckpoint.parse(after) if after is not None else StreamCheckpoint("")
        )
        await self._find_stream()
        await self._find_shards()
        wait = _SHORTEST_WAIT
        while True:
            found = is_passed = False
            for reader, records in await self._next_pages():
                for record in records:
                    found, is_passed = True, not self._is_wanted(record)
                    self._checkpoint.advance(reader.shard, record["dynamodb"]["SequenceNumber"])
                    if not is_passed:
                        yield self._change(record)
            if is_passed and self._moved is not None:
                self._moved(self._checkpoint.checkpoint())
            await self._replace_finished()
            if not follow and all(
                r.empty_responses >= _EMPTY_RESPONSES for r in self._readers.values()
            ):
                return
            wait = _SHORTEST_WAIT if found else min(wait * 1.5, _LONGEST_WAIT)
            if follow and (linger or not found):
                await asyncio.sleep(linger if found else wait)

    async def newest(self) -> str:
        """The beginning of the shards that are being written: DynamoDB does not tell the number of
        the last change."""
        if not self._table.stream:
            raise NotFollowed(self._table.name)
        await self._find_stream()
        for _ in range(_TRIES_FOR_SHARDS):
            parents = await self._describe()
            if parents:
                return self._checkpoint.at_newest(parents).checkpoint()
            await asyncio.sleep(_LONGEST_WAIT)
        raise StoreUnavailable(f"the stream of table {self._table.name} has no shards yet")

    async def _find_stream(self) -> None:
        try:
            answer = await self._sender.send(
                "DescribeTable", {"TableName": self._client.name(self._table)}
            )
        except DynamoError as error:
            if error.kind == "ResourceNotFoundException":
                raise NoSuchTable(self._table.name) from None
            raise
        arn = answer["Table"].get("LatestStreamArn")
        if arn is None:
            raise NotFollowed(self._table.name)
        self._arn = arn
        if not self._checkpoint.matches_stream(_label(arn)):
            raise CheckpointTooOld(self._table.name)

    async def _describe(self) -> dict[str, str | None]:
        """The parent of each shard that is kept."""
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
                return parents

    async def _find_shards(self) -> None:
        """Starts reading the shards whose parents are finished."""
        if not self._checkpoint.set_shards(await self._describe()):
            raise CheckpointTooOld(self._table.name)
        for shard in self._checkpoint.shards_to_read():
            if shard not in self._readers:
                self._readers[shard] = ShardReader(shard, await self._iterator(shard))

    async def _iterator(self, shard: str) -> str:
        last = self._checkpoint.last(shard)
        request = {"StreamArn": self._arn, "ShardId": shard}
        if last:
            request |= {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": last}
        else:
            request["ShardIteratorType"] = "TRIM_HORIZON"
        try:
            answer = await self._ask("GetShardIterator", request)
        except DynamoError as error:
            if last and error.kind == "ValidationException":
                raise InvalidCursor from None  # not a sequence number of this stream
            raise
        return str(answer["ShardIterator"])

    async def _next_pages(self) -> list[tuple[ShardReader, list[dict[str, Any]]]]:
        slots = asyncio.Semaphore(_AT_ONCE)

        async def read(reader: ShardReader) -> list[dict[str, Any]]:
            async with slots:
                return await self._page(reader)

        readers = list(self._readers.values())
        pages = await asyncio.gather(*(read(reader) for reader in readers))
        return list(zip(readers, pages, strict=True))

    async def _page(self, reader: ShardReader) -> list[dict[str, Any]]:
        request = {"ShardIterator": reader.iterator, "Limit": _PAGE}
        try:
            answer = await self._sender.send_to_streams("GetRecords", request)
        except DynamoError as error:
            if error.kind == "ExpiredIteratorException" or self._was_empty(reader, error):
                reader.iterator, reader.empty_responses = await self._iterator(reader.shard), 0
                return []
            raise self._too_old(error) from None
        records: list[dict[str, Any]] = answer["Records"]
        reader.empty_responses = 0 if records else reader.empty_responses + 1
        reader.iterator = answer.get("NextShardIterator") or ""
        return records

    async def _replace_finished(self) -> None:
        """Replaces finished shards by their children."""
        ended = [shard for shard, reader in self._readers.items() if not reader.iterator]
        for shard in ended:
            del self._readers[shard]
            self._checkpoint.end(shard)
        if ended or not self._readers:
            await self._find_shards()
        if ended and self._moved is not None:
            self._moved(self._checkpoint.checkpoint())

    def _was_empty(self, reader: ShardReader, error: DynamoError) -> bool:
        """DynamoDB Local refuses an iterator over a shard that was empty once the shard has a
        record. Nothing was trimmed then: the last response came a moment ago."""
        is_trimmed = error.kind == "TrimmedDataAccessException"
        return is_trimmed and reader.empty_responses > 0 and not self._checkpoint.last(reader.shard)

    def _item(self, image: dict[str, Any]) -> Item:
        if self._attributes:
            image = {name: value for name, value in image.items() if name in self._attributes}
        return decode_item(image)

    def _is_wanted(self, record: dict[str, Any]) -> bool:
        if not (self._prefixes or self._table.unfollowed):
            return True
        sort = decode_key(self._table, record["dynamodb"]["Keys"]).sort
        return self._table.feeds(sort) and (sort or "").startswith(self._prefixes or "")

    def _change(self, record: dict[str, Any]) -> Change:
        found = record["dynamodb"]
        old, new = found.get("OldImage"), found.get("NewImage")
        return Change(
            self._table.name,
            decode_key(self._table, found["Keys"]),
            self._item(old) if old and self._with_old else None,
            self._item(new) if new else None,
            int(float(found["ApproximateCreationDateTime"]) * 1000),
            self._checkpoint.checkpoint(),
        )

    async def _ask(self, action: str, request: dict[str, Any]) -> dict[str, Any]:
        try:
            return await self._sender.send_to_streams(action, request)
        except DynamoError as error:
            raise self._too_old(error) from None

    def _too_old(self, error: DynamoError) -> Exception:
        if error.kind in ("TrimmedDataAccessException", "ResourceNotFoundException"):
            return CheckpointTooOld(self._table.name)
        return error


def _label(arn: str) -> str:
    """Tells the stream from that of an earlier table of the same name."""
    return arn.rpartition("/")[2]
