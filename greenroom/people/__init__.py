"""Who somebody is: account, username, profile."""

from greenroom.people.context import People

__all__ = ["People"]
