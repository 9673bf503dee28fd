"""The conversation table: a thread and all that belongs to it is one partition.

    Messaging
    ├─ THR#{threadId}
    │  ├─ THR                               what the thread is, and where its log stands
    │  ├─ PART#{userId}                     a participant: role, state, cursors, folder
    │  ├─ MSG#{ts}#{messageId}              a frame of the log
    │  ├─ SENT#{userId}#{clientMessageId}   the claim that makes a send happen once
    │  ├─ CARD#{messageId}                  a card as it stands
    │  ├─ STEP#{messageId}#{version}        how it came there
    │  ├─ TAB#{tab}                         a tab of the project panel
    │  ├─ GATE#{targetUserId}               first contact that waits for this user
    │  └─ DRAFT#{userId}                    what this user has begun to write
    ├─ USER#{userId}
    │  ├─ LOG#{at}#{threadId}               what changed for this user and is no new frame
    │  └─ OPENED#{key}                      the claim that makes opening a thread happen once
    └─ RQT#{gateId}
       └─ RQT                               where the gate with this id stands

    Inbox            inboxKey, activity     PART# items
    ProjectThreads   projectKey, createdAt  THR items of project threads

A send must not touch an index entry: no attribute that it writes to THR is projected, and it writes
no PART#. README.md has the price of each path.
"""

from greenroom.store.tables import Index, Kind, Projects, Table

INBOX_KEY = "inboxKey"
"""`PARTICIPANT#{userId}#{folder}`. A participant who has left or is blocked loses it."""

ACTIVITY = "activity"
"""`{ts}#{threadId}`, or `pinned#{ts}#{threadId}`, which sorts above every year. The place of the
row, not the truth: ts may lag behind the thread's lastMessageAt by a few seconds, never more."""

PROJECT_KEY = "projectKey"
"""`LBG#{lbgId}` or `LEG#{legId}`, on the thread that is bound to one."""

CREATED_AT = "createdAt"
"""When the thread was opened, as `iso()` writes it."""

PARTICIPANTS = "participants"
"""On THR: a map from each active participant to the seq of their last frame (0 before the first).
It guards a send (the sender is in it) and makes sending read, at the price of nothing."""

TTL = "goneAt"
"""Only on LOG# items. A gate's expiry is a state and keeps the item: its `expiresAt` is no TTL."""

INBOX = Index(
    "Inbox",
    INBOX_KEY,
    ACTIVITY,
    ("userId", "role", "state", "readSeq", "fromSeq", "mutedUntil", "pinned", "gateId"),
    "One folder of one user, last activity first; requests that wait for a user are a folder.",
)

PROJECT_THREADS = Index(
    "ProjectThreads",
    PROJECT_KEY,
    CREATED_AT,
    Projects.KEYS,
    "The threads of a linked booking group or of a leg, in the order in which they were opened.",
)

_THREAD = "THR#{threadId}"
_USER = "USER#{userId}"

MESSAGING = Table(
    "Messaging",
    "Threads with their participants, frames, cards, panel and gates.",
    kinds=(
        Kind(
            _THREAD,
            "THR",
            "The thread: kind, status, participants, project, and of its log lastSeq, "
            "lastMessageAt, last sender and preview (cut so that the item stays within 1 KB).",
        ),
        Kind(
            _THREAD,
            "PART#{userId}",
            "A participant: role, service role, state, read and delivered cursors, mute, pin, "
            "folder.",
        ),
        Kind(
            _THREAD,
            "MSG#{ts}#{messageId}",
            "A frame, with its seq. The id is made from ts, so that it leads back to the key.",
        ),
        Kind(
            _THREAD,
            "SENT#{userId}#{clientMessageId}",
            "The claim on a client's message id: the message it became, and a digest of its "
            "content.",
        ),
        Kind(_THREAD, "CARD#{messageId}", "A card as it stands: type, state, version, payload."),
        Kind(
            _THREAD,
            "STEP#{messageId}#{version}",
            "The step that made this version of a card: who, when, from, to, under which key.",
        ),
        Kind(_THREAD, "TAB#{tab}", "A tab of the project panel, as a snapshot for fast opening."),
        Kind(
            _THREAD,
            "GATE#{targetUserId}",
            "The gate before a first contact: gateId, status, expiresAt, reason.",
        ),
        Kind(_THREAD, "DRAFT#{userId}", "What a participant has begun to write."),
        Kind(
            _USER,
            "LOG#{at}#{threadId}",
            "For whoever comes back: an edit, reaction, card, receipt or folder that changed; "
            "kept for 30 days.",
        ),
        Kind(_USER, "OPENED#{key}", "The claim on the key under which the user opened a thread."),
        Kind("RQT#{gateId}", "RQT", "The thread and the target user of a gate."),
    ),
    indexes=(INBOX, PROJECT_THREADS),
    ttl=TTL,
    stream=True,
)

TABLES: tuple[Table, ...] = (MESSAGING,)
