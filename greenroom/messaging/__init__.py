"""Threads, messages, requests and an inbox that is always right."""

from greenroom.messaging.context import Messaging

__all__ = ["Messaging"]
