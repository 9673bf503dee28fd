"""Blocks, reports and moderation; and the one table whose items pass by themselves.

    Safety
    ├─ USER#{userId}
    │  ├─ BLOCK#{blockedUserId}       whom the user has blocked
    │  ├─ REPORT#{reportId}           what the user has reported
    │  └─ STANDING                    what moderation has decided about the user
    └─ CASE#{subject}
       ├─ CASE                        the case about one message, post, thread or user
       ├─ REPORT#{reporterId}         each reporter's report
       └─ RECORD#{at}#{version}       what a moderator did; put, never changed

    ModerationQueue   queueKey, queuedAt   cases that wait for a moderator

    Ephemeral
    ├─ TYPING#{threadId}
    │  └─ {userId}                    10 s
    ├─ PRESENCE#{threadId}
    │  └─ {userId}                    60 s
    ├─ RATE#{userId}
    │  └─ {what}#{window}             as long as its window
    └─ PENDING#{senderId}
       └─ {targetUserId}              as long as the request's gate

Safety is the lowest context that needs Ephemeral, and so declares it for those above. Losing an
item of it harms nobody: no right and no message rests on one.
"""

from greenroom.store.tables import Index, Kind, Projects, Table

QUEUE_KEY = "queueKey"
"""`QUEUE#{tag}`, on a case while it waits. The tag is the worst of its policy tags."""

QUEUED_AT = "queuedAt"
"""`{at}#{subject}`: when the case was opened, or opened again."""

MODERATION_QUEUE = Index(
    "ModerationQueue",
    QUEUE_KEY,
    QUEUED_AT,
    Projects.ALL,
    "The open cases with one policy tag, oldest first; a case that is closed leaves it.",
)

SAFETY = Table(
    "Safety",
    "Who has blocked whom, what was reported, and what moderators did about it.",
    kinds=(
        Kind(
            "USER#{userId}",
            "BLOCK#{blockedUserId}",
            "A block. Whether two users may meet is one read of two keys, one in each direction.",
        ),
        Kind("USER#{userId}", "REPORT#{reportId}", "What the user has reported, and its case."),
        Kind("USER#{userId}", "STANDING", "Warnings, and until when the user is suspended."),
        Kind(
            "CASE#{subject}",
            "CASE",
            "One case for each thing reported or held: state, policy tags, spam score, "
            "number of reports, version.",
        ),
        Kind(
            "CASE#{subject}",
            "REPORT#{reporterId}",
            "A report with its reason. Whoever reports the same thing twice has one report.",
        ),
        Kind(
            "CASE#{subject}",
            "RECORD#{at}#{version}",
            "Who did what, when and why. Append-only: put where there is none, never changed.",
        ),
    ),
    indexes=(MODERATION_QUEUE,),
    stream=True,
)

EPHEMERAL_TTL = "expiresAt"
"""The second from which the item is gone."""

EPHEMERAL = Table(
    "Ephemeral",
    "What passes by itself: typing, presence, rates and pending requests. Nothing follows it.",
    kinds=(
        Kind("TYPING#{threadId}", "{userId}", "Is typing in the thread; gone after 10 s."),
        Kind("PRESENCE#{threadId}", "{userId}", "Was last seen in the thread; gone after 60 s."),
        Kind(
            "RATE#{userId}",
            "{what}#{window}",
            "How often in this window: message starts in the hour, messages in a burst.",
        ),
        Kind(
            "PENDING#{senderId}",
            "{targetUserId}",
            "A request of the sender's that waits at a gate: asked before another may start.",
        ),
    ),
    ttl=EPHEMERAL_TTL,
)

TABLES: tuple[Table, ...] = (SAFETY, EPHEMERAL)
