"""`make bench-sockets`: our socket compared with the WebSocket protocols of uvicorn: echo rate and
memory.

Each is one process with uvicorn on uvloop, on a free loopback port; they stay up and are measured
in turns, with one frame and with many in flight on each connection. Frames have 120 bytes. This
process is the load. On a busy machine the rates mean little; the CPU time per echo stays
meaningful.
"""

import argparse
import asyncio
import statistics
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

import uvloop

from bench.chat_load import Stalled
from bench.peers.processes import resident_bytes
from bench.report import last_line, table
from bench.sockets_load import Echoed, Echoes, connected, measured
from bench.sockets_server import ASGI, PICOWS
from scripts.engines import Engine, Unavailable, asgi_sockets
from scripts.engines.process import launch

SERVERS = (PICOWS, *ASGI)
Runs = Mapping[str, Mapping[int, Sequence[Echoes]]]


def main() -> int:
    chosen = _options().parse_args()
    try:
        with ExitStack() as stack, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            engines = {name: _started(stack, name) for name in SERVERS}
            weights = runner.run(_weighed(engines, chosen.idle))
            runs = runner.run(_rounds(engines, chosen))
    except (Unavailable, Stalled) as problem:
        print(problem, file=sys.stderr)
        return 1
    _show(runs, weights, chosen)
    return 0


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--connections", type=int, default=10)
    options.add_argument("--in-flight", type=int, default=16, help="frames on each connection")
    options.add_argument("--seconds", type=float, default=2.0, help="of each measurement")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--idle", type=int, default=200, help="connections to weigh, each server")
    return options


def _started(stack: ExitStack, name: str) -> Engine:
    folder = str(asgi_sockets.folder())
    engine = launch(
        f"sockets-{name}",
        lambda port: (sys.executable, "-m", "bench.sockets_server", name, str(port), folder),
        url="ws://127.0.0.1:{port}/v1/socket",
    )
    stack.callback(engine.stop)
    return engine


async def _weighed(engines: Mapping[str, Engine], count: int) -> dict[str, float]:
    """Memory of each server per connection, once it has sent a frame, in KB."""
    weights = {}
    for name, engine in engines.items():
        first = await connected(engine.url, 10)
        before = resident_bytes([engine.process.pid])
        idle = await connected(engine.url, count)
        for connection in idle:
            connection.begin(1)
            await connection.end()
        weights[name] = (resident_bytes([engine.process.pid]) - before) / count / 1024
        for connection in (*first, *idle):
            connection.close()
    return weights


async def _rounds(engines: Mapping[str, Engine], chosen: argparse.Namespace) -> Runs:
    connections: dict[str, list[Echoed]] = {
        name: await connected(engine.url, chosen.connections) for name, engine in engines.items()
    }
    runs: dict[str, dict[int, list[Echoes]]] = {
        name: {1: [], chosen.in_flight: []} for name in engines
    }
    for number in range(chosen.rounds):
        print(f"round {number + 1} of {chosen.rounds}", file=sys.stderr, flush=True)
        for in_flight in (1, chosen.in_flight):
            for name, engine in engines.items():
                pid = engine.process.pid
                found = await measured(connections[name], pid, in_flight, chosen.seconds)
                runs[name][in_flight].append(found)
    for some in connections.values():
        for connection in some:
            connection.close()
    return runs


def _show(runs: Runs, weights: Mapping[str, float], chosen: argparse.Namespace) -> None:
    print(f"echoes of 120 bytes, {chosen.connections} connections; medians of {chosen.rounds}")
    print("in brackets: ours divided by theirs; CPU: the server's; others: what else was busy\n")
    head = ("server", "under way", "echoes/s", "p50 ms", "p99 ms", "CPU us", "others' cores")
    rows = [
        [name, str(in_flight), *_cells(runs, name, in_flight)]
        for in_flight in (1, chosen.in_flight)
        for name in runs
    ]
    print(table(head, rows) + "\n")
    idle = [f"{name} {weight:.1f}" for name, weight in weights.items()]
    print(f"KB of the server for a connection, with {chosen.idle} of them: {', '.join(idle)}\n")
    alone, loaded = _figures(runs, 1), _figures(runs, chosen.in_flight)
    about = {name: getattr(chosen, name) for name in ("connections", "in_flight", "seconds")}
    kilobytes = {name: round(weight, 1) for name, weight in weights.items()}
    last_line(loaded | {"one_under_way": alone, "kb_per_connection": kilobytes} | about)


def _cells(runs: Runs, name: str, in_flight: int) -> list[str]:
    cells = []
    for figure, shown in (("per_s", ",.0f"), ("p50", ".3f"), ("p99", ".3f"), ("server_us", ".1f")):
        ours, theirs = (_middle(runs, one, in_flight, figure) for one in (PICOWS, name))
        ratio = "" if name == PICOWS else f" ({ours / theirs:.2f}x)"
        cells.append(f"{theirs:{shown}}{ratio}")
    return [*cells, f"{_middle(runs, name, in_flight, 'others'):.1f}"]


def _figures(runs: Runs, in_flight: int) -> dict[str, object]:
    rates = {name: _middle(runs, name, in_flight, "per_s") for name in runs}
    cpu = {name: _middle(runs, name, in_flight, "server_us") for name in runs}
    best = max((name for name in runs if name != PICOWS), key=lambda name: rates[name])
    return {
        "picows_per_s": round(rates[PICOWS]),
        "best_asgi_per_s": round(rates[best]),
        "ratio": round(rates[PICOWS] / rates[best], 2),
        "best_asgi": best,
        "cpu_ratio": round(cpu[best] / cpu[PICOWS], 2),
        "per_s": {name: round(rate) for name, rate in rates.items()},
        "cpu_us": {name: round(each, 1) for name, each in cpu.items()},
    }


def _middle(runs: Runs, name: str, in_flight: int, figure: str) -> float:
    values: list[float] = [getattr(one, figure) for one in runs[name][in_flight]]
    return statistics.median(values)


if __name__ == "__main__":
    sys.exit(main())
