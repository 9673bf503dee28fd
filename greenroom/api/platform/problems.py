"""How problems that belong to no context are answered: tokens, the socket, the store."""

from greenroom import metadata, policy_file, settings
from greenroom.api import auth, demo, idempotency, problems, tokens
from greenroom.api.problem_table import INTERNAL_ERROR, ProblemResponse, Problems
from greenroom.realtime import problems as bus
from greenroom.sql import problems as sql
from greenroom.store import problems as store, sqlite

PROBLEMS = Problems(
    responses={
        # who is calling
        tokens.NotAuthenticated: ProblemResponse(401, challenge="Bearer"),
        tokens.InvalidToken: ProblemResponse(401, challenge='Bearer error="invalid_token"'),
        tokens.TokenExpired: ProblemResponse(401, challenge='Bearer error="invalid_token"'),
        auth.NotAllowed: ProblemResponse(403, challenge='Bearer error="insufficient_scope"'),
        tokens.KeysUnavailable: ProblemResponse(503, retry_after=5, exposed=False),
        demo.HostNotAllowed: ProblemResponse(403),
        idempotency.IdempotencyKeyReused: ProblemResponse(422),
        idempotency.RequestInProgress: ProblemResponse(409, retry_after=1),
        # the socket
        problems.InvalidFrame: ProblemResponse(400),
        problems.AuthRequired: ProblemResponse(401),
        problems.ResumeInProgress: ProblemResponse(409),
        problems.TooManySockets: ProblemResponse(429, retry_after=60),
        problems.Overloaded: ProblemResponse(503, retry_after=5, exposed=False),
        metadata.InvalidMetadata: ProblemResponse(422),
        # the store: what the caller sent
        store.InvalidItem: ProblemResponse(422),
        store.InvalidKey: ProblemResponse(422),
        store.InvalidCursor: ProblemResponse(400),
        store.InvalidQuery: ProblemResponse(400),
        store.ItemTooLarge: ProblemResponse(413),
        store.TokenReused: ProblemResponse(409),
        store.CheckpointTooOld: ProblemResponse(410),
        # the store: what the data says, where no use case has said it better
        store.ConditionFailed: ProblemResponse(409, exposed=False),
        store.InvalidUpdate: ProblemResponse(409, exposed=False),
        # the store: what the world did
        store.Conflict: ProblemResponse(503, retry_after=1, exposed=False),
        store.Throttled: ProblemResponse(503, retry_after=2, exposed=False),
        store.StoreUnavailable: ProblemResponse(503, retry_after=5, exposed=False),
        store.StoreFailing: ProblemResponse(503, retry_after=5),
        store.OutcomeUnknown: ProblemResponse(504, exposed=False),
        store.StoreFull: ProblemResponse(507, exposed=False),
        # the SQL database
        sql.InvalidSqlValue: ProblemResponse(422),
        sql.DatabaseBusy: ProblemResponse(503, retry_after=1, exposed=False),
        sql.DatabaseUnavailable: ProblemResponse(503, retry_after=5, exposed=False),
        sql.DatabaseOutcomeUnknown: ProblemResponse(504, exposed=False),
        # what stops a start or a command, and in an answer would be a bug
        store.InvalidDeclaration: INTERNAL_ERROR,
        store.InvalidExpression: INTERNAL_ERROR,
        store.InvalidTransaction: INTERNAL_ERROR,
        store.NoSuchTable: INTERNAL_ERROR,
        store.NotFollowed: INTERNAL_ERROR,
        store.StoreCorrupt: INTERNAL_ERROR,
        store.StoreHeld: INTERNAL_ERROR,
        store.StoreTooNew: INTERNAL_ERROR,
        sqlite.BackupExists: INTERNAL_ERROR,
        sql.DatabaseForeign: INTERNAL_ERROR,
        sql.DatabaseNotMigrated: INTERNAL_ERROR,
        sql.DatabaseTooNew: INTERNAL_ERROR,
        sql.MigrationFailed: INTERNAL_ERROR,
        problems.CannotListen: INTERNAL_ERROR,
        bus.BusUnavailable: INTERNAL_ERROR,
        tokens.UsernameNotFound: INTERNAL_ERROR,
        tokens.TokensIssuedElsewhere: INTERNAL_ERROR,
        problems.DataNotEmpty: INTERNAL_ERROR,
        problems.NoDatabase: INTERNAL_ERROR,
        problems.NotABackup: INTERNAL_ERROR,
        problems.ServerRefused: INTERNAL_ERROR,
        problems.ServerUnreachable: INTERNAL_ERROR,
        policy_file.PolicyUnreadable: INTERNAL_ERROR,
        policy_file.UnknownPolicy: INTERNAL_ERROR,
        policy_file.InvalidPolicy: INTERNAL_ERROR,
        demo.NotADemoStore: INTERNAL_ERROR,
        settings.UnknownSetting: INTERNAL_ERROR,
        settings.InvalidSetting: INTERNAL_ERROR,
        settings.DataNotWritable: INTERNAL_ERROR,
        settings.RestoreUnfinished: INTERNAL_ERROR,
        settings.SecretUnreadable: INTERNAL_ERROR,
    },
    titles={
        "no-such-page": "Page not found",
        "invalid-frame": "Invalid socket request",
        "host-not-allowed": "Not available at this address",
        "resume-in-progress": "Already in progress",
        "auth-required": "Authenticate first",
    },
    example_values={
        "attribute": "subject",
        "host": "example.com",
        "most": 100,
        "scopes": ("moderator",),
        "table": "Messaging",
        "token": "01k75q8h3c9m2n4p6r8t0v2x4z",
    },
    example_reasons={
        "invalid-token": "its signing key is not known",
        "invalid-frame": "the field `type` is missing",
    },
)
