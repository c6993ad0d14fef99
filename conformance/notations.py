"""Cases by construction: a random number in each notation, the same notation of its
neighbours, and the number itself.

Whether a reply is right follows from how it was made: the number that is written is the
expected one, or another one.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from random import Random

from conformance.cases import Cases

SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
SCRIPTS = {
    "Arabic-Indic": "٠١٢٣٤٥٦٧٨٩",
    "Persian": "۰۱۲۳۴۵۶۷۸۹",
    "Devanagari": "०१२३४५६७८९",
    "Bengali": "০১২৩৪৫৬৭৮৯",
    "Tamil": "௦௧௨௩௪௫௬௭௮௯",
    "Thai": "๐๑๒๓๔๕๖๗๘๙",
    "full-width": "０１２３４５６７８９",
    "mathematical bold": "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗",
}
SEPARATORS = {
    "comma": ",",
    "space": " ",
    "no-break space": "\u00a0",
    "narrow no-break space": "\u202f",
    "thin space": "\u2009",
    "apostrophe": "'",
    "right quotation mark": "’",
    "underscore": "_",
    "LaTeX comma": "{,}",
    "LaTeX thin space": "\\,",
    "full-width comma": "，",
    "Arabic separator": "٬",
}
ENDS_OF_TURN = (
    "<|im_end|>",
    "<|endoftext|>",
    "</s>",
    "<|eot_id|>",
    "<end_of_turn>",
    "<|return|>",
    "<eos>",
    "<|end|>",
    "<｜end▁of▁sentence｜>",
    "<|reserved_special_token_12|>",
)
_ONES = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
)
_TENS = (
    "_",
    "_",
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
)


def notations(seed: int = 30) -> Cases:
    """All random cases."""
    cases = Cases("random")
    random = Random(seed)
    _bare_integers(cases, random)
    _long_integers(cases, random)
    _decimals(cases, random)
    _groups(cases, random)
    _scripts(cases, random)
    _signs(cases, random)
    _exponents(cases, random)
    _words(cases, random)
    _fractions(cases, random)
    _markup(cases, random)
    _units(cases, random)
    _tokens(cases, random)
    _rounding(cases, random)
    _affixes(cases, random)
    return cases


# --- numbers and their neighbours -----------------------------------------------------


def integer(random: Random, digits: int) -> str:
    """A random integer without a leading zero, whose last two digits differ and are not
    0.
    """
    while True:
        number = str(random.randrange(10 ** (digits - 1), 10**digits))
        if digits == 1 or (number[-1] != number[-2] and "0" not in number[-2:]):
            return number


def other_digit(random: Random, number: str) -> str:
    """The number with one digit replaced; the first digit does not become 0."""
    places = [place for place, letter in enumerate(number) if letter.isdigit()]
    place = random.choice(places)
    lowest = 1 if place == places[0] else 0
    digit = random.choice(
        [new for new in range(lowest, 10) if str(new) != number[place]]
    )
    return number[:place] + str(digit) + number[place + 1 :]


def next_number(number: str) -> str:
    """The number that is larger by one in the last place."""
    whole, point, rest = number.partition(".")
    digits = str(int(whole + rest) + 1).rjust(len(whole + rest), "0")
    return digits[: len(digits) - len(rest)] + point + digits[len(digits) - len(rest) :]


def swapped(number: str) -> str:
    """The number with its last two digits exchanged."""
    return number[:-2] + number[-1] + number[-2]


def groups(digits: str, separator: str) -> str:
    """Digits in groups of three."""
    first = len(digits) % 3 or 3
    parts = [digits[:first]] + [
        digits[start : start + 3] for start in range(first, len(digits), 3)
    ]
    return separator.join(parts)


def indian_groups(digits: str) -> str:
    """Digits with the last three together, and pairs before them."""
    head = digits[:-3]
    first = len(head) % 2 or 2
    pairs = [head[:first]] + [
        head[start : start + 2] for start in range(first, len(head), 2)
    ]
    return ",".join([*pairs, digits[-3:]])


def english(number: int) -> str:
    """The number in English words."""
    if number < 20:
        return _ONES[number]
    if number < 100:
        ones = number % 10
        return _TENS[number // 10] + (f"-{_ONES[ones]}" if ones else "")
    for size, name in ((1_000_000, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = number % size
            return f"{english(number // size)} {name}" + (
                f" {english(rest)}" if rest else ""
            )
    raise AssertionError(number)


def _neighbours(
    cases: Cases,
    random: Random,
    family: str,
    number: str,
    write: Callable[[str], str],
    how: str,
) -> None:
    """The number as it is written, and the same reply if the next or another number is
    expected.
    """
    cases.right(family, write(number), number, f"The reply is {number} {how}.")
    after = next_number(number)
    cases.wrong(
        family,
        write(number),
        after,
        f"The reply is {number} {how}, which is one less in the last place.",
    )
    other = other_digit(random, number)
    cases.wrong(
        family,
        write(other),
        number,
        f"The reply is {other} {how}, which differs in one digit.",
    )


def _translated(table: dict[int, int], number: str) -> str:
    return number.translate(table)


# --- families -------------------------------------------------------------------------


def _bare_integers(cases: Cases, random: Random) -> None:
    for digits in (1, 2, 3, 4, 6, 7, 9):
        number = integer(random, digits)
        _neighbours(cases, random, "bare integers", number, str, "alone")
    for digits in (4, 7):
        number = integer(random, digits)
        cases.right(
            "bare integers",
            f"  {number}\n",
            number,
            "White space around a number does not change it.",
        )
        cases.right(
            "bare integers",
            f"{number}.0",
            number,
            "A decimal 0 changes nothing.",
            same_spelling=False,
        )
        cases.wrong(
            "bare integers",
            swapped(number),
            number,
            "The last two digits are exchanged.",
        )
        cases.wrong("bare integers", number[:-1], number, "The last digit is missing.")
        cases.wrong(
            "bare integers", f"{number}0", number, "The reply is ten times the number."
        )


def _long_integers(cases: Cases, random: Random) -> None:
    for digits in (12, 16, 17, 18, 20, 25, 31, 40, 60, 100):
        number = integer(random, digits)
        _neighbours(cases, random, "long integers", number, str, "alone")
        said = f"The answer is {number}."
        cases.right("long integers", said, number, f"The sentence states {number}.")
        cases.wrong(
            "long integers", said, swapped(number), "The last two digits are exchanged."
        )
    for digits in (30, 45):
        number = integer(random, digits)
        shorter = number[:10] + number[11:]
        cases.wrong(
            "long integers", shorter, number, "One digit in the middle is missing."
        )
    for power in (53, 60, 64, 100):
        number = str(2**power)
        cases.right(
            "long integers", number, number, f"The reply is 2 to the power of {power}."
        )
        cases.wrong(
            "long integers",
            next_number(number),
            number,
            "A double cannot tell the two numbers apart.",
        )


def _decimals(cases: Cases, random: Random) -> None:
    for whole, places in (
        (1, 1),
        (2, 2),
        (3, 2),
        (5, 2),
        (2, 4),
        (4, 4),
        (1, 6),
        (6, 8),
        (12, 4),
        (18, 12),
    ):
        number = f"{integer(random, whole)}.{integer(random, places)}"
        _neighbours(cases, random, "decimals", number, str, "alone")
        cases.right(
            "decimals",
            f"{number}0",
            number,
            "A trailing zero does not change a number.",
            same_spelling=False,
        )
        cases.wrong("decimals", f"{number}7", number, "The reply has one decimal more.")
        head, _, rest = number.partition(".")
        moved = f"{head}{rest[0]}.{rest[1:] or '0'}"
        cases.wrong(
            "decimals",
            moved,
            number,
            "The point stands one place too far to the right.",
        )
    for places in (3, 5):
        digits = integer(random, places)
        cases.right(
            "decimals",
            f".{digits}",
            f"0.{digits}",
            "The zero before the point is left out.",
        )
        cases.wrong("decimals", digits, f"0.{digits}", "The point is missing.")
        cases.wrong(
            "decimals",
            f"0.0{digits}",
            f"0.{digits}",
            "There is a zero too many after the point.",
        )
    for _ in range(4):
        before, after = integer(random, 2), integer(random, 2)
        cases.right(
            "decimals",
            f"{before},{after}",
            f"{before}.{after}",
            "A decimal comma before two digits.",
            "de",
        )
        cases.wrong(
            "decimals",
            f"{before},{after}",
            f"{before}{after}",
            "Two digits are no group.",
            "de",
        )


def _groups(cases: Cases, random: Random) -> None:
    for name, separator in SEPARATORS.items():
        number = integer(random, random.choice((7, 8, 9, 11)))

        def write(digits: str, separator: str = separator) -> str:
            return groups(digits, separator)

        _neighbours(
            cases, random, "groups", number, write, f"in groups of three with a {name}"
        )
        last = groups(number, separator)[-3:]
        cases.wrong("groups", write(number), last, f"{last} is only the last group.")
        first = groups(number, "|").partition("|")[0]
        cases.wrong("groups", write(number), first, f"{first} is only the first group.")
    for digits in (7, 9):
        number = integer(random, digits)
        _neighbours(
            cases,
            random,
            "groups",
            number,
            lambda digits: groups(digits, "."),
            "in groups with points",
        )
        _neighbours(cases, random, "groups", number, indian_groups, "in Indian groups")
        said = f"The answer is {groups(number, ',')}."
        cases.right("groups", said, number, f"The sentence states {number}.")
        cases.wrong("groups", said, number[:-3], "The last group is left out.")
    for digits in (7, 8):
        number = f"{integer(random, digits)}.{integer(random, 2)}"
        whole, _, rest = number.partition(".")
        cases.right(
            "groups",
            f"{groups(whole, ',')}.{rest}",
            number,
            "Groups with commas, then a decimal point.",
        )
        cases.right(
            "groups",
            f"{groups(whole, '.')},{rest}",
            number,
            "Groups with points, then a decimal comma.",
            "de",
        )
        cases.right(
            "groups",
            f"{groups(whole, ' ')},{rest}",
            number,
            "Groups with spaces, then a decimal comma.",
            "fr",
        )
        cases.wrong(
            "groups",
            f"{groups(whole, '.')},{rest}",
            whole,
            "The decimals are left out.",
            "de",
        )
        cases.wrong(
            "groups",
            f"{groups(whole, ',')}.{rest}",
            whole + rest,
            "The decimal point is read as a group.",
        )


def _scripts(cases: Cases, random: Random) -> None:
    for name, digits in SCRIPTS.items():
        table = str.maketrans("0123456789", digits)
        for length in (2, 6, 19):
            number = integer(random, length)
            _neighbours(
                cases,
                random,
                "scripts",
                number,
                partial(_translated, table),
                f"in {name} digits",
            )
    for name in ("Arabic-Indic", "Persian"):
        table = str.maketrans("0123456789.", SCRIPTS[name] + "٫")
        number = f"{integer(random, 3)}.{integer(random, 2)}"
        reply = number.translate(table)
        cases.right(
            "scripts",
            reply,
            number,
            "The Arabic decimal separator stands for the point.",
            "ar",
        )
        cases.wrong(
            "scripts",
            reply,
            number.replace(".", ""),
            "The Arabic decimal separator is no group.",
            "ar",
        )


def _signs(cases: Cases, random: Random) -> None:
    minuses = {
        "hyphen": "-",
        "minus sign": "−",
        "full-width hyphen": "－",
        "en dash": "–",
    }
    for name, sign in minuses.items():
        for number in (
            integer(random, 2),
            integer(random, 5),
            f"{integer(random, 3)}.{integer(random, 2)}",
        ):
            cases.right(
                "signs",
                f"{sign}{number}",
                f"-{number}",
                f"The reply has a {name} before the number.",
            )
            cases.wrong("signs", f"{sign}{number}", number, "The reply is negative.")
            cases.wrong("signs", number, f"-{number}", "The sign is missing.")
    for form in ("The answer is {}.", "$${}$$", "\\boxed{{{}}}", "**{}**", "x = {}"):
        number = integer(random, 4)
        cases.right(
            "signs",
            form.format(f"-{number}"),
            f"-{number}",
            "The reply states the negative number.",
        )
        cases.wrong(
            "signs", form.format(f"-{number}"), number, "The reply is negative."
        )
        cases.wrong("signs", form.format(number), f"-{number}", "The sign is missing.")
    for word in ("minus", "negative"):
        number = integer(random, 3)
        cases.right(
            "signs", f"{word} {number}", f"-{number}", f"The word {word} is the sign."
        )
        cases.wrong(
            "signs",
            f"{word} {number}",
            number,
            f"The word {word} makes the number negative.",
        )
    number = integer(random, 3)
    cases.right("signs", f"+{number}", number, "A plus sign does not change a number.")
    cases.wrong("signs", f"+{number}", f"-{number}", "The reply is positive.")


def _exponents(cases: Cases, random: Random) -> None:
    forms = {
        "{m}e{x}": "with e",
        "{m}E{x}": "with E",
        "{m} × 10^{x}": "with a power of ten",
        "{m} \\times 10^{{{x}}}": "as LaTeX",
        "$${m} \\cdot 10^{{{x}}}$$": "as LaTeX with a dot",
        "{m} × 10{s}": "with a superscript",
        "{m}*10^{x}": "with a star",
        "{m}*10**{x}": "with two stars",
    }
    for form, how in forms.items():
        for exponent in (random.randrange(4, 9), -random.randrange(3, 8)):
            mantissa = f"{random.randrange(1, 10)}.{integer(random, 2)}"
            shown = format(_decimal(mantissa, exponent), "f")
            reply = form.format(
                m=mantissa, x=exponent, s=str(exponent).translate(SUPERSCRIPTS)
            )
            why = f"The reply is {shown} {how}."
            cases.right("exponents", reply, shown, why, same_spelling=False)
            off = format(_decimal(mantissa, exponent + 1), "f")
            cases.wrong("exponents", reply, off, "The exponent is one too small.")
            other = format(_decimal(next_number(mantissa), exponent), "f")
            cases.wrong(
                "exponents", reply, other, "The last digit of the mantissa is another."
            )
    for tiny, other in (
        ("1e-7", "0.0000002"),
        ("3e-12", "0"),
        ("5e-30", "0.0000000000000000000000000000006"),
    ):
        cases.wrong("exponents", tiny, other, "Both numbers are tiny, and they differ.")


def _decimal(mantissa: str, exponent: int) -> Decimal:
    return Decimal(mantissa).scaleb(exponent).normalize()


def _words(cases: Cases, random: Random) -> None:
    for size in (20, 100, 100, 1000, 1000, 10_000, 100_000, 1_000_000, 10_000_000):
        number = random.randrange(size // 10 + 1, size)
        cases.right(
            "words",
            english(number),
            str(number),
            "The number is written out.",
            same_spelling=False,
        )
        cases.wrong(
            "words",
            english(number),
            str(number + 1),
            "The number that is written out is one less.",
        )
    for name, size in (("thousand", 3), ("million", 6), ("billion", 9)):
        for few in (
            integer(random, 2),
            f"{random.randrange(2, 10)}.{random.randrange(1, 10)}",
        ):
            value = format(_decimal(few, size), "f")
            cases.right(
                "words",
                f"{few} {name}",
                value,
                f"The word {name} scales the number.",
                same_spelling=False,
            )
            cases.wrong("words", f"{few} {name}", few, f"The word {name} is left out.")
            cases.wrong(
                "words", f"{few} {name}", value + "0", "The reply is a tenth of it."
            )


def _fractions(cases: Cases, random: Random) -> None:
    for over, decimals in ((2, "5"), (4, "25"), (5, "2"), (8, "125")):
        whole = random.randrange(2, 40)
        top = whole * over + 1
        value = f"{whole}.{decimals}"
        for reply in (
            f"{top}/{over}",
            f"$\\frac{{{top}}}{{{over}}}$",
            f"{whole} 1/{over}",
        ):
            cases.right(
                "fractions",
                reply,
                value,
                f"The fraction is exactly {value}.",
                same_spelling=False,
            )
            cases.wrong("fractions", reply, str(whole), f"The fraction is {value}.")
            cases.wrong(
                "fractions", reply, str(over), f"{over} is only the denominator."
            )
    for reply, near in (
        ("1/3", "0.3333"),
        ("2/3", "0.6667"),
        ("22/7", "3.142857"),
        ("$\\frac{1}{7}$", "0.1429"),
    ):
        cases.wrong("fractions", reply, near, "The decimal is only near the fraction.")


def _markup(cases: Cases, random: Random) -> None:
    forms = (
        "**{}**",
        "*{}*",
        "`{}`",
        "```\n{}\n```",
        "${}$",
        "$${}$$",
        "\\({}\\)",
        "\\[{}\\]",
        "\\boxed{{{}}}",
        "$\\boxed{{{}}}$",
        "\\boxed{{x = {}}}",
        "\\boxed{{\\text{{{}}}}}",
        "<answer>{}</answer>",
        "<b>{}</b>",
        "#### {}",
        "# {}",
        "> {}",
        "Answer: {}",
        "ANSWER: {}",
        "Final answer: {}",
        "**Final Answer:** {}",
        "The final answer is ${}$. I hope it is correct.",
        "= {}",
        "x = {}",
        "{}.",
        '"{}"',
        '{{"answer": {}}}',
        '{{"answer": "{}"}}',
        "| result |\n|---|\n| {} |",
        "A: {}",
        "✅ {}",
        "It is {}!",
        "So the total is {}, which completes the calculation.",
    )
    for form in forms:
        number = integer(random, random.choice((3, 4, 5, 8)))
        how = "Markup or words around a number do not change it."
        cases.right("markup", form.format(number), number, how)
        cases.wrong(
            "markup",
            form.format(other_digit(random, number)),
            number,
            "One digit differs.",
        )


def _units(cases: Cases, random: Random) -> None:
    for form in (
        "${}",
        "{} dollars",
        "€{}",
        "{} €",
        "£{}.00",
        "{} km",
        "{} apples",
        "{} kg",
        "{} km/h",
        "{} cm",
        "{} m²",
    ):
        number = integer(random, random.choice((2, 3, 4)))
        cases.right(
            "units", form.format(number), number, "A unit does not change the number."
        )
        cases.wrong(
            "units",
            form.format(number),
            other_digit(random, number),
            "One digit differs.",
        )
    for form in ("{} m²", "{} cm^2", "{} m³", "{} km^3"):
        number = integer(random, 3)
        power = "2" if form[-1] in "2²" else "3"
        cases.wrong(
            "units",
            form.format(number),
            number + power,
            "The power of the unit is no digit of the number.",
        )
        cases.wrong(
            "units",
            form.format(number),
            power,
            "The power of the unit is not the answer.",
        )
    for whole in (integer(random, 2), integer(random, 4)):
        cases.right(
            "units", f"The price is ${whole}.", whole, "The period ends the sentence."
        )
        cases.right(
            "units", f"${whole}.00", whole, "Cents of 0 do not change a number."
        )
        cases.wrong(
            "units",
            f"${whole}.00",
            f"{whole}00",
            "The cents are no digits before the point.",
        )


def _tokens(cases: Cases, random: Random) -> None:
    for token in ENDS_OF_TURN:
        number = integer(random, 4)
        cases.right(
            "leaked tokens",
            f"{number}{token}",
            number,
            "The token ends the turn and is no text.",
        )
        said = f"The answer is {number}.{token}"
        cases.right(
            "leaked tokens", said, number, "The token ends the turn and is no text."
        )
        cases.wrong(
            "leaked tokens", said, next_number(number), "The number is one less."
        )
    cases.wrong(
        "leaked tokens",
        "<|reserved_special_token_12|>",
        "12",
        "A number in a token's name is no answer.",
    )
    cases.wrong(
        "leaked tokens",
        "77<|reserved_special_token_12|>",
        "12",
        "A number in a token's name is no answer.",
    )
    for start in (
        "<s>",
        "<|im_start|>assistant\n",
        "[/INST] ",
        "<|start_header_id|>assistant<|end_header_id|>\n\n",
    ):
        number = integer(random, 4)
        cases.right(
            "leaked tokens",
            f"{start}{number}",
            number,
            "The token begins the turn and is no text.",
        )


def _rounding(cases: Cases, random: Random) -> None:
    for places in (2, 3, 4, 6):
        number = f"{integer(random, 2)}.{integer(random, places)}"
        rounded = format(round(_decimal(number, 0), places - 1), "f")
        cases.wrong(
            "rounding",
            rounded,
            number,
            "The reply is the number rounded to fewer decimals.",
        )
        cases.wrong(
            "rounding",
            number,
            rounded,
            "The expected number is the reply rounded to fewer decimals.",
        )
        cases.wrong("rounding", number[:-1], number, "The last decimal is cut off.")
    for digits in (7, 8, 10, 12):
        number = integer(random, digits)
        zeros = number[:5] + "0" * (digits - 5)
        cases.wrong(
            "rounding", zeros, number, "The reply has only the first five digits right."
        )
        cases.wrong(
            "rounding",
            next_number(number),
            number,
            "The numbers agree in more than five digits.",
        )
    pairs = (
        ("1.00004", "1"),
        ("0.00001", "0"),
        ("0.12345", "0.1235"),
        ("364.00000000000006", "364"),
        ("99.9999999", "100"),
        ("0.30000000000000004", "0.3"),
        ("3.14", "3.1415"),
        ("3.14159", "3.1416"),
        ("999999999999", "1000000000000"),
        ("0.3333", "0.33333"),
        ("-0.0000001", "0"),
    )
    for reply, expected in pairs:
        cases.wrong(
            "rounding",
            reply,
            expected,
            "The numbers are near each other, and not the same.",
        )


def _affixes(cases: Cases, random: Random) -> None:
    for digits in (2, 3, 4):
        number = integer(random, digits)
        before = f"{random.randrange(1, 10)}{number}"
        cases.wrong(
            "affixes",
            before,
            number,
            "The expected number is only the end of the reply.",
        )
        cases.wrong(
            "affixes",
            f"{number}{random.randrange(10)}",
            number,
            "The expected number is only the beginning.",
        )
        cases.wrong(
            "affixes",
            number,
            before,
            "The reply is only the end of the expected number.",
        )
        cases.wrong(
            "affixes",
            f"The answer is {before}.",
            number,
            "The expected number is only the end of the answer.",
        )
        cases.wrong(
            "affixes",
            f"{number}.5",
            number,
            "The expected number is only the part before the point.",
        )
        cases.wrong(
            "affixes",
            f"0.{number}",
            number,
            "The expected number is only the part after the point.",
        )
