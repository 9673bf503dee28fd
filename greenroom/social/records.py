"""Being seen: comments, likes, follows, notifications and stories.

    PostComments                            SocialRelationships
    └─ POST#{postId}                        └─ USER#{userId}
       ├─ POST                                 ├─ LIKES#{targetType}#{targetId}
       └─ COMMENT#{createdDate}#{commentId}    └─ FOLLOWS#USER#{targetUserId}

                                               RelationshipsByTarget  sk, createdDate

    UserNotifications                       Stories
    └─ USER#{userId}                        └─ STORY#{storyId}
       ├─ PROFILE                              ├─ STORY
       └─ NOTIF#{createdDate}#{id}             └─ VIEW#{userId}

       UnreadNotifications  unreadKey, sk      ActiveStoriesByUser  storiesKey, storyKey

The posts themselves stand in UserPosts, which people declares; the POST item here is the copy that
its comments stand under, and both change in one transaction.
"""

from greenroom.store.tables import Index, Kind, Projects, Table

POST_COMMENTS = Table(
    "PostComments",
    "A post with its comments: what its page shows is one partition.",
    kinds=(
        Kind(
            "POST#{postId}",
            "POST",
            "The post, found by its id, with its counters; changes in one transaction with the "
            "author's copy in UserPosts.",
        ),
        Kind(
            "POST#{postId}",
            "COMMENT#{createdDate}#{commentId}",
            "A comment; an answer names the one above it in parentCommentId.",
        ),
    ),
    stream=True,
)

CREATED_DATE = "createdDate"
"""When the relationship began, as `iso()` writes it."""

RELATIONSHIPS_BY_TARGET = Index(
    "RelationshipsByTarget",
    "sk",
    CREATED_DATE,
    ("relationType",),
    "The table reversed: a user's followers, or who likes a post, newest first.",
)

SOCIAL_RELATIONSHIPS = Table(
    "SocialRelationships",
    "Who likes what and who follows whom, under the user who does.",
    kinds=(
        Kind(
            "USER#{userId}",
            "LIKES#{targetType}#{targetId}",
            "A like of a post (LIKES#POST#…) or of a comment (LIKES#COMMENT#…); relationType LIKE.",
        ),
        Kind("USER#{userId}", "FOLLOWS#USER#{targetUserId}", "A follow; relationType FOLLOW."),
    ),
    indexes=(RELATIONSHIPS_BY_TARGET,),
    stream=True,
)

UNREAD_KEY = "unreadKey"
"""`UNREAD#USER#{userId}`, on a notification while isRead is false."""

UNREAD_NOTIFICATIONS = Index(
    "UnreadNotifications",
    UNREAD_KEY,
    "sk",
    Projects.ALL,
    "A user's unread notifications, newest first; one that is read leaves it.",
)

USER_NOTIFICATIONS = Table(
    "UserNotifications",
    "A user's notifications.",
    kinds=(
        Kind("USER#{userId}", "PROFILE", "What the user wants to be told, and when last looked."),
        Kind(
            "USER#{userId}",
            "NOTIF#{createdDate}#{notificationId}",
            "A notification: type, from whom, about which post. The id follows from what "
            "happened, so that telling it twice is telling it once.",
        ),
    ),
    indexes=(UNREAD_NOTIFICATIONS,),
    stream=True,
)

STORIES_KEY = "storiesKey"
"""`STORIES#USER#{userId}`, on the story."""

STORY_KEY = "storyKey"
"""`STORY#{createdDate}#{storyId}`, on the story."""

EXPIRES_AT = "expiresAt"
"""The second from which the story is gone: 24 hours after it was told."""

ACTIVE_STORIES_BY_USER = Index(
    "ActiveStoriesByUser",
    STORIES_KEY,
    STORY_KEY,
    Projects.ALL,
    "A user's stories that have not expired, in the order in which they were told.",
)

STORIES = Table(
    "Stories",
    "Stories, each gone after 24 hours.",
    kinds=(
        Kind("STORY#{storyId}", "STORY", "The story: picture or film, author, viewCount."),
        Kind(
            "STORY#{storyId}",
            "VIEW#{userId}",
            "Who has seen it: a second look is not counted. Gone together with the story.",
        ),
    ),
    indexes=(ACTIVE_STORIES_BY_USER,),
    ttl=EXPIRES_AT,
    stream=True,
)

TABLES: tuple[Table, ...] = (POST_COMMENTS, SOCIAL_RELATIONSHIPS, USER_NOTIFICATIONS, STORIES)
