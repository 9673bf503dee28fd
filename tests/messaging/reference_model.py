"""A reference model of messaging: lists and sets, one process, no store.

It is written from the rules alone, not from the product's code, so that the two can be compared
(test_reference_model.py). A read position is one number that reading and sending move forward and
marking as unread moves back; *archived* is a flag that a message clears; a request is a state and a
time.
"""

from dataclasses import dataclass, field

from greenroom.ids import FileId, MessageId, ThreadId, UserId

PENDING, ACCEPTED, DECLINED, BLOCKED = "pending", "accepted", "declined", "blocked"
COMING, READY, BAD, GONE = "coming", "ready", "bad", "gone"
DAY_MS = 86_400_000
TWO_WEEKS_MS = 14 * DAY_MS
FOLDERS = ("action", "bookings", "offers", "other", "requests", "archived", "spam", "hidden")
_HIDDEN = ("archived", "spam", "hidden")


class Refused(Exception):
    """A refusal, by the problem's name."""

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
    files: list["Attached"] = field(default_factory=list)

    @property
    def preview(self) -> str:
        """Of a message that is not a system message."""
        others = f" +{len(self.files) - 1}" if len(self.files) > 1 else ""
        return self.body or (self.files[0].name + others if self.files else "")


@dataclass
class Attached:
    """A file. `post` or `wait` is what uses it."""

    id: FileId
    owner: UserId
    talk: ThreadId
    name: str
    size: int
    expires: int | None
    state: str = COMING
    band: int = 0
    rated: bool = True
    post: "Post | None" = None
    wait: "Wait | None" = None

    @property
    def is_used(self) -> bool:
        return self.post is not None or self.wait is not None


@dataclass
class Wait:
    """A message that waits for its files, or could not be sent."""

    author: UserId
    talk: ThreadId
    client_id: str
    body: str
    files: list[Attached]
    made: int
    state: str = PENDING
    """Or `sent`, `canceled`, or why it was refused."""


@dataclass
class Side:
    role: str
    joined: int = 0
    place: int = 0
    """The read position for the user's own unread count."""
    read: int = 0
    """The highest read position, which others see."""
    sent: int = 0
    delivered: int = 0
    muted_until: int = 0
    pinned: bool = False
    spam: bool = False
    archived: bool = False
    hidden: bool = False
    draft: str = ""
    missed: set[int] = field(default_factory=set)
    """Posts that were sent while they were away; they never get them."""


@dataclass
class Ask:
    sender: UserId
    until: int
    before: int
    """The number of posts before it."""
    state: str = PENDING
    quiet: bool = False
    """The sender does not know that the other person has left their thread of two."""

    def waits(self, now: int) -> bool:
        return self.state == PENDING and now < self.until


@dataclass
class Gone:
    """Somebody who has silently left a thread of two, or blocked the other person."""

    since: int
    read: int
    """The read position that the other person sees."""
    blocked: bool


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
    safe_mode: bool = False
    away: dict[UserId, Gone] = field(default_factory=dict)
    made_for: frozenset[UserId] | None = None
    """Like `two`, but unchanged when somebody is added."""

    @property
    def last(self) -> int:
        return len(self.posts)

    @property
    def last_ms(self) -> int:
        return self.posts[-1].ms if self.posts else self.made_ms

    def has_accepted(self, user: UserId) -> bool:
        return user not in self.away and self.seems_to_have_accepted(user)

    def seems_to_have_accepted(self, user: UserId) -> bool:
        """As far as the others know."""
        ask = self.asks.get(user)
        return ask is None or ask.quiet or ask.state == ACCEPTED

    def asked_back(self, user: UserId, now: int) -> bool:
        ask = self.asks.get(user)
        return ask is not None and ask.quiet and ask.waits(now)

    def is_open_to(self, user: UserId, now: int) -> bool:
        if user not in self.sides:
            return False
        if user in self.away:
            return self.asked_back(user, now)
        return self.has_accepted(user) or self.asks[user].waits(now)

    def known_asks(self, sender: UserId) -> list[Ask]:
        asks = [ask for ask in self.asks.values() if ask.sender == sender and not ask.quiet]
        return [ask for ask in asks if ask.state != ACCEPTED]

    def is_at_gate(self, sender: UserId) -> bool:
        """Whether, as far as the sender knows, nobody they can reach has accepted yet."""
        others = [user for user in self.sides if user != sender]
        asked = bool(self.known_asks(sender))
        return asked and not any(self.seems_to_have_accepted(user) for user in others)

    def waits_as_known(self, sender: UserId, now: int) -> bool:
        """As far as the sender knows."""
        return any(now < ask.until for ask in self.known_asks(sender))

    def goes(self, user: UserId, *, blocked: bool) -> None:
        self.away[user] = Gone(self.last, self.sides[user].read, blocked)

    def comes_back(self, user: UserId, until: int) -> None:
        """Restores everything except what was sent meanwhile."""
        gone = self.away.pop(user)
        self.sides[user].missed |= set(range(gone.since + 1, until + 1))

    def last_for(self, user: UserId) -> int:
        """Before accepting, a person sees the first three posts since the request."""
        if not self.has_accepted(user):
            return min(self.last, self.asks[user].before + 3)
        missed = self.sides[user].missed
        return max((seq for seq in range(self.last + 1) if seq not in missed), default=0)

    def first_for(self, user: UserId) -> int:
        """The last hidden post: somebody who is asked again sees only newer ones."""
        joined = self.sides[user].joined
        return max(joined, self.asks[user].before) if user in self.away else joined

    def unread(self, user: UserId) -> int:
        view = self.sides[user]
        first = max(view.place, self.first_for(user))
        unread = set(range(first + 1, self.last_for(user) + 1))
        return len(unread - view.missed)

    def folder(self, user: UserId, now: int) -> str | None:
        if not self.is_open_to(user, now):
            return None
        view = self.sides[user]
        if not self.has_accepted(user) and self.last <= self.asks[user].before:
            return None
        if view.hidden:
            return "hidden"
        if view.spam:
            return "spam"
        if view.archived:
            return "archived"
        if not self.has_accepted(user):
            return "requests"
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
    preview: tuple[str, str] | None
    """The text, and the event of a system message."""


@dataclass
class ReferenceModel:
    now: int
    talks: dict[ThreadId, Talk] = field(default_factory=dict)
    blocks: set[tuple[UserId, UserId]] = field(default_factory=set)
    met: set[tuple[UserId, UserId]] = field(default_factory=set)
    """(a, b): a has written to b, or has accepted them."""
    files: dict[FileId, Attached] = field(default_factory=dict)
    waits: list[Wait] = field(default_factory=list)
    prefers: dict[UserId, str] = field(default_factory=dict)
    """How they want sensitive pictures: `show`, `blur` or `hide`."""
    asked: dict[tuple[UserId, UserId], tuple[ThreadId, int]] = field(default_factory=dict)
    """(a, b): where a last sent b a request, and until when a cannot send another."""

    # Views

    def rows(self, user: UserId, folder: str = "all") -> list[Row]:
        found = [
            (talk, where, talk.sides[user])
            for talk in self.talks.values()
            if (where := talk.folder(user, self.now)) is not None
            and (where == folder or (folder == "all" and where not in _HIDDEN))
        ]
        found.sort(key=lambda one: (one[2].pinned, one[0].last_ms, one[0].id), reverse=True)
        return [
            Row(
                talk.id,
                where,
                talk.unread(user),
                view.muted_until > self.now,
                view.pinned,
                self._preview(user, talk),
            )
            for talk, where, view in found
        ]

    def _preview(self, user: UserId, talk: Talk) -> tuple[str, str] | None:
        """None where it is not compared: who was away, or has not accepted, sees an earlier one."""
        posts = self.posts(user, talk)
        if not posts or posts[-1] is not talk.posts[-1] or not talk.has_accepted(user):
            return None
        post = posts[-1]
        return "" if post.event else post.preview, post.event or ""

    def counts(self, user: UserId) -> tuple[dict[str, int], int]:
        unread = {
            name: sum(row.unread for row in self.rows(user, name) if not row.muted)
            for name in ("all", *FOLDERS)
        }
        return unread, unread["all"]

    def posts(self, user: UserId, talk: Talk) -> list[Post]:
        posts = talk.posts[talk.first_for(user) : talk.last_for(user)]
        return [post for post in posts if post.seq not in talk.sides[user].missed]

    def seen_by(self, viewer: UserId, talk: Talk, post: Post) -> set[UserId]:
        return {
            user
            for user, view in talk.sides.items()
            if user != post.author
            and self.receipt(viewer, talk, user) >= post.seq
            and view.joined < post.seq
            and post.seq not in view.missed
        }

    def receipt(self, viewer: UserId, talk: Talk, user: UserId) -> int:
        view = talk.sides[user]
        if viewer == user:
            return max(view.sent, view.read)
        if not talk.has_accepted(viewer) or not talk.seems_to_have_accepted(user):
            return view.sent
        gone = talk.away.get(user)
        return max(view.sent, view.read if gone is None else gone.read)

    # Threads

    def finds(self, kind: str, user: UserId, others: dict[UserId, str]) -> ThreadId | None:
        """The pending thread, if it is the same; None if a new one may be opened."""
        try:
            self._check_reachable(user, *others)
        except AlreadyAsked as asked:
            talk = self.talks[asked.thread]
            same = (talk.kind, talk.subject, set(talk.sides)) == (kind, None, {user, *others})
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
        talk.made_for = two
        for user in others:
            self._turn_to(talk, opener, user)
        self.met |= {(opener, user) for user in others}

    def is_stranger(self, user: UserId, sender: UserId) -> bool:
        return (user, sender) not in self.met

    def _turn_to(self, talk: Talk, sender: UserId, user: UserId) -> None:
        """A stranger gets a request. A contact who has blocked the sender gets nothing."""
        if self.is_stranger(user, sender):
            self._ask(talk, sender, user)
        elif (user, sender) in self.blocks:
            talk.away[user] = Gone(talk.last, 0, False)

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

    def open_direct(self, thread: ThreadId, user: UserId, other: UserId) -> None:
        talk = self.talks.get(thread)
        if talk is None:
            if self.finds("direct", user, {other: "member"}) is None:
                self.open(thread, "direct", user, "member", {other: "member"})
            return
        asks = talk.known_asks(user)
        afresh = [user] if not talk.is_open_to(user, self.now) else []
        if asks and all(self.now >= ask.until for ask in asks):
            afresh.append(other)
        if not afresh:
            return
        try:
            self._check_reachable(user, other)
        except AlreadyAsked:
            if other in afresh:
                raise
        for one in afresh:
            talk.asks.pop(one, None)
            if one in talk.away:
                talk.comes_back(one, talk.last)
            else:
                talk.sides[one] = Side("member", joined=talk.last)
        if other in afresh:
            self._turn_to(talk, user, other)
        self.met.add((user, other))

    def add(self, actor: UserId, thread: ThreadId, user: UserId, role: str) -> None:
        talk = self._mine(actor, thread)
        self._check_manages(actor, talk)
        if user in talk.sides:
            if role not in ("member", talk.sides[user].role):
                raise Refused("AlreadyThere")
            self._ask_back_by_adding(talk, actor, user)
            return
        self._check_reachable(actor, user)
        self._check_is_open(actor, talk)
        talk.two = None
        talk.asks.pop(user, None)
        talk.away.pop(user, None)
        self._turn_to(talk, actor, user)
        talk.sides[user] = Side(role, joined=talk.last)
        self.met |= {(actor, other) for other in talk.sides if other != actor}
        self._post(talk, actor, event="participant.added", about=(user,))

    def leave(self, user: UserId, thread: ThreadId) -> None:
        talk = self._mine(user, thread)
        if not talk.has_accepted(user):
            talk.asks[user].state = DECLINED
            return
        if talk.two is not None:
            talk.goes(user, blocked=False)
            return
        self._goes(talk, user)
        self._post(talk, user, event="participant.left")

    def remove(self, actor: UserId, thread: ThreadId, user: UserId) -> None:
        if actor == user:
            self.leave(user, thread)
            return
        talk = self._mine(actor, thread)
        if user not in talk.sides:
            raise Refused("ParticipantNotFound")
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

    def set_safe_mode(self, actor: UserId, thread: ThreadId, safe_mode: bool) -> None:
        talk = self._mine(actor, thread)
        self._check_manages(actor, talk)
        talk.safe_mode = safe_mode

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
        post = self._says(talk, user, body, reply_to)
        talk.sides[user].draft = ""
        return post

    def _says(
        self,
        talk: Talk,
        user: UserId,
        body: str,
        reply_to: MessageId | None = None,
        *,
        was_there: bool = True,
    ) -> Post:
        self._ask_back(talk, user)
        post = self._post(talk, user, body=body, reply_to=reply_to, was_there=was_there)
        if not talk.locked:
            talk.awaits = {other for other in talk.sides if self._answers(talk, user, other)}
        return post

    def _ask_back(self, talk: Talk, sender: UserId) -> None:
        """The next message sends a request to a person who has left, as rarely as to a stranger."""
        if talk.two is None or self._is_apart(talk.two):
            return
        for user in talk.two & talk.away.keys() & talk.sides.keys() - {sender}:
            self._ask_absent(talk, sender, user, before=talk.last)

    def _ask_back_by_adding(self, talk: Talk, actor: UserId, user: UserId) -> None:
        """Only by a contact, and not while they have blocked a present member. The actor's own last
        message is included if nothing came after it."""
        gone = talk.away.get(user)
        if gone is None or gone.blocked or talk.locked or self.is_stranger(user, actor):
            return
        if any(self._is_apart(frozenset({user, other})) for other in talk.sides):
            return
        ends_with_actor = talk.last > gone.since and talk.posts[-1].author == actor
        self._ask_absent(talk, actor, user, before=talk.last - ends_with_actor)

    def _ask_absent(self, talk: Talk, sender: UserId, user: UserId, before: int) -> None:
        """As rarely as to a stranger."""
        ask, gone = talk.asks.get(user), talk.away.get(user)
        if gone is None or (ask is not None and ask.quiet and self.now < ask.until):
            return
        talk.asks[user] = Ask(sender, self.now + TWO_WEEKS_MS, before, quiet=True)

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
        for file in post.files:
            file.state = GONE
        post.files = []
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

    # Files

    def announce(
        self, user: UserId, thread: ThreadId, file: FileId, name: str, size: int
    ) -> Attached:
        self._check_attaches(user, self._mine(user, thread))
        return Attached(file, user, thread, name, size, self.now + DAY_MS)

    def attach(
        self, user: UserId, thread: ThreadId, client_id: str, body: str, files: list[Attached]
    ) -> Post | Wait:
        talk = self._mine(user, thread)
        for file in files:
            if file.owner != user or file.state == GONE:
                raise Refused("FileNotFound")
            if file.talk != thread:
                raise Refused("InvalidAttachments")
            if file.is_used:
                raise Refused("FileAlreadyUsed")
            if file.state == BAD:
                raise Refused("FileNotReady")
        self._check_attaches(user, talk)
        talk.sides[user].draft = ""
        if any(file.state == COMING for file in files):
            wait = Wait(user, thread, client_id, body, files, self.now)
            self.waits.append(wait)
            for file in files:
                file.wait = wait
            return wait
        post = self._says(talk, user, body)
        self._use(post, files)
        return post

    def settle(self, file: Attached, state: str) -> None:
        file.state = state

    def expire(self) -> None:
        """Files that nothing uses, and unfinished ones that a message waits for."""
        for file in self.files.values():
            if file.expires is None or self.now < file.expires:
                continue
            file.expires = None
            awaited = file.wait is not None and file.state != READY
            if file.state != GONE and (not file.is_used or awaited):
                file.state = GONE

    def look_at_waits(self) -> list[tuple[Wait, Post]]:
        """Sends what need not wait any longer, or says why it cannot."""
        sent: list[tuple[Wait, Post]] = []
        for wait in [one for one in self.waits if one.state == PENDING]:
            states = {file.state for file in wait.files}
            if GONE in states or BAD in states:
                first = next(file.state for file in wait.files if file.state in (GONE, BAD))
                self._fail(wait, "FileExpired" if first == GONE else "FileNotReady")
            elif COMING not in states:
                try:
                    talk = self._mine(wait.author, wait.talk)
                    self._check_attaches(wait.author, talk)
                except Refused as refused:
                    self._fail(wait, refused.name)
                    continue
                post = self._says(talk, wait.author, wait.body, was_there=False)
                self._use(post, wait.files)
                wait.state = "sent"
                sent.append((wait, post))
        return sent

    def cancel(self, wait: Wait) -> None:
        if wait.state in ("sent", "canceled", "removed"):
            raise Refused("WaitingMessageNotFound")
        if wait.state == PENDING:
            wait.state = "canceled"
            self._free(wait)
        else:
            self.waits.remove(wait)

    def drop(self, user: UserId, file: Attached) -> None:
        """Its owner deletes a file."""
        if file.owner != user or file.state == GONE:
            raise Refused("FileNotFound")
        if file.is_used and file.state != BAD:
            raise Refused("FileInUse")
        file.state = GONE

    def listed_waits(self, user: UserId) -> list[Wait]:
        shown = [one for one in self.waits if one.author == user]
        return [one for one in shown if one.state not in ("sent", "canceled")]

    def sees_file(self, user: UserId, file: Attached) -> bool:
        if file.state == GONE:
            return False
        if file.owner == user:
            return True
        talk = self.talks[file.talk]
        if file.post is None or not talk.is_open_to(user, self.now):
            return False
        return file.post in self.posts(user, talk)

    def shows_as(self, user: UserId, file: Attached) -> str:
        """Of a file that the user sees."""
        if file.owner == user:
            return "clear"
        talk, band = self.talks[file.talk], file.band
        if not file.rated and not self._knows(user, file.owner, talk):
            band = max(band, 1)
        prefers = self.prefers.get(user, "blur")
        if talk.safe_mode and prefers == "show":
            prefers = "blur"
        if band == 0:
            return "clear"
        return {
            "show": ("clear", "blurred"),
            "blur": ("blurred", "hidden"),
            "hide": ("hidden", "hidden"),
        }[prefers][band - 1]

    def _knows(self, user: UserId, owner: UserId, talk: Talk) -> bool:
        """They have written to the owner, or accepted them: here or elsewhere."""
        if (user, owner) in self.met:
            return True
        if owner not in talk.sides or not talk.has_accepted(user):
            return False
        return talk.sides[user].sent > talk.sides[owner].joined

    def may_attach(self, user: UserId, talk: Talk) -> bool:
        try:
            self._check_attaches(user, self._mine(user, talk.id))
        except Refused:
            return False
        return True

    def quota(self, user: UserId) -> tuple[int, int]:
        mine = [file for file in self.files.values() if file.owner == user]
        counted = [file.size for file in mine if file.state in (COMING, READY)]
        return sum(counted), len(counted)

    def _check_attaches(self, user: UserId, talk: Talk) -> None:
        """Nobody sends files that a stranger would see: a request is plain text."""
        self._check_writes(user, talk)
        asks = [ask for ask in talk.asks.values() if not ask.quiet and ask.state != ACCEPTED]
        if any(self.now < ask.until and 0 <= talk.last - ask.before < 3 for ask in asks):
            raise Refused("PlainTextOnly")

    def _use(self, post: Post, files: list[Attached]) -> None:
        post.files = files
        for file in files:
            file.wait, file.post = None, post

    def _fail(self, wait: Wait, why: str) -> None:
        wait.state = why
        self._free(wait)

    def _free(self, wait: Wait) -> None:
        """Its other files can be used again for a day."""
        for file in wait.files:
            if file.state not in (BAD, GONE):
                file.wait, file.expires = None, self.now + DAY_MS

    # The user's own settings

    def read(self, user: UserId, thread: ThreadId, seq: int) -> None:
        talk = self._mine(user, thread)
        self._check_seq(user, talk, seq, least=0)
        view = talk.sides[user]
        view.place, view.read = max(view.place, seq), max(view.read, seq)
        view.delivered = max(view.delivered, seq)

    def deliver(self, user: UserId, thread: ThreadId, seq: int) -> None:
        talk = self._mine(user, thread)
        self._check_seq(user, talk, seq, least=0)
        view = talk.sides[user]
        view.delivered = max(view.delivered, seq)

    def unread(self, user: UserId, thread: ThreadId, seq: int | None) -> None:
        talk = self._mine(user, thread)
        view = talk.sides[user]
        first = talk.last_for(user) if seq is None else seq
        self._check_seq(user, talk, first, least=view.joined + 1)
        view.place = min(view.place, first - 1)

    def change_row(self, user: UserId, thread: ThreadId, **wishes: int | bool | str) -> None:
        talk = self._mine(user, thread)
        for name, value in wishes.items():
            setattr(talk.sides[user], name, value)

    # Requests and blocks

    def answer(self, user: UserId, thread: ThreadId, state: str) -> None:
        talk = self.talks[thread]
        ask = talk.asks.get(user)
        if ask is None or (ask.state == PENDING and not ask.waits(self.now)):
            raise Refused("RequestNotFound")
        if ask.state not in (PENDING, state):
            raise Refused("RequestNotFound")
        if state == BLOCKED:
            self.block(user, ask.sender)
        if state == ACCEPTED:
            self.met.add((user, ask.sender))
            if ask.state != ACCEPTED:
                view = talk.sides[user]
                view.archived = view.spam = view.hidden = False
                if ask.quiet:
                    talk.comes_back(user, ask.before)
        ask.state = state

    def block(self, user: UserId, other: UserId) -> None:
        """Applies to every thread of the two."""
        self.blocks.add((user, other))
        for talk in self.talks.values():
            ask = talk.asks.get(user)
            if ask is not None and ask.sender == other and ask.waits(self.now):
                ask.state = BLOCKED
            elif (
                talk.two == frozenset((user, other))
                and user in talk.sides
                and talk.has_accepted(user)
            ):
                talk.goes(user, blocked=True)

    def unblock(self, user: UserId, other: UserId) -> None:
        self.blocks.discard((user, other))
        for talk in self.talks.values():
            gone = talk.away.get(user)
            if talk.made_for == frozenset((user, other)) and gone is not None and gone.blocked:
                talk.comes_back(user, talk.last)

    # Helpers

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
            raise Refused("RoleNotAllowed")

    def _check_is_open(self, user: UserId, talk: Talk) -> None:
        if not talk.has_accepted(user):
            raise Refused("AcceptFirst")
        if talk.locked:
            raise Refused("ConversationLocked")
        asks = talk.known_asks(user)
        closed = talk.is_at_gate(user) and all(self.now >= ask.until for ask in asks)
        if closed or (talk.two is not None and len(talk.sides) < 2):
            raise Refused("ConversationClosed")

    def _check_writes(self, user: UserId, talk: Talk, *, more: int = 1) -> None:
        self._check_is_open(user, talk)
        if talk.is_at_gate(user):
            before = min(ask.before for ask in talk.known_asks(user))
            if talk.last + more - before > 3:
                raise Refused("RequestPending")

    def _is_apart(self, two: frozenset[UserId]) -> bool:
        return any({user, other} == two for user, other in self.blocks)

    def _check_seq(self, user: UserId, talk: Talk, seq: int, *, least: int) -> None:
        if not least <= seq <= talk.last_for(user):
            raise Refused("InvalidReadPosition")

    def _goes(self, talk: Talk, user: UserId) -> None:
        talk.sides.pop(user, None)
        talk.away.pop(user, None)
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
        was_there: bool = True,
    ) -> Post:
        """Somebody who was there when they wrote it has read what came before it."""
        had_read_all = author in talk.sides and talk.unread(author) == 0
        ms = max(self.now, talk.posts[-1].ms + 1 if talk.posts else 0)
        post = Post(talk.last + 1, ms, author, body, event, about, reply_to)
        talk.posts.append(post)
        for user, view in talk.sides.items():
            is_there = user not in talk.away or talk.asked_back(user, self.now)
            if is_there and post.seq <= talk.last_for(user):
                view.archived = view.archived and ms < view.muted_until
                view.hidden = False
        if author in talk.sides and ((event is None and was_there) or had_read_all):
            talk.sides[author].sent = talk.sides[author].place = post.seq
        return post

    def _answers(self, talk: Talk, sender: UserId, user: UserId) -> bool:
        """Buyers and sellers wait for each other's reply."""
        roles = {talk.sides[sender].role, talk.sides[user].role}
        return talk.kind != "direct" and roles == {"buyer", "seller"}
