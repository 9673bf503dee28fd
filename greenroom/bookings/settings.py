"""The settings of bookings."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from greenroom.settings import SettingsGroup


class BookingSettings(SettingsGroup, frozen=True):
    group: ClassVar = "bookings"
    payments: Annotated[
        Literal["none", "sandbox"],
        Meta(
            description="The payment provider. `none`: prices are agreed here and settled "
            "elsewhere. `sandbox` moves no money, and is for trying things out."
        ),
    ] = "none"
