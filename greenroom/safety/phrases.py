"""The phrases that the rules match, in the most common languages of users.

They are matched against normalised text: lower case, no accents. Every gap is bounded and every
pattern begins with something rare, so that no text makes them slow.
"""

# ruff: noqa: RUF001  letters of other scripts are meant

from greenroom.safety.matchers import Pattern

_GAP = r"[^.!?\n]{0,25}?"
_MESSENGER = (
    r"(?:what'?s\W?app|whatsap|watsapp|telegram|tg|signal|insta(?:gram)?|ig|snap(?:chat)?|we\W?chat"
    r"|viber|kik|discord|skype|facebook|fb|messenger|tik\W?tok|kakao(?:talk)?|zalo|zap|whats|vk"
    r"|вотсап\w{0,3}|ватсап\w{0,3}"
    r"|телег\w{0,6}|инст\w{0,8}"
    r"|вайбер\w{0,2}|ваибер\w{0,2})"
)
_MESSENGERS = (
    "app", "tele", "tg", "signal", "inst", "ig", "snap", "chat", "viber", "kik", "discord", "skype",
    "face", "fb", "mess", "tik", "kakao", "zalo", "zap", "whats", "vk",
    "тсап", "телег", "инст",
    "ваиб", "вайб",
)  # fmt: skip
_MAIL = r"(?:gmail|googlemail|hotmail|icloud|protonmail|gmx|outlook\W{1,3}com|yahoo\W{1,3}com)"
_DOT = r"(?:dot|punkt|punto|point|ponto|точка)"
_OPEN, _CLOSE = r"[(\[{<*_]{1,2}\s?", r"\s?[)\]}>*_]{1,2}"
_ENDING = r"(?:com|net|org|de|fr|es|it|co|io|me|ru|uk|eu|info|br|pl|nl|shop)"
_AT = rf"(?:{_OPEN}(?:at|arroba|@){_CLOSE}|\s(?:at|arroba)\s|\s?@\s?)"
_SPELLED_DOT = rf"(?:\s?{_OPEN}(?:{_DOT}|\.){_CLOSE}\s?|\s{_DOT}\s)"
_PAY = (
    r"(?:paypal|venmo|zelle|cash\s?app|revolut|western union|money\s?gram|bitcoin|btc|usdt|crypto"
    r"|bizum|twint|transferwise|e-?transfer)"
)
_PAYS = (
    "paypal", "venmo", "zelle", "cash", "revolut", "western", "gram", "bitcoin", "btc", "usdt",
    "crypto", "bizum", "twint", "wise", "transfer",
)  # fmt: skip

EMAIL = Pattern(
    r"(?<=[a-z0-9_+-])@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,4}\.[a-z]{2,24}(?![a-z0-9])", ("@",)
)
EMAIL_SPELLED = Pattern(
    rf"{_AT}\s{{0,3}}(?:{_MAIL}\b|[a-z0-9-]{{2,40}}(?:{_SPELLED_DOT}|\s\.\s){_ENDING}\b)"
    r"|\bmy\s(?:gmail|e-?mail(?:\saddress)?)\s?(?:is\b|:)",
    ("at", "@", "arroba", "mail"),
)
LINK_SPELLED = Pattern(
    rf"(?<=[a-z0-9])(?<!\bthe)(?<!\ba){_SPELLED_DOT}{_ENDING}\b",
    ("dot", "punkt", "punto", "point", "ponto", "точка", "(.", "[.", "{.", "<.", "*.", "_."),
)
MESSENGER_LINK = Pattern(
    r"\b(?:wa\.me|t\.me|telegram\.me|m\.me|discord\.gg|instagram\.com|facebook\.com|snapchat\.com"
    r"|linktr\.ee|onlyfans\.com)/",
    ("/",),
)
MESSENGER_ASK = Pattern(
    rf"\b(?:text|message|msg|write|ping|dm|add|contact|reach|find|hit|call|follow|catch)\s"
    rf"(?:me|us)\b{_GAP}\b(?:on|at|via|over|through|by|in)\s(?:my\s)?{_MESSENGER}\b"
    rf"|\b(?:let'?s|can\swe|could\swe|shall\swe|we\s(?:can|could|should))\s"
    rf"(?:talk|chat|move|continue|switch|go|speak|take)\b{_GAP}\b(?:on|to|over|via|in)\s"
    rf"{_MESSENGER}\b"
    r"|\b(?:what'?s\W?app|telegram|snap(?:chat)?|insta|wechat|viber|signal|skype)\sme\b"
    r"|\b(?:hmu|hit\sme\sup)\son\b"
    r"|\b(?:do\syou\s(?:have|use)|are\syou\son)\s(?:what'?s\W?app|telegram|signal|viber|snapchat"
    r"|wechat|skype)\b",
    (*_MESSENGERS, "hmu", "hit me up"),
)
MESSENGER_ASK_ABROAD = Pattern(
    rf"\b(?:schreib|schick|ruf|kontaktier|meld)\w{{0,4}}\s(?:mir|mich|uns|dich)\b{_GAP}"
    rf"\b(?:auf|per|uber|bei|via|in)\s{_MESSENGER}\b"
    rf"|\b(?:ecri|contacte|appelle|ajoute|rejoi|parle)\w{{0,4}}[\s-](?:moi|nous)\b{_GAP}"
    rf"\b(?:sur|par|via)\s{_MESSENGER}\b"
    rf"|\b(?:escrib|contacta|agrega|llama|habla|manda)\w{{0,3}}me\b{_GAP}"
    rf"\b(?:al?|por|en|via)\s(?:mi\s|el\s)?{_MESSENGER}\b"
    rf"|\b(?:scriv|contatta|chiama|aggiung)\w{{0,3}}mi\b{_GAP}\b(?:su|via|per)\s{_MESSENGER}\b"
    rf"|\b(?:me\s(?:chama|manda|adiciona|liga|escreve)\w{{0,2}}|(?:chama|manda|fala|escreve)"
    rf"[\s-](?:me|comigo))\b{_GAP}\b(?:no|pelo|por|na|em|via)\s{_MESSENGER}\b"
    rf"|\b(?:app|bel|stuur|bericht|schrijf)\s(?:me|mij)\b{_GAP}\b(?:op|via)\s{_MESSENGER}\b"
    rf"|\b(?:napisz|pisz|zadzwon|odezwij)\b{_GAP}\b(?:na|przez|do)\s{_MESSENGER}\w{{0,3}}\b"
    rf"|\b{_MESSENGER}\W?(?:tan|dan|ten|den)\s(?:yaz|ulas)"
    rf"|\b(?:пиш|напиш|звон"
    rf"|добав)\w{{0,4}}\b{_GAP}\b(?:в|на|по"
    rf"|через)\s{_MESSENGER}\b",
    _MESSENGERS,
)
MESSENGER_HANDLE = Pattern(
    r"\b(?:insta(?:gram)?|ig|snap(?:chat)?|telegram|tg|what'?s\W?app|wechat|discord|skype"
    r"|tik\W?tok|kik|fb|facebook|line\sid)\b[\s:=-]{0,3}"
    r"(?:(?:is|id|handle|username|name|user|ist|es|est)\b[\s:=-]{0,3}){0,2}"
    r"(?:@[a-z0-9._]{2,30}|(?=[a-z0-9.]{0,30}[_0-9])[a-z][a-z0-9._]{3,30})"
    r"|\bmy\s(?:insta(?:gram)?|ig|snap(?:chat)?|telegram|tg|wechat|discord|skype|kik)\s?(?:is\s|:\s?)"
    r"(?!private|public|new|empty|down|broken|full|ready|here|below|not\b)"
    r"[a-z0-9._]{3,30}\s?(?:$|[.,!;)\n])",
    _MESSENGERS,
)
ASKS_FOR_NUMBER = Pattern(
    r"\b(?:what'?s|what\sis|send\s(?:me|us)|give\s(?:me|us)|share|drop|can\si\s(?:get|have))\s"
    r"(?:me\s)?(?:ur|your)\s(?:phone|cell|mobile|number|what'?s\W?app|telegram|snap|e-?mail)\b"
    r"|\b(?:gib|schick)\smir\s(?:deine|ihre)\s(?:handy|telefon)?nummer\b"
    r"|\b(?:dame|pasame|mandame)\stu\s(?:numero|telefono|whatsapp)\b"
    r"|\b(?:donne|envoie)[\s-]moi\ston\s(?:numero|whatsapp)\b"
    r"|\b(?:dammi|mandami)\sil\stuo\snumero\b"
    r"|\b(?:me\s)?(?:passa|manda)\s(?:o\s)?seu\s(?:numero|whats\w{0,3}|zap)\b",
    ("num", "phone", "cell", "mobile", "app", "tele", "snap", "mail", "whats", "zap"),
)
PAYMENT_HANDLE = Pattern(
    r"\b(?:paypal\.me|venmo\.com|cash\.app|revolut\.me|buymeacoffee\.com|ko-fi\.com)\b"
    r"|\bmy\s(?:paypal|venmo|zelle|cash\s?app|revolut|iban|btc|bitcoin|wallet)\b"
    r"|\b(?:paypal|venmo|zelle|cash\s?app|revolut)\s?(?:me\b|:|is\b|@|\$[a-z])"
    r"|(?<!\S)\$(?!usd|aud|cad|mxn)[a-z][a-z0-9_]{3,19}\b",
    ("paypal", "venmo", "zelle", "cash", "revolut", "iban", "btc", "bitcoin", "wallet", "$",
     "ko-fi", "coffee"),
)  # fmt: skip
PAYMENT_BY = Pattern(
    rf"\b(?:pay|paid|send|transfer|deposit|wire|settle|zahl|bezahl|uberweis|schick|paie|paye|verse"
    rf"|envoie|paga|pago|envia|manda|invia|betaal|stuur|оплат"
    rf"|заплат|перевед)\w{{0,6}}\b"
    rf"[^.!?\n]{{0,40}}?\b(?:via|by|through|thru|with|on|using|per|over|to|mit|uber|par|avec|sur"
    rf"|por|con|su|tramite|met|op|na|на|через)\s"
    rf"(?:my\s|mein\s|mon\s|mi\s)?{_PAY}\b",
    _PAYS,
)
PAYMENT_OUTSIDE = Pattern(
    r"\b(?:pay|book|deal|work|do\s(?:it|this)|arrange|settle)\b[^.!?\n]{0,30}?"
    r"\b(?:outside|off)\s(?:of\s)?(?:the\s|this\s)?(?:platform|app|site|website)\b(?!\s(?:plan|map|visit))"
    r"|\b(?:avoid|skip|save|without|dodge)\s(?:paying\s)?(?:on\s)?(?:the\s|all\s)?"
    r"(?:platform|service|booking|site)\s(?:fees?|commission)\b"
    r"|\ban\sder\splattform\svorbei\b|\bausserhalb\sder\splattform\b"
    r"|\bfuera\sde\sla\s(?:plataforma|app)\b|\bpor\sfora\sda\splataforma\b"
    r"|\b(?:hors|en\sdehors)\s(?:de\s)?(?:la\s)?plateforme\b|\bfuori\sdalla\spiattaforma\b"
    r"|\bbuiten\shet\splatform\som\b|\bpoza\splatforma\b",
    ("platform", "plat", "app", "site", "fee", "commission", "piattaforma"),
)
CRYPTO_ADDRESS = Pattern(
    r"\bbc1[a-z0-9]{25,60}\b|\b0x[a-f0-9]{40}\b|\bt[a-z0-9]{33}\b(?<=[0-9].{5})"
    r"|\b[13](?=[a-z0-9]{0,33}[a-z])(?=[a-z]{0,33}[0-9])[a-z0-9]{25,33}\b",
    ("bc1", "0x", "1", "3"),
)

EARNINGS = Pattern(
    r"\b(?:earn|make|get)\b[^.!?\n]{0,12}?(?:[$€£]|\busd\b|\bdollars\b|\beuros?\b|\bmoney\b|"
    r"\bcash\b)[^.!?\n]{0,20}?\b(?:daily|weekly|every\s(?:day|week)|from\shome|online|a\sday"
    r"\sfrom|per\sday\sfrom)\b"
    r"|\bgana\w{0,2}\s[^.!?\n]{0,30}\b(?:desde\scasa|diarios|al\sdia\sdesde)\b"
    r"|\bverdien\w{0,3}\b[^.!?\n]{0,40}\b(?:von\szu\s?hause|taglich|ohne\svorkenntnisse)\b"
    r"|\bgagne\w{0,2}\b[^.!?\n]{0,40}\b(?:depuis\schez|par\sjour\ssans|sans\seffort)\b"
    r"|\bguadagna\w{0,2}\b[^.!?\n]{0,40}\b(?:da\scasa|al\sgiorno\ssenza)\b"
    r"|\bganh\w{1,3}\b[^.!?\n]{0,40}\b(?:em\scasa|de\scasa|por\sdia\ssem)\b"
    r"|\bзараб\w{2,8}\b[^.!?\n]{0,40}"
    r"без\sвложени",
    (
        "earn",
        "make",
        "get",
        "gan",
        "verdien",
        "gagne",
        "guadagna",
        "зараб",
    ),
)
EASY_MONEY = Pattern(
    r"\bpassive\sincome\b|\bfinancial\sfreedom\b|\bno\sexperience\s(?:needed|required)\b"
    r"|\bwork(?:ing)?\sfrom\shome\b[^.!?\n]{0,40}\$|\bquick\s(?:cash|money)\b|\beasy\smoney\b"
    r"|\bget\srich\b|\bbe\syour\sown\sboss\b|\bingresos\spasivos\b|\bdinero\sfacil\b"
    r"|\bschnelles\sgeld\b|\bargent\sfacile\b|\bsoldi\sfacili\b|\bdinheiro\sfacil\b"
    r"|\bлегкие\sденьги\b",
    (
        "income",
        "freedom",
        "experience",
        "home",
        "money",
        "cash",
        "rich",
        "boss",
        "pasivo",
        "facil",
        "geld",
        "деньги",
    ),
)
MONEY_SIGNS = Pattern(r"\${3}|€{3}|£{3}", ("$$$", "€€€", "£££"))
MASS_GREETING = Pattern(
    r"^\W{0,3}(?:dear|hello|hi|greetings)\s(?:sir|madam|sir\s?/\s?madam|sir\sor\smadam|friends?|"
    r"beloved|customer|user|valued\scustomer|winner|all|dear)\b"
    r"|\bto\swhom\sit\smay\sconcern\b|\bsehr\sgeehrte\sdamen\sund\sherren\sich\sbin\b"
    r"|^\W{0,3}estimad[oa]\s(?:cliente|usuario|amigo)\b|^\W{0,3}cher\s(?:client|ami)\b",
    ("dear", "hello", "hi ", "greetings", "concern", "geehrte", "estimad", "cher "),
)
ADVERTISEMENT = Pattern(
    r"\b(?:buy|gain)\s(?:real\s|more\s|cheap\s|instagram\s|\d{1,6}k?\s){0,2}followers\b"
    r"|\b(?:seo|web\sdesign|link\sbuilding)\s(?:services?|agency|packages?)\b"
    r"|\brank\s(?:your\s(?:site|website)\s)?(?:#?1|first|higher)\son\sgoogle\b"
    r"|\blimited[\s-]time\soffer\b|\bact\snow\b|\b100%\s(?:free|guaranteed)\b|\bspecial\spromo\b"
    r"|\bcheap\s(?:viagra|cialis|pills|meds)\b|\bonline\scasino\b|\bfree\s(?:spins|iphone)\b"
    r"|\bcompra\sseguidores\b|\bfollower\skaufen\b|\bkostenlose\sfollower\b",
    (
        "follower",
        "seo",
        "design",
        "link",
        "rank",
        "offer",
        "act now",
        "100%",
        "promo",
        "cheap",
        "casino",
        "free",
        "seguidores",
    ),
)
CLICK_HERE = Pattern(
    r"\b(?:click|tap|press)\s(?:here|this|the\slink|below|on\sthe\slink|now)\b"
    r"|\bklick\w?\s(?:hier|auf)\b|\bhaz\sclic\b|\bcliquez\s(?:ici|sur)\b|\bclicca\squi\b"
    r"|\bclique\saqui\b",
    ("click", "tap", "press", "klick", "clic", "cliq"),
)

ADVANCE_FEE = Pattern(
    r"\b(?:western\sunion|money\s?gram)\b"
    r"|\b(?:gift|itunes|steam|google\splay|amazon)\s?cards?\b[^\n]{0,60}?\b(?:codes?|scratch)\b"
    r"|\b(?:scratch|codes?)\b[^\n]{0,40}?\b(?:gift|itunes|steam|google\splay|amazon)\s?cards?\b",
    ("western", "gram", "card"),
)
OVERPAYMENT = Pattern(
    r"\b(?:cashier'?s?|certified)\sche(?:ck|que)s?\b"
    r"|\b(?:refund|return|send(?:\sback)?|forward|wire)\s(?:me\s)?(?:back\s)?the\s"
    r"(?:difference|excess|remaining\sbalance|overpayment|extra\smoney)\b"
    r"|\bdeduct\syour\s(?:fee|pay|money|share)\b",
    ("che", "refund", "return", "send", "forward", "wire", "deduct"),
)
WINDFALL = Pattern(
    r"\b(?:you\s(?:have\s)?(?:just\s)?won|lottery|inheritance|next\sof\skin|beneficiary)\b"
    r"[^\n]{0,80}?\b(?:million|prize|funds?|usd|claim)\b",
    ("won", "lottery", "inheritance", "kin", "beneficiary"),
)
PHISHING = Pattern(
    r"\b(?:verify|confirm|validate|unlock|update)\syour\s(?:account|identity|payment|card|wallet|"
    r"bank|login)\b"
    r"|\byour\saccount\s(?:has\sbeen|will\sbe|is)\s(?:suspended|limited|locked|deactivated|closed)\b"
    r"|\b(?:bestatige\w?|verifiziere\w?)\s(?:sie\s)?(?:dein|ihr)\w?\skonto\b"
    r"|\bverifi(?:ca|que|cate)\stu\scuenta\b|\bverifiez\svotre\scompte\b",
    ("your", "konto", "cuenta", "compte"),
)
TAKES_A_CODE = Pattern(
    r"\b(?:send|tell|give|forward|text|read)\s(?:me|us)\b[^.!?\n]{0,25}?"
    r"\b(?:verification|confirmation|security|sms|6[\s-]digit|six[\s-]digit|whatsapp)\scode\b",
    ("code",),
)
TAKES_A_WALLET = Pattern(
    r"\b(?:seed|recovery|secret)\sphrase\b|\bprivate\skeys?\b[^.!?\n]{0,30}\bwallet\b",
    ("phrase", "private"),
)
SURE_PROFIT = Pattern(
    r"\b(?:guaranteed|risk[\s-]free)\s(?:\w{1,12}\s)?(?:returns?|profits?|income|roi)\b"
    r"|\b(?:double|triple|10x)\syour\s(?:money|bitcoin|btc|investment|crypto|capital)\b"
    r"|\binvest\b[^.!?\n]{0,40}?\b(?:bitcoin|btc|crypto|forex|usdt)\b[^.!?\n]{0,60}?"
    r"\b(?:profits?|returns?|weekly|daily)\b"
    r"|\b(?:duplica\stu\sdinero|verdopple\wdein\sgeld|verdoppeln\ssie\sihr\sgeld"
    r"|doublez\svotre\sargent)\b",
    ("guarant", "risk", "double", "triple", "10x", "invest", "duplica", "verdopp", "doublez"),
)

THREAT = Pattern(
    r"\bkill\s(?:your\s?self|urself)\b|\bkys\b"
    r"|\bi(?:'?ll|\swill|'?m\sgoing\sto|\sam\sgoing\sto|'?m\sgonna)\s(?:kill|hurt|rape|stab|"
    r"destroy)\s(?:you|u)\b(?!\sat\b)"
    r"|\bi\sknow\swhere\s(?:you|u)\s(?:live|sleep)\b|\byou\s(?:should|deserve\sto)\sdie\b"
    r"|\bich\s(?:bring|mach)\w?\sdich\s(?:um|fertig|kalt)\b|\bbring\sdich\sum\b"
    r"|\bte\svoy\sa\smatar\b|\bmatate\b|\bje\svais\ste\stuer\b|\bsuicide[\s-]toi\b"
    r"|\bti\sammazzo\b|\bvou\ste\smatar\b"
    r"|\bя\sтебя\sубью\b",
    ("kill", "kys", " you", " u", "dich", "matar", "matate", "tuer", "suicide", "ammazzo", "убью"),
)
INSULT = Pattern(
    r"\b(?:you'?re|you\sare|ur|u\sr|you)\s(?:an?\s|such\san?\s|fucking\s|stupid\s|dumb\s){0,3}"
    r"(?:idiot|moron|bitch|whore|slut|cunt|retard|loser|piece\sof\sshit|asshole|ugly\scow)\b(?!-)"
    r"|\bfuck\s(?:you|off)\b|\bshut\sthe\sfuck\sup\b"
    r"|\bdu\s(?:dumme\w?\s|blode\w?\s|verdammte\w?\s)?(?:hure|schlampe|wichser|arschloch|fotze|"
    r"idiot)\b|\bhijo\sde\sputa\b|\beres\suna?\s(?:puta|pendej[oa]|idiota|imbecil)\b"
    r"|\bva\ste\sfaire\sfoutre\b|\b(?:sale\s)?(?:connard|salope)\b|\bstronz[oa]\b"
    r"|\bvai\sse\sfoder\b|\bсука\b",
    (
        "you",
        "ur ",
        "u r",
        "fuck",
        "du ",
        "puta",
        "eres",
        "foutre",
        "connard",
        "salope",
        "stronz",
        "foder",
        "сука",
    ),
)
WHERE_SOMEBODY_LIVES = Pattern(
    r"\b(?:he|she|they)\slives?\sat\s\d|\b(?:his|her|their)\shome\saddress\sis\b"
    r"|\b(?:er|sie)\swohnt\sin\sder\s\w{3,30}\s\d|\bvive\sen\sla\scalle\s\w{3,30}\s\d",
    ("live", "address", "wohnt", "vive"),
)
INTIMATE = Pattern(
    r"\bsend\s(?:me\s)?(?:some\s|ur\s|your\s)?(?:nudes|naked\spic\w{0,4})\b|\bdick\spics?\b"
    r"|\bsexting\b|\bsugar\s(?:daddy|baby)\b|\bhappy\sending\b|\bescort\s(?:service|work)\w{0,1}\b"
    r"|\bwanna\s(?:fuck|hook\s?up)\b|\bhow\smuch\sfor\s(?:sex|the\snight)\b"
    r"|\b(?:schick|send)\s(?:mir\s)?nacktbilder\b|\bmandame\snudes\b|\benvoie\sdes\snudes\b"
    r"|\bmanda\snudes\b",
    (
        "nude",
        "naked",
        "dick",
        "sext",
        "sugar",
        "ending",
        "escort",
        "wanna",
        "how much for",
        "nackt",
    ),
)
