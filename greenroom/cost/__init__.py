"""Measures what each access pattern costs on DynamoDB, through the use cases: `greenroom cost`.

The patterns are in `threads.py`, `messages.py`, `inbox.py`, `files.py`, `safety.py` and
`background.py`, each measured on a `Fixture`. `measure.py` measures them and `show.py` prints the
figures.
"""

from greenroom.cost import show
from greenroom.cost.measure import BLOB_PRICE, LIST_PRICE, Measured, measured, on_a_fresh_file
from greenroom.cost.patterns import PATTERNS, groups_of

__all__ = [
    "BLOB_PRICE",
    "LIST_PRICE",
    "PATTERNS",
    "Measured",
    "groups_of",
    "measured",
    "on_a_fresh_file",
    "show",
]
