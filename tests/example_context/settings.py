"""The settings of reminders."""

from typing import Annotated, ClassVar

from msgspec import Meta

from greenroom.settings import SettingsGroup


class ReminderSettings(SettingsGroup, frozen=True):
    group: ClassVar = "reminders"
    page: Annotated[int, Meta(ge=1, le=100, description="Reminders that one read returns.")] = 20
