"""A store with simulated network delays and failures.

    network = Network(random.Random(seed), seconds=0.02, failing=0.1)
    store = RemoteStore(inner, network)

Each call takes effect at some moment between request and response, so responses arrive in another
order than requests. After `OutcomeUnknown` a write may have taken effect, or may do so later.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from enum import Enum, auto
from typing import TypeVar

from greenroom.errors import Problem
from greenroom.store.base import Op, Store
from greenroom.store.problems import (
    Conflict,
    InvalidTransaction,
    OutcomeUnknown,
    StoreUnavailable,
    Throttled,
)
from greenroom.store.values import Item
from tests.forwarding_store import ForwardingStore

T = TypeVar("T")


class Fault(Enum):
    REFUSED = auto()
    """Nothing is written, and the caller gets an error."""
    LOST = auto()
    """The write takes effect, and its response is lost."""
    DROPPED = auto()
    """The request is lost, and the outcome is unknown."""
    LATE = auto()
    """The write takes effect after the caller has given up."""


class Network:
    """Delays and faults of calls, determined by the seed."""

    def __init__(
        self,
        chance: random.Random,
        *,
        seconds: float = 0.0,
        failing: float = 0.0,
        faults: Sequence[Fault] = tuple(Fault),
    ) -> None:
        self.chance = chance
        self.seconds = seconds
        self.failing = failing
        self.faults = faults
        self.transactions: list[int] = []
        """How many ops each transaction had that was tried."""
        self.late: set[asyncio.Task[None]] = set()

    async def pass_time(self) -> None:
        await asyncio.sleep(self.chance.uniform(0, self.seconds))

    def fault(self) -> Fault | None:
        if self.chance.random() >= self.failing:
            return None
        return self.chance.choice(self.faults)

    def refusal(self) -> Problem:
        return self.chance.choice([Throttled(), Conflict(), StoreUnavailable("simulated")])

    async def arrive(self) -> None:
        """Returns once no write is on its way any more."""
        while self.late:
            await asyncio.wait(self.late)


class RemoteStore(ForwardingStore):
    def __init__(self, store: Store, network: Network, most_ops: int | None = None) -> None:
        super().__init__(store)
        self._network = network
        self._most_ops = most_ops
        """A smaller limit than DynamoDB's, so that a batch may be too large for it."""

    async def write(self, *ops: Op, token: str | None = None) -> Item | None:
        network = self._network
        if self._most_ops is not None and len(ops) > self._most_ops:
            raise InvalidTransaction(f"more than {self._most_ops} ops")
        if len(ops) > 1:
            network.transactions.append(len(ops))
        fault = network.fault()
        await network.pass_time()
        match fault:
            case Fault.REFUSED:
                raise network.refusal()
            case Fault.DROPPED:
                raise OutcomeUnknown("the request was lost")
            case Fault.LATE:
                self._write_later(ops, token)
                raise OutcomeUnknown("the request is late")
        item = await self._store.write(*ops, token=token)
        await network.pass_time()
        if fault is Fault.LOST:
            raise OutcomeUnknown("the answer was lost")
        return item

    def _write_later(self, ops: tuple[Op, ...], token: str | None) -> None:
        async def write() -> None:
            await self._network.pass_time()
            with suppress(Problem):  # the caller has given up
                await self._store.write(*ops, token=token)

        task = asyncio.create_task(write())
        self._network.late.add(task)
        task.add_done_callback(self._network.late.discard)

    async def _call(self, call: Callable[[], Awaitable[T]]) -> T:
        fault = self._network.fault()
        await self._network.pass_time()
        if fault is not None:
            raise self._network.chance.choice([Throttled(), StoreUnavailable("simulated")])
        found = await call()
        await self._network.pass_time()
        return found
