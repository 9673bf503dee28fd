"""The tables of timers, followers and leases.

    Timers
    └─ TIMER#{kind}#{id}
       └─ TIMER                       what to do, when, how often it has failed

    TimersDue         dueKey, dueAt   DUE#{shard}: what waits; SETASIDE#{shard}: what was set aside

    Background
    ├─ NODES
    │  └─ {node}                      a running node, and until when it counts as running
    ├─ LEASES
    │  └─ {name}                      which node works on a shard of timers or on a follower
    └─ FOLLOWER#{name}
       ├─ STATE                       checkpoint, stage and version
       └─ SETASIDE#{number}           a change that could not be handled

The due index has `SHARDS` partitions, since one partition takes no more than 1,000 writes a second.
A follower's items are written only together with its STATE, under the version that was read: that
puts batches, replays and rebuilds in one order, whichever node or command writes them.
"""

from hashlib import blake2b
from typing import Any

from greenroom.background.models import FollowerState, Lease, SetAside, Stage, Timer, TimerRow
from greenroom.store.base import Change, Delete, Key, Put, Update
from greenroom.store.expressions import Condition, F
from greenroom.store.tables import Index, Kind, Projection, Table
from greenroom.store.values import Item, Value

SHARDS = 8
NODES = "NODES"
LEASES = "LEASES"
STATE = "STATE"
SET_ASIDE = "SETASIDE#"
_TIMER = "TIMER"
_MAX_ERROR = 500

TIMERS_DUE = Index(
    "TimersDue", "dueKey", "dueAt", Projection.KEYS, "The timers of a shard, by when they are due."
)
TIMERS = Table(
    "Timers",
    "What is to be done at a time, once.",
    kinds=(Kind("TIMER#{kind}#{id}", "TIMER", "A timer, until it has been run or canceled."),),
    indexes=(TIMERS_DUE,),
)
BACKGROUND = Table(
    "Background",
    "Who works on what in the background, and how far it has come.",
    kinds=(
        Kind("NODES", "{node}", "A running node."),
        Kind("LEASES", "{name}", "Which node works on a timer shard or a follower."),
        Kind("FOLLOWER#{name}", "STATE", "How far a follower has come."),
        Kind("FOLLOWER#{name}", "SETASIDE#{number}", "A change that could not be handled."),
    ),
)
TABLES = (TIMERS, BACKGROUND)


def shard_of(kind: str, id: str) -> int:
    digest = blake2b(f"{kind}#{id}".encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") % SHARDS


def due_key(shard: int) -> str:
    return f"DUE#{shard}"


def set_aside_key(shard: int) -> str:
    return f"{SET_ASIDE}{shard}"


def due_at(ms: int) -> str:
    """Sorts as the number does."""
    return f"{max(0, ms):015d}"


def timer_key(kind: str, id: str) -> Key:
    return Key(f"TIMER#{kind}#{id}", _TIMER)


def kind_in(partition: str) -> str:
    """The kind of the timer with this partition key."""
    return partition.split("#")[1]


def timer_item(timer: Timer) -> Item:
    key = timer_key(timer.kind, timer.id)
    return {
        "pk": key.partition,
        "sk": key.sort,
        "kind": timer.kind,
        "timerId": timer.id,
        "dueMs": timer.due_ms,
        "payload": dict(timer.payload),
        "tries": 0,
        "dueKey": due_key(shard_of(timer.kind, timer.id)),
        "dueAt": due_at(timer.due_ms),
    }


def timer_row(item: Item) -> TimerRow:
    it: Any = item
    return TimerRow(
        Timer(it["kind"], it["timerId"], it["dueMs"], it["payload"]),
        next_ms=int(it["dueAt"]),
        tries=it["tries"],
        error=it.get("error", ""),
        is_set_aside=it["dueKey"].startswith(SET_ASIDE),
    )


def unchanged(row: TimerRow) -> Condition:
    """Nobody has run, moved or replaced the timer since it was read."""
    return (
        F("dueMs").equals(row.timer.due_ms)
        & F("dueAt").equals(due_at(row.next_ms))
        & F("tries").equals(row.tries)
        & F("payload").equals(row.timer.payload)
    )


def retry_timer(row: TimerRow, next_ms: int, error: str, *, is_last: bool) -> Update:
    """Counts a failure: the timer is tried again, or set aside."""
    timer = row.timer
    shard = shard_of(timer.kind, timer.id)
    actions = (
        F("tries").set(row.tries + 1),
        F("error").set(error[:_MAX_ERROR]),
        F("dueAt").set(due_at(next_ms)),
        F("dueKey").set(set_aside_key(shard) if is_last else due_key(shard)),
    )
    return Update(TIMERS, timer_key(timer.kind, timer.id), actions, unchanged(row))


def node_item(node: str, until_ms: int) -> Item:
    return {"pk": NODES, "sk": node, "untilMs": until_ms}


def lease_of(item: Item) -> Lease:
    it: Any = item
    return Lease(it["sk"], it["owner"], it["version"])


def put_lease(lease: Lease, before: Lease | None) -> Put:
    """Writes a lease if it is still as it was before."""
    item: Item = {
        "pk": LEASES,
        "sk": lease.name,
        "owner": lease.owner,
        "version": lease.version,
    }
    same = F("pk").absent() if before is None else F("version").equals(before.version)
    return Put(BACKGROUND, item, same)


def follower_partition(name: str) -> str:
    return f"FOLLOWER#{name}"


def state_key(name: str) -> Key:
    return Key(follower_partition(name), STATE)


def put_state(state: FollowerState, version: int) -> Put:
    """Writes a follower's state over the version that was read; 0 where there was none."""
    item: dict[str, Value] = {
        "pk": follower_partition(state.name),
        "sk": STATE,
        "name": state.name,
        "version": state.version,
        "stage": state.stage.value,
        "sweep": state.sweep,
        "appliedMs": state.applied_ms,
        "nextNumber": state.next_number,
        "setAside": state.set_aside,
    }
    if state.checkpoint is not None:
        item["checkpoint"] = state.checkpoint
    if state.cursor is not None:
        item["cursor"] = state.cursor
    same = F("version").equals(version) if version else F("pk").absent()
    return Put(BACKGROUND, item, same)


def follower_state(item: Item) -> FollowerState:
    it: Any = item
    return FollowerState(
        it["name"],
        it["version"],
        Stage(it["stage"]),
        it.get("checkpoint"),
        it.get("cursor"),
        it["sweep"],
        it["appliedMs"],
        it["nextNumber"],
        it["setAside"],
    )


def set_aside_item(follower: str, aside: SetAside) -> Item:
    change = aside.change
    item: dict[str, Value] = {
        "pk": follower_partition(follower),
        "sk": f"{SET_ASIDE}{aside.number:012d}",
        "number": aside.number,
        "table": change.table,
        "key": [change.key.partition, change.key.sort],
        "changedMs": change.at_ms,
        "checkpoint": change.checkpoint,
        "error": aside.error[:_MAX_ERROR],
        "atMs": aside.at_ms,
        "isRebuild": aside.is_rebuild,
        "isCut": aside.is_cut,
    }
    for name, image in (("old", change.old), ("new", change.new)):
        if image is not None and not aside.is_cut:
            item[name] = image
    return item


def set_aside_of(item: Item) -> SetAside:
    it: Any = item
    key = Key(*it["key"])
    change = Change(
        it["table"], key, it.get("old"), it.get("new"), it["changedMs"], it["checkpoint"]
    )
    return SetAside(it["number"], change, it["error"], it["atMs"], it["isRebuild"], it["isCut"])


def drop_set_aside(follower: str, number: int) -> Delete:
    key = Key(follower_partition(follower), f"{SET_ASIDE}{number:012d}")
    return Delete(BACKGROUND, key, F("pk").exists())
