"""The XMPP servers among the peers: ejabberd on SQLite or PostgreSQL, and Prosody on its own files.
All archive a message for both users before they deliver it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.peers.xmpp import XmppPair, XmppUsers
from scripts.engines import Engine, ejabberd, postgresql, prosody


@dataclass
class XmppPeer:
    name: str
    note: str
    engines: Callable[[], Iterator[Engine]]
    """Starts what it needs in order, the XMPP server last."""
    _running: list[Engine] = field(default_factory=list)
    _users: XmppUsers = field(default_factory=XmppUsers)

    async def start(self) -> None:
        for engine in self.engines():
            self._running.append(engine)

    async def stop(self) -> None:
        self._users.close()
        while self._running:
            self._running.pop().stop()

    async def pairs(self, count: int) -> Sequence[XmppPair]:
        return await self._users.pairs(self._running[-1].url, count)

    def pids(self) -> Sequence[int]:
        return [engine.process.pid for engine in self._running]


def ejabberd_on_sqlite(folder: Path) -> XmppPeer:
    def engines() -> Iterator[Engine]:
        yield ejabberd.start_on_sqlite(folder)

    return XmppPeer(
        "ejabberd-sqlite", "SQLite with a rollback journal, every commit fsynced", engines
    )


def ejabberd_on_postgresql(folder: Path) -> XmppPeer:
    def engines() -> Iterator[Engine]:
        cluster, spool = folder / "cluster", folder / "ejabberd"
        for part in (cluster, spool):
            part.mkdir()
        folder.chmod(0o711)
        database = postgresql.start(cluster)
        yield database
        yield ejabberd.start_on_postgresql(spool, database)

    return XmppPeer("ejabberd-postgresql", "PostgreSQL, every commit fsynced", engines)


def prosody_on_files(folder: Path) -> XmppPeer:
    def engines() -> Iterator[Engine]:
        yield prosody.start(folder)

    return XmppPeer("prosody", "its own files, never fsynced", engines)
