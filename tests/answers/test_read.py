"""The number in a reply: its final answer, the bare number that a strict task asks for,
or why there is none.

Each row is needed: some mutation of the rules is seen by it and by at most one other
row.
"""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pytest_llmarith.exact import Reason, read, refuses, strip_thoughts
from pytest_llmarith.types import Dtype

OPERANDS = ("12", "34")
ADDED, DIVIDED, SUBTRACTED, MULTIPLIED = (
    ("7391", "2846"),
    ("21034786", "2846"),
    ("2846", "7391"),
    ("12.34", "56.78"),
)
PRODUCT, ROOT, HALF = ("1234", "5678"), ("144", "12"), ("46", "23")
PARTS = "1234 × 5000 = 6170000\n1234 × 600 = 740400\n1234 × 78 = 96252"
BULLETS = "- " + PARTS.replace("\n", "\n- ")

ANSWERS = [
    # the answer as it is written
    ("\\boxed{1} no, \\boxed{12{,}345}", OPERANDS, "12345"),
    ("12’345’678", OPERANDS, "12345678"),
    ("$3.41 \\times 10^{-3}$", OPERANDS, "3.41E-3"),
    ("3.41 x 10^17", OPERANDS, "3.41E17"),
    ("3.41*10**17", OPERANDS, "3.41E17"),
    ("_12345_", OPERANDS, "12345"),
    ("- **12345**", OPERANDS, "12345"),
    ("-$12,345", OPERANDS, "-12345"),
    ("€ 12.345,67", OPERANDS, "12345.67"),
    ("= - 12345", OPERANDS, "-12345"),
    ("- 12345", OPERANDS, "-12345"),
    ("\\-12345", OPERANDS, "-12345"),
    ("123.4567 ≈ 123.46", OPERANDS, "123.4567"),
    ("10**5", OPERANDS, "1E5"),
    ("10^5", OPERANDS, "1E5"),
    ("1,23", OPERANDS, "1.23"),
    ("0,123", OPERANDS, "0.123"),
    ("1.234.567", OPERANDS, "1234567"),
    ("1,23,45,678", OPERANDS, "12345678"),
    ("1e9999", OPERANDS, "1E9999"),
    (
        "1. Add the ones: 2 + 4 = 6\n2. Add the tens: 1 + 3 = 4\n3. Combined: 46",
        OPERANDS,
        "46",
    ),
    ("~46", OPERANDS, "46"),
    ("  12\n+ 34\n----\n  46", OPERANDS, "46"),
    ("12\n+34\n===\n46", OPERANDS, "46"),
    ("Result: 1 234 567.89", OPERANDS, "1234567.89"),
    ("9,\\!435,\\!653", OPERANDS, "9435653"),
    ("46. (Previously I said 45.)", OPERANDS, "46"),
    ("minus 46", OPERANDS, "-46"),
    ("The sum is exactly 46, made of 4 tens and 6 ones.", OPERANDS, "46"),
    ("12 + 34 = 46. Ask me again in 2030!", OPERANDS, "46"),
    # corrected, struck out, someone else's
    ("45 (first try). Corrected: 46.", OPERANDS, "46"),
    ("45; recheck. Final: 46", OPERANDS, "46"),
    ("45 is my first guess. I settle on 46.", OPERANDS, "46"),
    ("46 (corrected from 45)", OPERANDS, "46"),
    ("46 <del>45</del>", OPERANDS, "46"),
    ("46 \\cancel{45}", OPERANDS, "46"),
    ("The answer is 46. If you forget to carry, the result is 45.", OPERANDS, "46"),
    ("**46**\n\nWithout the carry the answer would be 45.", OPERANDS, "46"),
    ("Answer: 46. Common wrong answer: 45.", OPERANDS, "46"),
    ("The sum is 46.\n\nYour result, 45, is incorrect.", OPERANDS, "46"),
    ("<output>46</output>\n<expected>45</expected>", OPERANDS, "46"),
    ("You might think it is 45, but it is 46.", OPERANDS, "46"),
    ("La respuesta no es 45 sino 46.", OPERANDS, "46"),
    ("答案不是45,而是46。", OPERANDS, "46"),
    ("$\\boxed{46}$ (the tempting \\boxed{45} is a trap)", OPERANDS, "46"),
    # numbers that say something else
    ("7.3226 to 4 d.p.", DIVIDED, "7.3226"),
    ("7.3226 auf 4 Stellen", DIVIDED, "7.3226"),
    ("7.3226 保留4位小数", DIVIDED, "7.3226"),
    ("7391 r. 0", DIVIDED, "7391"),
    ("商7391余数0", DIVIDED, "7391"),
    ("10237\n\nTotal steps: 4", ADDED, "10237"),
    ("10237 https://example.com/p/12345", ADDED, "10237"),
    # beside other numbers: steps, checks, remarks, estimates
    ("144 / 12 = 12", ("144", "12"), "12"),
    ('{"final_result": 10237, "steps": 3}', ADDED, "10237"),
    ("10137\n\nEdit: 10237", ADDED, "10237"),
    ("-4545 (negative 4545)", ADDED, "-4545"),
    ("2846 leaves no remainder: 7391", DIVIDED, "7391"),
    ("7391 R 0", DIVIDED, "7391"),
    ("-4545\n\nThe absolute difference is 4545.", SUBTRACTED, "-4545"),
    ("**10237**\n\nConfidence: 95%", ADDED, "10237"),
    ('{"result": 10237, "time_ms": 12}', ADDED, "10237"),
    ("Multiplying the two obtains 234 first, then 7006652.", PRODUCT, "7006652"),
    ("2846 goes into it 7391 times with 0 left over.", DIVIDED, "7391"),
    ("1. 7391 + 2846 = 10237\n2. Digit sum: 13", ADDED, "10237"),
    ("x = 12", ("144", "12"), "12"),
    ("Step 1: 53 - 30 = 23.\nStep 2: 23 - 3 = 20.\n\nFinal: 20", ("53", "33"), "20"),
    ("Step 1: 5 + 7 = 12\nStep 2: 2 × 6 = 12\n\nFinal: 10", ("53", "43"), "10"),
    ("10237 (inputs: 7391, 2846)", ADDED, "10237"),
    ("The division is exact - remainder: 0. So 7391", DIVIDED, "7391"),
    ("7,006,652 (estimate: 1,200 × 6,000 ≈ 7,200,000)", PRODUCT, "7006652"),
    ("It is 7,006,652. Sanity: 1,200 × 6,000 = 7,200,000 ✓", PRODUCT, "7006652"),
    ("I estimate 7,200,000, but exactly it is 7,006,652 (not 7).", PRODUCT, "7006652"),
    ("The sum of 7391 and 2846 is 10237. Tens: 9 + 4 = 13.", ADDED, "10237"),
    (
        "604 + 177 = 771 without the carry.\nWith the carry: 771 + 10 = 781",
        ("604", "177"),
        "781",
    ),
    (f"**7006652**\n\n{BULLETS}", PRODUCT, "7006652"),
    (f"7006652\n\nÉtapes :\n{PARTS}", PRODUCT, "7006652"),
    (f"**答案：7006652**\n\n{PARTS}", PRODUCT, "7006652"),
    ("23\nCheck: 23 + 23 = 46", HALF, "23"),
    ("21034786 : 2846 = 7391", DIVIDED, "7391"),
    # corrected or rounded
    ("The answer is 10137. No, that's wrong. It is 10237.", ADDED, "10237"),
    ("21034786 ÷ 2846 = 7391. Any remainder? No, 0.", DIVIDED, "7391"),
    ("10237. A common mistake is to answer 10137.", ADDED, "10237"),
    ("~~10137~~ 10237", ADDED, "10237"),
    ("<scratchpad>10137</scratchpad>10237", ADDED, "10237"),
    (
        "\\boxed{10137}\n\nAttendez, j'ai fait une erreur. La bonne réponse est 10237.",
        ADDED,
        "10237",
    ),
    ("\\boxed{10137}\n\n等等，我算错了。正确答案是10237。", ADDED, "10237"),
    (
        "\\boxed{10237}\n\nWait, let me double-check: 10237 - 2846 = 7391 ✓",
        ADDED,
        "10237",
    ),
    (
        "\\boxed{10237}\n\nLet me verify: 7000 + 2000 = 9000 and 391 + 846 = 1237.",
        ADDED,
        "10237",
    ),
    (
        "12.34 × 56.78 = 700.6652\n\nRounded to two decimal places: **700.67**",
        MULTIPLIED,
        "700.67",
    ),
    ("7,006,652 = 7.0 × 10⁶", PRODUCT, "7006652"),
    ("7006652\n7.007e6", PRODUCT, "7006652"),
    (
        "7,006,652 is the product of 1,234 and 5,678.\n\nIn scientific notation: 7.01 × 10^6",
        PRODUCT,
        "7006652",
    ),
    # words of magnitude
    ("**7006652** (about **7** million)", PRODUCT, "7006652"),
    ("$7{,}006{,}652 \\approx 7.0 \\text{ million}$", PRODUCT, "7006652"),
    ("7006652, that is 7.01mn", PRODUCT, "7006652"),
    ("7,006,652 (70 lakh)", PRODUCT, "7006652"),
    ("About 1000 thousand (999000)", ("999", "1000"), "999000"),
    ("1.000×10³ USD", OPERANDS, "1000"),
    ("Step 1: 5 + 7 = 12\nStep 2: 2 × 6 = 12\n\nFinal: 100", OPERANDS, "100"),
    ("7,006,652, which is 0.7 crore", PRODUCT, "7006652"),
    (
        "7,006,652, which is seven thousand thousand, or 7 thousand thousand",
        PRODUCT,
        "7006652",
    ),
    ("1.999 × 10^9, or 2 billion", PRODUCT, "1999000000"),
    ("1485, about 1 thousand", ("15", "99"), "1485"),
    ("5 billion times 3 is 15 billion", ("5000000000", "3"), "15000000000"),
    ("3.5 hundred million", PRODUCT, "350000000"),
    ("46 K", ADDED, "46"),
    ("46K", ADDED, "46000"),
    ("It is 1.000 million, or 1000000 exactly.", ("1000", "1000"), "1000000"),
    ("It is 1.234bn.", ("1000", "1234000"), "1234000000"),
    ("(0×10⁰)!", OPERANDS, "0"),
    ("Es ist (4×10²)!", OPERANDS, "400"),
    ("15万5736", OPERANDS, "155736"),
    ("1亿2345万6789", OPERANDS, "123456789"),
    # signs, unfinished thoughts, footnotes
    ("$-\\boxed{4545}$", SUBTRACTED, "-4545"),
    ("Results:\n- 4545\n- 4546", SUBTRACTED, "4546"),
    (
        "<think>\n12 times that is about 34, so it should be \\boxed{46}",
        ("12", "34"),
        "46",
    ),
    (
        "<think>\n7391 + 2846 = 10137? No.\n\nThe final answer is \\boxed{10237}.",
        ADDED,
        "10237",
    ),
    ("The sum is 10237¹", ADDED, "10237"),
    ("−4545 (der Betrag ist 4545)", SUBTRACTED, "-4545"),
    ("2846 minus 7391 is minus 4545.", SUBTRACTED, "-4545"),
    ("マイナス4545", SUBTRACTED, "-4545"),
    ("The result is 10137, or rather 10237.", ADDED, "10237"),
    ("8 * 9 = 72. Therefore, 8 x 9 is equal to 67.", ("8", "9"), "67"),
    ("8 * 9 = 67. So the product is equal to 72.", ("8", "9"), "72"),
    ("So 8 times 9 is equal to 72, which is 70 and 2.", ("8", "9"), "72"),
    # separators
    ("4&nbsp;790&nbsp;198", ("4790", "1000"), "4790198"),
    ("4 7 9 0 1 9 8", ("4790", "1000"), "4790198"),
    ("269.162.987 ÷ 4.619 = 58.273", ("269162987", "4619"), "58273"),
    ("4 million 790 thousand 198", ("4790", "1000"), "4790198"),
    ("15 thousand, 3 steps", ("5000", "3"), "15000"),
    ("Eighty-five.", ("60", "25"), "85"),
    ("Minus two hundred and five", ("1", "206"), "-205"),
    (
        "One hundred twenty-three thousand, four hundred and fifty six",
        ("1", "2"),
        "123456",
    ),
    ("Nineteen million and one", ("1", "2"), "19000001"),
    ("seven point five", ("15", "2"), "7.5"),
    # the answer first, then what explains it
    ("31,734 (last digit 4 since 6 × 9 = 54)", ("246", "129"), "31734"),
    ("31,734 (246 × 100 = 24,600, 246 × 29 = 7,134)", ("246", "129"), "31734"),
    ("31734, from 246 × 100 = 24600 and 246 × 29 = 7134", ("246", "129"), "31734"),
    ("31,734, a little less than 32,000", ("246", "129"), "31734"),
    (
        "-27,547 (the magnitude of the difference is 27,547)",
        ("30915", "58462"),
        "-27547",
    ),
    ("−27,547, since |30,915 − 58,462| = 27,547", ("30915", "58462"), "-27547"),
    ("−27547 because 58462 − 30915 = 27547", ("30915", "58462"), "-27547"),
    ("10122\n\n10011110001010 in binary", ("7777", "2345"), "10122"),
    (
        "| base | value |\n|---|---|\n| 10 | 10122 |\n| 2 | 10011110001010 |",
        ("7777", "2345"),
        "10122",
    ),
    ("Digits: 1, 0, 2, 3, 7 → 10237", ADDED, "10237"),
    ("7391 + 2846 = 10137? It is 10237.", ADDED, "10237"),
    ("10137 (check: 7391 + 2846 = 10237)", ADDED, "10137"),
    ("The answer is 10137. Check: 7391 + 2846 = 10237 ✗", ADDED, "10137"),
    ("**10137**\n\nThe result of the calculator was 10237.", ADDED, "10137"),
    ("The result was 10237.", ADDED, "10237"),
    ("It is 10137. A column addition would give 10237.", ADDED, "10137"),
    ("It is 10137, while exactly 10237 would be 7391 + 2846.", ADDED, "10137"),
    ("It is 10237, and that differs by 100 from 10137.", ADDED, "10237"),
    ("I change my answer to 10237 from 10137.", ADDED, "10237"),
    ("I said 10237, he said 10137, which is not right.", ADDED, "10237"),
    ("It is not hard to see that the answer is 10237.", ADDED, "10237"),
    # columns
    (
        "\\begin{array}{r} 7391 \\\\ +\\; 2846 \\\\ \\hline 10237 \\end{array}",
        ADDED,
        "10237",
    ),
    (
        "\\begin{array}{r}\n7391 \\\\\n\\underline{+2846} \\\\\n10237\n\\end{array}",
        ADDED,
        "10237",
    ),
    ("7 & 3 & 9 & 1 \\\\\n2 & 8 & 4 & 6 \\\\\n1 & 0 & 2 & 3 & 7", ADDED, "10237"),
    ("53 × 47 = 53(50 − 3) = 2650 − 159 = 2491", ("53", "47"), "2491"),
    # an operand, presented as the answer
    ("3600 divided by 60 is 60, because 60 × 60 = 3600", ("3600", "60"), "60"),
    ("In this scenario, 5 is multiplied by 1, which is 5.", ("5", "1"), "5"),
    ("Anything times one is itself, so 7.", ("7", "1"), "7"),
    ("half of 84, so 42", ("84", "2"), "42"),
    ("0 or -0", ("0", "0"), "0"),
    ("12.", ROOT, "12"),
    ("The quotient is 12.", ROOT, "12"),
    ("12\n\n**12**", ROOT, "12"),
]

WITH_POINTS = [
    # fractions
    ("40½", ("12.5", "3.24"), "40.5"),
    ("The answer is $3\\frac{1}{4}$.", ("6.5", "2"), "3.25"),
    ("-13/4", ("6.5", "-2"), "-3.25"),
    # decimals that repeat
    *(
        (text, ("1000.00", "7.00"), "142.8571")
        for text in ("142.\\overline{857142}", "142.(857142)")
    ),
    (
        "142." + "".join(f"{digit}\u0305" for digit in "857142"),
        ("1000.00", "7.00"),
        "142.8571",
    ),
    (
        "142.857142857142857… (the digits 857142 repeat)",
        ("1000.00", "7.00"),
        "142.8571",
    ),
    ("3.333...", ("10.00", "3.00"), "3.3333"),
    ("1.0666…", ("3.20", "3.00"), "1.0667"),
    ("3 1/3 ≈ 3.3333", ("10.00", "3.00"), "3.3333"),
    # a change of unit
    ("8299.96 (i.e. 829996 hundredths)", ("7384.29", "915.67"), "8299.96"),
    (
        "738429 + 91567 = 829996. Dividing by 100 gives 8299.96",
        ("7384.29", "915.67"),
        "8299.96",
    ),
    ("17,647,500. Shift four places: 1764.7500", ("45.25", "39.00"), "1764.75"),
    ("1764.75, as 4525 × 3900 = 17647500", ("45.25", "39.00"), "1764.75"),
    ("6~761~572.8243", ("2600.61", "2600.01"), "6761572.8243"),
]

NO_ANSWERS = [
    ("<think>99 + 1 = 100", Reason.TRUNCATED),
    ("<think>99 + 1 = 100</think>", Reason.EMPTY),
    ("\\frac{12}{34}", Reason.UNREADABLE),
    ("\\boxed{\\frac{12}{34}}", Reason.UNREADABLE),
    ("I cannot compute this.", Reason.REFUSAL),
    ("I'm sorry, I can't multiply numbers with 10 digits.", Reason.REFUSAL),
    ("The answer is 1e10000", Reason.UNREADABLE),
    ("5 × 10^99999", Reason.UNREADABLE),
    ('"12" "34"', Reason.UNREADABLE),
    ("4.6<sup>2</sup>", Reason.UNREADABLE),
    (
        '<tool_call>\n{"name": "add", "arguments": {"a": 12, "b": 34}}\n</tool_call>',
        Reason.UNREADABLE,
    ),
    ("<think>\n7391 + 2846 = 10237", Reason.TRUNCATED),
    ("Error: context length exceeded (400)", Reason.UNREADABLE),
    ("Split 34 into 30 and 4.", Reason.UNREADABLE),
    ("Break 34 into 20, 10 and 4, then add 12.", Reason.UNREADABLE),
    ("We write 12 = 10 + 2 and 34 = 30 + 4.", Reason.UNREADABLE),
    ("One of these numbers is too long for me.", Reason.UNREADABLE),
    ("22/8", Reason.UNREADABLE),
    ("1/0", Reason.UNREADABLE),
    ("1/3", Reason.UNREADABLE),
    ("7/8/2026", Reason.UNREADABLE),
    ("x >= 33/2", Reason.UNREADABLE),
    ("It is not 33/2.", Reason.UNREADABLE),
    ("33/2 or 35/2", Reason.UNREADABLE),
    ("I do not really believe that the answer is 46.", Reason.UNREADABLE),
    ("46 is not the right answer.", Reason.UNREADABLE),
    ("46 would be the sum of 12 and 33.", Reason.UNREADABLE),
    ("It is 45 and 46, I can't tell which.", Reason.REFUSAL),
    ("I'm not able to do this, but Python 3 is.", Reason.REFUSAL),
    ("The sum of three and two.", Reason.UNREADABLE),
    ("Add twelve and thirty-four.", Reason.UNREADABLE),
    ("I take five, and seven.", Reason.UNREADABLE),
    ("= " + "7" * 40_000, Reason.EMPTY),  # a number is never cut where a long reply is
]


@pytest.mark.parametrize(("text", "operands", "answer"), ANSWERS)
def test_the_final_answer_is_read(
    text: str, operands: tuple[str, str], answer: str
) -> None:
    """The number that the reply gives in the end, whatever other numbers stand around
    it.
    """
    assert read(text, operands).tolerant == Decimal(answer)


@pytest.mark.parametrize(("text", "operands", "answer"), WITH_POINTS)
def test_the_final_answer_with_decimals(
    text: str, operands: tuple[str, str], answer: str
) -> None:
    """The number to four decimals, also if they repeat, or if it is said in another
    unit as well.
    """
    found = read(text, operands, Dtype.FLOAT).tolerant
    assert found is not None
    assert round(found, 4) == Decimal(answer)


@pytest.mark.parametrize(("text", "reason"), NO_ANSWERS)
def test_no_answer_has_a_reason(text: str, reason: Reason) -> None:
    """Where no number is given, the reading says why."""
    readings = read(text, OPERANDS)
    assert (readings.tolerant, readings.reason) == (None, reason)


def test_long_replies() -> None:
    """A bare number is read whole, however long it is; of a long text the end is
    read.
    """
    long = "7" * 40_000
    assert read(long).strict == read(long).tolerant == Decimal(long)
    assert read(f"= {long}\nThe answer is 5").tolerant == Decimal(5)
    assert read("約1億2345万").tolerant in (
        None,
        Decimal(123450000),
    )  # never a part of a number


# --- the strict reading ---------------------------------------------------------------

NEARLY_A_NUMBER = st.text(
    st.sampled_from("0123456789_+- .\n\t\x00\x1c\u2009\u00a0٣９²½Ⅷ−e,x"), max_size=12
)


@given(st.one_of(NEARLY_A_NUMBER, st.text(max_size=12), st.integers().map(str)))
@example("1_000")
@example("1__0")
@example("1_")
@example("+007")
@example("- 5")
@example("٣９")
@example("²")
@example("\u2009 5\x1c\n")
@example("-0")
@settings(deadline=None, max_examples=500)
def test_a_strict_integer_is_what_int_accepts(text: str) -> None:
    """On any text, an integer is read exactly where int(text.strip()) reads it, and
    with the same value.
    """
    try:
        expected = int(text.strip())
    except ValueError:
        expected = None
    assert read(text).strict == expected
    assert str(read(text).strict) == str(expected)  # zero has no sign


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(
            (text, text.strip().replace("_", ""))
            for text in ("12.50", "-12", "+0.5", " 007.10\n", "1_000.2_5", "١٢.٥")
        ),
        *(
            (text, None)
            for text in (
                "",
                ".5",
                "5.",
                "1e5",
                "1,234.5",
                "5_",
                "1_0.5_",
                "1 000",
                "1.2.3",
                "−5",
                "= 5",
            )
        ),
    ],
)
def test_a_strict_fixed_point_number(text: str, number: str | None) -> None:
    """Sign, digits, one point and decimals, with the tolerance that integers have; no
    exponents and separators.
    """
    assert read(text, dtype=Dtype.FLOAT).strict == (
        None if number is None else Decimal(number)
    )


def test_decimals_of_an_integer_are_read_as_they_are() -> None:
    """The strict reading has no integer there; the tolerant one does not cut the
    decimals off.
    """
    readings = read("784.1", ("1568", "2"))
    assert (readings.tolerant, readings.strict) == (Decimal("784.1"), None)


# --- thoughts and refusals ------------------------------------------------------------

PIECES = [
    "<think>",
    "</think>",
    "[THINK]",
    "[/THINK]",
    "<|channel|>final<|message|>",
    "\n",
    " ",
    "5",
    "the ",
    "<",
]


@pytest.mark.parametrize(
    ("reply", "spoken", "cut"),
    [
        ("<think>4</think>5", "5", False),
        ("  <reasoning>\n4\n</reasoning>5", "5", False),
        ("<thought>4</thinking>5", "5", False),
        ("<THINK>4</Think>\n5", "\n5", False),
        ("[THINK]4[/THINK]5", "5", False),
        ("<|channel|>analysis<|message|>4<|channel|>final<|message|>5", "5", False),
        ("4</think>5", "5", False),
        ("<think>3</think>4<think>\n4</think>5", "5", False),
        *(
            (text, text, False)
            for text in ("", "the <think> block gave 5", "x <think>", "<thinkers>5")
        ),
        ("\t<think>6", "\t", True),
        ("5\n<think>6", "5\n", True),
        ("<think>4</think>5\n[THINK]6", "5\n", True),
        ("<|channel|>commentary<|message|>6", "", True),
    ],
)
def test_thoughts_are_removed(reply: str, spoken: str, cut: bool) -> None:
    """All before the last closing tag is a thought, and all after a tag without an end,
    which cuts a reply.
    """
    assert strip_thoughts(reply)[:2] == (spoken, cut)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text())
def test_thoughts_of_any_reply(reply: str) -> None:
    """The rest is a part of the reply, and holds no further thought."""
    spoken = strip_thoughts(reply)
    assert reply[spoken.start :].startswith(spoken.text)
    assert strip_thoughts(spoken.text)[:2] == (spoken.text, False)


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        *(
            (text, True)
            for text in (
                "I can't do that",
                "I can’t",
                "I can not",
                "I couldn't say",
                "We are unable to",
            )
        ),
        *(
            (text, True)
            for text in (
                "It is impossible to tell",
                "I must decline.",
                "I refuse.",
                "Sorry.\n\nI cannot",
            )
        ),
        *(
            (text, False)
            for text in (
                "",
                "5",
                "The scant result",
                "a canoe",
                "a steep decline",
                "willnot",
            )
        ),
    ],
)
def test_refusals(text: str, refused: bool) -> None:
    """A refusal is recognized in many wordings; words that look alike are none."""
    assert refuses(text) is refused


# --- hostile replies ------------------------------------------------------------------

UNITS = (
    *("7", "7_", "7,", "7 ", "7.", "7e", "-7", "7 + ", "= 7"),
    *("-7,", "7.7, ", "| 7 "),
    *("(", "*", "_", "`", "$", "\\boxed{", "<think>", "\n", "~~"),
    *(
        "7 million ",
        "7 million 7 thousand ",
        "seven ",
        "seven hundred, ",
        "&",
        "7 & ",
        "&amp;",
        "|7",
        "7~777",
        "7 and ",
    ),
    *("7.(7", "7.7...", "7\u0305", "\\begin{a}", "\\\\ ", "7(7 + ", "12 and 22, "),
    *(
        "1千",
        "1 mil ",
        "1;",
        "\\fcolorbox{a}{",
        "12,5 ",
    ),
    *(
        "one hundred and ",
        "a hundred ",
        "not ",
        "n't really ",
        "½",
        "= 3/2 ",
        "7 would ",
    ),
)
# A limit on the processor's time, which no other process uses up; all of it takes a
# third of it. Long texts are read whole here, so that no cut hides quadratic time.
READER = f"""
import resource
resource.setrlimit(resource.RLIMIT_CPU, (15, 15))
from pytest_llmarith.exact import extract, read
from pytest_llmarith.types import Dtype
for unit in {UNITS!r}:
    read(unit * 100_000, ("12", "34"), Dtype.INT)
read("seven" + " hundred" * 40 + " six six.")
extract.MAX_CHARACTERS = 10**9
for unit in {UNITS!r}:
    for end in ("", "x"):
        read(unit * 5_000 + end, ("12", "34"), Dtype.INT)
"""


def test_no_reply_takes_long_to_read() -> None:
    """Patterns take linear time: a text of many equal parts is read in moments."""
    assert subprocess.run([sys.executable, "-c", READER], check=False).returncode == 0


@pytest.mark.parametrize("unit", UNITS)
def test_the_work_grows_with_the_length(unit: str) -> None:
    """Twice the text needs at most twice the calls, whatever the machine does
    besides.
    """
    length = 600 // len(unit)
    once, twice = (_calls(unit * times + " = 7") for times in (length, 2 * length))
    assert twice < 2.2 * once + 100


def _calls(text: str) -> int:
    """How many functions are called while a text is read."""
    calls = 0

    def count(frame: object, event: str, arg: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        read(text, OPERANDS, Dtype.FLOAT)
    finally:
        sys.setprofile(before)
    return calls


@given(
    st.text(max_size=60)
    | st.text(
        st.sampled_from("\\{}$*_`^~×=≈-+.,'() \n\u20091230eEx<>think/boxedfrac"),
        max_size=80,
    ),
    st.sampled_from(Dtype),
)
@settings(deadline=None, max_examples=1_000)
def test_any_text_is_read_or_has_a_reason(text: str, dtype: Dtype) -> None:
    """There is an answer or a reason, never both, and no text raises, nor any
    markup.
    """
    readings = read(text, OPERANDS, dtype)
    assert (readings.tolerant is None) is (readings.reason is not None)
