"""Prints the results of `make bench-chat`: medians with our ratio to each peer, ranges, and JSON.

It also compares the mix of texts with the plain sentence. Without Greenroom its figures are null.
Another commit of Greenroom is compared with this one and is not a peer.
"""

import statistics
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from bench.chat_load import Delivery
from bench.report import last_line, table

OURS = "greenroom"
BEFORE = "greenroom before"
"""Another commit, measured in the same rounds."""


class Round(Struct, frozen=True):
    """One server's figures in one round."""

    loaded: Delivery
    """With the number in flight that was asked for."""
    alone: Delivery
    """With one in flight in each pair."""
    last50_per_s: float
    mixed: Delivery | None = None
    """Like `loaded`, with the mix of texts; only for this and the other commit of Greenroom."""

    @property
    def mix_vs_plain(self) -> float | None:
        """Compared within a round, because the load of the machine changes between rounds."""
        return None if self.mixed is None else self.mixed.per_s / self.loaded.per_s


OTHERS = "others_cpu"
Runs = Mapping[str, Sequence[Round]]
FIGURES: dict[str, tuple[str, Callable[[Round], float]]] = {
    "messages_per_s": ("messages/s", lambda one: one.loaded.per_s),
    "loaded_p50_ms": ("p50 ms", lambda one: one.loaded.p50),
    "loaded_p99_ms": ("p99 ms", lambda one: one.loaded.p99),
    "p50_ms": ("p50 ms, 1", lambda one: one.alone.p50),
    "p99_ms": ("p99 ms, 1", lambda one: one.alone.p99),
    "last50_per_s": ("last 50/s", lambda one: one.last50_per_s),
    "cpu_ms_per_1000": ("CPU ms/1,000", lambda one: one.loaded.cpu_per_1000),
    "cpu_ms_per_1000_alone": ("CPU ms/1,000, 1", lambda one: one.alone.cpu_per_1000),
    "resident_mb": ("MB", lambda one: one.loaded.resident_mb),
    OTHERS: ("others' cores", lambda one: max(one.loaded.others_cpu, one.alone.others_cpu)),
}


def middle(rounds: Sequence[Round], figure: str) -> float:
    return statistics.median(FIGURES[figure][1](one) for one in rounds)


def show(runs: Runs, notes: Mapping[str, str], about: Mapping[str, object]) -> None:
    head = ["server", *(title for title, _ in FIGURES.values())]
    print("\nmedians; in brackets: ours divided by theirs" if OURS in runs else "\nmedians")
    print("1: with one message in flight in each pair; others' cores: what else the machine did\n")
    print(table(head, [[name, *_medians(runs, name)] for name in runs]))
    print("\nfrom the lowest to the highest of the rounds\n")
    print(table(head, [[name, *_ranges(rounds)] for name, rounds in runs.items()]))
    for name in (OURS, BEFORE):
        if mix := _mixed(runs, name):
            print(f"\n{name} with the plain sentence and with the mix of texts, medians\n")
            print(_beside(runs[name], mix))
    print("\nwhat is on disk when a message arrives\n")
    print("\n".join(f"{name}: {notes[name]}" for name in runs) + "\n")
    last_line(_figures(runs) | dict(about))


def _medians(runs: Runs, name: str) -> list[str]:
    cells = [middle(runs[name], figure) for figure in FIGURES]
    if OURS not in runs or name == OURS:
        return [_plain(cell) for cell in cells]
    ours = [middle(runs[OURS], figure) for figure in FIGURES]
    return [
        f"{_plain(theirs)} ({mine / theirs:.2f}x)"
        if theirs and figure != OTHERS
        else _plain(theirs)
        for figure, mine, theirs in zip(FIGURES, ours, cells, strict=True)
    ]


def _ranges(rounds: Sequence[Round]) -> list[str]:
    found = [[value(one) for one in rounds] for _, value in FIGURES.values()]
    return [f"{_plain(min(values))}-{_plain(max(values))}" for values in found]


DELIVERY: dict[str, tuple[str, Callable[[Delivery], float]]] = {
    "mix_messages_per_s": ("messages/s", lambda one: one.per_s),
    "mix_p50_ms": ("p50 ms", lambda one: one.p50),
    "mix_p99_ms": ("p99 ms", lambda one: one.p99),
    "cpu_ms_per_1000_mix": ("CPU ms/1,000", lambda one: one.cpu_per_1000),
}


def _mixed(runs: Runs, name: str) -> list[Delivery]:
    return [one.mixed for one in runs.get(name, ()) if one.mixed is not None]


def _beside(rounds: Sequence[Round], mix: Sequence[Delivery]) -> str:
    head = ["texts", *(title for title, _ in DELIVERY.values())]
    plain = [one.loaded for one in rounds]
    return table(head, [["plain", *_cells(plain)], ["mix", *_cells(mix)]])


def _cells(deliveries: Sequence[Delivery]) -> list[str]:
    return [_plain(_median(deliveries, figure)) for figure in DELIVERY]


def _median(deliveries: Sequence[Delivery], figure: str) -> float:
    return statistics.median(map(DELIVERY[figure][1], deliveries))


def _mix_figures(runs: Runs, name: str) -> dict[str, float | None]:
    mix = _mixed(runs, name)
    figures = {one: _rounded(_median(mix, one)) if mix else None for one in DELIVERY}
    found = [ratio for one in runs.get(name, ()) if (ratio := one.mix_vs_plain) is not None]
    return figures | {"mix_vs_plain": _rounded(statistics.median(found)) if found else None}


def _plain(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:,.1f}"


def _figures(runs: Runs) -> dict[str, object]:
    peers = [name for name in runs if name not in (OURS, BEFORE)]
    most = _best(runs, peers, "messages_per_s", max)
    reads = _best(runs, peers, "last50_per_s", max)
    lowest = _best(runs, peers, "p99_ms", min)
    return (
        _figures_of(runs, OURS)
        | _mix_figures(runs, OURS)
        | {
            "vs_best_peer": _ratio(_of(runs, OURS, "messages_per_s"), most),
            "lowest_peer_p99_ms": _rounded(lowest),
            "last50_vs_best_peer": _ratio(_of(runs, OURS, "last50_per_s"), reads),
            "best_peer_messages_per_s": _rounded(most),
            "best_peer_last50_per_s": _rounded(reads),
            "peers": {name: _figures_of(runs, name) for name in peers},
            "before": _figures_of(runs, BEFORE) | _mix_figures(runs, BEFORE)
            if BEFORE in runs
            else None,
            "vs_before": _vs_before(runs),
        }
    )


def _vs_before(runs: Runs) -> dict[str, float] | None:
    """Medians of the ratios within a round: the two commits are measured back to back, and the
    speed of the machine changes between rounds."""
    if BEFORE not in runs or OURS not in runs:
        return None
    pairs = [*zip(runs[OURS], runs[BEFORE], strict=True)]
    values = {figure: value for figure, (_, value) in FIGURES.items() if figure != OTHERS}
    values["mix_messages_per_s"] = lambda one: one.mixed.per_s if one.mixed else 1.0
    return {
        figure: round(statistics.median(value(ours) / value(before) for ours, before in pairs), 3)
        for figure, value in values.items()
    }


def _figures_of(runs: Runs, name: str) -> dict[str, object]:
    return {figure: _rounded(_of(runs, name, figure)) for figure in FIGURES}


def _of(runs: Runs, name: str, figure: str) -> float | None:
    return middle(runs[name], figure) if name in runs else None


def _best(
    runs: Runs, peers: Sequence[str], figure: str, choose: Callable[[list[float]], float]
) -> float | None:
    return choose([middle(runs[name], figure) for name in peers]) if peers else None


def _ratio(ours: float | None, theirs: float | None) -> float | None:
    return round(ours / theirs, 2) if ours is not None and theirs else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
