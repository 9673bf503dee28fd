"""ejabberd with its message archive in SQL: a SQLite file, or a running PostgreSQL.

It is started as Debian's `ejabberdctl foreground` does, but without a node name: a named node
starts epmd, which keeps running after it. Registration is open, so that clients need no console.
"""

from pathlib import Path
from urllib.parse import urlsplit

from scripts.engines.process import Engine, launch
from scripts.engines.requirements import Unavailable, command
from scripts.engines.servers import as_user, give, run, server_command

USER = "ejabberd"
_PACKAGES = "ejabberd erlang-p1-sqlite3 erlang-p1-pgsql"
_SCHEMA = Path("/usr/share/ejabberd/sql/pg.sql")
_CONFIG = """\
hosts: [localhost]
loglevel: warning
default_db: sql
auth_method: sql
{sql}
listen:
  - port: {port}
    ip: "127.0.0.1"
    module: ejabberd_c2s
    max_stanza_size: 262144
    starttls: false
    shaper: none
    access: all
registration_timeout: infinity
modules:
  mod_disco: {{}}
  mod_mam:
    default: always
  mod_offline: {{}}
  mod_ping: {{}}
  mod_register:
    access: all
    ip_access: all
  mod_roster:
    versioning: true
"""


def start_on_sqlite(folder: Path) -> Engine:
    return _start("ejabberd-sqlite", folder, f'sql_type: sqlite\nsql_database: "{folder}/mam.db"')


def start_on_postgresql(folder: Path, database: Engine) -> Engine:
    psql = command("psql", debian="postgresql-client")
    run((psql, "-q", "-v", "ON_ERROR_STOP=1", "-f", str(_schema()), database.url), folder=folder)
    url = urlsplit(database.url)
    sql = f"sql_type: pgsql\nsql_server: {url.hostname}\nsql_port: {url.port}"
    sql += f"\nsql_username: {url.username}\nsql_database: {url.path[1:]}"
    return _start("ejabberd-postgresql", folder, sql)


def _start(name: str, folder: Path, sql: str) -> Engine:
    erl, libraries = command("erl", debian=_PACKAGES), _libraries()
    give(folder, USER)
    settings = folder / "ejabberd.yml"

    def argv(port: int) -> tuple[str, ...]:
        settings.write_text(_CONFIG.format(port=port, sql=sql))
        return (
            *as_user(USER),
            "env",
            f"EJABBERD_CONFIG_PATH={settings}",
            f"EJABBERD_LOG_PATH={folder}/ejabberd.log",
            f"ERL_CRASH_DUMP={folder}/crash.dump",
            f"ERL_LIBS={libraries}",
            f"HOME={folder}",
            *(erl, "+K", "true", "+P", "250000", "-noinput"),
            *("-mnesia", "dir", f'"{folder}/mnesia"', "-s", "ejabberd"),
        )

    return launch(name, argv, url="xmpp://127.0.0.1:{port}", folder=folder)


def _libraries() -> Path:
    server_command("ejabberdctl", debian=_PACKAGES, service="ejabberd")
    for driver in ("p1_sqlite3", "p1_pgsql"):
        if not any(Path("/usr/lib").glob(f"**/{driver}-*/ebin")):
            raise Unavailable(
                f"ejabberd lacks {driver} (Debian and Ubuntu: apt install {_PACKAGES})"
            )
    for programs in Path("/usr/lib").glob("*/ejabberd-*/ebin"):
        return programs.parents[1]
    raise Unavailable("ejabberd is installed, but not where Debian puts it")


def _schema() -> Path:
    _libraries()
    if not _SCHEMA.exists():
        raise Unavailable(f"ejabberd's package has no {_SCHEMA}")
    return _SCHEMA
