"""The table of reminders.

Reminders
└─ USER#{userId}
   ├─ WAITING#{id}            a reminder that is not due yet
   ├─ DUE#{dueMs}#{id}        a reminder whose time has come
   └─ COUNT                   how many were ever made; kept by the follower
"""

from typing import Any

from greenroom.ids import UserId
from greenroom.store.base import Key, Put
from greenroom.store.tables import Kind, Table
from greenroom.store.values import Item
from tests.example_context.models import Reminder

REMINDERS = Table(
    "Reminders",
    "What users want to be reminded of.",
    kinds=(
        Kind("USER#{userId}", "WAITING#{id}", "A reminder that is not due yet."),
        Kind("USER#{userId}", "DUE#{dueMs}#{id}", "A reminder whose time has come."),
        Kind("USER#{userId}", "COUNT", "How many the user has ever made."),
    ),
    stream=True,
)
TABLES = (REMINDERS,)
WAITING = "WAITING#"
DUE = "DUE#"


def partition(user: UserId) -> str:
    return f"USER#{user}"


def waiting_key(reminder: Reminder) -> Key:
    return Key(partition(reminder.user), WAITING + reminder.id)


def count_key(user: UserId) -> Key:
    return Key(partition(user), "COUNT")


def waiting(reminder: Reminder) -> Put:
    return Put(REMINDERS, _item(reminder, WAITING + reminder.id))


def due(reminder: Reminder) -> Put:
    return Put(REMINDERS, _item(reminder, f"{DUE}{reminder.due_ms:015d}#{reminder.id}"))


def reminder_of(item: Item) -> Reminder:
    it: Any = item
    return Reminder(it["id"], UserId(it["pk"].partition("#")[2]), it["text"], it["dueMs"])


def _item(reminder: Reminder, sort: str) -> Item:
    return {
        "pk": partition(reminder.user),
        "sk": sort,
        "id": reminder.id,
        "text": reminder.text,
        "dueMs": reminder.due_ms,
    }
