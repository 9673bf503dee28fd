"""Refunds: which step applies at which moment, and that nothing is made or lost."""

from datetime import datetime
from zoneinfo import ZoneInfo

import msgspec
import pytest
from hypothesis import given, strategies as st

from greenroom.bookings.money import MOST_MINOR, Money
from greenroom.bookings.policy import RefundRule, RefundRules, RefundStep
from greenroom.bookings.problems import CurrencyMismatch, InvalidStart, UnknownTimeZone
from greenroom.bookings.refunds import (
    CancelledBy,
    Paid,
    RefundFacts,
    RefundQuote,
    RefundReason,
    refund_of,
)

DAY_MS = 86_400_000
BERLIN = "Europe/Berlin"


def at(text: str, time_zone: str = BERLIN) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(time_zone)).timestamp()) * 1000


def eur(minor: int) -> Money:
    return Money(minor, "EUR")


PAID = Paid(eur(100_001), eur(20_000), eur(5_000))
START_MS = at("2027-03-29T10:00")  # a Monday; clocks change on the Sunday before
FACTS = RefundFacts(PAID, START_MS, BERLIN, "Berlin", "portrait")


def quote(now: str | int, policy: RefundRules | None = None, **changes: object) -> RefundQuote:
    facts = msgspec.structs.replace(FACTS, **changes)
    now_ms = at(now, facts.time_zone) if isinstance(now, str) else now
    return refund_of(policy or RefundRules(), facts, CancelledBy.BUYER, now_ms)


@pytest.mark.parametrize(
    ("now", "percent"),
    [
        ("2026-12-01T00:00", 100),
        ("2027-03-15T23:59:59.999", 100),  # the end of the 14th day before
        ("2027-03-16T00:00", 50),
        ("2027-03-22T23:59:59.999", 50),
        ("2027-03-23T00:00", 25),
        ("2027-03-27T23:59:59.999", 25),
        ("2027-03-28T00:00", 0),
        ("2027-03-29T09:59:59.999", 0),
        ("2027-03-29T10:00", 0),
    ],
)
def test_steps_end_with_the_local_day_also_when_clocks_change(now: str, percent: int) -> None:
    exact = at(now) + (999 if now.endswith(".999") else 0)
    assert quote(exact).percent == percent


def test_a_step_of_whole_days_is_not_one_of_24_hours() -> None:
    two_days_and_an_hour_less = START_MS - 2 * DAY_MS + 60 * 60_000
    assert quote(two_days_and_an_hour_less).percent == 25
    early = at("2027-03-29T00:30")
    assert quote("2027-03-27T00:00", start_ms=early).percent == 25
    assert quote(early - 2 * DAY_MS + 40 * 60_000, start_ms=early).percent == 25


def test_the_days_are_those_at_the_place_of_the_job() -> None:
    now_ms = at("2027-03-15T18:00", "America/New_York")
    assert quote(now_ms, time_zone="America/New_York").percent == 100
    assert quote(now_ms, time_zone="Asia/Tokyo").percent == 50


def test_a_step_of_no_days_lasts_until_the_start() -> None:
    policy = RefundRules(default=(RefundStep(0, 10),))
    assert quote(START_MS - 1, policy).percent == 10
    assert quote(START_MS - 1, policy).until_ms == START_MS
    assert quote(START_MS, policy).reason is RefundReason.STARTED


def test_a_quote_says_line_by_line_who_gets_what() -> None:
    found = quote("2027-03-20T12:00")
    assert (found.reason, found.rule, found.percent) == (RefundReason.STEP, "default", 50)
    assert found.until_ms == at("2027-03-23T00:00")
    rows = [(one.part, one.percent, one.refund.minor, one.kept.minor) for one in found.lines]
    assert rows == [
        ("price", 50, 50_001, 50_000),
        ("extras", 50, 10_000, 10_000),
        ("fee", 50, 2_500, 2_500),
    ]
    assert found.refund == eur(62_501)
    assert (found.seller_keeps, found.platform_keeps) == (eur(60_000), eur(2_500))


def test_extras_and_the_fee_can_have_shares_of_their_own() -> None:
    policy = RefundRules(extras="full", fee="none")
    found = quote("2027-03-28T12:00", policy)
    assert [line.percent for line in found.lines] == [0, 100, 0]
    assert (found.reason, found.until_ms) == (RefundReason.TOO_LATE, START_MS)
    assert not quote(START_MS, policy).refund
    assert quote("2027-03-28T12:00").until_ms is None


@pytest.mark.parametrize("now_ms", [0, START_MS - 1, START_MS, START_MS + 900 * DAY_MS])
def test_a_seller_who_cancels_gives_everything_back(now_ms: int) -> None:
    policy = RefundRules(default=(), extras="none", fee="none")
    found = refund_of(policy, FACTS, CancelledBy.SELLER, now_ms)
    assert found.refund == eur(125_001)
    assert not found.seller_keeps
    assert not found.platform_keeps


def test_the_rule_of_the_city_is_named() -> None:
    policy = RefundRules(rules=(RefundRule(city="berlin", category="Portrait", steps=()),))
    found = quote(0, policy)
    assert (found.rule, found.reason) == ("Portrait in berlin", RefundReason.TOO_LATE)
    assert not found.refund


def test_invalid_facts_are_refused() -> None:
    for start_ms in (-1, 0, 10**18):
        with pytest.raises(InvalidStart):
            quote(0, start_ms=start_ms)
    with pytest.raises(UnknownTimeZone):
        quote(0, time_zone="Europe/Atlantis")
    with pytest.raises(CurrencyMismatch):
        quote(0, paid=Paid(eur(1), Money(1, "JPY"), eur(1)))


def _steps(days: list[int], percents: list[int]) -> tuple[RefundStep, ...]:
    falling = zip(sorted(days, reverse=True), sorted(percents, reverse=True), strict=False)
    return tuple(RefundStep(*one) for one in falling)


_amounts = st.builds(eur, st.integers(0, MOST_MINOR // 3))
_shares = st.sampled_from(["as_price", "full", "none"])
_policies = st.builds(
    RefundRules,
    default=st.builds(
        _steps,
        st.lists(st.integers(0, 365), max_size=6, unique=True),
        st.lists(st.integers(1, 100), max_size=6, unique=True),
    ),
    extras=_shares,
    fee=_shares,
)
_zones = st.sampled_from([BERLIN, "UTC", "America/Havana", "Pacific/Apia", "Asia/Kathmandu"])
_starts = st.integers(START_MS - 9000 * DAY_MS, START_MS + 900 * DAY_MS)
_facts = st.builds(
    RefundFacts,
    st.builds(Paid, _amounts, _amounts, _amounts),
    _starts,
    _zones,
    st.just(""),
    st.just(""),
)


@given(_policies, _facts, st.lists(st.integers(-400 * DAY_MS, 2 * DAY_MS), min_size=2, max_size=8))
def test_refund_and_rest_are_what_was_paid_and_later_is_never_more(
    policy: RefundRules, facts: RefundFacts, offsets: list[int]
) -> None:
    assert list(policy.conflicts()) == []
    paid = facts.paid.price + facts.paid.extras + facts.paid.fee
    times = sorted(facts.start_ms + offset for offset in offsets)
    found = [refund_of(policy, facts, CancelledBy.BUYER, now_ms) for now_ms in times]
    for one in found:
        assert one.refund + one.seller_keeps + one.platform_keeps == paid
        assert all(line.refund + line.kept == line.paid for line in one.lines)
    assert found == sorted(found, key=lambda one: one.refund, reverse=True)


@given(_policies, _facts, st.integers(-400 * DAY_MS, -1))
def test_a_quote_holds_until_the_time_it_names(
    policy: RefundRules, facts: RefundFacts, offset: int
) -> None:
    now_ms = facts.start_ms + offset
    one = refund_of(policy, facts, CancelledBy.BUYER, now_ms)
    until_ms = one.until_ms or facts.start_ms
    assert now_ms < until_ms <= facts.start_ms
    assert refund_of(policy, facts, CancelledBy.BUYER, until_ms - 1).refund == one.refund
