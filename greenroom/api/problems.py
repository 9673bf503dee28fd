"""Problems raised by the API layer itself."""

from greenroom.errors import Clause, Problem


class CannotListen(Problem):
    """The server cannot listen on {host}:{port}: {reason}. GREENROOM_PORT names another port."""

    host: str
    port: int
    reason: str


class InvalidFrame(Problem):
    """The request on the socket is not valid: {reason}."""

    reason: Clause


class AuthRequired(Problem):
    """Send `auth` first, and always for the same user."""


class ResumeInProgress(Problem):
    """A `resume` is already running on this socket. Wait for its answer."""


class TooManySockets(Problem):
    """You have more than {most} connections open; the oldest was closed."""

    most: int


class Overloaded(Problem):
    """The server is busy. Try again in a few seconds."""


class ServerRefused(Problem):
    """The running server refused this: {detail}."""

    detail: str


class ServerUnreachable(Problem):
    """Another process has the store open, and no server answers at {address}. Run the command where
    the server runs, or stop it first."""

    address: str


class NotABackup(Problem):
    """{path} cannot be restored: {reason}."""

    path: str
    reason: str


class DataNotEmpty(Problem):
    """{folder} is not empty, and a restore never overwrites. Name an empty folder with
    GREENROOM_DATA, or move away what is in it."""

    folder: str


class NoDatabase(Problem):
    """There is no database at {path} yet. `greenroom serve` creates it."""

    path: str
