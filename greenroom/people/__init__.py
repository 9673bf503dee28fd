"""The people context: accounts, usernames, profiles."""

from greenroom.people.context import People

__all__ = ["People"]
