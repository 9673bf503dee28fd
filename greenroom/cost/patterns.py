"""All access patterns, in the order in which they are shown."""

from greenroom.cost import guarding, opening, reading, talking
from greenroom.cost.pattern import Pattern

GROUPS: tuple[tuple[str, tuple[Pattern, ...]], ...] = (
    ("Threads", opening.PATTERNS),
    ("Messages", talking.PATTERNS),
    ("Reading", reading.PATTERNS),
    ("Safety and people", guarding.PATTERNS),
)

PATTERNS: tuple[Pattern, ...] = tuple(pattern for _, group in GROUPS for pattern in group)
