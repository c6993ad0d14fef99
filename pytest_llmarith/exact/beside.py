"""What stands beside digits in the languages of the world: words of magnitude, marks of
per cent, currencies, units. Tables after the Unicode CLDR 47.
"""

from __future__ import annotations

import re
from functools import cache

# Characters of magnitude: within a group of four digits, and of groups
HAN_SMALL = (
    dict.fromkeys("十拾십", 1) | dict.fromkeys("百佰백", 2) | dict.fromkeys("千仟천", 3)
)
HAN_LARGE = (
    dict.fromkeys("万萬만", 4)
    | dict.fromkeys("亿億억", 8)
    | dict.fromkeys("兆조", 12)
    | dict.fromkeys("京경", 16)
)
HAN = "".join(HAN_SMALL | HAN_LARGE)
HAN_MARK = rf"(?:(?!千[克米瓦卡])[{HAN}])"  # a kilogram is a unit

# Stands for a word of magnitude whose value is not known, or differs by language.
UNKNOWN = "\ue003"

_RARE = re.findall(
    "[a-z]+",
    "quadrillion quintillion sextillion septillion octillion nonillion decillion",
)
# What each word is read as; any other that ends like one is not known.
_MEANINGS = {
    "hundred": "hundred hundreds",
    "thousand": "thousand thousands tausend tsd mil mille mila mie mii tusen "
    "tusind tuhatta tuhat þúsund tysiąc tysiąca tysiące tysięcy tys tisíc tisíce "
    "tisíca tisuća tisuće tisoč duizend ezer bin ribu nghìn ngàn libo milers mijë "
    "elfu ming tūkst tūkstoši tūkstantis tūkstančių tūkstančiai hiljada hiljade "
    "þús тысяча тысячи тысяч тыс тисяча тисячі тисяч тис хиляди хиляда хиљада "
    "хиљаде илјади тысячу мың миң հազար ათასი χιλιάδες χιλιάδα ألف آلاف الف אלף "
    "אלפים हज़ार हज़ार हजार হাজার ਹਜ਼ਾਰ હજાર ஆயிரம் వేలు వేల వేయి ಸಾವಿರ ആയിരം "
    "ہزار هزار พัน",
    "hundred hundred": "หมื่น",
    "lakh": "lakh lakhs lac lacs लाख লাখ লক্ষ ਲੱਖ લાખ இலட்சம் லட்சம் లక్షలు "
    "లక్ష లక్షల ಲಕ್ಷ ലക്ഷം لاکھ แสน",
    "million": "million millions millionen millones millón millió milhões "
    "milhão milioni milione milioane milion miliony milionów miliona milionu "
    "milionů milións milión milióny miliónov milions milió miljoen miljoner "
    "miljon miljoona miljoonaa millioner milyon milyun milijuna milijun milijon "
    "milijona milijoni milijonai milijonų miljoni miljonu miljonit milljónir "
    "milljón juta triệu mln mio миллион миллиона миллионов млн мільйон мільйона "
    "мільйони мільйонів милион милиона милиони εκατομμύρια εκατομμύριο مليون "
    "ملايين میلیون מיליון मिलियन மில்லியன் మిలియన్ ಮಿಲಿಯನ್ ദശലക്ഷം ล้าน",
    "crore": "crore crores करोड़ करोड़ कोटी কোটি ਕਰੋੜ કરોડ கோடி కోట్లు కోటి ಕೋಟಿ കോടി کروڑ",
    "billion": "billion billions milliarde milliarden milliards milliard "
    "milliarder milliárd milliárdot bilhões bilhão miliardi miliardo miliard "
    "miliarda miliardy miliardów miliarde miliardů miljard miljarder miljardia "
    "miljardi milyar miliar milijarda milijarde milijardi milijardo tỷ tỉ mld mrd "
    "mlrd миллиард миллиарда миллиардов млрд мільярд мільярда мільярди мільярдів "
    "милиард милиарда милијарда милијарде милијарди δισεκατομμύρια δισεκατομμύριο "
    "مليار مليارات میلیارد מיליארד अरब ارب ਅਰਬ અબજ अब्ज பில்லியன்",
    "trillion": "trillion trillions billionen billones billón bilhón biliões "
    "bilião bilioni bilione bilion biliony bilionów bilionu bilionů bilions "
    "biljoen biljoner biljon biljoona biljoonaa billioner billió trilhões trilhão "
    "trilyon triliun trilioane триллион триллиона триллионов трлн трильйон "
    "трильйона трильйонів τρισεκατομμύρια τρισεκατομμύριο تريليون ترليون",
    **{word: f"{word} {word}s" for word in _RARE},
    "%": "percent percents pct ppm ppb prozent procent procenta procentů "
    "procenti процент процента процентов percento pct bps persen prosent prosenttia "
    "százalék posto yüzde odsto відсоток відсотків درصد بالمئة بالمائة אחוז אחוזים "
    "प्रतिशत パーセント 퍼센트 프로 เปอร์เซ็นต์ promille permille percentage pp prozentpunkte "
    "faiz foiz protsenti protsent фоиз пайыз пайызы فیصد শতাংশ சதவீதம் శాతం ശതമാനം "
    "პროცენტი տոկոս porsyento",
    UNKNOWN: "bln bio tn kk tis. arab mega miljardy miljona მილიონი "
    "mil. cr tens myriad myriads dozen dozens trillionen "
    "trillones trilioni trillón triliardi trilliarden trillioner biliard zillion "
    "zillions gazillion gazillions bazillion jillion squillion kajillion "
    "billiarde billiarden billiards undecillion duodecillion centillion googol "
    "खरब десятка десятков сотен сотни hundert cientos centaines dizaines",
}
_READ_AS = {word: read for read, words in _MEANINGS.items() for word in words.split()}
_PHRASES = (
    r"(?:per|pour|por)[ ](?:cento?|ciento|mill?e?)|basis[ ]points?|la[ ]sut[ăa]|от[ ]сто|phần[ ]trăm"
    r"|τοις[ ]εκατό|في[ ]المئة"
    r"|[A-Za-z]{0,12}(?:illi(?:on|ard)|tausend)(?:s|e[ns]?|er)?"
)

CURRENCIES = frozenset(
    re.findall(
        r"\S+",
        "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND "
        "BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLF CLP CNY COP CRC CUP CVE CZK "
        "DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD "
        "HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF "
        "KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP "
        "MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP "
        "PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD "
        "SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU "
        "UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG RMB Afl Ar "
        "BM BR BZ Bds Br Bs Bs.S CF CFPF CN Cf Cg DA DT Db Dkr EC EG Esc FBu FC "
        "FCFA FCFP FG FJ Fdj Fr Ft GB GH Gs HK Ikr JM JP KA KM KR Kg Ksh KSh Kz "
        "Kč Kčs Kr LS Le Lei Lekë Ls MK MTn MX NAf NT NZ Nfk Nkr Nu RD RF RM Rf "
        "Rp Rs SI SR TH TL TSh Tk UK UM US USh UP VT WS ZiG den din kn kr lei lv "
        "mk soʻm zł eur usd gbp S/ B/ Δρχ КМ Кч Тл ден дин лв р руб грн сом сум "
        "сўм тг тңг أ.م ج.س ج.م د.أ د.إ د.ب د.ت د.ج د.س د.ع د.ك د.ل د.م ر ر.إ ر.س "
        "ر.ع ر.ق ر.ي ل.س ل.ل ریال",
    )
)
# A single letter can be a name, an option or a remainder, unless groups follow it.
_LETTERS = frozenset("CDEFGKLPQRS")

# Glued to digits, these are known; a number with other letters may be read by half.
_UNITS = frozenset(
    re.findall(
        r"\S+",
        "kg g mg lb lbs oz km cm mm nm ft yd in ha ml mL dl cl hl gal s ms ns h "
        "hr hrs min m^2 m^3 cm^2 cm^3 km^2 mm^2 ft^2 kW MW GW kWh MWh kJ kPa Hz "
        "kHz MHz GHz kB KB MB GB TB px pt em rpm mph kph kmh kcal cal mol dB C "
        "руб кг г км м см мм мл л с ч мин шт",
    )
)

_CURRENCY = re.compile(
    r"(?<![\w.])(?=[^\s\d]{1,7}+\d)([-+]?)([^\W\d_](?:[^\W\d_]|\.(?=[^\W\d_])|/){0,4})\.?(?=[-+]?\d)"
)
_TOUCHED = re.compile(r"\d(?:(?<=[^\W\d_]\d)|(?<=[^\W\d_][./+-]\d))")
_GROUPS = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d,])")
_GLUED = re.compile(r"([A-Za-z_À-ÖØ-öø-ɏͰ-ԯ]+)(?:\^\d)?")
# A mark between two digits of which it is not known what it says
_STRANGE = r"[^\w\s.,:+×÷*/^=≈→()~%|<>≤≥±√\[\]&\ue000-\ue002-]"
_BEHIND = re.compile(rf"{UNKNOWN}|(?:{_STRANGE}|[.,'_]{{2}})\d|[ ]?{HAN_MARK}")
_BEFORE = re.compile(rf"\d(?:{_STRANGE}|[.,'_]{{2}})\Z")


def is_half_read(text: str, start: int, end: int) -> bool:
    """Whether the number from `start` to `end` may be a part of a longer one, or be
    multiplied by what touches it: it is not known what that means.
    """
    glued = _GLUED.match(text, end)
    if glued and glued[0] not in _UNITS and glued[0] not in CURRENCIES:
        return True
    before = text[max(0, start - 3) : start]
    return bool(_BEHIND.match(text, end) or _BEFORE.search(before))


def without_currencies(text: str) -> str:
    """The text with a space in place of each currency that touches a number."""
    return _CURRENCY.sub(_as_a_space, text) if _TOUCHED.search(text) else text


def _as_a_space(currency: re.Match[str]) -> str:
    sign, name = currency.groups()
    is_letter = name in _LETTERS and _GROUPS.match(currency.string, currency.end())
    if is_letter or name in CURRENCIES:
        return " " + sign
    return currency[0]


def in_english(text: str) -> str:
    """The text, with words of magnitude and marks of per cent behind digits as they are
    written in English.
    """
    return word_behind().sub(_translated, text)


@cache
def word_behind() -> re.Pattern[str]:
    """Up to three words of the tables behind a digit. Compiled on first use."""
    return re.compile(
        rf"(\d)(?=[ \u2009\ue000]{{0,2}}[^\W\d_])((?:[ \u2009\ue000]{{0,2}}{_word()}){{1,3}})"
    )


@cache
def _word() -> str:
    """The pattern of a word: grouped by first letters, so that most are passed over at
    once.
    """
    rests: dict[str, list[str]] = {}
    for word in sorted(_READ_AS, key=len, reverse=True):
        rests.setdefault(word[0], []).append(re.escape(word[1:]))
    words = "|".join(
        f"[{first}{first.upper()}](?:{'|'.join(rest)})" for first, rest in rests.items()
    )
    return rf"(?:{words}|{_PHRASES})(?![^\W\u0e00-\u0eff\u3040-\u309f\uac00-\ud7a3])"


def _translated(behind: re.Match[str]) -> str:
    words = re.findall(_word(), behind[2])
    read = [
        _READ_AS.get(word[0].lower() + word[1:], "%" if " " in word else UNKNOWN)
        for word in words
    ]
    if UNKNOWN in read or "%" in read:
        return behind[1] + (UNKNOWN if UNKNOWN in read else "%")
    return f"{behind[1]} {' '.join(read)}"
