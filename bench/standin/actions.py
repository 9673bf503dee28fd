"""DynamoDB's calls as the product makes them, on tables in memory.

Careful: limits are not checked. tests/bench/test_standin.py compares everything else with SQLite.
"""

import time
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from bench.standin.conditions import Image, Unknown, condition
from bench.standin.tables import Index, ItemKey, MemoryTable
from bench.standin.updates import Misfit, only_removes, update

Payload: TypeAlias = Mapping[str, Any]
Answer: TypeAlias = dict[str, Any]
_TOKEN_SECONDS = 600
_NAMES: Mapping[str, str] = {}
_HIGHEST = "\U0010ffff"
_FAILED = "The conditional request failed"


class Refusal(Exception):
    """An answer with status 400."""

    def __init__(self, kind: str, message: str, **fields: Any) -> None:
        super().__init__(message)
        self.answer = {
            "__type": f"com.amazonaws.dynamodb.v20120810#{kind}",
            "message": message,
            **fields,
        }


class Database:
    """All tables, with what was counted since the start."""

    def __init__(self) -> None:
        self.tables: dict[str, MemoryTable] = {}
        self.frames = 0
        """Items put by transactions that are messages: sort key `MSG#`."""
        self.frame_transactions = 0
        self._tokens: dict[str, tuple[float, int]] = {}

    def answer(self, action: str, body: bytes, payload: Payload) -> Answer:
        answer = self._answer(action, body, payload)
        if "ReturnConsumedCapacity" not in payload:
            answer.pop("ConsumedCapacity", None)
        return answer

    def _answer(self, action: str, body: bytes, payload: Payload) -> Answer:
        if action == "TransactWriteItems":
            return self._transact(payload, hash(body))
        call = getattr(self, f"_{action}", None)
        if call is None:
            raise Unknown(f"no such action: {action}")
        answer: Answer = call(payload)
        return answer

    def _table(self, payload: Payload) -> MemoryTable:
        return self._named(payload["TableName"])

    def _named(self, name: str) -> MemoryTable:
        table = self.tables.get(name)
        if table is None:
            raise Refusal("ResourceNotFoundException", f"Requested resource not found: {name}")
        return table

    def _CreateTable(self, payload: Payload) -> Answer:
        name = payload["TableName"]
        if name in self.tables:
            raise Refusal("ResourceInUseException", f"Table already exists: {name}")
        self.tables[name] = MemoryTable(payload)
        return {"TableDescription": _described(self.tables[name])}

    def _DeleteTable(self, payload: Payload) -> Answer:
        table = self._table(payload)
        del self.tables[payload["TableName"]]
        return {"TableDescription": _described(table)}

    def _DescribeTable(self, payload: Payload) -> Answer:
        return {"Table": _described(self._table(payload))}

    def _DescribeTimeToLive(self, payload: Payload) -> Answer:
        ttl = self._table(payload).ttl
        told = {"TimeToLiveStatus": "DISABLED"}
        if ttl is not None:
            told = {"TimeToLiveStatus": "ENABLED", "AttributeName": ttl}
        return {"TimeToLiveDescription": told}

    def _UpdateTimeToLive(self, payload: Payload) -> Answer:
        wanted = payload["TimeToLiveSpecification"]
        self._table(payload).ttl = wanted["AttributeName"]
        return {"TimeToLiveSpecification": wanted}

    def _GetItem(self, payload: Payload) -> Answer:
        table = self._table(payload)
        item = table.get(table.key(payload["Key"]))
        told: Answer = {"ConsumedCapacity": _bill(payload["TableName"], 0.5)}
        return told if item is None else {"Item": item, **told}

    def _BatchGetItem(self, payload: Payload) -> Answer:
        responses, bills = {}, []
        for name, wanted in payload["RequestItems"].items():
            table = self._named(name)
            found = [table.get(table.key(key)) for key in wanted["Keys"]]
            responses[name] = [item for item in found if item is not None]
            bills.append(_bill(name, 0.5 * len(found)))
        return {"Responses": responses, "UnprocessedKeys": {}, "ConsumedCapacity": bills}

    def _Query(self, payload: Payload) -> Answer:
        table = self._table(payload)
        index = table.indexes[payload["IndexName"]] if "IndexName" in payload else None
        items, more = _page(table, index, payload)
        told: Answer = {"Items": items, "Count": len(items), "ScannedCount": len(items)}
        if more:
            told["LastEvaluatedKey"] = _key_attributes(table, index, items[-1])
        return {**told, "ConsumedCapacity": _bill(payload["TableName"], 0.5)}

    def _PutItem(self, payload: Payload) -> Answer:
        self._alone("Put", payload)
        return {"ConsumedCapacity": _bill(payload["TableName"], 1.0)}

    def _DeleteItem(self, payload: Payload) -> Answer:
        self._alone("Delete", payload)
        return {"ConsumedCapacity": _bill(payload["TableName"], 1.0)}

    def _UpdateItem(self, payload: Payload) -> Answer:
        item = self._alone("Update", payload)
        told: Answer = {"ConsumedCapacity": _bill(payload["TableName"], 1.0)}
        return told if item is None else {"Attributes": item, **told}

    def _alone(self, kind: str, payload: Payload) -> Image | None:
        table = self._table(payload)
        key = _key(table, payload)
        old = table.get(key)
        if not _applies(payload, old):
            raise Refusal("ConditionalCheckFailedException", _FAILED, **_carried(payload, old))
        try:
            new = _outcome(table, kind, payload, old)
        except Misfit as misfit:
            raise Refusal("ValidationException", str(misfit)) from None
        table.put(key, new)
        return new

    def _transact(self, payload: Payload, digest: int) -> Answer:
        members = [next(iter(member.items())) for member in payload["TransactItems"]]
        token = payload["ClientRequestToken"]
        if not self._is_repeated(token, digest):
            self._write(members)
            self._tokens[token] = (time.monotonic(), digest)
        tables: dict[str, float] = {}
        for _, fields in members:
            tables[fields["TableName"]] = tables.get(fields["TableName"], 0.0) + 2.0
        return {"ConsumedCapacity": [_bill(name, units) for name, units in tables.items()]}

    def _is_repeated(self, token: str, digest: int) -> bool:
        oldest = time.monotonic() - _TOKEN_SECONDS
        while self._tokens and next(iter(self._tokens.values()))[0] < oldest:
            del self._tokens[next(iter(self._tokens))]
        known = self._tokens.get(token)
        if known is not None and known[1] != digest:
            raise Refusal("IdempotentParameterMismatchException", "another transaction's token")
        return known is not None

    def _write(self, members: Sequence[tuple[str, Payload]]) -> None:
        reasons: list[Answer] = []
        planned: list[tuple[MemoryTable, ItemKey, Image | None]] = []
        frames = 0
        for kind, fields in members:
            table = self._named(fields["TableName"])
            key = _key(table, fields)
            old = table.get(key)
            reasons.append(_reason(table, kind, fields, old, key, planned))
            frames += kind == "Put" and len(key) > 1 and key[1].startswith("MSG#")
        if any(reason["Code"] != "None" for reason in reasons):
            raise Refusal(
                "TransactionCanceledException",
                "Transaction cancelled, please refer cancellation reasons for specific reasons",
                CancellationReasons=reasons,
            )
        for table, key, new in planned:
            table.put(key, new)
        self.frames += frames
        self.frame_transactions += frames > 0


def _reason(
    table: MemoryTable,
    kind: str,
    fields: Payload,
    old: Image | None,
    key: ItemKey,
    planned: list[tuple[MemoryTable, ItemKey, Image | None]],
) -> Answer:
    """Why the transaction is cancelled, if it is; else the write is planned."""
    if not _applies(fields, old):
        return {"Code": "ConditionalCheckFailed", "Message": _FAILED, **_carried(fields, old)}
    if kind != "ConditionCheck":
        try:
            planned.append((table, key, _outcome(table, kind, fields, old)))
        except Misfit as misfit:
            return {"Code": "ValidationError", "Message": str(misfit)}
    return {"Code": "None"}


def _carried(fields: Payload, old: Image | None) -> dict[str, Image]:
    """The item that a refusal shows to a caller who asks for it."""
    asked = fields.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
    return {"Item": old} if asked and old is not None else {}


def _key(table: MemoryTable, fields: Payload) -> ItemKey:
    return table.key(fields["Item"] if "Item" in fields else fields["Key"])


def _applies(fields: Payload, old: Image | None) -> bool:
    text = fields.get("ConditionExpression")
    if text is None:
        return True
    names = fields.get("ExpressionAttributeNames", _NAMES)
    return condition(text)(old or {}, names, fields.get("ExpressionAttributeValues", {}))


def _outcome(table: MemoryTable, kind: str, fields: Payload, old: Image | None) -> Image | None:
    if kind == "Put":
        item: Image = fields["Item"]
        return item
    if kind == "Delete":
        return None
    if kind != "Update":
        raise Unknown(f"no such write: {kind}")
    text = fields["UpdateExpression"]
    names = fields["ExpressionAttributeNames"]
    values = fields.get("ExpressionAttributeValues", {})
    new = update(text)(fields["Key"] if old is None else old, names, values)
    return None if old is None and only_removes(text) else new


def _page(table: MemoryTable, index: Index | None, payload: Payload) -> tuple[list[Image], bool]:
    listing = table.listing if index is None else index
    names, values = payload["ExpressionAttributeNames"], payload["ExpressionAttributeValues"]
    partition, low, high, test = _range(payload["KeyConditionExpression"], values)
    if names["#0"] != listing.partition:
        raise Unknown(f"{names['#0']} is not the partition key")
    places = listing.places(partition)
    begin = bisect_left(places, (low,))
    end = bisect_right(places, (high, _HIGHEST)) if high is not None else len(places)
    backward = not payload.get("ScanIndexForward", True)
    if "ExclusiveStartKey" in payload:
        start = listing.locate(payload["ExclusiveStartKey"])
        assert start is not None
        if backward:
            end = min(end, bisect_left(places, start[1]))
        else:
            begin = max(begin, bisect_right(places, start[1]))
    order = range(end - 1, begin - 1, -1) if backward else range(begin, end)
    items: list[Image] = []
    for number in order:
        place = places[number]
        if not test(place[0]):
            continue
        if len(items) == payload["Limit"]:
            return items, True
        items.append(_item(table, index, partition, place))
    return items, False


def _item(table: MemoryTable, index: Index | None, partition: str, place: ItemKey) -> Image:
    if index is not None:
        item = table.get(place[1:])
        assert item is not None
        return index.entry(item)
    item = table.get((partition, place[0])[: len(table.keys)])
    assert item is not None
    return item


def _range(text: str, values: Mapping[str, Any]) -> tuple[str, str, str | None, Any]:
    """The partition key, the lowest and highest sort key to look at, and a test of each."""
    partition = values[":0"]["S"]
    first, _, rest = text.partition(" AND ")
    if first != "#0 = :0":
        raise Unknown(f"a key condition that is not known: {text}")
    if not rest:
        return partition, "", None, _always
    one = values[":1"]["S"]
    if rest == "begins_with(#1, :1)":
        return partition, one, one + _HIGHEST, lambda sort: sort.startswith(one)
    if rest == "#1 BETWEEN :1 AND :2":
        return partition, one, values[":2"]["S"], _always
    match rest.split(" "):
        case ["#1", "=", ":1"]:
            return partition, one, one, _always
        case ["#1", "<", ":1"]:
            return partition, "", one, lambda sort: sort != one
        case ["#1", "<=", ":1"]:
            return partition, "", one, _always
        case ["#1", ">", ":1"]:
            return partition, one, None, lambda sort: sort != one
        case ["#1", ">=", ":1"]:
            return partition, one, None, _always
    raise Unknown(f"a key condition that is not known: {text}")


def _always(sort: str) -> bool:
    return True


def _key_attributes(table: MemoryTable, index: Index | None, item: Image) -> Image:
    names = set(table.keys)
    if index is not None:
        names |= {index.partition, index.sort or index.partition}
    return {name: item[name] for name in names}


def _described(table: MemoryTable) -> Answer:
    told = {"TableStatus": "ACTIVE", **table.request}
    told["GlobalSecondaryIndexes"] = [
        {**index, "IndexStatus": "ACTIVE"}
        for index in table.request.get("GlobalSecondaryIndexes", ())
    ]
    return told


def _bill(name: str, units: float) -> Answer:
    """Round figures, in as many bytes as AWS would use."""
    return {"TableName": name, "CapacityUnits": units, "Table": {"CapacityUnits": units}}
