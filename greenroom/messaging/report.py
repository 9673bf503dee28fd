"""Reports a message, a thread or a person. Only what the reporter may see can be reported."""

from greenroom.ids import MessageId, ReportId, ThreadId, UserId
from greenroom.messaging import access
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Message
from greenroom.people import directory
from greenroom.people.actor import Actor
from greenroom.safety.models import Reason, SentMessage, SomePerson, WholeThread
from greenroom.safety.report import report


async def report_message(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    message_id: MessageId,
    reason: Reason,
    note: str = "",
) -> ReportId:
    view = await access.thread(messaging, actor, thread_id)
    message = await access.message(messaging, view, message_id)
    shown = message.attachments
    return await report(
        messaging.safety,
        actor,
        SentMessage(thread_id, message_id),
        reason,
        note,
        about=message.author,
        text=_with_manifest(message),
        files=tuple(one.file for one in shown if one.file is not None),
        manifest=next((one.manifest for one in shown if one.manifest is not None), None),
    )


def _with_manifest(message: Message) -> str:
    """The text, and the name and URL of a deliverable: its record is no file of the case."""
    recorded = [one for one in message.attachments if one.manifest is not None]
    said = (message.body, *(text for one in recorded for text in (one.name, one.url)))
    return "\n".join(filter(None, said))


async def report_thread(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, reason: Reason, note: str = ""
) -> ReportId:
    await access.thread(messaging, actor, thread_id)
    return await report(messaging.safety, actor, WholeThread(thread_id), reason, note)


async def report_person(
    messaging: Messaging, actor: Actor, user: UserId, reason: Reason, note: str = ""
) -> ReportId:
    await directory.by_id(messaging.people, user)
    return await report(messaging.safety, actor, SomePerson(user), reason, note)
