"""Prints the figures, for people (text, Markdown) and for programs (one line of JSON)."""

import json
from collections.abc import Iterator, Sequence

from greenroom.cost.counted_blobs import BlobRequests
from greenroom.cost.measure import (
    DOLLARS_PER_MILLION_READS,
    DOLLARS_PER_MILLION_WRITES,
    LIST_PRICE,
    Measured,
)
from greenroom.cost.patterns import GROUPS

_HEAD = ("pattern", "what", "read", "write", "$ per million", "at most")


def text(found: Sequence[Measured]) -> str:
    rows = [_HEAD, *(_cells(one) for one in found)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_HEAD))]
    lines = [
        "  ".join(
            cell.ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines) + f"\n\nRead and write units of DynamoDB. {LIST_PRICE}.\n"


def one_line(found: Sequence[Measured]) -> str:
    """The patterns that have a budget: one number each, of the kind that the budget limits."""
    figures: dict[str, object] = {
        one.pattern.name: {"read": one.read, "write": one.write, "dollars": round(one.dollars, 4)}
        for one in found
    }
    for one in found:
        if one.pattern.name in ("send_running", "send_first"):
            figures[one.pattern.name] = one.write
        if one.pattern.name == "inbox_open":
            figures[one.pattern.name] = one.read
    figures["within_budget"] = all(one.holds for one in found)
    figures["dollars_per_million_reads"] = DOLLARS_PER_MILLION_READS
    figures["dollars_per_million_writes"] = DOLLARS_PER_MILLION_WRITES
    return json.dumps(figures)


def markdown(found: Sequence[Measured]) -> str:
    by_name = {one.pattern.name: one for one in found}
    return "\n".join(_sections(by_name))


def _sections(by_name: dict[str, Measured]) -> Iterator[str]:
    for title, group in GROUPS:
        yield f"### {title}\n"
        yield "| pattern | what | read | write | $ per million | at most |"
        yield "| --- | --- | ---: | ---: | ---: | --- |"
        for pattern in group:
            name, *rest = _cells(by_name[pattern.name])
            yield f"| `{name}` | {' | '.join(rest)} |"
        yield ""


def blob_requests(found: Sequence[Measured]) -> str:
    """The requests to S3 of the patterns that send any, as a table in Markdown."""
    rows = [
        f"| `{one.pattern.name}` | {one.pattern.words} | {one.blobs.puts} | {one.blobs.gets} "
        f"| {one.blob_dollars:,.2f} |"
        for one in found
        if one.blobs is not None and one.blobs != BlobRequests()
    ]
    head = "| pattern | what | write or list | read | $ per million |"
    return "\n".join([head, "| --- | --- | ---: | ---: | ---: |", *rows])


def _cells(one: Measured) -> tuple[str, ...]:
    return (
        one.pattern.name,
        one.pattern.words,
        _units(one.read),
        _units(one.write),
        f"{one.dollars:,.2f}",
        _budget(one),
    )


def _budget(one: Measured) -> str:
    pattern = one.pattern
    parts = [
        f"{_units(most)} {kind}"
        for kind, most in (("read", pattern.most_read), ("write", pattern.most_write))
        if most is not None
    ]
    return ", ".join(parts)


def _units(units: float) -> str:
    return f"{units:,.3f}".rstrip("0").rstrip(".")
