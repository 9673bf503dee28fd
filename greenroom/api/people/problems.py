"""Maps the problems of people to HTTP statuses and titles."""

from greenroom.api.problem_table import ProblemResponse, Problems
from greenroom.people import access, directory, join, models, rename

PROBLEMS = Problems(
    responses={
        access.NoAccount: ProblemResponse(403),
        access.AccountSuspended: ProblemResponse(403),
        models.InvalidUsername: ProblemResponse(422),
        models.InvalidName: ProblemResponse(422),
        models.InvalidEmail: ProblemResponse(422),
        models.InvalidUserId: ProblemResponse(422),
        join.UsernameTaken: ProblemResponse(409),
        join.UsernameReserved: ProblemResponse(409),
        join.AccountExists: ProblemResponse(409),
        rename.ProfileChanged: ProblemResponse(412),
        directory.PersonNotFound: ProblemResponse(404),
    },
    example_values={
        "contact": "help@example.com",
        "field": "displayName",
        "name": "display name",
        "until": "2026-06-01T00:00:00.000Z",
        "user": "usr_01k75pf2018h3y5m9s4w6tz0ab",
        "username": "maya",
    },
    example_reasons={"account-suspended": "You asked for payment outside."},
)
