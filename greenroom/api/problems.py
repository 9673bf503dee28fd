"""What the doors themselves refuse, whatever is behind them."""

from greenroom.errors import Problem


class CannotListen(Problem):
    """The server cannot listen on {host}:{port}: {reason}. GREENROOM_PORT names another port."""

    host: str
    port: int
    reason: str


class NotAFrame(Problem):
    """This is no frame that the server takes: {reason}."""

    reason: str


class SayWhoFirst(Problem):
    """The first frame on a socket is `auth`, and it is always the same user."""


class OneAtATime(Problem):
    """The socket is resuming already."""


class TooManySockets(Problem):
    """You have more than {most} connections open; the oldest was closed."""

    most: int


class Overloaded(Problem):
    """The server has as much to do as it can. Try again in a moment."""


class ServerRefused(Problem):
    """The running server refused this: {detail}."""

    detail: str


class ServerUnreachable(Problem):
    """Another process has the store open, and no server answers at {address}. Run the command where
    the server runs, or stop it first."""

    address: str
