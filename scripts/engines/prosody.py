"""Prosody with its message archive in its internal storage: append-only files, no fsync."""

from pathlib import Path

from scripts.engines.process import Engine, launch
from scripts.engines.servers import as_user, give, server_command

USER = "prosody"
_CONFIG = """\
pidfile = "{folder}/prosody.pid"
data_path = "{folder}"
log = {{ warn = "*console" }}
modules_enabled = {{ "disco", "roster", "saslauth", "register", "ping", "mam" }}
modules_disabled = {{ "s2s", "tls" }}
authentication = "internal_hashed"
storage = "internal"
interfaces = {{ "127.0.0.1" }}
network_settings = {{ nagle = false }} -- or else a lone message waits for the last one's ACK
c2s_ports = {{ {port} }}
c2s_require_encryption = false
allow_unencrypted_plain_auth = true
allow_registration = true
archive_expires_after = "never"
default_archive_policy = true
storage_archive_item_limit = 1000000 -- or else it trims an archive while it is being measured
VirtualHost "localhost"
"""


def start(folder: Path) -> Engine:
    program = server_command("prosody", debian="prosody", service="prosody")
    give(folder, USER)
    settings = folder / "prosody.cfg.lua"

    def argv(port: int) -> tuple[str, ...]:
        settings.write_text(_CONFIG.format(port=port, folder=folder))
        return (*as_user(USER), program, "-F", "--config", str(settings))

    return launch("prosody", argv, url="xmpp://127.0.0.1:{port}", folder=folder)
