"""PostgreSQL with a cluster of its own, from Debian's packages: every commit is fsynced."""

import shutil
from pathlib import Path

from scripts.engines.process import Engine, launch
from scripts.engines.requirements import Unavailable
from scripts.engines.servers import as_user, give, run, server_command

USER = "postgres"


def start(folder: Path) -> Engine:
    found = programs()
    data = folder / "postgresql"
    data.mkdir()
    give(data, USER)
    initdb = (str(found / "initdb"), "-D", str(data), "-U", USER, "-A", "trust", "-E", "UTF8")
    run((*as_user(USER), *initdb, "--locale=C.UTF-8"), folder=data)
    return launch(
        "postgresql",
        lambda port: (
            *as_user(USER),
            str(found / "postgres"),
            *("-D", str(data), "-p", str(port)),
            *("-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="),
        ),
        url=f"postgresql://{USER}@127.0.0.1:{{port}}/postgres",
        folder=data,
    )


def programs() -> Path:
    """Debian installs the server's programs off the PATH, in a folder for each version."""
    server_command("pg_ctlcluster", debian="postgresql", service="postgresql")
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not versions:
        raise Unavailable("`initdb` is not installed (Debian and Ubuntu: apt install postgresql)")
    return versions[-1].parent
