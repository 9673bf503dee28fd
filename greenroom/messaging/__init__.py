"""Threads, messages, requests and the inbox."""

from greenroom.messaging.context import Messaging

__all__ = ["Messaging"]
