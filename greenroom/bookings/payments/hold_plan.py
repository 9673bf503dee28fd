"""Plans what to do about a hold that may end before it is no longer needed.

A card's hold lasts 7 days. A deposit for a job in three weeks is needed for longer, so its hold is
renewed a day before it ends: a new one is placed, then the old one is cancelled. If that has not
worked two hours before the end, the money is captured; what nobody claims is refunded later.

    ├──── keep ────┼──── renew ────┼──── capture ────┼──── lapsed ────►  now
              24 hours before   2 hours before   capture_before
"""

from typing import TypeAlias

from msgspec import Struct

_HOUR_MS = 3_600_000
RENEW_AHEAD_MS = 24 * _HOUR_MS
CAPTURE_AHEAD_MS = 2 * _HOUR_MS


class KeepHold(Struct, frozen=True, tag="keep"):
    """Nothing to do until a time, when there will be something, or for good."""

    until_ms: int | None


class RenewHold(Struct, frozen=True, tag="renew"):
    """Authorise anew now, then cancel the old hold. From the deadline on, capture instead."""

    deadline_ms: int


class CaptureHold(Struct, frozen=True, tag="capture"):
    """Capture now: it is too late to try a renewal. From the deadline on the hold is gone."""

    deadline_ms: int


class HoldLapsed(Struct, frozen=True, tag="lapsed"):
    """The hold has ended. Only a new authorisation can replace it, if the buyer's bank agrees."""


HoldPlan: TypeAlias = KeepHold | RenewHold | CaptureHold | HoldLapsed


def hold_plan(needed_until_ms: int, capture_before_ms: int, now_ms: int) -> HoldPlan:
    """`needed_until_ms`: the start of the job, or the end of the time for claims after it. Pure:
    ask again when the time of the plan has come, and after each renewal."""
    if now_ms >= capture_before_ms:
        return HoldLapsed()
    if capture_before_ms >= needed_until_ms:
        return KeepHold(until_ms=None)
    if now_ms >= capture_before_ms - CAPTURE_AHEAD_MS:
        return CaptureHold(capture_before_ms)
    if now_ms >= renew_at_ms(capture_before_ms):
        return RenewHold(capture_before_ms - CAPTURE_AHEAD_MS)
    return KeepHold(until_ms=renew_at_ms(capture_before_ms))


def renew_at_ms(capture_before_ms: int) -> int:
    return capture_before_ms - RENEW_AHEAD_MS
