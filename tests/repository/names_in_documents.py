"""The names in the five design documents: tables, attributes, values, indexes, access patterns.

A line is one name with its values, and a row of docs/data-model.md. A line that begins with spaces
continues the one before.
"""

_REALTIME_PATH = """
msg_threads
msg_threads.threadId, th_…
msg_threads.type, INQUIRY, INVITE, BOOKING, DISPUTE, SYSTEM
msg_threads.roleContext, Model, Photographer, Videographer, Creator
msg_threads.participants
msg_threads.bookingId
msg_threads.status, OPEN, AWAITING_REPLY, PENDING_DECISION, CONFIRMED, COMPLETED, DISPUTED,
    ARCHIVED
msg_threads.lastMessageAt
msg_threads.unreadCountByUser
msg_threads.lastSenderId
msg_threads.requestState, REQUESTS, ACCEPTED, DECLINED
msg_threads.safetyFlags
msg_threads.safetyFlags.blockedUserIds
msg_threads.safetyFlags.mutedUserIds
msg_threads.safetyFlags.tnsFlags
msg_threads.projectSnapshot
msg_messages
msg_messages.threadId
msg_messages.msgKey, ts#<epoch>#<rand>
msg_messages.messageId, m_…
msg_messages.senderId
msg_messages.ts
msg_messages.kind, TEXT, ATTACHMENT, ACTION, SYSTEM, STATE
msg_messages.content
msg_messages.attachments
msg_messages.attachments.key
msg_messages.attachments.mime
msg_messages.attachments.bytes
msg_messages.attachments.hash
msg_messages.attachments.thumbKey
msg_messages.action
msg_messages.stateChange
msg_messages.stateChange.type, READ, DELIVERED, TYPING_ON, TYPING_OFF
msg_messages.stateChange.targets
msg_messages.safeModeBand, 0, 1, 2
msg_messages.spamScore
msg_messages.policyTags, HARASSMENT, DOXXING, NSFW
gsiUserThreads, userId, lastMessageAt
gsiSearch, threadId, textIndex, Typesense
pattern: inbox list
pattern: messages in order
pattern: preview gating
pattern: triage routing
pattern: search in a thread
"""

_AURORA_DYNAMO_S3 = """
db/migrations/014_messaging_inbox.sql
thread_kind, inquiry, booking, studio, invite, support
request_status, pending, accepted, declined, blocked, expired
message_kind, text, image, file, card
thread
thread.thread_id, thr_…
thread.kind
thread.subject
thread.owner_order_id
thread.opened_by_user
thread.created_at
thread.updated_at
thread.last_msg_ts
thread_participant
thread_participant.thread_id
thread_participant.user_id
thread_participant.role, buyer, provider, host, support
thread_participant.status, active, left, blocked
thread_participant.last_read_ts
thread_participant.muted_until
message
message.message_id, msg_…
message.thread_id
message.sender_user
message.kind
message.body_text
message.card_type, reschedule, extras, proofs, expense, complete, dispute, safety
message.card_payload
message.attachment_meta
message.created_at
message.edited_at
message_request_gate
message_request_gate.gate_id, rqt_…
message_request_gate.thread_id
message_request_gate.target_user
message_request_gate.status
message_request_gate.expires_at
message_request_gate.reason
user_block
user_block.blocker_user
user_block.blocked_user
user_block.created_at
inbox_index
inbox_index.user_id
inbox_index.thread_id
inbox_index.last_msg_ts
inbox_index.folder, all, action, bookings, offers, archived, spam
inbox_index.unread_count
inbox_index.pinned
msg_typing, pk=thread_id, sk=user_id, TTL 10s
msg_rate, pk=user_id, message starts/hour, burst windows
request_pending
threads/{threadId}/attachments/*, images/proofs/receipts, virus scan
threads/{threadId}/cards/*, rendered PDFs
pattern: inbox by folder
pattern: requests that wait for a user
pattern: delete a thread with all that is in it
"""

_MESSAGING_SPEC = """
Inquiry thread
Project thread
Project Panel, Brief, Moodboard, Shot list, Files, Docs & e-sign, Expenses/Adjustments, Actions
Action cards, reschedule, extras, overtime, deliverables accept/changes, cancellations/refunds,
    deposit claim, dispute
immutable manifests, name, size, checksum, URL, Drive/Dropbox/S3 owner links
Safe-Mode thumbnails
NSFW scanning
anti-circumvention nudges
role-scoped moderation
report/block tools
Aurora
EventBridge
AppSync GraphQL
PK, THR#{threadId}, thrd_…
SK THR
THR.pk, THR.sk
THR.kind, inquiry, project
THR.lbgId
THR.legId
THR.buyerUserId
THR.sellerUserId
THR.participants
THR.city
THR.createdAt
THR.updatedAt
THR.status, open, archived, locked
THR.lastMessageAt
THR.safeModeRequired
SK PART#{userId}
PART.roleContext, buyer, seller, admin
PART.lastReadMsgId
PART.lastReadAt
PART.muted
PART.blockedUntil
SK MSG#{ts}#{messageId}
MSG.type, text, asset, system, action
MSG.body
MSG.attachments
MSG.attachments.kind, preview, manifest
MSG.attachments.s3Key
MSG.attachments.manifestRef
MSG.attachments.mime
MSG.attachments.w, MSG.attachments.h
MSG.action
MSG.action.type
MSG.action.payload
MSG.action.state
MSG.action.version
MSG.authorUserId
MSG.nsfwBand, 0, 1, 2
MSG.flags
MSG.flags.moderation, clean, flagged, blocked
MSG.flags.policyHints
MSG.createdAt
SK CARD#{messageId}
SK TAB#{tab}
TAB#brief, TAB#moodboard, TAB#shotlist, TAB#files, TAB#docs, TAB#expenses, TAB#actions
GSI1, GSI1PK, PARTICIPANT#usr_…, GSI1SK, lastMessageAt
GSI2, GSI2PK, LBG#lbg_…, LEG#leg_…, GSI2SK, createdAt
Presence table, TTL 60s, presence#threadId#userId
presence.lastSeen
presence.typing
Subscriptions
msg-previews
pattern: open a thread
pattern: open the panel
pattern: inbox list
pattern: project threads by lbg/leg
"""

_SOCIAL = """
UserPosts
UserPosts.PK, USER#{userId}
UserPosts.SK, PROFILE, POST#{ISO_timestamp}#{postId}
UserPosts.username
UserPosts.email
UserPosts.firstName
UserPosts.lastName
UserPosts.profilePicture
UserPosts.followerCount
UserPosts.followingCount
UserPosts.postCount
UserPosts.content
UserPosts.imageUrl
UserPosts.createdDate
UserPosts.likeCount
UserPosts.commentCount
UserPosts.viewCount
UsersByUsername
UsersByUsername.PK, USERNAME#{username}
UsersByUsername.SK, USER#{userId}
UsersByUsername.userId
UsersByUsername.firstName
UsersByUsername.lastName
UsersByUsername.profilePicture
UsersByUsername.isVerified
UsersByUsername.followerCount
UsersByUsername.followingCount
PostComments
PostComments.PK, POST#{postId}
PostComments.SK, POST, COMMENT#{ISO_timestamp}#{commentId}
PostComments.userId
PostComments.username
PostComments.content
PostComments.createdDate
PostComments.likeCount
PostComments.parentCommentId
SocialRelationships
SocialRelationships.PK, USER#{userId}
SocialRelationships.SK, LIKES#{targetType}#{targetId}, LIKES#POST#{postId},
    FOLLOWS#USER#{targetUserId}
SocialRelationships.createdDate
SocialRelationships.relationType, LIKE, FOLLOW
PostsByUser
PostsByUser.PK, POSTS#USER#{userId}
PostsByUser.SK, POST#{ISO_timestamp}#{postId}
PostsByUser.postId
PostsByUser.content
PostsByUser.imageUrl
PostsByUser.createdDate
PostsByUser.likeCount
PostsByUser.commentCount
Conversations
Conversations.PK, CONV#{min(userId1,userId2)}#{max(userId1,userId2)}
Conversations.SK, MSG#{ISO_timestamp}#{messageId}
Conversations.senderId
Conversations.receiverId
Conversations.content
Conversations.imageUrl
Conversations.createdDate
Conversations.isRead
UserNotifications
UserNotifications.PK, USER#{userId}
UserNotifications.SK, PROFILE, NOTIF#{ISO_timestamp}#{notificationId}
UserNotifications.type, like, comment, follow
UserNotifications.fromUserId
UserNotifications.fromUsername
UserNotifications.postId
UserNotifications.content
UserNotifications.createdDate
UserNotifications.isRead
Stories
Stories.PK, STORY#{storyId}
Stories.SK, STORY
Stories.userId
Stories.username
Stories.content
Stories.imageUrl
Stories.videoUrl
Stories.createdDate
Stories.expiresAt, TTL
Stories.viewCount
ActiveStoriesByUser
ActiveStoriesByUser.PK, STORIES#USER#{userId}
ActiveStoriesByUser.SK, STORY#{ISO_timestamp}#{storyId}
ActiveStoriesByUser.storyId
ActiveStoriesByUser.content
ActiveStoriesByUser.imageUrl
ActiveStoriesByUser.createdDate
ActiveStoriesByUser.expiresAt
ActiveStoriesByUser.viewCount
pattern 1: get user profile by ID
pattern 2: get user by username
pattern 3: get user's posts
pattern 4: update user activity
pattern 5: increment post counters
pattern 6: increment user counters
pattern 7: create/update like
pattern 8: create/update follow
pattern 9: mark notifications read
pattern 10: get post comments
pattern 11: get user notifications
pattern 12: get conversation
pattern 13: get user followers
pattern 14: get user following
pattern 15: get active stories
pattern: login and profile discovery
pattern: post detail views with comments
pattern: social feed construction
pattern: liked posts retrieval
pattern: story viewing
pattern: automatic cleanup after 24 hours
"""

_ONE_ON_ONE = """
Users
Users.userId
Users.pointsLeft
Users.lastSessionTimestamp
Users.isWaitingInQueue
Users.lastQueueEntry
Users.email
Sessions
Sessions.sessionId
Sessions.userA
Sessions.userB
Sessions.startTime
Sessions.endTime
Sessions.duration
Sessions.roomName
Sessions.createdAt
Sessions.expiresAt, TTL
GSI1, UserSessionsIndex, userA, startTime
GSI2, userB, startTime
pattern: retrieve/update user status
pattern: enforce point usage rules
pattern: reset points daily
pattern: show session history by user
pattern: store live session logs
pattern: clean up with TTL
pattern: on-demand mode
pattern: condition expressions to prevent race conditions
pattern: provision these tables in CDK, attach IAM policies
"""


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.strip().replace("\n    ", " ").splitlines())


NAMES: dict[str, tuple[str, ...]] = {
    "1.23.2.1 DynamoDB (primary, realtime path)": _names(_REALTIME_PATH),
    "1.4.3 Data model (Aurora + Dynamo + S3)": _names(_AURORA_DYNAMO_S3),
    "1.4 Messaging spec": _names(_MESSAGING_SPEC),
    "Social DynamoDB data model": _names(_SOCIAL),
    "One-on-One Conversation App schema": _names(_ONE_ON_ONE),
}
