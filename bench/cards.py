"""`make bench-cards`: transitions of cards on SQLite and PostgreSQL, next to a bare transaction that
writes the same rows.

Both write with an fsync for each commit, alternate in one run, and have as many transitions in
flight. A transition of ours also locks, reads, decides, and checks versions and keys. The figures
are medians of the rounds; a ratio is the median of the ratios of each round.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import uvloop
from msgspec import Struct
from sqlalchemy import make_url

from bench.bare_cards import BarePostgres, BareSqlite, Recorded, recorded
from bench.card_load import Rates, hagglings, measured
from bench.report import last_line, table
from greenroom.bookings.schema import SCHEMA
from greenroom.sql.postgres import PostgresDatabase, parse_location
from greenroom.sql.postgres.location import with_schema
from greenroom.sql.sqlite import SqliteDatabase
from scripts.engines import running

_POOL = 10


class Round(Struct, frozen=True):
    ours: Rates
    bare: Rates

    @property
    def ratio(self) -> float:
        return self.ours.per_second / self.bare.per_second


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--seconds", type=float, default=2.0, help="of each kind in each round")
    options.add_argument("--in-flight", type=int, default=32)
    chosen = options.parse_args()
    with (
        running("postgresql") as server,
        tempfile.TemporaryDirectory(dir=".") as folder,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        sqlite, postgres = runner.run(
            _rounds(server.url, Path(folder), chosen.rounds, chosen.seconds, chosen.in_flight)
        )
    _print(sqlite, postgres, chosen.in_flight)
    return 0


async def _rounds(
    url: str, folder: Path, rounds: int, seconds: float, in_flight: int
) -> tuple[list[Round], list[Round]]:
    moves = int(rounds * seconds * 6000 / in_flight)
    load = await recorded(folder, in_flight, moves)
    ours_sqlite = SqliteDatabase(folder / "ours.db")
    ours_postgres = PostgresDatabase(parse_location(f"{url}?schema=ours&pool={_POOL}"))
    bare_sqlite = await _bare_sqlite(folder / "bare.db", load)
    bare_postgres = await _bare_postgres(url, load)
    sqlite, postgres = list[Round](), list[Round]()
    async with (
        hagglings(ours_sqlite, in_flight) as on_sqlite,
        hagglings(ours_postgres, in_flight) as on_postgres,
    ):
        for number in range(rounds):
            print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
            sqlite.append(Round(await measured(on_sqlite, seconds), bare_sqlite.measure(seconds)))
            ours, bare = await measured(on_postgres, seconds), await bare_postgres.measure(seconds)
            postgres.append(Round(ours, bare))
    bare_sqlite.close()
    await bare_postgres.close()
    await ours_sqlite.close()
    await ours_postgres.close()
    return sqlite, postgres


async def _bare_sqlite(path: Path, load: Recorded) -> BareSqlite:
    database = SqliteDatabase(path)
    await database.migrate(SCHEMA)
    await database.close()
    return BareSqlite(path, load)


async def _bare_postgres(url: str, load: Recorded) -> BarePostgres:
    database = PostgresDatabase(parse_location(with_schema(url, "bare")))
    await database.migrate(SCHEMA)
    await database.close()
    plain = make_url(url).set(query={}).render_as_string(hide_password=False)
    return await BarePostgres.opened(plain, "bare", _POOL, load)


def _print(sqlite: Sequence[Round], postgres: Sequence[Round], in_flight: int) -> None:
    print(f"\ntransitions of cards, {in_flight} in flight\n")
    rows = [
        _row(name, [getattr(one, who) for one in rounds])
        for rounds, engine in ((sqlite, "SQLite"), (postgres, "PostgreSQL"))
        for who, name in (("ours", f"greenroom ({engine})"), ("bare", f"bare {engine}"))
    ]
    print(table(["", "per second", "p99 ms"], rows))
    ratios = {"vs_bare_sqlite": _ratio(sqlite), "vs_bare_postgres": _ratio(postgres)}
    print(f"\nratios in each round: {_listed(sqlite)}; {_listed(postgres)}\n")
    last_line(ratios)


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
