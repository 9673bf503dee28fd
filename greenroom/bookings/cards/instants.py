"""Converts between the times in cards and milliseconds."""

from datetime import UTC, datetime


def ms_of(instant: datetime) -> int:
    return round(instant.timestamp() * 1000)


def instant_of(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)
