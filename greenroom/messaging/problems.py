"""What messaging refuses. Missing and forbidden look the same; so do blocked, left and expired."""

from greenroom.errors import Problem
from greenroom.ids import ThreadId


class ThreadNotFound(Problem):
    """There is no such conversation here."""


class MessageNotFound(Problem):
    """There is no such message here."""


class RequestNotFound(Problem):
    """There is no such request here."""


class InvalidThread(Problem):
    """The conversation cannot be opened: {reason}."""

    reason: str


class InvalidText(Problem):
    """The text cannot be sent: {reason}."""

    reason: str


class InvalidReaction(Problem):
    """The reaction does not fit: {reason}."""

    reason: str


class InvalidMark(Problem):
    """The place does not fit: {reason}."""

    reason: str


class Unreachable(Problem):
    """This person cannot be written to at present."""


class BlockedByYou(Problem):
    """You have blocked this person. Unblock them to write."""


class ConversationClosed(Problem):
    """Nobody can be reached in this conversation any more."""


class ConversationLocked(Problem):
    """The conversation is locked."""


class RequestPending(Problem):
    """Your request has not been answered yet. No more than {most} messages wait with it."""

    most: int


class AlreadyAsked(Problem):
    """You have asked this person already, in {thread_id}. Nobody is asked twice at a time."""

    thread_id: ThreadId


class NotPlain(Problem):
    """What shows with a request that is not answered yet is plain: no links, no attachments."""


class ClientIdReused(Problem):
    """The client message id {client_id!r} was used for another message in this conversation."""

    client_id: str


class OpeningKeyReused(Problem):
    """This Idempotency-Key has opened another conversation, or one with another first message."""


class TextRefused(Problem):
    """The text breaks the rules of this place: {hints}."""

    hints: str


class NotYours(Problem):
    """Only its author may do this."""


class NotYourPlace(Problem):
    """Your role in this conversation does not let you do this."""


class ParticipantNotFound(Problem):
    """This person is not in the conversation."""


class AlreadyThere(Problem):
    """This person is in the conversation with another role. Change the role instead."""


class VersionMismatch(Problem):
    """It has changed since you looked: it is at version {version} now."""

    version: int


class ThreadChanged(Problem):
    """The conversation has changed since you looked: its name, its lock or who is in it."""


class TooManyParticipants(Problem):
    """A conversation has at most {most} participants."""

    most: int


class AcceptFirst(Problem):
    """Accept the request before you write."""
