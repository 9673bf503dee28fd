"""Plans for holds: what is to be done at each moment, and that no moment is without a plan."""

import pytest
from hypothesis import given, strategies as st

from greenroom.bookings.payments.hold_plan import (
    CaptureHold,
    HoldLapsed,
    HoldPlan,
    KeepHold,
    RenewHold,
    hold_plan,
)

HOUR = 3_600_000
END = 1_000 * HOUR
START = END + 300 * HOUR


@pytest.mark.parametrize(
    ("now", "plan"),
    [
        (0, KeepHold(END - 24 * HOUR)),
        (END - 24 * HOUR - 1, KeepHold(END - 24 * HOUR)),
        (END - 24 * HOUR, RenewHold(END - 2 * HOUR)),
        (END - 2 * HOUR - 1, RenewHold(END - 2 * HOUR)),
        (END - 2 * HOUR, CaptureHold(END)),
        (END - 1, CaptureHold(END)),
        (END, HoldLapsed()),
        (START + HOUR, HoldLapsed()),
    ],
)
def test_a_hold_that_ends_too_early_is_renewed_then_captured(now: int, plan: HoldPlan) -> None:
    assert hold_plan(START, END, now) == plan


@pytest.mark.parametrize("now", [-HOUR, 0, END - HOUR, END - 1])
def test_a_hold_that_lasts_is_kept(now: int) -> None:
    assert hold_plan(END, END, now) == KeepHold(None)
    assert hold_plan(END + 1, END, now) != KeepHold(None)


@given(st.integers(0, 2000 * HOUR), st.integers(0, 2000 * HOUR), st.integers(0, 2000 * HOUR))
def test_every_plan_leads_to_another_one_in_time(needed: int, end: int, now: int) -> None:
    match hold_plan(needed, end, now):
        case KeepHold(None):
            assert needed <= end > now
        case KeepHold(int(until)):
            assert now < until < end < needed
            assert isinstance(hold_plan(needed, end, until), RenewHold)
        case RenewHold(deadline):
            assert now < deadline < end < needed
            assert isinstance(hold_plan(needed, end, deadline), CaptureHold)
        case CaptureHold(deadline):
            assert now < deadline == end < needed
        case HoldLapsed():
            assert now >= end


def test_a_chain_of_renewals_reaches_a_job_in_three_weeks() -> None:
    now = renewals = 0
    start, end = 21 * 24 * HOUR, 7 * 24 * HOUR
    while (plan := hold_plan(start, end, now)) != KeepHold(None):
        match plan:
            case KeepHold(int(until)):
                now = until
            case RenewHold():
                end, renewals = now + 7 * 24 * HOUR, renewals + 1
    assert (renewals, end >= start) == (3, True)
