"""What each access pattern costs on DynamoDB, measured through the use cases: `greenroom cost`.

`stage.py` is what a pattern happens on, `opening.py`, `talking.py`, `reading.py` and `guarding.py`
are the patterns, `measure.py` measures them and `show.py` prints what was found.
"""

from greenroom.cost import show
from greenroom.cost.measure import LIST_PRICE, TABLES, Measured, measured, on_a_fresh_file
from greenroom.cost.patterns import PATTERNS

__all__ = ["LIST_PRICE", "PATTERNS", "TABLES", "Measured", "measured", "on_a_fresh_file", "show"]
