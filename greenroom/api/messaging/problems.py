"""Maps the problems of messaging to HTTP statuses and titles."""

from greenroom.api.problem_table import ProblemResponse, Problems
from greenroom.messaging import problems as messaging

PROBLEMS = Problems(
    responses={
        # not there, or not visible to the caller
        messaging.ThreadNotFound: ProblemResponse(404),
        messaging.MessageNotFound: ProblemResponse(404),
        messaging.RequestNotFound: ProblemResponse(404),
        messaging.ParticipantNotFound: ProblemResponse(404),
        messaging.ScheduledMessageNotFound: ProblemResponse(404),
        # invalid input
        messaging.InvalidThread: ProblemResponse(422),
        messaging.InvalidThreadChange: ProblemResponse(422),
        messaging.InvalidText: ProblemResponse(422),
        messaging.InvalidReaction: ProblemResponse(422),
        messaging.InvalidReadPosition: ProblemResponse(422),
        messaging.TextRefused: ProblemResponse(422),
        messaging.TextRejected: ProblemResponse(422),
        messaging.PlainTextOnly: ProblemResponse(422),
        messaging.TooManyParticipants: ProblemResponse(422),
        messaging.ClientIdReused: ProblemResponse(422),
        messaging.OpeningKeyReused: ProblemResponse(422),
        messaging.InvalidSendTime: ProblemResponse(422),
        messaging.TooManyScheduled: ProblemResponse(409),
        # not allowed, or not in this state
        messaging.NotYours: ProblemResponse(403),
        messaging.RoleNotAllowed: ProblemResponse(403),
        messaging.BlockedByYou: ProblemResponse(409),
        messaging.AcceptFirst: ProblemResponse(409),
        messaging.AlreadyAsked: ProblemResponse(409),
        messaging.RequestWithdrawn: ProblemResponse(409),
        messaging.AlreadyThere: ProblemResponse(409),
        messaging.RequestPending: ProblemResponse(409),
        messaging.ConversationClosed: ProblemResponse(409),
        messaging.ConversationLocked: ProblemResponse(409),
        messaging.SendingStopped: ProblemResponse(409),
        messaging.VersionMismatch: ProblemResponse(412),
        messaging.ThreadChanged: ProblemResponse(412),
    },
    titles={
        "already-there": "Already in the conversation",
        "not-yours": "Only for the author",
        "plain-text-only": "Plain text only",
        "role-not-allowed": "Not allowed in this conversation",
    },
    example_values={
        "again_at": "2026-06-01T00:00:00.000Z",
        "client_id": "c-42",
        "expected": 3,
        "hints": ("contact-details",),
        "thread_id": "thr_01k75q8h3c9m2n4p6r8t0v2x4z",
        "version": 4,
        "warned": False,
    },
    example_reasons={
        "invalid-read-position": "the messages of this conversation have the numbers 1 to 41",
        "invalid-reaction": "it must be an emoji or a symbol, not text",
        "invalid-send-time": "it must be in the future",
        "invalid-text": "it must have at most 8,000 characters",
        "invalid-thread": "it needs at least one other person",
        "invalid-thread-change": "only moderators can lock it, with POST …/lock",
        "text-rejected": "Please keep it friendly.",
    },
)
