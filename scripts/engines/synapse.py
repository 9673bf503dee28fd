"""Synapse on SQLite, from PyPI, in an environment of its own pinned by synapse.lock.

Rate limits and presence are off, as its documentation advises for speed. Registration is open.
"""

import hashlib
import shutil
import sys
import tempfile
from pathlib import Path

from scripts.engines.process import Engine, launch
from scripts.engines.requirements import FOLDER
from scripts.engines.servers import run

_LOCK = Path(__file__).with_name("synapse.lock")
_LIMITS = (
    *("message", "registration", "admin_redaction", "joins.local", "joins.remote", "reports"),
    *("joins_per_room", "invites.per_room", "invites.per_user", "invites.per_issuer"),
    *("login.address", "login.account", "login.failed_attempts", "room_creation"),
)
_CONFIG = """\
server_name: localhost
public_baseurl: http://localhost/
listeners:
  - {{port: {port}, bind_addresses: ["127.0.0.1"], type: http, resources: [{{names: [client]}}]}}
database: {{name: sqlite3, args: {{database: "{folder}/homeserver.db"}}}}
media_store_path: "{folder}/media"
signing_key_path: "{folder}/signing.key"
log_config: "{folder}/log.yaml"
macaroon_secret_key: benchmark
form_secret: benchmark
enable_registration: true
enable_registration_without_verification: true
bcrypt_rounds: 4
trusted_key_servers: []
report_stats: false
presence: {{enabled: false}}
"""
_LOGGING = """\
version: 1
disable_existing_loggers: false
handlers: {console: {class: logging.StreamHandler}}
root: {level: WARNING, handlers: [console]}
"""


def start(folder: Path) -> Engine:
    synapse = (str(_python()), "-m", "synapse.app.homeserver", "-c", "homeserver.yaml")
    settings = folder / "homeserver.yaml"
    (folder / "log.yaml").write_text(_LOGGING)

    def argv(port: int) -> tuple[str, ...]:
        settings.write_text(_CONFIG.format(port=port, folder=folder) + _unlimited())
        return synapse

    argv(0)
    run((*synapse, "--generate-keys"), folder=folder)
    return launch("synapse", argv, url="http://127.0.0.1:{port}", folder=folder)


def _unlimited() -> str:
    lines: list[str] = []
    begun: set[str] = set()
    for limit in _LIMITS:
        outer, _, inner = limit.partition(".")
        if outer not in begun:
            begun.add(outer)
            lines.append(f"rc_{outer}:")
        much = "{per_second: 1000000, burst_count: 1000000}"
        lines.append(f"  {inner}: {much}" if inner else f"  {much}")
    return "\n".join(lines) + "\n"


def _python() -> Path:
    """The interpreter of Synapse's environment, installed from the lock."""
    version = hashlib.sha256(_LOCK.read_bytes() + sys.version.encode()).hexdigest()[:12]
    target = FOLDER / f"synapse-{version}"
    if not target.exists():
        FOLDER.mkdir(exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix="synapse-unfinished-", dir=FOLDER))
        try:
            _install(unfinished)
            unfinished.rename(target)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return target / "bin" / "python"


def _install(folder: Path) -> None:
    run((sys.executable, "-m", "venv", str(folder)), folder=folder)
    pip = (str(folder / "bin" / "python"), "-m", "pip", "install", "--disable-pip-version-check")
    run(
        (*pip, "-qq", "--require-hashes", "--no-deps", "-r", str(_LOCK)), folder=folder, seconds=900
    )
