"""Events for the operator's own systems."""

from greenroom.webhooks.context import Webhooks

__all__ = ["Webhooks"]
