"""Messaging as one would explain it to a child: lists and sets, one process, no store.

Written from the rules alone, without a look at how the product keeps them, so that the two can be
held against each other (test_truth.py). What somebody has *read up to* is one number that reading
and sending push forward and marking as unread pulls back; *archived* is a flag that a message
clears; a request is a state and a time.
"""

from dataclasses import dataclass, field

from greenroom.ids import MessageId, ThreadId, UserId

PENDING, ACCEPTED, DECLINED, BLOCKED = "pending", "accepted", "declined", "blocked"
TWO_WEEKS_MS = 14 * 86_400_000
FOLDERS = ("action", "bookings", "offers", "other", "requests", "archived", "spam")
_HIDDEN = ("archived", "spam")


class Refused(Exception):
    """By the name of the problem."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class AlreadyAsked(Refused):
    def __init__(self, thread: ThreadId) -> None:
        super().__init__("AlreadyAsked")
        self.thread = thread


@dataclass
class Post:
    seq: int
    ms: int
    author: UserId
    body: str = ""
    event: str | None = None
    about: tuple[str, ...] = ()
    reply_to: MessageId | None = None
    id: MessageId | None = None
    reactions: dict[str, set[UserId]] = field(default_factory=dict)
    said_before: list[str] = field(default_factory=list)
    deleted: bool = False


@dataclass
class Side:
    role: str
    joined: int = 0
    place: int = 0
    """How far this user has read, for their own unread."""
    read: int = 0
    """How far they ever said to have read, for the others."""
    sent: int = 0
    delivered: int = 0
    muted_until: int = 0
    pinned: bool = False
    spam: bool = False
    archived: bool = False


@dataclass
class Ask:
    sender: UserId
    until: int
    before: int
    """How many posts there were before it."""
    state: str = PENDING

    def waits(self, now: int) -> bool:
        return self.state == PENDING and now < self.until


@dataclass
class Talk:
    id: ThreadId
    kind: str
    opener: UserId
    made_ms: int
    sides: dict[UserId, Side]
    two: frozenset[UserId] | None
    asks: dict[UserId, Ask] = field(default_factory=dict)
    posts: list[Post] = field(default_factory=list)
    awaits: set[UserId] = field(default_factory=set)
    locked: bool = False
    subject: str | None = None
    withdrawn: dict[UserId, Side] = field(default_factory=dict)
    """Who has left or blocked the other of the two, which the other is not to notice."""

    @property
    def shown(self) -> dict[UserId, Side]:
        return self.withdrawn | self.sides

    @property
    def last(self) -> int:
        return len(self.posts)

    @property
    def last_ms(self) -> int:
        return self.posts[-1].ms if self.posts else self.made_ms

    def has_accepted(self, user: UserId) -> bool:
        return user not in self.asks or self.asks[user].state == ACCEPTED

    def is_open_to(self, user: UserId, now: int) -> bool:
        return user in self.sides and (self.has_accepted(user) or self.asks[user].waits(now))

    def is_at_gate(self, sender: UserId) -> bool:
        """Whether all whom the sender could reach have yet to let them in."""
        asked = any(a.sender == sender and a.state != ACCEPTED for a in self.asks.values())
        return asked and not any(self.has_accepted(u) for u in self.sides if u != sender)

    def waits_as_known(self, sender: UserId, now: int) -> bool:
        """As far as the sender knows."""
        mine = [ask for ask in self.asks.values() if ask.sender == sender]
        return any(ask.state != ACCEPTED and now < ask.until for ask in mine)

    def last_for(self, user: UserId) -> int:
        """Whoever has not accepted sees the first three posts since they were asked."""
        return self.last if self.has_accepted(user) else min(self.last, self.asks[user].before + 3)

    def unread(self, user: UserId) -> int:
        side = self.sides[user]
        return max(0, self.last_for(user) - max(side.place, side.joined))

    def folder(self, user: UserId, now: int) -> str | None:
        if not self.is_open_to(user, now):
            return None
        side = self.sides[user]
        if not self.has_accepted(user) and self.last <= self.asks[user].before:
            return None
        if side.spam:
            return "spam"
        if not self.has_accepted(user):
            return "requests"
        if side.archived:
            return "archived"
        if user in self.awaits:
            return "action"
        return {"booking": "bookings", "inquiry": "offers"}.get(self.kind, "other")


@dataclass
class Row:
    thread: ThreadId
    folder: str
    unread: int
    muted: bool
    pinned: bool


@dataclass
class PlainModel:
    now: int
    talks: dict[ThreadId, Talk] = field(default_factory=dict)
    blocks: set[tuple[UserId, UserId]] = field(default_factory=set)
    met: set[tuple[UserId, UserId]] = field(default_factory=set)
    """(a, b): a has written to b, or has accepted them."""
    asked: dict[tuple[UserId, UserId], tuple[ThreadId, int]] = field(default_factory=dict)
    """(a, b): where a has last asked b, and until when a cannot ask again."""

    # What is seen

    def rows(self, user: UserId, folder: str = "all") -> list[Row]:
        found = [
            (talk, where, talk.sides[user])
            for talk in self.talks.values()
            if (where := talk.folder(user, self.now)) is not None
            and (where == folder or (folder == "all" and where not in _HIDDEN))
        ]
        found.sort(key=lambda one: (one[2].pinned, one[0].last_ms, one[0].id), reverse=True)
        return [
            Row(talk.id, where, talk.unread(user), side.muted_until > self.now, side.pinned)
            for talk, where, side in found
        ]

    def counts(self, user: UserId) -> tuple[dict[str, int], int]:
        unread = {
            name: sum(row.unread for row in self.rows(user, name) if not row.muted)
            for name in ("all", *FOLDERS)
        }
        return unread, unread["all"]

    def posts(self, user: UserId, talk: Talk) -> list[Post]:
        return talk.posts[talk.sides[user].joined : talk.last_for(user)]

    def seen_by(self, viewer: UserId, talk: Talk, post: Post) -> set[UserId]:
        return {
            user
            for user in talk.shown
            if user != post.author and self.receipt(viewer, talk, user) >= post.seq
        }

    def receipt(self, viewer: UserId, talk: Talk, user: UserId) -> int:
        side = talk.shown[user]
        told = viewer == user or (talk.has_accepted(viewer) and talk.has_accepted(user))
        return max(side.sent, side.read if told else 0)

    # Threads

    def finds(self, kind: str, user: UserId, others: dict[UserId, str]) -> ThreadId | None:
        """The thread that waits already, if it is the same; None where a new one may be opened."""
        try:
            self._check_reachable(user, *others)
        except AlreadyAsked as asked:
            talk = self.talks[asked.thread]
            same = (talk.kind, talk.subject, set(talk.shown)) == (kind, None, {user, *others})
            if same and talk.is_open_to(user, self.now) and talk.waits_as_known(user, self.now):
                return talk.id
            raise
        return None

    def open(
        self, thread: ThreadId, kind: str, opener: UserId, role: str, others: dict[UserId, str]
    ) -> None:
        sides = {opener: Side(role)} | {user: Side(theirs) for user, theirs in others.items()}
        two = frozenset(sides) if len(sides) == 2 else None
        self.talks[thread] = talk = Talk(thread, kind, opener, self.now, sides, two)
        for user in others:
            if self.is_stranger(user, opener):
                self._ask(talk, opener, user)
        self.met |= {(opener, user) for user in others}

    def is_stranger(self, user: UserId, sender: UserId) -> bool:
        return (user, sender) not in self.met

    def _ask(self, talk: Talk, sender: UserId, user: UserId) -> None:
        until = self.now + TWO_WEEKS_MS
        blocked = (user, sender) in self.blocks
        talk.asks[user] = Ask(sender, until, talk.last, BLOCKED if blocked else PENDING)
        self.asked[sender, user] = talk.id, until

    def _check_reachable(self, user: UserId, *others: UserId) -> None:
        if any((user, other) in self.blocks for other in others):
            raise Refused("BlockedByYou")
        for other in others:
            thread, until = self.asked.get((user, other), (None, 0))
            if thread is not None and self.is_stranger(other, user) and self.now < until:
                raise AlreadyAsked(thread)
        known = [other for other in others if not self.is_stranger(other, user)]
        if any((other, user) in self.blocks for other in known):
            raise Refused("Unreachable")

    def open_direct(self, thread: ThreadId, user: UserId, other: UserId) -> None:
        talk = self.talks.get(thread)
        if talk is None:
            if self.finds("direct", user, {other: "member"}) is None:
                self.open(thread, "direct", user, "member", {other: "member"})
            return
        ask = talk.asks.get(other)
        has_run_out = ask is not None and ask.state != ACCEPTED and self.now >= ask.until
        afresh = [user] if not talk.is_open_to(user, self.now) else []
        if other not in talk.sides or (ask is not None and ask.sender == user and has_run_out):
            afresh.append(other)
        if not afresh:
            return
        try:
            self._check_reachable(user, other)
        except AlreadyAsked:
            if other in afresh:
                raise
        for one in afresh:
            talk.withdrawn.pop(one, None)
            talk.sides[one] = Side("member", joined=talk.last)
            talk.asks.pop(one, None)
        if other in afresh and self.is_stranger(other, user):
            self._ask(talk, user, other)
        self.met.add((user, other))

    def add(self, actor: UserId, thread: ThreadId, user: UserId, role: str) -> None:
        talk = self._mine(actor, thread)
        self._check_manages(actor, talk)
        if user in talk.sides:
            return
        self._check_reachable(actor, user)
        self._check_is_open(actor, talk)
        talk.two = None
        talk.asks.pop(user, None)
        if self.is_stranger(user, actor):
            self._ask(talk, actor, user)
        talk.sides[user] = Side(role, joined=talk.last)
        self.met |= {(actor, other) for other in talk.sides if other != actor}
        self._post(talk, actor, event="participant.added", about=(user,))

    def leave(self, user: UserId, thread: ThreadId) -> None:
        talk = self._mine(user, thread)
        if not talk.has_accepted(user):
            talk.asks[user].state = DECLINED
            return
        if talk.two is not None:
            talk.withdrawn[user] = talk.sides.pop(user)
            return
        self._goes(talk, user)
        self._post(talk, user, event="participant.left")

    def remove(self, actor: UserId, thread: ThreadId, user: UserId) -> None:
        if actor == user:
            self.leave(user, thread)
            return
        talk = self._mine(actor, thread)
        if user not in talk.shown:
            raise Refused("ThreadNotFound")
        self._check_manages(actor, talk)
        self._goes(talk, user)
        self._post(talk, actor, event="participant.removed", about=(user,))

    def rename(self, actor: UserId, thread: ThreadId, subject: str) -> None:
        talk = self._mine(actor, thread)
        if talk.subject == subject:
            return
        self._check_manages(actor, talk)
        self._check_writes(actor, talk)
        talk.subject = subject
        self._post(talk, actor, event="subject.changed", about=(subject,))

    def lock(self, moderator: UserId, thread: ThreadId, locked: bool) -> None:
        talk = self.talks[thread]
        if talk.locked == locked:
            return
        talk.locked = locked
        talk.awaits.clear()
        self._post(talk, moderator, event="thread.locked" if locked else "thread.unlocked")

    # Messages

    def send(
        self, user: UserId, thread: ThreadId, body: str, reply_to: MessageId | None = None
    ) -> Post:
        talk = self._mine(user, thread)
        if reply_to is not None:
            self._message(user, talk, reply_to)
        self._check_writes(user, talk)
        post = self._post(talk, user, body=body, reply_to=reply_to)
        if not talk.locked:
            talk.awaits = {other for other in talk.sides if self._answers(talk, user, other)}
        return post

    def edit(self, user: UserId, thread: ThreadId, message: MessageId, body: str) -> None:
        talk = self._mine(user, thread)
        post = self._message(user, talk, message)
        if post.author != user:
            raise Refused("NotYours")
        self._check_writes(user, talk, more=0)
        if post.deleted or post.event:
            raise Refused("MessageNotFound")
        if post.body != body:
            post.said_before.append(post.body)
            post.body = body

    def delete(self, user: UserId, thread: ThreadId, message: MessageId) -> None:
        talk = self._mine(user, thread)
        post = self._message(user, talk, message)
        if post.author != user:
            raise Refused("NotYours")
        if post.event:
            raise Refused("MessageNotFound")
        post.body, post.deleted = "", True
        post.reactions.clear()
        post.said_before.clear()

    def react(
        self, user: UserId, thread: ThreadId, message: MessageId, emoji: str, there: bool
    ) -> None:
        talk = self._mine(user, thread)
        post = self._message(user, talk, message)
        self._check_writes(user, talk, more=0)
        if post.deleted or post.event:
            raise Refused("MessageNotFound")
        users = post.reactions.setdefault(emoji, set())
        (users.add if there else users.discard)(user)
        if not users:
            del post.reactions[emoji]

    # One's own side

    def read(self, user: UserId, thread: ThreadId, seq: int) -> None:
        talk = self._mine(user, thread)
        self._check_seq(user, talk, seq, least=0)
        side = talk.sides[user]
        side.place, side.read = max(side.place, seq), max(side.read, seq)
        side.delivered = max(side.delivered, seq)

    def deliver(self, user: UserId, thread: ThreadId, seq: int) -> None:
        talk = self._mine(user, thread)
        self._check_seq(user, talk, seq, least=0)
        side = talk.sides[user]
        side.delivered = max(side.delivered, seq)

    def unread(self, user: UserId, thread: ThreadId, seq: int | None) -> None:
        talk = self._mine(user, thread)
        side = talk.sides[user]
        first = talk.last_for(user) if seq is None else seq
        self._check_seq(user, talk, first, least=side.joined + 1)
        side.place = min(side.place, first - 1)

    def arrange(self, user: UserId, thread: ThreadId, **wishes: int | bool) -> None:
        talk = self._mine(user, thread)
        for name, value in wishes.items():
            setattr(talk.sides[user], name, value)

    # Gates and blocks

    def answer(self, user: UserId, thread: ThreadId, state: str) -> None:
        talk = self.talks[thread]
        ask = talk.asks.get(user)
        if ask is None or (ask.state == PENDING and not ask.waits(self.now)):
            raise Refused("RequestNotFound")
        if ask.state not in (PENDING, state):
            raise Refused("RequestNotFound")
        if state == BLOCKED:
            self.blocks.add((user, ask.sender))
        if state == ACCEPTED:
            self.met.add((user, ask.sender))
            if ask.state != ACCEPTED:
                talk.sides[user].archived = talk.sides[user].spam = False
        ask.state = state

    def block(self, user: UserId, other: UserId, *threads: ThreadId) -> None:
        self.blocks.add((user, other))
        for thread in threads:
            talk = self.talks.get(thread)
            if talk is None or talk.two != frozenset((user, other)) or user not in talk.sides:
                continue
            if talk.has_accepted(user):
                talk.withdrawn[user] = talk.sides.pop(user)
            elif talk.asks[user].waits(self.now):
                talk.asks[user].state = BLOCKED
        for talk in self.talks.values():
            ask = talk.asks.get(user)
            if ask is not None and ask.sender == other and ask.waits(self.now):
                ask.state = BLOCKED

    def unblock(self, user: UserId, other: UserId) -> None:
        self.blocks.discard((user, other))

    # Within

    def _mine(self, user: UserId, thread: ThreadId) -> Talk:
        talk = self.talks.get(thread)
        if talk is None or not talk.is_open_to(user, self.now):
            raise Refused("ThreadNotFound")
        return talk

    def _message(self, user: UserId, talk: Talk, message: MessageId) -> Post:
        for post in self.posts(user, talk):
            if post.id == message:
                return post
        raise Refused("MessageNotFound")

    def _check_manages(self, user: UserId, talk: Talk) -> None:
        if not talk.has_accepted(user):
            raise Refused("AcceptFirst")
        if user != talk.opener or talk.kind == "direct":
            raise Refused("NotYourPlace")

    def _check_is_open(self, user: UserId, talk: Talk) -> None:
        if not talk.has_accepted(user):
            raise Refused("AcceptFirst")
        if talk.locked:
            raise Refused("ConversationLocked")
        asks = [ask for ask in talk.asks.values() if ask.sender == user]
        if talk.is_at_gate(user):
            closed = all(self.now >= ask.until for ask in asks)
        else:
            closed = talk.two is not None and self._is_apart(talk.two)
        if closed or (talk.two is not None and len(talk.sides) < 2):
            raise Refused("ConversationClosed")

    def _check_writes(self, user: UserId, talk: Talk, *, more: int = 1) -> None:
        self._check_is_open(user, talk)
        if talk.is_at_gate(user):
            before = min(ask.before for ask in talk.asks.values() if ask.sender == user)
            if talk.last + more - before > 3:
                raise Refused("RequestPending")

    def _is_apart(self, two: frozenset[UserId]) -> bool:
        return any({user, other} == two for user, other in self.blocks)

    def _check_seq(self, user: UserId, talk: Talk, seq: int, *, least: int) -> None:
        if not least <= seq <= talk.last_for(user):
            raise Refused("InvalidMark")

    def _goes(self, talk: Talk, user: UserId) -> None:
        talk.sides.pop(user, None)
        talk.withdrawn.pop(user, None)
        talk.asks.pop(user, None)
        talk.awaits.discard(user)

    def _post(
        self,
        talk: Talk,
        author: UserId,
        *,
        body: str = "",
        event: str | None = None,
        about: tuple[str, ...] = (),
        reply_to: MessageId | None = None,
    ) -> Post:
        ms = max(self.now, talk.posts[-1].ms + 1 if talk.posts else 0)
        post = Post(talk.last + 1, ms, author, body, event, about, reply_to)
        talk.posts.append(post)
        for side in talk.sides.values():
            side.archived = side.archived and ms < side.muted_until
        if author in talk.sides:
            talk.sides[author].sent = talk.sides[author].place = post.seq
        return post

    def _answers(self, talk: Talk, sender: UserId, user: UserId) -> bool:
        """Buyers and sellers wait for each other."""
        roles = {talk.sides[sender].role, talk.sides[user].role}
        return talk.kind != "direct" and roles == {"buyer", "seller"}
