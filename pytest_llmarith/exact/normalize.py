"""Converts a reply to plain text: unifies look-alike characters, renders LaTeX,
markdown and HTML.

Bold text and boxes are marked with private-use characters. Every pattern takes linear
time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from .beside import (
    HAN,
    HAN_LARGE,
    HAN_MARK,
    HAN_SMALL,
    UNKNOWN,
    in_english,
    without_currencies,
    word_behind,
)
from .digits import decimal_from, shifted
from .enums import Dtype
from .unsaid import said

THIN = "\u2009"  # stands for all spaces that may group digits but do not separate words
# Marks; these characters are removed from the reply itself.
BOLD, BOX, END_OF_BOX = "\ue000", "\ue001", "\ue002"


def rendered(text: str) -> tuple[str, bool]:
    """The text as it is shown to people, before its lines are made plain; true with it
    if it is nothing but a number.
    """
    if "&" in text:
        import html  # few replies have entities

        text = html.unescape(text)
    text = said(text)
    # A replacement for each character that is there takes a tenth of `str.translate`.
    unusual = set(_UNUSUAL.findall(text))
    for alike in unusual & _LOOKALIKES.keys():
        text = text.replace(alike, _LOOKALIKES[alike])
    if _SINGLE_NUMBER.fullmatch(text):
        text = _SPACED_DIGITS.sub(_without_spaces, text)
        return _GROUPING_SPACES.sub("", text), True
    if not unusual.isdisjoint(_SUPERSCRIPTS):
        text = _RAISED.sub(lambda raised: "^" + raised[0].translate(_LOWER), text)
    return _without_latex(text), False


def last_lines(shown: str, dtype: Dtype) -> str | None:
    """The last lines of a long text that is `rendered`, in plain text.

    None if what stands before them says how they are read.
    """
    start = shown.rfind("\n", _LAST, -_LAST) + 1
    if not start or shown.rfind(BOX, 0, start) > shown.rfind(END_OF_BOX, 0, start):
        return None
    lines = _plain_lines(shown[start:], is_whole=False)
    if not _DIGIT.search(lines.rpartition("=")[2]) or _NEEDS_ALL.search(lines):
        return None
    return None if _has_marks(lines, dtype) else lines


def plain(shown: str, operands: Sequence[str], dtype: Dtype) -> str:
    """A text that is `rendered`, in plain text.

    The point in 1.234 groups digits of an integer, if it does so in an operand.

    It also does in a text with Latin letters that is not English.
    """
    shown = _plain_lines(shown, is_whole=True)
    if not _has_marks(shown, dtype):
        return shown
    has_decimal_commas = _has_decimal_commas(shown, operands, dtype)
    if _GROUPED_BY_A_POINT.search(shown) and (
        has_decimal_commas
        or (dtype is Dtype.INT and _has_grouping_points(shown, operands))
    ):
        shown = _GROUPED_BY_A_POINT.sub("", shown)
    if has_decimal_commas:
        shown = _LONE_COMMA.sub(".", shown)
    return shown


def _plain_lines(shown: str, *, is_whole: bool) -> str:
    """Each line in plain text, but for points and commas that may group."""
    shown = without_currencies(_without_markdown(shown))
    unusual = set(_UNUSUAL.findall(shown))
    if not unusual.isdisjoint(_BEYOND_ASCII):
        shown = _rewritten(shown, _REWRITES_BEYOND_ASCII)
    if not unusual.isdisjoint(HAN):
        shown = _IN_HAN.sub(_from_han, shown)
    if word_behind().search(shown):
        shown = _SUMMED.sub(_spelled_out, in_english(shown))
    # In "52 + 77 = one hundred twenty-nine", words follow the digits.
    before, sign, words = shown.rpartition("=")
    if is_whole and not _DIGIT.search(words):
        shown = before + sign + _NUMBER_IN_WORDS.sub(_in_digits, words)
    return _rewritten(_SPACED_DIGITS.sub(_without_spaces, shown), _REWRITES)


def _has_marks(text: str, dtype: Dtype) -> bool:
    """Whether a point or comma before three digits may mean one or the other."""
    if _GROUPING_COMMA.search(text):
        return dtype is Dtype.INT and bool(_GROUPED_BY_A_POINT.search(text))
    return bool(_LONE_COMMA.search(text) or _GROUPED_BY_A_POINT.search(text))


def _without_spaces(digits: re.Match[str]) -> str:
    return digits[0].replace(" ", "").replace("&", "")


def _rewritten(text: str, rewrites: Mapping[re.Pattern[str], str]) -> str:
    for pattern, replacement in rewrites.items():
        text = pattern.sub(replacement, text)
    return text


def _has_grouping_points(text: str, operands: Sequence[str]) -> bool:
    for operand in operands:
        if operand.isdecimal():
            grouped = f"{int(operand):,}".replace(",", ".")
            # who writes 5369 groups nothing by points, and 5.369 is another number
            if "." in grouped and grouped in text and operand not in text:
                return True
    return bool(_WORD_OF_LETTERS.search(text)) and not _is_english(text)


def _has_decimal_commas(text: str, operands: Sequence[str], dtype: Dtype) -> bool:
    """Whether a comma before three digits is a decimal sign: if an operand shows it; in
    a text that is not English if another number does, or decimals were asked for.
    """
    if _GROUPING_COMMA.search(text):
        return False
    for operand in operands:
        if "." in operand and operand.replace(".", ",") in text:
            return True
    shows = _DECIMAL_COMMA.search(text)
    if dtype is Dtype.FLOAT and _LONE_COMMA.search(text):
        shows = shows or _WORD_OF_LETTERS.search(text)
    return bool(shows) and not _is_english(text)


def _is_english(text: str) -> bool:
    return bool(_ENGLISH.search(text)) and not _NOT_ENGLISH.search(text)


# Numbers

_DIGIT = re.compile(r"\d")
_SPACED_DIGITS = re.compile(
    r"\d(?=[ ])(?<![\w.,].)(?<!\d[ ].)(?:[ ](?:&[ ])?\d){2,}(?:[ ][.](?:[ ]\d)+)?(?![ ]?[\w])"
)
# What is written in one way only, in this order. A pattern that begins with a character
# is looked for faster than one that begins with what stands before it.
_REWRITES = {
    re.compile(pattern): replacement
    for pattern, replacement in {
        r"%(?<!\d%)(?<!\d[ ]%)[ ]?(\d[\d.,]*)": r"\1%",
        r"[IiEe](?=[SsQq])(?i:(?<=\bi)s[ ]equal|(?<=\be)qual)(?i:[ ]to)\b": "equals",
        r"[Dd](?<=\d[ ].)\.[ ]?[Pp]\b\.?": "dp",
        r"[Ss](?<=\d[ ].)\.[ ]?[Ff]\b\.?": "sf",
        r"[Rr](?<=\b.)(?i:em)?\.(?=[ ]?\d)": "rem",
        r"\|[^|\n]{1,80}\|(?=[ ]?[=≈])": " absolute ",
        # footnotes, and the end of an amount of rupees
        r"/-(?<=\d/-)(?!\d)": "",
        r"\[(?:(?<=\d.)|(?<=\d[ ].)|(?<![^\n].)(?=\S+[ ]))\^?\d{1,2}\^?\]": "",
        r"\^1(?:(?<=\d..)(?<!10..)|(?<![^\n]..)(?=\S*[ ]))(?![\d.])": "",
        r"(?:[ ]\(|\()[1-9][ ](?:of|/)[ ][1-9]\)(?=:)": "",
        # the number of an answer
        r"([AaEeOoRrSsОо答](?=[EeNnOoRrTtUuÉéТт案])(?<=\b.)(?i:nswer|ntwort|rgebnis|utput|esult|ésultat|éponse|espuesta|esultado|olution|твет|案))"
        r"[ ]?[#(\[]?\d{1,2}[)\]]?(?:(?:[ ]?[:=]|\.(?=[ ])|[ ]is\b)(?=[ \ue000]{0,3}[-+]?\d++"
        r"(?![\d.,]*[ ]?[-+*/×÷]))|[ ]-[ ](?=\d{3,}\s*\Z))": r"\1: ",
    }.items()
}
_REWRITES_BEYOND_ASCII = {
    re.compile(pattern): replacement
    for pattern, replacement in {
        # words of doubt in scripts with marks that are no letters to Python
        "रुकिए|เดี๋ยวก่อน|انتظر": " wait ",
        r"(?:负|負|マイナス|마이너스|سالب|ऋणात्मक)[ ]?(?=\d)": "-",
        # decimals that repeat, with a line above each
        r"(?<!\u0305)(\d)(?=\u0305)": r"(\1",
        r"\u0305(?!\d\u0305)": ")",
        r"\u0305": "",
        r"(?i)(?:百分之|yüzde|ร้อยละ)[ ]?(\d[\d.,]*)": r"\1%",
    }.items()
}
_BEYOND_ASCII = "रเا负負マ마سऋ\u0305百üÜร"  # one of each pattern
# Long texts have their answer in the last lines, which are read first.
_LAST = 500  # characters
_SINGLE_NUMBER = re.compile(
    r"\s*+[-+]?\d[\d.,' ]*+\s*+"
)  # the whole reply: its spaces group digits
_GROUPING_SPACES = re.compile(r"(?<=,)[ ]++(?=\d)|(?<=\d)[ ](?=\d{3}(?!\d))")
# Latin, Greek, Cyrillic, Armenian and Georgian letters: where other languages than
# English are written with them, a point groups in most.
_WORD_OF_LETTERS = re.compile(r"[A-Za-zÀ-ɏḀ-ỿͰ-֏Ⴀ-ჿ]{3}")
_OTHER_WORDS = (
    "het een deze som totaal uitkomst und ist ergibt der des une est les donne los del "
    "suma valoarea este jest wynik je och og de uma da il della jumlah hasil adalah"
)
_NOT_ENGLISH = re.compile(
    rf"\b(?:{'|'.join(f'[{word[0].upper()}{word[0]}]{word[1:]}' for word in _OTHER_WORDS.split())})\b"
    r"|(?!×|÷)[À-ɏḀ-ỿЀ-֏Ⴀ-ჿ]\w|[Ͱ-Ͽ]{3}"
)
_GROUPING_COMMA = re.compile(r",(?<=\d,)\d{3}[.,]\d")
_ONLY_COMMA = (  # of a number
    r",(?<=\d,)(?<![.,]\d,)(?<![.,]\d\d,)(?<![.,]\d{3},)"
)
_DECIMAL_COMMA = re.compile(
    rf"{_ONLY_COMMA}(?:\d{{1,2}}|\d{{4,}}|\d{{3}}(?:(?<=\b0,...)|(?<=\d{{4}},...)))(?![.,]?\d)"
)
_LONE_COMMA = re.compile(rf"{_ONLY_COMMA}(?=\d{{3}}(?![.,]?\d))")
_ENGLISH = re.compile(
    r"\b(?:the|and|answer|result|step|with|rounded|about|approx|approximately|check|exact|product|sum|difference|equals"
    r"|number|value|digits|places|let|which|this|that|for|from|gives|therefore|hence|thus|note|time|not"
    r"|are|was|you|remainder|exactly|over|under|nearly|roughly|by|comes)\b",
    re.IGNORECASE,
)

# Characters: one minus, one times, one apostrophe, superscripts as exponents; `Decimal`
# reads the digits of any script

_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺"
_RAISED = re.compile(f"[{_SUPERSCRIPTS}]+")
_LOWER = str.maketrans(_SUPERSCRIPTS, "0123456789-+")
_ALIKE = {
    "-": "−－﹣‐‑‒–",
    "+": "＋﹢",
    "×": "✕✖⨯⋅·∙∗＊",
    "÷": "∕⁄／➗",
    "=": "＝≡",
    "≈": "≅≃∼≒",
    "→": "⇒⟹⟶➜",
    ".": "．٫",
    ",": "，٬،⹁",
    ". ": "。",
    "'": "’‘ʼ′＇´",
    ":": "：",
    "%": "％﹪٪‰‱",
    "(": "（",
    ")": "）",
    ";": "—―",
    "\n": "\r\v\f\x85\u2028\u2029",
    " ": "$£¥＄￥￦₠₡₢₣₤₥₦₧₨₩₪₫€₭₮₯₰₱₲₳₴₵₶₷₸₹₺₻₼₽₾₿⃀฿৳៛֏؋ƒ\t\u3000\u2003\u2002"
    + BOLD
    + BOX
    + END_OF_BOX,
    THIN: "\u00a0\u202f\u2007\u2006\u2005\u2004\u2008\u200a",
    " not ": "≠",
    " 1/2": "½",
    " 1/4": "¼",
    " 3/4": "¾",
    "": "\u200b\u200c\u200d\u200e\u200f\u061c\u2060\ufeff\u00ad\ufe0f\u20e3" + UNKNOWN,
}
_LOOKALIKES = {alike: known for known, family in _ALIKE.items() for alike in family}
_UNUSUAL = re.compile("[^\\n -#%-~]")  # all but usual ones of ASCII


# LaTeX

# Commands by the number of arguments that are not shown: colours, lengths, names
_UNSHOWN = {
    1: "textcolor color colorbox cellcolor rowcolor style class cssId htmlClass href "
    "scalebox raisebox rotatebox hspace vspace phantom hphantom vphantom label ref "
    "eqref tag cite overset underset stackrel",
    2: "fcolorbox fontsize rule",
    3: "definecolor",
    0: "bbox",
}
_ARGUMENTS = "|".join(
    rf"(?:{names.replace(' ', '|')})\*?(?:\[[^\[\]\n]{{0,60}}\])?"
    rf"(?:[ ]?\{{[^{{}}\n]{{0,80}}\}}){{{number}}}"
    for number, names in _UNSHOWN.items()
)
_LATEX = re.compile(
    r"(?=[\\{}_~])(?:(?P<dropped>\\(?:" + _ARGUMENTS + r"))"
    r"|(?P<environment>\\(?:begin|end)\{[a-z*]{1,20}\}(?:\{[^{}\n]{0,20}\})?)"
    r"|\\(?P<command>[A-Za-z]+)(?:[ ]?(?P<argument>\{))?"
    r"|\\(?P<symbol>\\(?:\[-?[\d.]{1,6}[a-z]{2}\])?[ ]*\n?|.)"
    r"|(?P<open>_?\{)"
    r"|(?P<tie>(?<=\d)~(?=\d{3}(?!\d)))"
    r"|(?P<close>\}))",
    re.DOTALL,
)
_BOXES, _FRACTIONS = ("boxed", "fbox", "framebox"), ("frac", "dfrac", "tfrac", "cfrac")
_REPETENDS = ("overline", "bar", "dot")
_STRUCK = ("cancel", "bcancel", "xcancel", "sout")
# Commands with an open brace, and what stands at the closing one; `_` opens a remark
# below a brace.
_OPENED = (
    dict.fromkeys(_BOXES, BOX)
    | dict.fromkeys(_FRACTIONS, " ")
    | dict.fromkeys(_REPETENDS, "(")
    | dict.fromkeys(_STRUCK, "~~")
    | {"_": " (", "sqrt": "√"}
)
_CLOSED = (
    dict.fromkeys(_BOXES, END_OF_BOX)
    | dict.fromkeys(_FRACTIONS, "÷")
    | dict.fromkeys((*_REPETENDS, "_"), ")")
)
_CLOSED |= dict.fromkeys(_STRUCK, "~~")
_COMMANDS = (
    {
        "neq": " not ",
        "ne": " not ",
        "pi": "π",
        "sqrt": "√",
        "thinspace": THIN,
        "newline": "\n",
        "pm": "±",
        "div": "÷",
        "equiv": "=",
    }
    | dict.fromkeys(("lvert", "rvert", "vert"), "|")
    | dict.fromkeys(("le", "leq", "lt"), "≤")
    | dict.fromkeys(("ge", "geq", "gt"), "≥")
    | {name: f" {name} " for name in ("log", "ln", "sin", "cos", "tan", "exp")}
    | dict.fromkeys(("dots", "ldots", "cdots"), "…")
    | dict.fromkeys(("times", "cdot", "ast"), "×")
    | dict.fromkeys(("approx", "simeq", "sim"), "≈")
    | dict.fromkeys(_FRACTIONS, " ÷")  # without braces, as in \frac12
)
_SYMBOLS = {
    ",": THIN,
    ":": THIN,
    ";": THIN,
    " ": " ",
    "!": "",
    "\\": "\n",
} | dict.fromkeys("()[]", " ")


def _without_latex(text: str) -> str:
    """The text without commands, braces and math delimiters; `\\frac{A}{B}` becomes a
    division.
    """
    closers: list[str] = []  # the replacement for the closing brace of each open one

    def shown(token: re.Match[str]) -> str:
        command, symbol = token["command"], token["symbol"]
        if token["close"]:
            is_after_a_word = text[token.start() - 1].isalpha()
            return (closers and closers.pop()) or (" " if is_after_a_word else "")
        if token["argument"] or token["open"]:
            opened = command or token["open"].rstrip("{")
            closers.append(_CLOSED.get(opened, ""))
            return _OPENED.get(opened, " " if command else "")
        if token["dropped"]:
            return " "
        if token["tie"]:
            return THIN
        if token["environment"]:
            return "\n"
        if command:
            return _COMMANDS.get(command, " ")
        return _SYMBOLS.get(symbol[0], symbol)

    rendered = _LATEX.sub(shown, text)
    missing = [closer for closer in reversed(closers) if closer != END_OF_BOX]
    return rendered + "".join(missing)


# Markdown and HTML

# A star multiplies if both sides hold a number at the same distance; any other star is
# emphasis or a list.
_MARKUP = re.compile(
    r"(?=[*_~`<])(?:(?P<power>(?<=\d)\*\*(?=[-+(]?\d))"
    r"|(?P<times>(?<=[\d)])\*(?=[-(\d])|(?<=[\d)][ ])\*(?=[ ][-(\d]))"
    r"|(?P<struck>~~[^~\n]{1,200}+~~|<(?P<strike>del|s|strike)>[^<\n]{1,200}+</(?P=strike)>)"
    r"|(?P<stars>\*+|(?<![^\W_])_+|_+(?![^\W_])|~~)"
    r"|(?P<fence>`{3,}[A-Za-z]*)"
    r"|(?P<code>`+)"
    r"|(?P<raised><sup>)"
    r"|(?P<answer><(?:final_)?(?:answer|result)>)"
    r"|(?P<remark><(?:expected|reference|reflection)>)"
    r"|(?P<tag><!--[^<>\n]{0,200}-->|</?[A-Za-z][^<>\n]{0,80}>|<\|[^|<>\n]{0,80}\|>))",
    re.IGNORECASE,
)
# A sign that touches the mark before a number belongs to the number.
_SIGN_OUTSIDE = re.compile(rf"-(?<![\w)]-)(?<![\d)][ ]-)([{BOLD}{BOX}]++)(?=[ ]?[\d.])")
_REPLACEMENTS = {
    "power": "^",
    "times": "×",
    "struck": " ",
    "stars": BOLD,
    "fence": "\n",
    "code": "",
    "raised": "^",
    "answer": " answer: ",
    "remark": " reference ",
    "tag": " ",
}


def _without_markdown(text: str) -> str:
    """The rendered text, with `BOLD` where emphasis begins or ends."""
    shown = _MARKUP.sub(lambda markup: _REPLACEMENTS[markup.lastgroup or ""], text)
    return _SIGN_OUTSIDE.sub(r"\1-", shown)


# One written number: signs, points, commas, groups, powers of ten and words of
# magnitude

_PLACES = (
    {
        "hundred": 2,
        "thousand": 3,
        "lakh": 5,
        "million": 6,
        "crore": 7,
        "billion": 9,
        "trillion": 12,
    }
    | {
        "quadrillion": 15,
        "quintillion": 18,
        "sextillion": 21,
        "septillion": 24,
        "octillion": 27,
        "nonillion": 30,
    }
    | {"decillion": 33, "k": 3, "m": 6, "mn": 6, "b": 9, "bn": 9, "t": 12, "tn": 12}
)
_WORD = "|".join(word for word in _PLACES if len(word) > 2)
# "3 hundred million", "2 lakh crore", 7M, 7bn. A plural ("6 thousands") and a hyphen
# ("6 thousand-digit") mean digit positions.
MAGNITUDE = (
    rf"(?:[ {THIN}{BOLD}-]{{1,3}}(?i:(?:{_WORD})(?:[ -](?:{_WORD})){{0,2}})(?![\w-])"
    r"|(?:[kKMBT]|[mbt]n)(?!\w))"
)
_GROUPED_BY_A_POINT = re.compile(
    r"\.(?:(?<=[1-9]\.)(?<![\d.,]..)|(?<=[1-9]\d\.)(?<![\d.,]...)|(?<=[1-9]\d\d\.)(?<![\d.,]....))"
    rf"(?=\d{{3}})(?!\d{{4}}|\d{{3}}(?:[.,]\d|[ ]?[×x][ ]?10\^|[eE]|{MAGNITUDE}))"
)

# 15万5736, 3천2백만: parts that add up. After 多 or 余 it is more than the number.
_HAN_MARKS = rf"{HAN_MARK}{{1,4}}"
_HAN_PART = re.compile(rf"(\d[\d,.]*)[ ]?([{HAN}]*)")
_IN_HAN = re.compile(
    rf"\d(?<![\d,.].)[\d,.]{{0,30}}+[ ]?{_HAN_MARKS}(?:[ ]?[零영]?[ ]?\d[\d,.]{{0,30}}[ ]?{_HAN_MARKS}){{0,9}}"
    r"(?:[ ]?[零영]?[ ]?(?:\d,\d{3}|\d{1,4})(?![,.]?\d))?(?![多余餘幾几여])"
)
# "4 million, 790 thousand 198": also parts that add up.
_SUMMED = re.compile(
    rf"\d(?<![\d,.].)(?=[\d,.]{{0,30}}[ ][^\W\d])[\d,.]{{0,30}}"
    rf"(?:[ ](?:{_WORD})(?:[ ](?:and[ ])?|,[ ](?=\d+(?:[ ](?:{_WORD})\b|[^\w ,]|\Z)))\d{{1,3}}){{1,4}}"
    rf"(?:[ ](?:{_WORD})(?![\w-])|(?![\w-]|[.,]\d|[ ](?:{_WORD})))",
    re.IGNORECASE,
)
_PART = re.compile(rf"(\d[\d,.]*)[ ]?({_WORD}|)")
# Summed, or taken for a currency, only if a plainer one stands somewhere.
_NEEDS_ALL = re.compile(
    rf"[/.][.+-]\d|(?i:[\d,.][ ](?:{_WORD})(?:[ ](?:and[ ])?|,[ ])\d)"
)

_GROUPING = str.maketrans("", "", f" '_{THIN}")


def value_of(
    digits: str, exponent: str | None = None, magnitude: str | None = None
) -> Decimal | None:
    """The value of digits, a power of ten and words of magnitude; None if the digits
    are not a number.
    """
    plain = _pointed(digits)
    if plain is None:
        return None
    if exponent:
        power = exponent.lstrip("+-").lstrip("0") or "0"
        if len(power) > 4:
            return None
        sign = "-" if exponent.startswith("-") else ""
        plain = f"{plain}E{sign}{power}"
    number = decimal_from(plain)
    if magnitude:
        for word in re.findall("[a-z]+", magnitude.lower()):
            number = shifted(number, _PLACES[word])
    return number


def _spelled_out(number: re.Match[str]) -> str:
    """The sum of parts such as `4 million 790 thousand`."""
    parts = _PART.findall(number[0].lower())
    return _sum_of([(digits, _PLACES.get(word, 0)) for digits, word in parts], number)


def _from_han(number: re.Match[str]) -> str:
    """The sum of parts such as `15万5736`; in `3千2百万` the last mark is of both."""
    parts: list[tuple[str, int]] = []
    places = 0  # of the last group
    for digits, marks in reversed(_HAN_PART.findall(number[0])):
        large = sum(HAN_LARGE.get(mark, 0) for mark in marks)
        places = large or places
        small = sum(HAN_SMALL.get(mark, 0) for mark in marks)
        parts.insert(0, (digits, small + places))
    return _sum_of(parts, number)


def _sum_of(parts: Sequence[tuple[str, int]], number: re.Match[str]) -> str:
    """The sum of digits and their powers of ten; parts that do not get smaller are no
    sum.
    """
    total = Decimal(0)
    before: Decimal | None = None
    for digits, places in parts:
        value = value_of(digits.rstrip(","))
        if value is None:
            return number[0]
        value = shifted(value, places)
        if before is not None and before <= value:
            return number[0]
        total += value
        before = value
    return format(total, "f")


def _pointed(digits: str) -> str | None:
    """The digits with at most one decimal point and no grouping; None if they are not a
    number.
    """
    plain = digits.translate(_GROUPING)
    commas, points = plain.count(","), plain.count(".")
    if commas + points <= 1:
        # A comma groups three digits, unless another mark groups, a zero leads or the
        # first group is too long.
        whole, _, decimals = plain.lstrip("+-").partition(",")
        is_group = len(whole) <= 3 and whole != "0"
        groups = is_group and len(decimals) == 3 and len(plain) == len(digits)
        return plain.replace(",", "" if groups else ".")
    if not points or (points == 1 and plain.rindex(",") < plain.index(".")):
        return plain.replace(",", "")  # commas group, even if a group has lost a digit
    first, *groups_of_three, last = re.split("[.,]", plain.lstrip("+-"))
    if len(first) > 3 or any(len(group) != 3 for group in groups_of_three):
        return None
    # After groups of three, only another mark is a decimal one.
    is_decimal = len(last) != 3 or (commas > 0 and points > 0)
    sign = "-" if plain.startswith("-") else ""
    point = "." if is_decimal else ""
    return f"{sign}{first}{''.join(groups_of_three)}{point}{last}"


# Numbers in English words, of replies without digits

_UNITS = re.findall(
    "[a-z]+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen "
    "fourteen fifteen sixteen seventeen "
    "eighteen nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SMALL = {word: at for at, word in enumerate(_UNITS)}
_SMALL.update((word, 10 * at) for at, word in enumerate(_TENS, 2))
_SMALL |= dict.fromkeys(("oh", "o", "nought", "naught"), 0)  # behind a point
_SMALL_WORD = rf"(?:{'|'.join(_SMALL)})\b"
# `ends` is set if a clause ends there. It is optional, so that a long row of words is
# tried once. What begins with `part` is none: it may be the tail of a number.
_NUMBER_IN_WORDS = re.compile(
    rf"\b(?P<part>half[ ]an?[ ]|(?:cent|mille|point)[ ])?(?!one\b(?![ -]|[.!]?\s*\Z)|oh?\b)"
    rf"(?:{_SMALL_WORD}|(?P<a>an?[ ])?(?:{_WORD})\b)(?:,?[ -](?:and[ ])?(?:{_SMALL_WORD}|(?:{_WORD})\b))*"
    rf"(?:[ ]point(?:[ ]{_SMALL_WORD})+)?(?P<ends>(?=\s*(?:[.,;:!()\"'»”{BOLD}{END_OF_BOX}]|\Z|\n|is\b)))?",
    re.IGNORECASE,
)
# One number among these words: in "three and two" there are two.
_BELOW_HUNDRED = rf"(?:(?:{'|'.join(_TENS)})(?:[ -](?:{'|'.join(_UNITS[1:10])}))?|{'|'.join(_UNITS)})"
_ONE_NUMBER = re.compile(
    rf"(?:an?|{_BELOW_HUNDRED})(?:[ -](?:{_WORD})(?:,?[ -](?:and[ ])?{_BELOW_HUNDRED})?){{0,60}}"
)


def _in_digits(words: re.Match[str]) -> str:
    whole, _, decimals = words[0].lower().partition(" point ")
    is_part = words["part"] or words.string[: words.start()].endswith("-")
    if is_part or words["ends"] is None or not _ONE_NUMBER.fullmatch(whole):
        return words[0]
    total = group = 0
    for word in re.findall("[a-z]+", whole):
        if word in ("a", "an"):
            group = 1
        elif word in _SMALL:
            group += _SMALL[word]
        elif word == "hundred":
            group *= 100
        elif word != "and":
            if not group:
                return words[0]  # a thousand thousand
            total, group = total + group * 10 ** _PLACES[word], 0
    digits = str(total + group)
    if decimals:
        digits += "."
    for word in decimals.split():
        digits += str(_SMALL[word])
    return digits
