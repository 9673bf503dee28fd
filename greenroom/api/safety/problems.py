"""Maps the problems of safety to HTTP statuses and titles."""

from greenroom.api.problem_table import ProblemResponse, Problems
from greenroom.safety import block as blocking, limits, problems as moderation

PROBLEMS = Problems(
    responses={
        limits.TooMany: ProblemResponse(429, retry_after=1),
        blocking.CannotBlockYourself: ProblemResponse(422),
        moderation.ModeratorsOnly: ProblemResponse(403),
        moderation.CaseNotFound: ProblemResponse(404),
        moderation.CaseClaimed: ProblemResponse(409),
        moderation.CaseNotClaimed: ProblemResponse(409),
        moderation.CaseClosed: ProblemResponse(409),
        moderation.CannotRelease: ProblemResponse(409),
        moderation.CaseChanged: ProblemResponse(412),
        moderation.OwnCase: ProblemResponse(403),
        moderation.AdminsOnly: ProblemResponse(403),
        moderation.NotToYourself: ProblemResponse(403),
        moderation.RevokeRoleFirst: ProblemResponse(409),
        moderation.NotSuspended: ProblemResponse(409),
        moderation.StillSuspended: ProblemResponse(409),
        moderation.NotStaff: ProblemResponse(409),
        moderation.StaffChanged: ProblemResponse(409),
        moderation.NoticeNotFound: ProblemResponse(404),
        moderation.DecisionDoesNotFit: ProblemResponse(422),
        moderation.InvalidDecision: ProblemResponse(422),
        moderation.InvalidReport: ProblemResponse(422),
    },
    titles={
        "not-to-yourself": "Not for your own account",
        "too-many": "Too many requests",
    },
    example_values={
        "limit": "messages",
        "possible": ("dismiss", "remove", "warn"),
        "retry_after_s": 20,
    },
    example_reasons={
        "cannot-release": "its conversation was closed",
        "invalid-decision": "a note must have at most 2000 characters",
        "invalid-report": "it needs `userId`, or `threadId`, or `threadId` and `messageId`",
    },
)
