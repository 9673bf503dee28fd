"""Problems of the bus."""

from greenroom.errors import Problem


class BusUnavailable(Problem):
    """The bus at {url} cannot be reached: {reason}."""

    url: str
    reason: str
