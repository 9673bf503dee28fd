"""Sample people and data for `greenroom demo`, written through the use cases.

`sample_people` has the people. Each context registers a module that writes its samples about them:
`threads` writes the conversations in `sample_threads` and `long_thread`. Nothing is written into
tables directly: the samples contain only what users could have done.
"""

from greenroom.demo.sample_people import SAMPLE_PEOPLE, SamplePerson
from greenroom.demo.seeding import (
    JoinedSample,
    Seeding,
    grant_staff_roles,
    join_sample_people,
    seed,
)

__all__ = [
    "SAMPLE_PEOPLE",
    "JoinedSample",
    "SamplePerson",
    "Seeding",
    "grant_staff_roles",
    "join_sample_people",
    "seed",
]
