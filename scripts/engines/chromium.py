"""Finds Chromium for the tests of the web app: on the PATH, or as Debian installs it.

Playwright starts it, with the arguments given here.
Careful: as root it runs only without its sandbox, and without the last arguments it asks the
network for updates.
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
    """The path; `Unavailable` says why there is none."""
    for name in _NAMES:
        if found := shutil.which(name):
            return found
    return command("chromium", debian="chromium fonts-inter fonts-noto-color-emoji")
