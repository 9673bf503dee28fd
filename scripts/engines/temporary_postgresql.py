"""PostgreSQL for tests, with a cluster in a temporary folder that is removed at the end.

Commits are not fsynced. The database sorts text by the rules of a language, as many do in use, so
that a test notices a column that relies on the order of bytes.
"""

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.engines.postgresql import USER, programs
from scripts.engines.process import Engine, end_with_parent, launch
from scripts.engines.servers import as_user, give, run

_LOCALE = ("--locale-provider=icu", "--icu-locale=en", "--locale=C.UTF-8")
_SETTINGS = (
    *("fsync=off", "synchronous_commit=off", "full_page_writes=off"),
    *("autovacuum=off", "shared_buffers=32MB", "max_connections=200", "deadlock_timeout=20ms"),
    *("listen_addresses=127.0.0.1", "unix_socket_directories="),
)


def start() -> Engine:
    programs()
    return launch(
        "postgresql",
        lambda port: (sys.executable, "-m", __name__, str(port)),
        url=f"postgresql://{USER}@127.0.0.1:{{port}}/postgres",
        folder=Path(__file__).parents[2],
    )


def _run(port: int) -> int:
    """Runs the server until it ends, or until this process is told to end."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with tempfile.TemporaryDirectory(prefix="greenroom-sql-", ignore_cleanup_errors=True) as folder:
        server = subprocess.Popen(
            (*as_user(USER), *_argv(_cluster(Path(folder)), port)), preexec_fn=end_with_parent
        )
        try:
            return server.wait()
        finally:
            server.send_signal(signal.SIGQUIT)  # its data is thrown away
            server.wait()


def _cluster(folder: Path) -> Path:
    give(folder, USER)
    data = folder / "data"
    argv = (str(programs() / "initdb"), "-D", str(data), "-U", USER, "-A", "trust", "-E", "UTF8")
    run((*as_user(USER), *argv, "--no-sync", *_LOCALE), folder=folder)
    return data


def _argv(data: Path, port: int) -> list[str]:
    settings = [part for one in _SETTINGS for part in ("-c", one)]
    return [str(programs() / "postgres"), "-D", str(data), "-p", str(port), *settings]


if __name__ == "__main__":
    sys.exit(_run(int(sys.argv[1])))
