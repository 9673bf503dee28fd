"""The sample people and data of `greenroom demo`: a story, told through the use cases.

`cast` has the people, `story` what happens between them, `years` a long conversation, `play` plays
it all. Nothing is written into tables: what the samples show is what anybody could have done.
"""

from greenroom.demo.sample_people import SAMPLE_PEOPLE, SamplePerson
from greenroom.demo.seeding import JoinedSample, grant_staff_roles, join_sample_people, seed

__all__ = ["SAMPLE_PEOPLE", "SamplePerson", "JoinedSample", "seed", "grant_staff_roles", "join_sample_people"]
