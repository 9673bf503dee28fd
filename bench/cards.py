"""`make bench-cards`: transitions of cards per second, next to bare transactions of the same rows.

Both write with an fsync for each commit and alternate in one run, on SQLite and on PostgreSQL, one
at a time and with many in flight. A transition of ours also locks, reads, decides, and checks
versions and keys. What waits on SQLite is committed together, as in the product; a bare transaction
has a commit of its own. The figures are medians of the rounds; a ratio is the median of the ratios
of each round.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import uvloop
from msgspec import Struct

from bench.bare_cards import BarePostgres, BareSqlite, Recorded, recorded
from bench.card_deadlines import lateness
from bench.card_load import Rates, hagglings, measured
from bench.report import last_line, table
from greenroom.bookings.schema import SCHEMA
from greenroom.sql.postgres import PostgresDatabase, parse_location
from greenroom.sql.postgres.location import Location
from greenroom.sql.sqlite import SqliteDatabase
from scripts.engines import postgresql

_POOL = 10
_MOST_PER_SECOND = 5_000
"""Of bare transactions: so many are recorded."""


class Round(Struct, frozen=True):
    ours: Rates
    bare: Rates

    @property
    def ratio(self) -> float:
        return self.ours.per_second / self.bare.per_second


class Compared(Struct, frozen=True):
    sqlite: list[Round]
    postgres: list[Round]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--seconds", type=float, default=1.5, help="of each kind in each round")
    options.add_argument("--in-flight", type=int, default=32, help="on a busy server")
    options.add_argument("--deadlines", type=int, default=10_000, help="due at the same moment")
    chosen = options.parse_args()
    with (
        tempfile.TemporaryDirectory(dir=".") as folder,
        _postgresql(Path(folder)) as url,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        alone = runner.run(_compared(url, Path(folder), chosen.rounds, chosen.seconds, 1))
        busy = runner.run(
            _compared(url, Path(folder), chosen.rounds, chosen.seconds, chosen.in_flight)
        )
        late_ms = runner.run(lateness(Path(folder), chosen.deadlines))
    _print(alone, "one at a time")
    _print(busy, f"{chosen.in_flight} in flight")
    _print_deadlines(late_ms)
    last_line(
        {
            "vs_bare_sqlite": _ratio(alone.sqlite),
            "vs_bare_postgres": _ratio(alone.postgres),
            "late_p99_ms": _percentile(late_ms, 99),
            "busy_vs_bare_sqlite": _ratio(busy.sqlite),
            "busy_vs_bare_postgres": _ratio(busy.postgres),
            "first_late_ms": late_ms[0],
            "last_late_ms": late_ms[-1],
        }
    )
    return 0


@contextmanager
def _postgresql(folder: Path) -> Iterator[str]:
    """As Debian installs it: every commit is fsynced."""
    folder.chmod(0o755)
    server = postgresql.start(folder)
    try:
        yield server.url
    finally:
        server.stop()


async def _compared(
    url: str, folder: Path, rounds: int, seconds: float, in_flight: int
) -> Compared:
    folder = folder / f"{in_flight}"
    folder.mkdir()
    moves = int(rounds * seconds * _MOST_PER_SECOND / in_flight)
    load = await recorded(folder, in_flight, moves)
    ours_sqlite = SqliteDatabase(folder / "ours.db")
    ours_postgres = PostgresDatabase(_location(url, f"ours{in_flight}"))
    bare_sqlite = await _bare_sqlite(folder / "bare.db", load)
    bare_postgres = await _bare_postgres(url, f"bare{in_flight}", load)
    on_sqlite = await hagglings(ours_sqlite, in_flight)
    on_postgres = await hagglings(ours_postgres, in_flight)
    made = Compared([], [])
    for number in range(rounds):
        print(f"{in_flight} in flight, round {number + 1} of {rounds}", file=sys.stderr, flush=True)
        ours, bare = await measured(on_sqlite, seconds), bare_sqlite.measure(seconds)
        made.sqlite.append(Round(ours, bare))
        ours, bare = await measured(on_postgres, seconds), await bare_postgres.measure(seconds)
        made.postgres.append(Round(ours, bare))
    bare_sqlite.close()
    await bare_postgres.close()
    await ours_sqlite.close()
    await ours_postgres.close()
    return made


def _location(url: str, schema: str) -> Location:
    return parse_location(f"{url}?schema={schema}&pool={_POOL}")


async def _bare_sqlite(path: Path, load: Recorded) -> BareSqlite:
    database = SqliteDatabase(path)
    await database.migrate(SCHEMA)
    await database.close()
    return BareSqlite(path, load)


async def _bare_postgres(url: str, schema: str, load: Recorded) -> BarePostgres:
    database = PostgresDatabase(_location(url, schema))
    await database.migrate(SCHEMA)
    await database.close()
    return await BarePostgres.opened(url, schema, _POOL, load)


def _print(made: Compared, how: str) -> None:
    print(f"\ntransitions of cards, {how}\n")
    rows = [
        _row(name, [getattr(one, who) for one in rounds])
        for rounds, engine in ((made.sqlite, "SQLite"), (made.postgres, "PostgreSQL"))
        for who, name in (("ours", f"greenroom ({engine})"), ("bare", f"bare {engine}"))
    ]
    print(table(["", "per second", "p99 ms"], rows))
    print(f"\nratios in each round: {_listed(made.sqlite)}; {_listed(made.postgres)}\n")


def _print_deadlines(late_ms: Sequence[int]) -> None:
    """Of deadlines that are due at the same moment, the first one first."""
    shares = {"median": 50, "p99": 99}
    figures = {"first": late_ms[0], **{name: _percentile(late_ms, p) for name, p in shares.items()}}
    rows = [[name, f"{ms} ms"] for name, ms in (figures | {"last": late_ms[-1]}).items()]
    print(table([f"{len(late_ms):,} deadlines at once", "late"], rows), end="\n\n")


def _percentile(sorted_ms: Sequence[int], percent: int) -> int:
    return sorted_ms[len(sorted_ms) * percent // 100]


def _row(name: str, rates: Sequence[Rates]) -> list[str]:
    per_second = statistics.median(one.per_second for one in rates)
    p99_ms = statistics.median(one.p99_ms for one in rates)
    return [name, f"{per_second:,.0f}", f"{p99_ms:.1f}"]


def _ratio(rounds: Sequence[Round]) -> float:
    return round(statistics.median(one.ratio for one in rounds), 3)


def _listed(rounds: Sequence[Round]) -> str:
    return ", ".join(f"{one.ratio:.2f}" for one in rounds)


if __name__ == "__main__":
    sys.exit(main())
