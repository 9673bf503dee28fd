"""The rules of what may be said, as data."""

from msgspec import Struct


class Policy(Struct, frozen=True):
    pass


POLICY = Policy()
