"""A proxy in front of the store that makes random requests fail, in the current fault mode."""

import asyncio
import random
from collections.abc import Mapping
from typing import Any

from tests.fault_proxy import (
    Answer,
    Fault,
    Forward,
    conflicted,
    dropped,
    failed_after,
    lost,
    refusal,
    throttled,
)
from tests.torture.plan import FaultMode

_LONGER_THAN_PATIENCE = 7.0


async def failed(payload: dict[str, Any], forward: Forward) -> Answer:
    return refusal("InternalServerError", 500)


async def unavailable(payload: dict[str, Any], forward: Forward) -> Answer:
    return refusal("ServiceUnavailable", 503)


async def mute(payload: dict[str, Any], forward: Forward) -> None:
    """Neither carried out nor answered."""
    await asyncio.sleep(_LONGER_THAN_PATIENCE)


async def silent(payload: dict[str, Any], forward: Forward) -> None:
    """Carried out, and never answered."""
    await forward(payload)
    await asyncio.sleep(_LONGER_THAN_PATIENCE)


async def late(payload: dict[str, Any], forward: Forward) -> None:
    """Carried out after the caller has given up."""
    await asyncio.sleep(_LONGER_THAN_PATIENCE)
    await forward(payload)


_FAULTS: Mapping[FaultMode, tuple[float, tuple[Fault, ...]]] = {
    FaultMode.THROTTLING: (0.6, (throttled, throttled, conflicted)),
    FaultMode.FAILING: (0.4, (failed, failed_after, unavailable)),
    FaultMode.BREAKING: (0.4, (dropped, lost)),
    FaultMode.SILENT: (0.1, (mute, silent)),
    FaultMode.LATE: (0.1, (late,)),
    FaultMode.GONE: (1.0, (dropped,)),
}


class FaultyStore:
    def __init__(self, seed: str) -> None:
        self.fault_mode: FaultMode | None = None
        self.faults = 0
        self._chance = random.Random(seed)

    async def fault(self, payload: dict[str, Any], forward: Forward) -> Answer | None:
        if self.fault_mode is not None:
            share, faults = _FAULTS[self.fault_mode]
            if self._chance.random() < share:
                self.faults += 1
                return await self._chance.choice(faults)(payload, forward)
        return await forward(payload)
