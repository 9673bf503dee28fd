"""`make bench-chat`: pairs of connected users exchange messages, on Greenroom and on other chat
servers.

Each server is installed if needed and runs in a temporary folder on a free loopback port; the
servers stay up and are measured in turns. This process is the load. A message counts when the
recipient's socket has it and the server has stored it; notes say how durable that is. Threads that
are read have a fixed length, because some servers read a whole archive to find its end. Greenroom
is also measured with a mix of realistic texts, in turns with the plain sentence. `--before COMMIT`
measures another commit of Greenroom in the same rounds.
"""

import argparse
import asyncio
import gc
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import uvloop

from bench.chat_load import Stalled, fill, read, talk
from bench.chat_report import BEFORE, OURS, Round, show
from bench.chat_texts import mixed, plain
from bench.other_commit import NoSuchCommit, checkout
from bench.peers import Pair, Peer
from bench.peers.greenroom import Greenroom
from bench.peers.matrix import SynapseOnSqlite
from bench.peers.xmpp_servers import ejabberd_on_postgresql, ejabberd_on_sqlite, prosody_on_files
from scripts.engines import Unavailable
from scripts.engines.requirements import FOLDER

PEERS: Mapping[str, Callable[[Path], Peer]] = {
    "greenroom": Greenroom,
    "prosody": prosody_on_files,
    "ejabberd-postgresql": ejabberd_on_postgresql,
    "ejabberd-sqlite": ejabberd_on_sqlite,
    "synapse": SynapseOnSqlite,
}
READERS = 4
"""Enough pairs to keep two cores busy, each with a thread of its own."""
SETTLE_SECONDS = 1.0
"""Pause between two servers, for work that the last one does afterwards."""


class Server:
    """A running peer, with the pairs that write and those that read."""

    def __init__(
        self, name: str, peer: Peer, talkers: Sequence[Pair], readers: Sequence[Pair]
    ) -> None:
        self.name = name
        self.peer = peer
        self._talkers = talkers
        self._readers = readers

    async def measure(self, number: int, in_flight: int, seconds: float) -> Round:
        last50_per_s = await read(self._readers, seconds)
        alone = await talk(self.peer, self._talkers, 1, seconds)
        bodies = (plain, mixed) if self.name in (OURS, BEFORE) else (plain,)
        loaded = {
            body: await talk(self.peer, self._talkers, in_flight, seconds, body)
            for body in (bodies[::-1] if number % 2 else bodies)
        }
        return Round(
            last50_per_s=last50_per_s,
            alone=alone,
            loaded=loaded[plain],
            mixed=loaded.get(mixed),
        )


def main() -> int:
    chosen = _options().parse_args()
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_run(chosen))
    except (NoSuchCommit, Unavailable, Stalled) as problem:
        _say(str(problem))
        return 1
    except asyncio.CancelledError:
        _say("ended before its time")
        return 1
    return 0


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--pairs", type=int, default=10)
    options.add_argument("--in-flight", type=int, default=16, help="messages in each pair")
    options.add_argument("--seconds", type=float, default=5.0, help="of each measurement")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--history", type=int, default=500, help="messages in a thread to read")
    options.add_argument("--before", help="a commit of Greenroom to measure in the same run")
    options.add_argument("--only", type=_names, default=tuple(PEERS), help=",".join(PEERS))
    return options


def _names(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    if unknown := set(names) - set(PEERS):
        raise argparse.ArgumentTypeError(f"no such server: {', '.join(sorted(unknown))}")
    return names


async def _run(chosen: argparse.Namespace) -> None:
    if task := asyncio.current_task():
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with AsyncExitStack() as stack:
        before = None if chosen.before is None else stack.enter_context(checkout(chosen.before))
        names = [OURS, BEFORE] if before is not None else []
        peers = [await _server(stack, one, chosen) for one in chosen.only if one not in names]
        runs: dict[str, list[Round]] = {name: [] for name in (*names, *chosen.only)}
        notes = dict.fromkeys(names, Greenroom.note)
        notes |= {server.name: server.peer.note for server in peers}
        gc.freeze()
        for number in range(chosen.rounds):
            async with AsyncExitStack() as this_round:
                # Two commits are started anew in each round: one process may be some percent slower
                # than the next, for as long as it runs.
                two = [await _server(this_round, one, chosen, before) for one in names]
                for server in in_turns([*two, *peers], number):
                    _say(f"round {number + 1} of {chosen.rounds}: {server.name}")
                    await asyncio.sleep(SETTLE_SECONDS)
                    measured = await server.measure(number, chosen.in_flight, chosen.seconds)
                    runs[server.name].append(measured)
    about = {
        name: getattr(chosen, name)
        for name in ("pairs", "in_flight", "seconds", "rounds", "history")
    }
    about |= {"before_commit": chosen.before}
    show(runs, notes, about)


def in_turns(servers: Sequence[Server], number: int) -> list[Server]:
    """In each round two commits are measured back to back; which one goes first alternates."""
    two = [server for server in servers if server.name in (OURS, BEFORE)]
    others = [server for server in servers if server not in two]
    return (two[::-1] if number % 2 else two) + others


async def _server(
    stack: AsyncExitStack, name: str, chosen: argparse.Namespace, before: Path | None = None
) -> Server:
    FOLDER.mkdir(exist_ok=True)
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="chat-", dir=FOLDER)))
    peer = Greenroom(folder, tree=before) if name == BEFORE else PEERS[name](folder)
    _say(f"starting {name}")
    stack.push_async_callback(peer.stop)
    await peer.start()
    talkers, readers = await peer.pairs(chosen.pairs), await peer.pairs(READERS)
    await fill(readers, chosen.history, chosen.in_flight)
    return Server(name, peer, talkers, readers)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
