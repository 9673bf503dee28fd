"""Tables of the social context: comments, likes, follows, notifications and stories.

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

Posts are stored in UserPosts, which people declares. The POST item here is a copy next to its
comments; both change in one transaction.
"""

from greenroom.store.tables import Index, Kind, Projection, Table

POST_COMMENTS = Table(
    "PostComments",
    "A post with its comments: one partition per post page.",
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
            "A comment; a reply names its parent in parentCommentId.",
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
    "Likes and follows, under the user who made them.",
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
    Projection.ALL,
    "A user's unread notifications, newest first; reading one removes it.",
)

USER_NOTIFICATIONS = Table(
    "UserNotifications",
    "A user's notifications.",
    kinds=(
        Kind(
            "USER#{userId}", "PROFILE", "Notification settings, and when the user last read them."
        ),
        Kind(
            "USER#{userId}",
            "NOTIF#{createdDate}#{notificationId}",
            "A notification: type, from whom, about which post. The id is derived from the event, "
            "so creating it twice has no effect.",
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
"""The second at which the story expires: 24 hours after it was posted."""

ACTIVE_STORIES_BY_USER = Index(
    "ActiveStoriesByUser",
    STORIES_KEY,
    STORY_KEY,
    Projection.ALL,
    "A user's stories that have not expired, in the order of posting.",
)

STORIES = Table(
    "Stories",
    "Stories; each expires after 24 hours.",
    kinds=(
        Kind("STORY#{storyId}", "STORY", "The story: picture or video, author, viewCount."),
        Kind(
            "STORY#{storyId}",
            "VIEW#{userId}",
            "A viewer, counted once. Expires with the story.",
        ),
    ),
    indexes=(ACTIVE_STORIES_BY_USER,),
    ttl=EXPIRES_AT,
    stream=True,
)

TABLES: tuple[Table, ...] = (POST_COMMENTS, SOCIAL_RELATIONSHIPS, USER_NOTIFICATIONS, STORIES)
