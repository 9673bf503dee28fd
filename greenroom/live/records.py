"""Who waits, with how many points, and who met whom.

    Users
    └─ {userId}                 points, and the place in the queue

    WaitingUsers        waitingIn, lastQueueEntry   users who wait

    Sessions
    └─ {sessionId}              a meeting of userA and userB

    UserSessionsIndex   userA, startTime
    UserBSessionsIndex  userB, startTime

A match is one transaction on three items: both users lose `waitingIn` on the condition that they
have it, and the session is put. Points are counted per day: a row of another day reads as full.
"""

from greenroom.store.tables import Index, Kind, Projects, Table

WAITING_IN = "waitingIn"
"""`QUEUE#{queue}`, on a user exactly while isWaitingInQueue is true."""

LAST_QUEUE_ENTRY = "lastQueueEntry"
"""When the user last joined a queue, as `iso()` writes it. It stays when the user leaves."""

USER_A, USER_B, START_TIME = "userA", "userB", "startTime"

EXPIRES_AT = "expiresAt"
"""The second from which the session is gone: 90 days after it was made."""

WAITING_USERS = Index(
    "WaitingUsers",
    WAITING_IN,
    LAST_QUEUE_ENTRY,
    Projects.KEYS,
    "Who waits in a queue, oldest first.",
)

USERS = Table(
    "Users",
    "A user as the matchmaker sees one: points and place in the queue.",
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
    Projects.ALL,
    "The sessions of the user who waited longer, newest first: one half of a user's history.",
)

USER_B_SESSIONS = Index(
    "UserBSessionsIndex",
    USER_B,
    START_TIME,
    Projects.ALL,
    "The other half: the sessions of the user who came later.",
)

SESSIONS = Table(
    "Sessions",
    "One-on-one sessions, each kept for 90 days.",
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
