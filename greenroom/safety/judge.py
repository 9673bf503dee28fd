"""Say what may be said."""

from greenroom.people.actor import Actor
from greenroom.safety.context import Safety
from greenroom.safety.links import has_link
from greenroom.safety.verdict import Allow, Circumstances, Verdict

__all__ = ["has_link", "judge", "judge_text"]


def judge_text(text: str, circumstances: Circumstances) -> Verdict:
    return Allow()


async def judge(
    safety: Safety, actor: Actor, text: str, *, booked: bool, first_contact: bool
) -> Verdict:
    return judge_text(text, Circumstances(booked=booked, first_contact=first_contact))
