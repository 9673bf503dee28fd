"""Enforces rate limits per user over all nodes: every limit in one enum, its rate in the policy.

A node lets the first few in a window (`unasked`) through by itself. Beyond them it takes leases of
`step` from one item that all nodes share, which remembers the leases of the last window; what is
leased and not used soon (`keep_ms`) is lost. Nodes x unasked + all leases of (window + keep) never
exceed `most`, so that no window ever holds more, however somebody spreads over the nodes; and an
ordinary day of an ordinary user costs no write at all.

A local store has one node, which gives the whole of `most`. On a shared store each node keeps back
the share that another one may let through by itself. A node that restarts forgets only its own
share.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from msgspec import Struct

from greenroom import policy
from greenroom.clock import Clock
from greenroom.errors import Problem
from greenroom.ids import UserId
from greenroom.safety import records
from greenroom.safety.records import Lease
from greenroom.store.base import Store
from greenroom.store.problems import ConditionFailed

_SECOND = 1000
_TRIES = 10
_MOST_IN_MIND = 50_000
_SHARED_NODES = 2


class Limit(StrEnum):
    THREAD_STARTS = "thread-starts"
    REQUESTS = "requests"
    """First contacts with strangers."""
    MESSAGES = "messages"
    BURST = "burst"
    """Messages again, in a few seconds."""
    REACTIONS = "reactions"
    PARTICIPANTS = "participants"
    """Adding people and removing them; a stranger is a request as well."""
    BLOCKS = "blocks"
    REPORTS = "reports"
    PREVIEWS = "previews"
    """What would be said of a text that is not sent yet."""
    OPENINGS = "openings"
    """Attempts to open a conversation, also those that are refused or find one that is there."""
    CHANGES = "changes"
    """Every change, whatever other limit it spends."""
    RECEIPTS = "receipts"
    """Read and delivery marks, typing, and which threads are on screen."""
    READS = "reads"
    LOOKUPS = "lookups"
    """Finding people."""
    SIGN_INS = "sign-ins"
    """Sockets that are opened, and tokens that are renewed on them."""
    SERVICE_CALLS = "service-calls"
    """Whatever a service does on its own behalf."""


class Rate(Struct, frozen=True, kw_only=True):
    most: int
    window_ms: int
    unasked: int
    step: int
    keep_ms: int


def rates_of(allowed: policy.Limits) -> Mapping[Limit, Rate]:
    """The policy's limits, each divided into what a node lets through and what it leases."""
    return MappingProxyType({limit: _rate(getattr(allowed, limit.name.lower())) for limit in Limit})


def _rate(allowed: policy.Allowance) -> Rate:
    window_ms = allowed.seconds * _SECOND
    return Rate(
        most=allowed.most,
        window_ms=window_ms,
        unasked=allowed.most * 4 // 15,
        step=max(1, allowed.most // 6),
        keep_ms=max(1, window_ms // 6),
    )


RATES: Mapping[Limit, Rate] = rates_of(policy.Limits())


class TooMany(Problem):
    """Too many requests. Try again in {retry_after_s} seconds."""

    limit: str
    retry_after_s: int


@dataclass
class _Spent:
    """What this node knows of one user and one limit."""

    unasked: deque[int] = field(default_factory=deque)
    leased: int = 0
    lease_ends_ms: int = 0
    refused_until_ms: int = 0
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0


class Limits:
    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        nodes: int | None = None,
        rates: Mapping[Limit, Rate] = RATES,
        most_in_mind: int = _MOST_IN_MIND,
    ) -> None:
        self._store = store
        self._clock = clock
        self._nodes = nodes or (1 if store.is_local else _SHARED_NODES)
        self._rates = rates
        self._most_in_mind = most_in_mind
        self._spent: OrderedDict[tuple[UserId, Limit], _Spent] = OrderedDict()

    async def spend(self, user: UserId, *limits: Limit) -> None:
        """One of each, in this order; `TooMany` where there is none left."""
        now = self._clock.now_ms()
        for limit in limits:
            rate = self._rates[limit]
            spent = self._in_mind(user, limit)
            # Nobody passes those who wait: what somebody sends keeps its order.
            if spent.waiting or not _spend_here(rate, spent, now):
                await self._wait_and_spend(user, limit, rate, spent)
                now = self._clock.now_ms()

    async def spend_many(self, user: UserId, limit: Limit, count: int) -> None:
        """All of them or none: `TooMany` where fewer are left."""
        if count > 0:
            rate, spent = self._rates[limit], self._in_mind(user, limit)
            await self._wait_and_spend(user, limit, rate, spent, count)

    def most_at_once(self, limit: Limit) -> int:
        """How many of a limit `spend_many` can ever give: the other nodes' share is theirs."""
        rate = self._rates[limit]
        return rate.unasked + max(0, rate.most - self._nodes * rate.unasked)

    async def _wait_and_spend(
        self, user: UserId, limit: Limit, rate: Rate, spent: _Spent, count: int = 1
    ) -> None:
        spent.waiting += 1
        try:
            async with spent.asking:
                unasked, leased = tuple(spent.unasked), spent.leased
                try:
                    await self._spend_all(user, limit, rate, spent, count)
                except BaseException:
                    spent.unasked, spent.leased = deque(unasked), leased
                    raise
        finally:
            spent.waiting -= 1

    async def _spend_all(
        self, user: UserId, limit: Limit, rate: Rate, spent: _Spent, count: int
    ) -> None:
        """What this node has first, and a lease for the rest."""
        unasked, leased, here = tuple(spent.unasked), spent.leased, 0
        now = self._clock.now_ms()
        while here < count and _spend_here(rate, spent, now):
            here += 1
        if here == count:
            return
        if count == 1 and 0 < spent.refused_until_ms - now <= _span(rate):
            raise _too_many(limit, spent.refused_until_ms - now)
        match await self._lease(user, limit, rate, count - here):
            case Lease(at_ms, granted):
                spent.leased = granted - (count - here)
                spent.lease_ends_ms = at_ms + rate.keep_ms
            case taken:
                # What is leased now will be lost by the time that more is free.
                lacking = count - here + leased - spent.leased - self._left(rate, taken)
                used = [at_ms for at_ms in unasked if _counts(at_ms, now, rate.window_ms)]
                again = _free_ms(rate, taken, used, lacking)
                if count == 1:
                    spent.refused_until_ms = again
                raise _too_many(limit, again - self._clock.now_ms())

    async def _lease(
        self, user: UserId, limit: Limit, rate: Rate, least: int
    ) -> Lease | tuple[Lease, ...]:
        """A lease of at least so many, or, where fewer are left, those that are taken."""
        key = records.rate_key(user, limit)
        item = await self._store.get(records.EPHEMERAL, key, consistent=True)
        for _ in range(_TRIES):
            now = self._clock.now_ms()
            leases = records.leases_of(item)
            taken = tuple(one for one in leases if _counts(one.at_ms, now, _span(rate)))
            left = self._left(rate, taken)
            if left < least:
                return taken
            lease = Lease(now, min(max(rate.step, least), left))
            write = records.leased(key, item, (*taken, lease), now + _span(rate))
            try:
                await self._store.write(write)
            except ConditionFailed as refusal:
                item = refusal.item
            else:
                return lease
        raise _too_many(limit, _SECOND)

    def _left(self, rate: Rate, taken: tuple[Lease, ...]) -> int:
        return rate.most - self._nodes * rate.unasked - sum(one.count for one in taken)

    def _in_mind(self, user: UserId, limit: Limit) -> _Spent:
        spent = self._spent.get((user, limit))
        if spent is None:
            spent = self._spent[user, limit] = _Spent()
            if len(self._spent) > self._most_in_mind:
                self._spent.popitem(last=False)
        self._spent.move_to_end((user, limit))
        return spent


def _spend_here(rate: Rate, spent: _Spent, now: int) -> bool:
    unasked = spent.unasked
    while unasked and not _counts(unasked[0], now, rate.window_ms):
        unasked.popleft()
    if len(unasked) < rate.unasked:
        unasked.append(now)
        return True
    if spent.leased and spent.lease_ends_ms - rate.keep_ms <= now < spent.lease_ends_ms:
        spent.leased -= 1
        return True
    return False


def _span(rate: Rate) -> int:
    return rate.window_ms + rate.keep_ms


def _free_ms(rate: Rate, taken: tuple[Lease, ...], unasked: list[int], lacking: int) -> int:
    """When so many more will be free: each counts until it ends."""
    ends = [one.at_ms + _span(rate) for one in taken for _ in range(one.count)]
    ends += [at_ms + rate.window_ms for at_ms in unasked]
    return sorted(ends)[:lacking][-1] if ends else 0


def _counts(at_ms: int, now_ms: int, span_ms: int) -> bool:
    """Within the span. What lies further ahead than that was written before a clock jumped back:
    it is forgotten, so that nobody is locked out until the clock is there again."""
    return abs(now_ms - at_ms) < span_ms


def _too_many(limit: Limit, wait_ms: int) -> TooMany:
    return TooMany(limit.value, max(1, -(-wait_ms // _SECOND)))
