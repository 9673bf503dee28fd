"""Reports a message, a thread or a person. Only what the reporter may see can be reported."""

from greenroom.ids import MessageId, ReportId, ThreadId, UserId
from greenroom.messaging import access
from greenroom.messaging.context import Messaging
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
    return await report(
        messaging.safety,
        actor,
        SentMessage(thread_id, message_id),
        reason,
        note,
        about=message.author,
        text=message.body,
        files=tuple(one.file for one in message.attachments if one.file is not None),
    )


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
