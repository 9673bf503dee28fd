"""What may be said and sent: verdicts, blocks, limits, reports, moderation."""

from greenroom.safety.context import Safety

__all__ = ["Safety"]
