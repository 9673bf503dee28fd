"""The store's DynamoDB client: adds the table prefix and counts the consumed capacity.

While the caller counts costs, each call asks DynamoDB for its consumed capacity and adds it under
the name of the table (`Messaging`) or index (`Messaging/Inbox`).
"""

from collections.abc import Collection, Mapping
from hashlib import blake2b
from typing import Any

from greenroom.clock import Clock
from greenroom.store.capacity import open_costs
from greenroom.store.dynamo.sender import DynamoError, Repeat, RequestSender
from greenroom.store.problems import NoSuchTable
from greenroom.store.tables import Table

REPORT_COSTS = {"ReturnConsumedCapacity": "INDEXES"}


class DynamoClient:
    def __init__(self, sender: RequestSender, prefix: str, clock: Clock) -> None:
        self.sender = sender
        self._prefix = prefix
        self._clock = clock

    def now(self) -> int:
        return self._clock.now_ms() // 1000

    def name(self, table: Table) -> str:
        return self._prefix + table.name

    def token(self, token: str) -> str:
        """Tokens are unique per AWS account, so the prefix is hashed into them."""
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
            return await self.sender.send(action, payload, repeat)
        except DynamoError as error:
            if error.kind != "ResourceNotFoundException":
                raise
            raise NoSuchTable(await self._missing_table(tables)) from None

    async def _missing_table(self, tables: Collection[Table]) -> str:
        """DynamoDB does not say which table of a transaction is missing."""
        names = list(dict.fromkeys(table.name for table in tables))
        for name in names[:-1]:
            try:
                await self.sender.send("DescribeTable", {"TableName": self._prefix + name})
            except DynamoError:
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
    """Transactions report read and write units; other calls, and DynamoDB Local, only a total."""
    read, write = share.get("ReadCapacityUnits"), share.get("WriteCapacityUnits")
    if read is None and write is None:
        units = float(share.get("CapacityUnits", 0.0))
        return (units, 0.0) if direction == "read" else (0.0, units)
    return float(read or 0.0), float(write or 0.0)
