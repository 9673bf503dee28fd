"""All access patterns, in the order in which they are shown."""

from greenroom.cost import inbox, messages, safety, threads
from greenroom.cost.pattern import Pattern

GROUPS: tuple[tuple[str, tuple[Pattern, ...]], ...] = (
    ("Threads", threads.PATTERNS),
    ("Messages", messages.PATTERNS),
    ("Reading", inbox.PATTERNS),
    ("Safety and people", safety.PATTERNS),
)

PATTERNS: tuple[Pattern, ...] = tuple(pattern for _, group in GROUPS for pattern in group)
