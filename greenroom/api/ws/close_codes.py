"""The codes with which the server closes a socket."""


class Closed:
    """Close codes. 4000 and above are Greenroom's own."""

    RESTART = 1012
    TOO_MUCH = 1008
    NO_TOKEN = 4401
    EXPIRED = 4403
    SLOW_TO_START = 4408
    TOO_MANY_SOCKETS = 4429
