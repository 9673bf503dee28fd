"""A wrong clock for a process, with libfaketime, which reads the offset from a file.

    clock = FakeClock(folder / "clock")
    subprocess.Popen(…, env={**os.environ, **clock.environment})
    clock.set("+1d")        from now on, for every process that has it

The monotonic clock is not changed, as when the clock of a machine is set.
"""

from pathlib import Path

from scripts.engines.requirements import Unavailable, command

_FOLDERS = ("/usr/lib", "/usr/local/lib", "/usr/lib64")
_LIBRARY = "faketime/libfaketime.so.1"


class FakeClock:
    def __init__(self, file: Path) -> None:
        command("faketime", debian="faketime")
        self.environment = {
            "LD_PRELOAD": str(_library()),
            "FAKETIME_TIMESTAMP_FILE": str(file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        self._file = file
        self.set("+0")

    def set(self, offset: str) -> None:
        """`+1d`, `-300`: days, hours, minutes, or seconds without a letter."""
        unfinished = self._file.with_suffix(".unfinished")
        unfinished.write_text(f"{offset}\n")
        unfinished.rename(self._file)


def _library() -> Path:
    for folder in _FOLDERS:
        for found in (Path(folder) / _LIBRARY, *Path(folder).glob(f"*/{_LIBRARY}")):
            if found.exists():
                return found
    raise Unavailable("libfaketime.so.1 is not where Debian has it")
