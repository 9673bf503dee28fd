"""File names and URLs are checked like texts, and what cameras and programs write is harmless."""

import pytest

from greenroom.messaging.enforce import Enforcement
from greenroom.messaging.models import Thread
from greenroom.messaging.name_words import name_words, url_words
from greenroom.messaging.outgoing import Held, Sent
from greenroom.safety.access import find
from greenroom.safety.judge import judge_text
from greenroom.safety.models import HeldMessage, case_id
from greenroom.safety.verdict import Allow, Circumstances, Hold, Nudge, PolicyHint
from tests.messaging.file_steps import ready_file, send_files
from tests.messaging.world import MessagingWorld

_NEW_ACCOUNT = Circumstances(account_age_ms=3_600_000)
_HARMLESS = (
    "IMG_20260504_123456.jpg",
    "Invoice 4711 +351 912 345 678.pdf",
    "Auftrag 0049 30 12345678.pdf",
    "DSC_0001.NEF",
    "IMG_1234.HEIC",
    "PXL_20240612_123456789.MP.jpg",
    "VID-20240101-WA0001.mp4",
    "WhatsApp Image 2026-05-04 at 12.34.56 (1).jpeg",
    "Screenshot_20260504-123456_Instagram.jpg",
    "Screenshot 2026-05-04 at 12.34.56 PM.png",
    "Signal-2026-05-04-123456.jpg",
    "telegram-cloud-photo-size-2-5192837465-y.jpg",
    "FB_IMG_1712345678901.jpg",
    "received_1234567890123456.jpeg",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.png",
    "6F9619FF-8B86-D011-B42D-00C04FC964FF.JPG",
    "1BoatSLRHtKNngkdXEeobR76b53LETtpyT.txt",
    "DE89 3704 0044 0532 0130 00.pdf",
    "paypal-receipt.pdf",
    "bank transfer confirmation.pdf",
    "www.example.com_backup.zip",
    "setup.py",
    "call sheet day 1.pdf",
    "BEFORE AND AFTER RETOUCH FINAL FINAL.PSD",
    "blob",
)
_HARMLESS_URLS = (
    "https://drive.google.com/file/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlb7/view?usp=sharing",
    "https://www.dropbox.com/scl/fi/8x7k2j3h4g5f6d7s8a9z0/Portraits.zip?rlkey=abcdefg123456789&dl=0",
    "https://we.tl/t-AbCdEf1234",
    "https://files.example.com/0049-30-12345678/00351912345678/final.zip",
    "https://b.s3.amazonaws.com/a.zip?X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1",
)


@pytest.mark.parametrize("name", _HARMLESS)
def test_a_name_that_a_camera_or_program_gives_has_no_hints(name: str) -> None:
    assert isinstance(judge_text(name_words([name]), _NEW_ACCOUNT), Allow)


def test_ten_of_them_together_have_no_hints() -> None:
    for at in range(0, len(_HARMLESS), 10):
        assert isinstance(judge_text(name_words(_HARMLESS[at : at + 10]), _NEW_ACCOUNT), Allow)


@pytest.mark.parametrize("url", _HARMLESS_URLS)
def test_a_usual_url_of_a_deliverable_has_no_hints(url: str) -> None:
    assert isinstance(judge_text(url_words(url), _NEW_ACCOUNT), Allow)


@pytest.mark.parametrize(
    "name",
    ["I will kill you.txt", "I_will-kill_you", "I will kill.you", "i w\u200bill kill you.png"],
)
def test_a_name_with_a_threat_would_be_held(name: str) -> None:
    assert isinstance(judge_text(name_words([name]), _NEW_ACCOUNT), Hold)
    url = f"https://files.example.com/{name.replace(' ', '%20')}"
    assert isinstance(judge_text(url_words(url), _NEW_ACCOUNT), Hold)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("write to anna.meyer.1985@example.org.txt", PolicyHint.CONTACT_DETAILS),
        ("add_me_on_whatsapp.jpg", PolicyHint.CONTACT_DETAILS),
        ("pay-by-paypal.pdf", PolicyHint.PAYMENT_OUTSIDE),
    ],
)
def test_a_name_with_a_way_around_has_a_hint(name: str, hint: PolicyHint) -> None:
    verdict = judge_text(name_words([name]), Circumstances())
    assert isinstance(verdict, Nudge)
    assert verdict.policy_hints == (hint,)


@pytest.fixture
async def thread(world: MessagingWorld) -> Thread:
    return await world.inquiry()


async def test_a_message_is_held_for_the_name_of_its_file(
    world: MessagingWorld, thread: Thread
) -> None:
    fine = await ready_file(world, "ana", thread.id)
    threat = await ready_file(world, "ana", thread.id, "I_will_kill_you.txt")
    assert isinstance(await send_files(world, "ana", thread.id, fine, threat), Held)
    head = await world.messaging.thread_cache.read(thread.id)
    assert head is not None
    assert head.preview == thread.preview
    case = await find(world.safety, case_id(HeldMessage(thread.id, world.user("ana"), "f1")))
    assert case is not None
    assert (case.verdict, case.files) == ("threat", (fine, threat))
    assert await Enforcement(world.messaging).release(case)


async def test_the_sender_gets_a_hint_about_a_name(world: MessagingWorld, thread: Thread) -> None:
    file = await ready_file(world, "ana", thread.id, "mail me, anna@example.org.txt")
    outcome = await send_files(world, "ana", thread.id, file, body="My prices")
    assert isinstance(outcome, Sent)
    assert outcome.hints == (PolicyHint.CONTACT_DETAILS,)


async def test_the_same_name_many_times_is_no_repetition(
    world: MessagingWorld, thread: Thread
) -> None:
    name = "image from the editorial in Lisbon.jpg"
    for number in range(12):
        file = await ready_file(world, "ana", thread.id, name)
        outcome = await send_files(world, "ana", thread.id, file, client_id=f"f{number}")
        assert isinstance(outcome, Sent)
        assert outcome.hints == ()
