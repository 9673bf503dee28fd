"""Writes one op as PutItem, UpdateItem or DeleteItem, several or a token as a transaction.

Careful: a lone write whose answer was lost is repeated only where that is safe, and a refusal of
the repeat says nothing about the first. And a caller's token must find the same bytes again, so
that no guard with the present second may be in them: what has expired is removed first instead.
"""

from collections.abc import Sequence
from secrets import token_hex
from typing import Any

from greenroom.errors import Problem
from greenroom.store.base import Op, Put, Update, key_of
from greenroom.store.dynamo.attributes import decode_item, decode_key, encode_key, expired
from greenroom.store.dynamo.link import REPORT_COSTS, Link
from greenroom.store.dynamo.reads import batch, get
from greenroom.store.dynamo.refusals import Unexpected, misfit, spelt_out
from greenroom.store.dynamo.requests import (
    is_stale,
    needs_guard,
    removal_request,
    repeatable,
    single_request,
    transaction_member,
)
from greenroom.store.dynamo.wire import Refused, Repeat
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

_CLEARINGS = 5


class _Stale(Exception):
    """Refused only because expired items stand in the way of these ops."""

    def __init__(self, ops: Sequence[Op]) -> None:
        self.ops = ops


async def write(link: Link, ops: tuple[Op, ...], token: str | None) -> Item | None:
    if token is not None:
        now = link.now()
        await _clear_expired(link, ops, now)
        await _transact(link, ops, token, now)
        return await _standing(link, ops)
    for _ in range(_CLEARINGS):
        now = link.now()
        try:
            if len(ops) == 1:
                return await _write_one(link, ops[0], now)
            await _transact(link, ops, None, now)
            return None
        except _Stale as stale:
            for op in stale.ops:
                await _remove_expired(link, op, now)
    raise Conflict


async def _write_one(link: Link, op: Op, now: int) -> Item | None:
    action, payload = single_request(op, link.name(op.table), now)
    try:
        answer = await link.write(action, payload, [op.table], repeatable(op))
    except Refused as refused:
        await _settle(link, op, refused, now)
        return None
    # Where there was no item, and nothing but removals, there is none now.
    attributes = answer.get("Attributes")
    return decode_item(attributes) if isinstance(op, Update) and attributes else None


async def _standing(link: Link, ops: Sequence[Op]) -> Item | None:
    """What a lone Update is answered: a transaction itself answers nothing."""
    op = ops[0]
    if len(ops) > 1 or not isinstance(op, Update):
        return None
    return await get(link, op.table, op.key, consistent=True)


async def _settle(link: Link, op: Op, refused: Refused, now: int) -> None:
    """Raises what the refusal of a lone op means, unless it means that the op had been done."""
    if refused.kind == "ConditionalCheckFailedException":
        item = _carried(refused.body)
        if is_stale(op, item, now):
            raise _Stale([op])
        if not refused.after_loss:
            raise ConditionFailed((Failure(op, _shown(op.table, item, now)),))
        if isinstance(op, Put) and item is not None and same(item, canonical(op.item)):
            return
    if refused.after_loss:
        raise OutcomeUnknown(
            "no answer came to the first attempt, and the second was refused, "
            "which the first may have brought about"
        )
    raise await _refusal(link, refused, [op], now)


async def _transact(link: Link, ops: tuple[Op, ...], token: str | None, now: int) -> None:
    """Under the caller's token, or guarded and under a token of its own."""
    guard = now if token is None else None
    payload: dict[str, Any] = {
        "TransactItems": [transaction_member(op, link.name(op.table), guard) for op in ops],
    }
    if token is None:
        payload["ClientRequestToken"] = token_hex(16)
    else:
        payload["ClientRequestToken"] = link.token(token)
        payload |= REPORT_COSTS  # always: the same token must come with the same parameters
    try:
        await link.write("TransactWriteItems", payload, [op.table for op in ops], Repeat.SAFE)
    except Refused as refused:
        if refused.kind == "IdempotentParameterMismatchException" and token is not None:
            raise TokenReused(token) from None
        if refused.kind != "TransactionCanceledException":
            raise await _refusal(link, refused, ops, now) from None
        reasons = refused.body.get("CancellationReasons") or ()
        if len(reasons) != len(ops):
            raise Unexpected(f"a transaction was cancelled: {refused.message}") from None
        # An op that does not fit its item goes before the failed conditions of others.
        for op, reason in zip(ops, reasons, strict=True):
            if reason.get("Code") == "ValidationError":
                raise await _misfit(link, reason.get("Message") or "", [op], now) from None
        raise _cancelled(ops, reasons, now, guarded=token is None) from None


def _cancelled(
    ops: Sequence[Op], reasons: Sequence[dict[str, Any]], now: int, *, guarded: bool
) -> Exception:
    failed: list[Failure] = []
    stale: list[Op] = []
    for op, reason in zip(ops, reasons, strict=True):
        if reason.get("Code") != "ConditionalCheckFailed":
            continue
        item = _carried(reason)
        if guarded and is_stale(op, item, now):
            stale.append(op)
        else:
            failed.append(Failure(op, _shown(op.table, item, now)))
    if stale:  # whether they fit comes out only once the expired items are gone
        return _Stale(stale)
    if failed:
        return ConditionFailed(tuple(failed))
    return Unexpected(f"a transaction was cancelled: {reasons}")


async def _refusal(link: Link, refused: Refused, ops: Sequence[Op], now: int) -> Exception:
    if refused.kind == "ValidationException":
        return await _misfit(link, refused.message, ops, now)
    return Unexpected(f"{refused.kind}: {refused.message}")


async def _misfit(link: Link, message: str, ops: Sequence[Op], now: int) -> Exception:
    """Looks at the items, which say better than DynamoDB what does not fit them. Like the refusal
    itself, that is not counted."""
    told = misfit(message, ops)
    if not isinstance(told, InvalidUpdate | InvalidItem | ItemTooLarge):
        return told
    try:
        for op in ops:
            if isinstance(op, Update):
                item = _shown(op.table, await _look(link, op), now)
                applies = op.condition is None or holds(op.condition, item)
                if applies and (problem := spelt_out(op, item)):
                    return problem
    except (Problem, Refused):
        return told
    return told


async def _look(link: Link, op: Update) -> Item | None:
    request = {
        "TableName": link.name(op.table),
        "Key": encode_key(op.table, op.key),
        "ConsistentRead": True,
    }
    return _carried(await link.wire.send("GetItem", request))


def _carried(body: Any) -> Item | None:
    return decode_item(body["Item"]) if body.get("Item") else None


def _shown(table: Table, item: Item | None, now: int) -> Item | None:
    return None if item is None or expired(table, item, now) else item


async def _clear_expired(link: Link, ops: Sequence[Op], now: int) -> None:
    """Takes out what has expired among the items that the ops would look at."""
    by_table: dict[str, list[Op]] = {}
    for op in ops:
        if needs_guard(op):
            by_table.setdefault(op.table.name, []).append(op)
    for group in by_table.values():
        table = group[0].table
        keys = [encode_key(table, key_of(op)) for op in group]
        for found in await batch(link, table, keys, consistent=True):
            item = decode_item(found)
            gone = decode_key(table, found) if expired(table, item, now) else None
            for op in group:
                if key_of(op) == gone:
                    await _remove_expired(link, op, now)


async def _remove_expired(link: Link, op: Op, now: int) -> None:
    payload = removal_request(op, link.name(op.table), now)
    try:
        await link.write("DeleteItem", payload, [op.table], Repeat.SAFE)
    except Refused as refused:
        if refused.kind != "ConditionalCheckFailedException":
            raise await _refusal(link, refused, [op], now) from None
