"""Prints the results of `make bench-dynamo`: medians, ranges, and the line of JSON."""

import statistics
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from bench.chat_load import Delivery
from bench.report import last_line, table

OURS = "dynamodb"


class Case(Struct, frozen=True):
    """What is measured: a node, the stand-in's delay in ms, and how many are in flight."""

    node: str
    delay: float | None
    in_flight: int

    @property
    def shown(self) -> str:
        delay = "" if self.delay is None else f", {self.delay:g} ms"
        return f"{self.node}{delay}, {self.in_flight} in flight"


class Measured(Struct, frozen=True):
    """The delivery figures, and the stand-in's counts per message."""

    seen: Delivery
    calls: float | None = None
    bytes: float | None = None
    per_transaction: float | None = None


Runs = Mapping[Case, Sequence[Measured]]
FIGURES: dict[str, tuple[str, Callable[[Measured], float | None]]] = {
    "messages_per_s": ("messages/s", lambda one: one.seen.per_s),
    "p50_ms": ("p50 ms", lambda one: one.seen.p50),
    "p99_ms": ("p99 ms", lambda one: one.seen.p99),
    "cpu_ms_per_1000": ("CPU ms/1,000", lambda one: one.seen.cpu_per_1000),
    "calls_per_message": ("calls", lambda one: one.calls),
    "bytes_per_message": ("bytes", lambda one: one.bytes),
    "messages_per_transaction": ("per transaction", lambda one: one.per_transaction),
}


def show(runs: Runs, about: Mapping[str, object]) -> None:
    head = ["node, delay, in flight in each pair", *(title for title, _ in FIGURES.values())]
    print("\nmedians; CPU of the node alone; calls and bytes to DynamoDB for each message\n")
    print(table(head, [[case.shown, *map(_plain, _medians(runs[case]))] for case in runs]))
    print("\nfrom the lowest to the highest of the rounds\n")
    print(table(head, [[case.shown, *_ranges(runs[case])] for case in runs]))
    print()
    last_line(figures(runs) | dict(about))


def figures(runs: Runs) -> dict[str, object]:
    """The line of JSON. The first three are DynamoDB's, null where that was not measured."""
    most = max(case.in_flight for case in runs)
    return {
        "messages_per_s_8ms": _of(runs, Case(OURS, 8.0, most), "messages_per_s"),
        "cpu_ms_per_1000_alone": _of(runs, Case(OURS, 0.0, 1), "cpu_ms_per_1000"),
        "cpu_ms_per_1000_alone_8ms": _of(runs, Case(OURS, 8.0, 1), "cpu_ms_per_1000"),
        "messages_per_transaction": _of(runs, Case(OURS, 8.0, most), "messages_per_transaction"),
        "sqlite_cpu_ms_per_1000_alone": _of(runs, Case("sqlite", None, 1), "cpu_ms_per_1000"),
        "cases": {case.shown: {name: _of(runs, case, name) for name in FIGURES} for case in runs},
    }


def _medians(rounds: Sequence[Measured]) -> list[float | None]:
    return [_median(rounds, name) for name in FIGURES]


def _median(rounds: Sequence[Measured], figure: str) -> float | None:
    found = [FIGURES[figure][1](one) for one in rounds]
    known = [value for value in found if value is not None]
    return statistics.median(known) if known else None


def _of(runs: Runs, case: Case, figure: str) -> float | None:
    value = _median(runs[case], figure) if case in runs else None
    return None if value is None else round(value, 2)


def _ranges(rounds: Sequence[Measured]) -> list[str]:
    cells = []
    for _, value in FIGURES.values():
        known = [found for one in rounds if (found := value(one)) is not None]
        cells.append(f"{_plain(min(known))}-{_plain(max(known))}" if known else "")
    return cells


def _plain(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:,.1f}"
