"""Writes one op as PutItem, UpdateItem or DeleteItem, and several ops or a token as a transaction.

Careful: a lone write whose response was lost is repeated only if that is safe, and a refusal of the
repeat says nothing about the first attempt. A repeat under the caller's token must have the same
bytes, so it cannot contain a guard with the current time. Expired items are removed first instead.
"""

from collections.abc import Sequence
from secrets import token_hex
from typing import Any

from greenroom.errors import Problem
from greenroom.store.base import Op, Put, Update, key_of
from greenroom.store.dynamo.attributes import decode_item, decode_key, encode_key, is_expired
from greenroom.store.dynamo.client import REPORT_COSTS, DynamoClient
from greenroom.store.dynamo.errors import UnexpectedError, explain, translate_validation_error
from greenroom.store.dynamo.reads import batch, get
from greenroom.store.dynamo.requests import (
    blocked_by_expired,
    needs_guard,
    removal_request,
    repeatable,
    single_request,
    transaction_member,
)
from greenroom.store.dynamo.sender import DynamoError, Repeat
from greenroom.store.evaluate import holds, same
from greenroom.store.problems import (
    ConditionFailed,
    Conflict,
    Failure,
    InvalidItem,
    InvalidUpdate,
    ItemTooLarge,
    OutcomeUnknown,
    TokenReused,
)
from greenroom.store.tables import Table
from greenroom.store.values import Item, canonical

_MAX_CLEARINGS = 5


class _BlockedByExpired(Exception):
    """The ops were refused only because expired items are still stored."""

    def __init__(self, ops: Sequence[Op]) -> None:
        self.ops = ops


async def write(client: DynamoClient, ops: tuple[Op, ...], token: str | None) -> Item | None:
    if token is not None:
        now = client.now()
        await _clear_expired(client, ops, now)
        await _transact(client, ops, token, now)
        return await _current_item(client, ops)
    for _ in range(_MAX_CLEARINGS):
        now = client.now()
        try:
            if len(ops) == 1:
                return await _write_one(client, ops[0], now)
            await _transact(client, ops, None, now)
            return None
        except _BlockedByExpired as blocked:
            for op in blocked.ops:
                await _remove_expired(client, op, now)
    raise Conflict


async def _write_one(client: DynamoClient, op: Op, now: int) -> Item | None:
    action, payload = single_request(op, client.name(op.table), now)
    try:
        answer = await client.write(action, payload, [op.table], repeatable(op))
    except DynamoError as error:
        await _raise_refusal(client, op, error, now)
        return None
    # An update that only removes creates no item.
    attributes = answer.get("Attributes")
    return decode_item(attributes) if isinstance(op, Update) and attributes else None


async def _current_item(client: DynamoClient, ops: Sequence[Op]) -> Item | None:
    """Reads the item for a lone Update, because a transaction returns none."""
    op = ops[0]
    if len(ops) > 1 or not isinstance(op, Update):
        return None
    return await get(client, op.table, op.key, consistent=True)


async def _raise_refusal(client: DynamoClient, op: Op, error: DynamoError, now: int) -> None:
    """Raises the problem, unless it shows that the first attempt took effect."""
    if error.kind == "ConditionalCheckFailedException":
        item = _decoded_item(error.body)
        if blocked_by_expired(op, item, now):
            raise _BlockedByExpired([op])
        if not error.after_loss:
            raise ConditionFailed((Failure(op, _unless_expired(op.table, item, now)),))
        if isinstance(op, Put) and item is not None and same(item, canonical(op.item)):
            return
    if error.after_loss:
        raise OutcomeUnknown(
            "the first attempt got no response, and the second was refused, "
            "possibly because the first took effect"
        )
    raise await _refusal(client, error, [op], now)


async def _transact(client: DynamoClient, ops: tuple[Op, ...], token: str | None, now: int) -> None:
    """Under the caller's token, or guarded and with a random token."""
    guard = now if token is None else None
    payload: dict[str, Any] = {
        "TransactItems": [transaction_member(op, client.name(op.table), guard) for op in ops],
    }
    if token is None:
        payload["ClientRequestToken"] = token_hex(16)
    else:
        payload["ClientRequestToken"] = client.token(token)
        payload |= REPORT_COSTS  # always: a repeat must have the same parameters
    try:
        await client.write("TransactWriteItems", payload, [op.table for op in ops], Repeat.SAFE)
    except DynamoError as error:
        if error.kind == "IdempotentParameterMismatchException" and token is not None:
            raise TokenReused(token) from None
        if error.kind != "TransactionCanceledException":
            raise await _refusal(client, error, ops, now) from None
        reasons = error.body.get("CancellationReasons") or ()
        if len(reasons) != len(ops):
            raise UnexpectedError(f"a transaction was canceled: {error.message}") from None
        # An op that does not fit its item is reported before failed conditions.
        for op, reason in zip(ops, reasons, strict=True):
            if reason.get("Code") == "ValidationError":
                raise await _validation_problem(
                    client, reason.get("Message") or "", [op], now
                ) from None
        raise _canceled(ops, reasons, now, guarded=token is None) from None


def _canceled(
    ops: Sequence[Op], reasons: Sequence[dict[str, Any]], now: int, *, guarded: bool
) -> Exception:
    failed: list[Failure] = []
    blocked: list[Op] = []
    for op, reason in zip(ops, reasons, strict=True):
        if reason.get("Code") != "ConditionalCheckFailed":
            continue
        item = _decoded_item(reason)
        if guarded and blocked_by_expired(op, item, now):
            blocked.append(op)
        else:
            failed.append(Failure(op, _unless_expired(op.table, item, now)))
    if blocked:  # the rest is checked once the expired items are removed
        return _BlockedByExpired(blocked)
    if failed:
        return ConditionFailed(tuple(failed))
    return UnexpectedError(f"a transaction was canceled: {reasons}")


async def _refusal(
    client: DynamoClient, error: DynamoError, ops: Sequence[Op], now: int
) -> Exception:
    if error.kind == "ValidationException":
        return await _validation_problem(client, error.message, ops, now)
    return UnexpectedError(f"{error.kind}: {error.message}")


async def _validation_problem(
    client: DynamoClient, message: str, ops: Sequence[Op], now: int
) -> Exception:
    """Reads the items to name what does not fit, which DynamoDB's message does not. The cost of
    these reads is not counted."""
    problem = translate_validation_error(message, ops)
    if not isinstance(problem, InvalidUpdate | InvalidItem | ItemTooLarge):
        return problem
    try:
        for op in ops:
            if isinstance(op, Update):
                item = _unless_expired(op.table, await _read_item(client, op), now)
                applies = op.condition is None or holds(op.condition, item)
                if applies and (explained := explain(op, item)):
                    return explained
    except (Problem, DynamoError):
        return problem
    return problem


async def _read_item(client: DynamoClient, op: Update) -> Item | None:
    request = {
        "TableName": client.name(op.table),
        "Key": encode_key(op.table, op.key),
        "ConsistentRead": True,
    }
    return _decoded_item(await client.sender.send("GetItem", request))


def _decoded_item(body: Any) -> Item | None:
    return decode_item(body["Item"]) if body.get("Item") else None


def _unless_expired(table: Table, item: Item | None, now: int) -> Item | None:
    return None if item is None or is_expired(table, item, now) else item


async def _clear_expired(client: DynamoClient, ops: Sequence[Op], now: int) -> None:
    """Removes expired items that the ops would read."""
    by_table: dict[str, list[Op]] = {}
    for op in ops:
        if needs_guard(op):
            by_table.setdefault(op.table.name, []).append(op)
    for group in by_table.values():
        table = group[0].table
        keys = [encode_key(table, key_of(op)) for op in group]
        for found in await batch(client, table, keys, consistent=True):
            item = decode_item(found)
            gone = decode_key(table, found) if is_expired(table, item, now) else None
            for op in group:
                if key_of(op) == gone:
                    await _remove_expired(client, op, now)


async def _remove_expired(client: DynamoClient, op: Op, now: int) -> None:
    payload = removal_request(op, client.name(op.table), now)
    try:
        await client.write("DeleteItem", payload, [op.table], Repeat.SAFE)
    except DynamoError as error:
        if error.kind != "ConditionalCheckFailedException":
            raise await _refusal(client, error, [op], now) from None
