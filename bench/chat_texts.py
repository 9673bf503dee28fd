"""The texts of `make bench-chat`: a plain sentence, and a mix of marketplace messages in five
languages.

Each message begins with its number, in letters. Safety lets each of them through in an accepted
thread (tests/bench/test_chat_texts.py).
"""

# ruff: noqa: RUF001  typographic signs and other scripts are meant

from collections.abc import Callable, Mapping
from typing import TypeAlias

Body: TypeAlias = Callable[[int], str]
"""The text of the message with this number."""

BODY_BYTES = 120
"""Of the plain sentence."""
_SENTENCE = (
    " is the set that we spoke about last week, and the light there is at its best in the late "
    "afternoon, so could we begin a little later then, and have the smaller room as well?"
)
_LETTERS = "bcdfghjklmnpqrstvwxz"
"""No vowels and no `y`, so that no word is one that safety holds."""

MIX: Mapping[str, tuple[str, ...]] = {
    "English": (
        "ok, see you at 10:30 then 👍",
        "Thanks so much! 😊",
        "Great, the deposit of $250.00 arrived this morning 🎉",
        "Is $1,250 for the day alright, or $1,400 with retouching?",
        "Your order 84729105638471029365 was sent today and should be with you on Friday.",
        "Order no. 4028-1173-9920 is packed, tracking 00340434161094042557.",
        "The parcel number is 00340434161094042557, it should come tomorrow before noon.",
        "It is on its way, you can follow it here: https://www.ups.com/track?num=1Z999AA10123456784",
        "The invoice is INV-2026-004217, due 2026-12-01, total 1,349.90 USD.",
        "Can we do Tuesday 17 November 2026, 14:00-17:30, and keep the 18th as a backup?",
        "It is 120 x 80 x 45 cm and weighs 17.5 kg, so it fits into a normal car.",
        "Sizes: M (38-40), 96 cm chest, 178 cm tall, shoe 42.5.",
        "Here is the moodboard: https://www.pinterest.com/anna/harbour-2026/ what do you think?",
        "Photos are at https://drive.example.com/folders/1aB2cD3eF4gH5iJ6kL7mN8oP9 "
        "(about 2.4 GB, 340 files).",
        "The studio is at 48.20849, 16.37208, second door on the left, code 4711.",
        "Card ends in 4242, the payment id is 20261116093045123456 if you need it.",
        "Serial 0123456789012345, model A2338, bought 03/2021, battery at 91%.",
        "IMEI 352099001761481, 256 GB, no scratches, box and cable included.",
        "ISBN 978-3-16-148410-0, paperback, like new. 12 euros incl. shipping?",
        "We are on v2.10.1 now, the export takes 3.5 s instead of 41 s.",
        "Running 5 min late, traffic on the A40, be there 9:20 😅",
        "Could you send 3-4 examples of earlier work? Budget is 800 to 1,000 for 2 days.",
        "I have 3 questions: 1. Is the light included? 2. Parking for 2 cars? 3. Open until 19:00?",
        "Flight OS 451 lands at 11:55 on 21.11., I'd come straight to the studio 🛫",
        "The old one was 0.75 mm, the new one is 1.2 mm; we need 2,400 pieces by week 49.",
        "Sounds good, I will book it tonight and let you know as soon as it is confirmed. "
        "If anything changes on your side, just write here, I look at my messages every hour.",
    ),
    "German": (
        "Passt, dann bis Donnerstag um 9 Uhr! 🙂",
        "Guten Tag, ist der Artikel noch verfügbar? Ich könnte ihn am 21.11.2026 abholen.",
        "Die Bestellnummer ist 30281746550192837465, geliefert wird zwischen 12 und 16 Uhr.",
        "Würden Sie 85,00 € inkl. Versand nehmen? Größe 42, Farbe Grün wäre schön.",
        "Rechnung 2026-11-0457 über 1.890,50 € ist heute per Überweisung rausgegangen.",
        "Die Maße: 180 × 90 × 75 cm, Gewicht ca. 38 kg, drei kleine Kratzer an der Rückseite.",
    ),
    "Spanish": (
        "Perfecto, ¡muchas gracias! 🙌",
        "Hola, ¿sigue disponible? Podría pasar el 20/11/2026 a las 18:30.",
        "El total son 1.250,00 €, con un anticipo del 30 % (375 €) esta semana.",
        "El pedido 77120045918830012245 salió ayer, llega mañana por la mañana.",
        "La sesión dura 3 horas, en la calle Mayor 24, 2º izquierda; ¿traigo yo los focos?",
        "Te dejo el enlace de la galería: https://example.es/galeria?id=58213&lang=es",
    ),
    "French": (
        "Merci beaucoup, à très bientôt ! 😊",
        "Bonjour, seriez-vous disponible le 3 décembre 2026 à 14 h 30 ?",
        "Le devis est de 1 480,00 € TTC, acompte de 30 % à la réservation.",
        "La commande 55019283746501928374 est partie hier, livraison prévue le 19/11.",
        "C’est au 12 bis, rue des Écoles, 3e étage ; le code de l’entrée est le 24B58.",
        "L’appareil a 12 500 déclenchements, objectif 85 mm f/1,8 inclus, état impeccable.",
    ),
    "Japanese": (
        "ありがとうございます!よろしくお願いします🙇",
        "こんにちは、11月20日(金)の14時から撮影は可能でしょうか?",
        "料金は税込38,500円です。前日までのキャンセルは無料です。",
        "注文番号は 20261116004839201745 です。明日の午前中に届く予定です。",
        "サイズは120×80cm、重さは約4.5kgです。写真はこちら https://example.jp/item/48213",
        "了解です👍",
    ),
}
TEXTS: tuple[str, ...] = tuple(text for texts in MIX.values() for text in texts)


def plain(number: int) -> str:
    return (_word(number) + _SENTENCE)[: BODY_BYTES - 1] + "?"


def mixed(number: int) -> str:
    """The texts of the mix in turn."""
    return f"{_word(number)} {TEXTS[number % len(TEXTS)]}"


def _word(number: int) -> str:
    """`b`, `c`, … `z`, `cb`, `cc`, …"""
    word = ""
    while number or not word:
        number, letter = divmod(number, len(_LETTERS))
        word = _LETTERS[letter] + word
    return word


def number_in(text: str) -> int:
    number = 0
    for letter in text.partition(" ")[0]:
        number = number * len(_LETTERS) + _LETTERS.index(letter)
    return number
