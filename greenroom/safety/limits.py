"""Enforces rate limits per user over all nodes. The policy sets the rates.

A node allows the first `local_share` calls of a window by itself. Beyond them it takes leases of
`lease_size` calls from one item that all nodes share and that lists the leases of the last window.
A lease that is not used within `lease_ms` is lost. Nodes x local_share + all leases of (window +
lease) never exceed `most`, so no window holds more, over however many nodes a user spreads their
calls. A user at an ordinary pace causes no writes.

A local store has one node, which grants all of `most`. On a shared store each node leaves another
node's local share to it. A node that restarts forgets only its own share.
"""

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from msgspec import Struct

from greenroom.clock import Clock
from greenroom.errors import Problem
from greenroom.ids import UserId
from greenroom.lru import LruCache
from greenroom.policy import Allowance, Limit
from greenroom.safety import items, records
from greenroom.safety.items import Lease
from greenroom.store.base import Store
from greenroom.store.ephemeral import EPHEMERAL
from greenroom.store.problems import ConditionFailed

_SECOND = 1000
_TRIES = 10
_MOST_TRACKED = 50_000
_SHARED_NODES = 2


class Rate(Struct, frozen=True, kw_only=True):
    most: int
    window_ms: int
    local_share: int
    lease_size: int
    lease_ms: int


def rates_of(allowed: Mapping[Limit, Allowance]) -> dict[Limit, Rate]:
    """The policy's limits, each divided into a local share and leases."""
    return {limit: _rate(allowance) for limit, allowance in allowed.items()}


def _rate(allowed: Allowance) -> Rate:
    window_ms = allowed.seconds * _SECOND
    return Rate(
        most=allowed.most,
        window_ms=window_ms,
        local_share=allowed.most * 4 // 15,
        lease_size=max(1, allowed.most // 6),
        lease_ms=max(1, window_ms // 6),
    )


class TooMany(Problem):
    """Too many requests. Try again in {retry_after_s} seconds."""

    limit: str
    retry_after_s: int


@dataclass
class _Usage:
    """What this node has allowed one user of one limit."""

    local_times: deque[int] = field(default_factory=deque)
    leased: int = 0
    lease_ends_ms: int = 0
    refused_until_ms: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0


class Limits:
    def __init__(
        self,
        store: Store,
        clock: Clock,
        rates: Mapping[Limit, Rate],
        *,
        nodes: int | None = None,
        most_tracked: int = _MOST_TRACKED,
    ) -> None:
        self._store = store
        self._clock = clock
        self._nodes = nodes or (1 if store.is_local else _SHARED_NODES)
        self._rates = rates
        self._usage: LruCache[tuple[UserId, Limit], _Usage] = LruCache(most_tracked)

    async def spend(self, user: UserId, *limits: Limit) -> None:
        """Spends one of each, in this order; raises `TooMany` if none is left."""
        now = self._clock.now_ms()
        for limit in limits:
            rate = self._rates[limit]
            usage = self._usage_of(user, limit)
            # Calls do not overtake waiting ones, so messages keep their order.
            if usage.waiting or not _spend_locally(rate, usage, now):
                await self._wait_and_spend(user, limit, rate, usage)
                now = self._clock.now_ms()

    async def spend_many(self, user: UserId, limit: Limit, count: int) -> None:
        """Spends all or none: raises `TooMany` if fewer are left."""
        if count > 0:
            rate, usage = self._rates[limit], self._usage_of(user, limit)
            await self._wait_and_spend(user, limit, rate, usage, count)

    def most_at_once(self, limit: Limit) -> int:
        """The most that `spend_many` can ever grant: all but the other nodes' shares."""
        rate = self._rates[limit]
        return rate.local_share + max(0, rate.most - self._nodes * rate.local_share)

    async def _wait_and_spend(
        self, user: UserId, limit: Limit, rate: Rate, usage: _Usage, count: int = 1
    ) -> None:
        usage.waiting += 1
        try:
            async with usage.lock:
                local_times, leased = tuple(usage.local_times), usage.leased
                try:
                    await self._spend_all(user, limit, rate, usage, count)
                except BaseException:
                    usage.local_times, usage.leased = deque(local_times), leased
                    raise
        finally:
            usage.waiting -= 1

    async def _spend_all(
        self, user: UserId, limit: Limit, rate: Rate, usage: _Usage, count: int
    ) -> None:
        """Spends what this node has, and leases the rest."""
        local_times, leased, here = tuple(usage.local_times), usage.leased, 0
        now = self._clock.now_ms()
        while here < count and _spend_locally(rate, usage, now):
            here += 1
        if here == count:
            return
        if count == 1 and 0 < usage.refused_until_ms - now <= _span(rate):
            raise _too_many(limit, usage.refused_until_ms - now)
        match await self._lease(user, limit, rate, count - here):
            case Lease(at_ms, granted):
                usage.leased = granted - (count - here)
                usage.lease_ends_ms = at_ms + rate.lease_ms
            case taken:
                # The current lease will have ended by the time more is free.
                lacking = count - here + leased - usage.leased - self._left(rate, taken)
                used = [at_ms for at_ms in local_times if _counts(at_ms, now, rate.window_ms)]
                again = _free_ms(rate, taken, used, lacking)
                if count == 1:
                    usage.refused_until_ms = again
                raise _too_many(limit, again - self._clock.now_ms())

    async def _lease(
        self, user: UserId, limit: Limit, rate: Rate, least: int
    ) -> Lease | tuple[Lease, ...]:
        """A new lease of at least `least`; or, if fewer are left, the current leases."""
        key = records.rate_key(user, limit.code)
        item = await self._store.get(EPHEMERAL, key, consistent=True)
        for _ in range(_TRIES):
            now = self._clock.now_ms()
            leases = items.leases_of(item)
            taken = tuple(one for one in leases if _counts(one.at_ms, now, _span(rate)))
            left = self._left(rate, taken)
            if left < least:
                return taken
            lease = Lease(now, min(max(rate.lease_size, least), left))
            write = items.leased(key, item, (*taken, lease), now + _span(rate))
            try:
                await self._store.write(write)
            except ConditionFailed as refusal:
                item = refusal.item
            else:
                return lease
        raise _too_many(limit, _SECOND)

    def _left(self, rate: Rate, taken: tuple[Lease, ...]) -> int:
        return rate.most - self._nodes * rate.local_share - sum(one.count for one in taken)

    def _usage_of(self, user: UserId, limit: Limit) -> _Usage:
        usage = self._usage.get((user, limit))
        if usage is None:
            usage = _Usage()
            self._usage.put((user, limit), usage)
        return usage


def _spend_locally(rate: Rate, usage: _Usage, now: int) -> bool:
    local_times = usage.local_times
    while local_times and not _counts(local_times[0], now, rate.window_ms):
        local_times.popleft()
    if len(local_times) < rate.local_share:
        local_times.append(now)
        return True
    if usage.leased and usage.lease_ends_ms - rate.lease_ms <= now < usage.lease_ends_ms:
        usage.leased -= 1
        return True
    return False


def _span(rate: Rate) -> int:
    return rate.window_ms + rate.lease_ms


def _free_ms(rate: Rate, taken: tuple[Lease, ...], local_times: list[int], lacking: int) -> int:
    """When `lacking` more will be free: each call counts until it ends."""
    ends = [one.at_ms + _span(rate) for one in taken for _ in range(one.count)]
    ends += [at_ms + rate.window_ms for at_ms in local_times]
    return sorted(ends)[:lacking][-1] if ends else 0


def _counts(at_ms: int, now_ms: int, span_ms: int) -> bool:
    """Whether it is within the span. A time further ahead was written before a clock jumped back;
    it is ignored, so that nobody is locked out until the clock catches up."""
    return abs(now_ms - at_ms) < span_ms


def _too_many(limit: Limit, wait_ms: int) -> TooMany:
    return TooMany(limit.code, max(1, -(-wait_ms // _SECOND)))
