"""ClamAV's daemon with a database of one signature: the EICAR test file, wherever it is in a file.

The signature is written here, so nothing is downloaded. The limits are small, so that tests can
exceed them.
"""

import os
from pathlib import Path

from greenroom.files.scanner_gaps import EICAR
from scripts.engines.process import Engine, launch
from scripts.engines.requirements import FOLDER
from scripts.engines.servers import server_command

_NAME = "Eicar-Test-Signature"
SIGNATURE = f"{_NAME}.UNOFFICIAL"
"""As clamd calls a signature that is not ClamAV's own."""
STREAM_MAX = 20_000_000
FILE_MAX = 10_000_000
_CONFIG = """\
Foreground yes
TCPAddr 127.0.0.1
TCPSocket {port}
DatabaseDirectory {database}
StreamMaxLength {stream_max}
MaxFileSize {file_max}
MaxScanSize {stream_max}
AlertExceedsMax yes
AlertEncrypted yes
ScanImageFuzzyHash no
Bytecode no
SelfCheck 0
ExtendedDetectionInfo no
MaxThreads 4
"""


def start() -> Engine:
    return _start(None)


def start_at(port: int) -> Engine:
    """Starts one on a given port, to restart one that was stopped."""
    return _start(port)


def _start(at: int | None) -> Engine:
    program = server_command("clamd", debian="clamav-daemon", service="clamav-daemon")
    folder = FOLDER / "clamd"
    database = _database(folder)
    return launch(
        "clamd",
        lambda port: (program, f"--config-file={_config(folder, database, port)}"),
        url="clamd://127.0.0.1:{port}",
        at=at,
    )


def _database(folder: Path) -> Path:
    database = folder / "database"
    database.mkdir(parents=True, exist_ok=True)
    written, unfinished = database / "greenroom.ndb", folder / f"{os.getpid()}.ndb"
    unfinished.write_text(f"{_NAME}:0:*:{EICAR.hex()}\n")
    unfinished.rename(written)  # another one may be reading it
    return database


def _config(folder: Path, database: Path, port: int) -> Path:
    path = folder / f"{port}.conf"
    path.write_text(
        _CONFIG.format(port=port, database=database, stream_max=STREAM_MAX, file_max=FILE_MAX)
    )
    return path
