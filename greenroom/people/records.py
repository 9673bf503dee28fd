"""The table that a person opens, and the ways to find one.

    UserPosts
    ├─ USER#{userId}
    │  ├─ PROFILE                     the account, its profile and its counters
    │  ├─ NAME#{word}                 a word by which the person is found
    │  └─ POST#{createdDate}#{postId} the posts, kept by social
    └─ USERNAME#{username}
       └─ USERNAME                    the claim that makes a username unique

    UsersByUsername   usernameKey, pk      profiles
    UsersByName       letters, word        NAME# items
    PostsByUser       postsKey, sk         posts that others may see

An index refuses nothing: what makes a username unique is the claim, put where there is none in the
transaction that writes the profile.
"""

from greenroom.store.tables import Index, Kind, Table

USERNAME_KEY = "usernameKey"
"""`USERNAME#{username}`, on the profile."""

LETTERS = "letters"
"""`NAME#{…}` with the first two letters of the word, or all of a shorter one: whoever searches by
the beginning of a name has typed at least those, so that one query in one partition answers."""

WORD = "word"
"""`{word}#{userId}`: a word of the username or the name, without case and accents."""

POSTS_KEY = "postsKey"
"""`POSTS#USER#{userId}`, on a post while others may see it; one that is held or hidden loses it."""

USERS_BY_USERNAME = Index(
    "UsersByUsername",
    USERNAME_KEY,
    "pk",
    (
        "userId",
        "username",
        "firstName",
        "lastName",
        "profilePicture",
        "isVerified",
        "followerCount",
        "followingCount",
    ),
    "A user by username, with what a profile card shows.",
)

USERS_BY_NAME = Index(
    "UsersByName",
    LETTERS,
    WORD,
    ("userId", "username", "firstName", "lastName", "profilePicture"),
    "Users by the beginning of a username, first or last name (two letters at least).",
)

POSTS_BY_USER = Index(
    "PostsByUser",
    POSTS_KEY,
    "sk",
    ("postId", "content", "imageUrl", "createdDate", "likeCount", "commentCount"),
    "The posts of an author that others may see, newest first, for feeds.",
)

USER_POSTS = Table(
    "UserPosts",
    "People and their posts: what a profile page shows is one partition.",
    kinds=(
        Kind(
            "USER#{userId}",
            "PROFILE",
            "The account: username, email, names, picture, when last active, "
            "and the counters of followers, following and posts.",
        ),
        Kind("USER#{userId}", "NAME#{word}", "A word of a name, for search by its beginning."),
        Kind(
            "USER#{userId}",
            "POST#{createdDate}#{postId}",
            "A post with its counters; PostComments has the copy that its comments stand under.",
        ),
        Kind(
            "USERNAME#{username}",
            "USERNAME",
            "The claim on a username, written in one transaction with the profile that bears it.",
        ),
    ),
    indexes=(USERS_BY_USERNAME, USERS_BY_NAME, POSTS_BY_USER),
    stream=True,
)

TABLES: tuple[Table, ...] = (USER_POSTS,)
