"""Tables of the live context: queues, points and sessions.

    Users
    └─ {userId}                 points, and the position in the queue

    WaitingUsers        waitingIn, lastQueueEntry   users who wait

    Sessions
    └─ {sessionId}              a meeting of userA and userB

    UserSessionsIndex   userA, startTime
    UserBSessionsIndex  userB, startTime

A match is one transaction on three items: it removes `waitingIn` from both users if they have it,
and puts the session. Points are counted per day: a row of another day counts as full.
"""

from greenroom.store.tables import Index, Kind, Projection, Table

WAITING_IN = "waitingIn"
"""`QUEUE#{queue}`, on a user exactly while isWaitingInQueue is true."""

LAST_QUEUE_ENTRY = "lastQueueEntry"
"""When the user last joined a queue, as `iso()` writes it. It stays when the user leaves."""

USER_A, USER_B, START_TIME = "userA", "userB", "startTime"

EXPIRES_AT = "expiresAt"
"""The second at which the session expires: 90 days after it was created."""

WAITING_USERS = Index(
    "WaitingUsers",
    WAITING_IN,
    LAST_QUEUE_ENTRY,
    Projection.KEYS,
    "Waiting users of a queue, oldest first.",
)

USERS = Table(
    "Users",
    "A user's points and position in the queue.",
    partition="userId",
    sort=None,
    kinds=(
        Kind(
            "{userId}",
            None,
            "pointsLeft of pointsDay, isWaitingInQueue, lastQueueEntry, lastSessionTimestamp, "
            "the session that is on, email.",
        ),
    ),
    indexes=(WAITING_USERS,),
)

USER_SESSIONS = Index(
    "UserSessionsIndex",
    USER_A,
    START_TIME,
    Projection.ALL,
    "The sessions of the user who waited longer, newest first: one half of a user's history.",
)

USER_B_SESSIONS = Index(
    "UserBSessionsIndex",
    USER_B,
    START_TIME,
    Projection.ALL,
    "The other half: the sessions of the user who came later.",
)

SESSIONS = Table(
    "Sessions",
    "One-on-one sessions; each expires after 90 days.",
    partition="sessionId",
    sort=None,
    kinds=(
        Kind(
            "{sessionId}",
            None,
            "userA, userB, startTime, endTime, duration in minutes, roomName, createdAt.",
        ),
    ),
    indexes=(USER_SESSIONS, USER_B_SESSIONS),
    ttl=EXPIRES_AT,
    stream=True,
)

TABLES: tuple[Table, ...] = (USERS, SESSIONS)
