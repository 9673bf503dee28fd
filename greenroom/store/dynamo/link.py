"""Sends the store's calls: it knows the tables' names, and counts what calls cost.

While the caller has costs open, each call asks DynamoDB what it consumed and adds that to them,
under our name of the table (`Messaging`) or index (`Messaging/Inbox`).
"""

from collections.abc import Collection, Mapping
from hashlib import blake2b
from typing import Any

from greenroom.clock import Clock
from greenroom.store.capacity import open_costs
from greenroom.store.dynamo.wire import Refused, Repeat, Wire
from greenroom.store.problems import NoSuchTable
from greenroom.store.tables import Table

REPORT_COSTS = {"ReturnConsumedCapacity": "INDEXES"}


class Link:
    def __init__(self, wire: Wire, prefix: str, clock: Clock) -> None:
        self.wire = wire
        self._prefix = prefix
        self._clock = clock

    def now(self) -> int:
        return self._clock.now_ms() // 1000

    def name(self, table: Table) -> str:
        return self._prefix + table.name

    def token(self, token: str) -> str:
        """DynamoDB's tokens are one space for the whole account: ours are the prefix's own."""
        scoped = f"{self._prefix}\0{token}".encode(errors="surrogatepass")
        return blake2b(scoped, digest_size=18).hexdigest()

    async def read(self, action: str, payload: Mapping[str, Any], table: Table) -> dict[str, Any]:
        answer = await self._call(action, payload, [table], Repeat.READ)
        self._count(answer, "read")
        return answer

    async def write(
        self, action: str, payload: Mapping[str, Any], tables: Collection[Table], repeat: Repeat
    ) -> dict[str, Any]:
        answer = await self._call(action, payload, tables, repeat)
        self._count(answer, "write")
        return answer

    async def _call(
        self, action: str, payload: Mapping[str, Any], tables: Collection[Table], repeat: Repeat
    ) -> dict[str, Any]:
        if open_costs():
            payload = {**payload, **REPORT_COSTS}
        try:
            return await self.wire.send(action, payload, repeat)
        except Refused as refused:
            if refused.kind != "ResourceNotFoundException":
                raise
            raise NoSuchTable(await self._missing(tables)) from None

    async def _missing(self, tables: Collection[Table]) -> str:
        """DynamoDB does not say which of a transaction's tables it has not found."""
        names = list(dict.fromkeys(table.name for table in tables))
        for name in names[:-1]:
            try:
                await self.wire.send("DescribeTable", {"TableName": self._prefix + name})
            except Refused:
                return name
        return names[-1]

    def _count(self, answer: Mapping[str, Any], direction: str) -> None:
        costs = open_costs()
        if not costs:
            return
        consumed = answer.get("ConsumedCapacity") or []
        for bill in consumed if isinstance(consumed, list) else [consumed]:
            table = bill["TableName"].removeprefix(self._prefix)
            shares = {table: bill.get("Table", bill)}
            for name, share in (bill.get("GlobalSecondaryIndexes") or {}).items():
                shares[f"{table}/{name}"] = share
            for source, share in shares.items():
                read, write = _units(share, direction)
                for cost in costs if read or write else ():
                    cost.add(source, read=read, write=write)


def _units(share: Mapping[str, Any], direction: str) -> tuple[float, float]:
    """Transactions say which units they are; other calls, and DynamoDB Local, say only how many."""
    read, write = share.get("ReadCapacityUnits"), share.get("WriteCapacityUnits")
    if read is None and write is None:
        units = float(share.get("CapacityUnits", 0.0))
        return (units, 0.0) if direction == "read" else (0.0, units)
    return float(read or 0.0), float(write or 0.0)
