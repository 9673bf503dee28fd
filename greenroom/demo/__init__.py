"""The sample people and data of `greenroom demo`: a story, told through the use cases.

`cast` has the people, `story` what happens between them, `years` a long conversation, `play` plays
it all. Nothing is written into tables: what the samples show is what anybody could have done.
"""

from greenroom.demo.cast import SAMPLES, Sample
from greenroom.demo.play import Shown, furnish, joined, staffed

__all__ = ["SAMPLES", "Sample", "Shown", "furnish", "joined", "staffed"]
