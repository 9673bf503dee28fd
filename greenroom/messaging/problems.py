"""The refusals of messaging. Missing and forbidden look alike; so do blocked, left and expired."""

from greenroom.errors import MOST_CHARACTERS, Clause, Problem, quoted
from greenroom.ids import ThreadId


class ThreadNotFound(Problem):
    """This conversation was not found."""


class MessageNotFound(Problem):
    """This message was not found."""


class RequestNotFound(Problem):
    """This request was not found. It may have expired."""


class InvalidThread(Problem):
    """The conversation is not valid: {reason}."""

    reason: Clause


class InvalidThreadChange(Problem):
    """The conversation cannot be changed: {reason}."""

    reason: Clause


class InvalidText(Problem):
    """The text cannot be sent: {reason}."""

    reason: Clause


class InvalidReaction(Problem):
    """The reaction is not valid: {reason}."""

    reason: Clause


class InvalidReadPosition(Problem):
    """The change is not valid: {reason}."""

    reason: Clause


class BlockedByYou(Problem):
    """You have blocked this person. Unblock them to write."""


class ConversationClosed(Problem):
    """You can no longer write in this conversation."""


class ConversationLocked(Problem):
    """This conversation is locked. Only staff can write in it."""


class SendingStopped(Problem):
    """This message could not be sent, and the operator of this service has stopped it. You can
    change its time to try again."""


class RequestPending(Problem):
    """Your request is not answered yet. You can send {most} messages with it."""

    most: int


class AlreadyAsked(Problem):
    """You have already sent this person a request, in {thread_id}. You can send another from
    {again_at}."""

    thread_id: ThreadId
    again_at: str


class RequestWithdrawn(AlreadyAsked):
    """You withdrew your request to this person. You can send another from {again_at}."""


class PlainTextOnly(Problem):
    """Messages in a request must be plain text, without links or attachments."""


class InvalidAttachments(Problem):
    """The message cannot be sent with these files: {reason}."""

    reason: Clause


class InvalidPicture(Problem):
    """This file cannot be used as a picture: {reason}."""

    reason: Clause


class FileAlreadyUsed(Problem):
    """This file is already used. Upload it again to send it once more."""


class FileExpired(Problem):
    """A file of this message was deleted, or was not uploaded in time. Upload it again."""


class TooManyWaiting(Problem):
    """You can have at most {most} messages that wait for their files or have failed. Cancel one."""

    most: int


class WaitingMessageNotFound(Problem):
    """No message with this id waits for its files. It may have been sent or canceled."""


class ClientIdReused(Problem):
    """The client message id {client_id!r} was used for another message in this conversation."""

    client_id: str


class OpeningKeyReused(Problem):
    """This Idempotency-Key has opened another conversation, or one with another first message."""


class TextRefused(Problem):
    """This text is against the rules and was not sent ({hints})."""

    hints: tuple[str, ...]


class TextRejected(Problem):
    """A moderator decided against this text. Change it and try again."""

    reason: str | None
    """What the moderator says about it."""
    warned: bool
    """Whether the author was warned."""

    def __str__(self) -> str:
        reason = (
            f" The moderator says: {quoted(self.reason, MOST_CHARACTERS)}" if self.reason else ""
        )
        return f"{super().__str__()}{reason}"


class NotYours(Problem):
    """Only the author may do this."""


class RoleNotAllowed(Problem):
    """Your role in this conversation does not let you do this."""


class ParticipantNotFound(Problem):
    """This person is not in the conversation."""


class AlreadyThere(Problem):
    """This person is in the conversation with another role. Change the role instead."""


class DeliverableNeedsReview(Problem):
    """A moderator would have to look at the name, the URL or the caption first. Record the
    deliverable with other words; a caption can be sent as a message."""


class CardsStay(Problem):
    """A card cannot be deleted: what was proposed must stay on record. Withdraw it instead."""


class CardNeedsReview(Problem):
    """A moderator would have to look at what the card says first. Say it in other words, or send it
    as a message."""


class VersionMismatch(Problem):
    """This has changed and is now at version {version}. Load it again."""

    version: int


class ThreadChanged(Problem):
    """The conversation has changed. Load it again."""


class TooManyParticipants(Problem):
    """A conversation can have at most {most} participants."""

    most: int


class AcceptFirst(Problem):
    """Accept the request before you write."""


class ScheduledMessageNotFound(Problem):
    """This scheduled message was not found. It may have been sent or canceled."""


class InvalidSendTime(Problem):
    """The message cannot be scheduled for this time: {reason}."""

    reason: Clause


class TooManyScheduled(Problem):
    """You can have at most {most} scheduled messages. Cancel one, or wait until one is sent."""

    most: int
