"""Sample people and conversations for `greenroom demo`, written through the use cases.

`sample_people` has the people, `sample_threads` their conversations, `long_thread` a long one, and
`seeding` writes them. Nothing is written into tables directly: the samples contain only what users
could have done.
"""

from greenroom.demo.sample_people import SAMPLE_PEOPLE, SamplePerson
from greenroom.demo.seeding import JoinedSample, grant_staff_roles, join_sample_people, seed

__all__ = [
    "SAMPLE_PEOPLE",
    "JoinedSample",
    "SamplePerson",
    "grant_staff_roles",
    "join_sample_people",
    "seed",
]
