"""Chromium, which the tests of the web app drive: found on the PATH, or Debian's.

It is no server: Playwright starts it, with what is said here. What one would get wrong: as root it
runs only without its sandbox, and without the last few it asks the network for updates of itself.
"""

import shutil

from scripts.engines.requirements import command

_NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
)


def path() -> str:
    """Where it is; `Unavailable` says why it is nowhere."""
    for name in _NAMES:
        if found := shutil.which(name):
            return found
    return command("chromium", debian="chromium fonts-inter fonts-noto-color-emoji")
