"""The NUPA test: 41 pairs of an operation and a way to write numbers (nupa.md)."""

import random
import re
from fractions import Fraction
from itertools import zip_longest

import pytest

from pytest_llmarith import Field, Grade, Grid, Problem, Task, View, mean

# Digits by depth.
HARD = {1: (1, 4), 2: (5, 8), 3: (9, 14), 4: (15, 20)}
EASY = {1: (1, 10), 2: (11, 20), 3: (21, 60), 4: (61, 100)}

# What is asked for, and how it is read.
FORMS = {
    "int": ("an integer such as 123", r"\d+"),
    "float": ("a decimal number such as 10.4", r"\d+\.\d+"),
    "frac": ("an irreducible fraction such as 7/13", r"\d+/\d+"),
    "sci": (
        "a number in scientific notation such as 1.23e4, with one digit from 1 to 9 "
        "before the point",
        r"\d+\.\d+[eE]\+?\d+",
    ),
}
LEFT_ALIGNED = {("float", 1), ("sci", 1)}  # forms and their parts: decimals


# --- numbers, all of them exact fractions ---------------------------------------------


def decimal_text(value, places=None):
    """A decimal number with these decimals, or as few as are exact, at least one."""
    if places is None:
        places = 1
        while (value * 10**places).denominator != 1:
            places += 1
    digits = str(int(value * 10**places)).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"


def scientific_text(value, figures=None):
    """A number of 1 or more, rounded half to even to these figures."""
    exponent = len(str(int(value))) - 1
    places = None
    if figures is not None:
        places = figures - 1
        unit = Fraction(10) ** (exponent - places)
        value = round(value / unit) * unit
        exponent = len(str(int(value))) - 1
    return f"{decimal_text(value / 10**exponent, places)}e{exponent}"


def written(form, value):
    if form == "int":
        return str(int(value))
    if form == "frac":
        return f"{value.numerator}/{value.denominator}"
    return decimal_text(value) if form == "float" else scientific_text(value)


def integer(draw, digits):
    least = 10 ** (digits - 1) if digits > 1 else 0
    return Fraction(draw.randrange(least, 10**digits))


def decimals(draw, digits):
    """A number below 1 of as many decimals, the last of which is not 0."""
    last = 10 * draw.randrange(10 ** (digits - 1)) + draw.randint(1, 9)
    return Fraction(last, 10**digits)


def number(draw, form, digits):
    """A number with as many digits, decimals, digits of the denominator, or decimals of
    the mantissa.
    """
    if form == "int":
        return integer(draw, digits)
    if form == "float":
        whole = draw.randint(1, digits)
        return draw.randrange(10 ** (whole - 1), 10**whole) + decimals(draw, digits)
    if form == "sci":
        return scientific(draw, digits, draw.randint(0, 99))
    while True:
        denominator = draw.randrange(10 ** (digits - 1), 10**digits)
        value = Fraction(draw.randrange(10**digits), denominator)
        if len(str(value.denominator)) == digits:
            return value


def scientific(draw, digits, exponent):
    return (draw.randint(1, 9) + decimals(draw, digits)) * 10**exponent


def operands(draw, form, digits, are_near=False):
    """A number of as many digits and one of half as many to all, in any order; of near
    ones the exponents differ by 5 at most.
    """
    others = draw.randint(max(1, digits // 2), digits)
    if form == "sci" and are_near:
        exponent = draw.randint(0, 99)
        near = min(99, max(0, exponent + draw.randint(-5, 5)))
        found = [scientific(draw, digits, exponent), scientific(draw, others, near)]
    else:
        found = [number(draw, form, digits), number(draw, form, others)]
    draw.shuffle(found)
    return found


# --- operations -----------------------------------------------------------------------
# Each returns the question, the form of the answer, and the answer.


def adding(draw, form, digits):
    one, other = operands(draw, form, digits, are_near=True)
    question = f"Add the numbers: {written(form, one)} + {written(form, other)}"
    return question, form, written(form, one + other)


def subtracting(draw, form, digits):
    one = other = 0
    # The source has no negative numbers and exponents.
    while one == 0 or (form == "sci" and one - other < 1):
        found = operands(draw, form, digits, are_near=True)
        one, other = max(found), min(found)
    question = f"Subtract the numbers: {written(form, one)} - {written(form, other)}"
    return question, form, written(form, one - other)


def multiplying(draw, form, digits):
    one, other = operands(draw, form, digits)
    question = f"Multiply the numbers: {written(form, one)} * {written(form, other)}"
    return question, form, written(form, one * other)


def dividing(draw, form, digits):
    one, other = operands(draw, form, digits)
    other = other or Fraction(1)
    question = f"Divide the numbers: {written(form, one)} / {written(form, other)}"
    if form == "frac":
        question = (
            f"Divide the numbers: ({written(form, one)}) / ({written(form, other)})"
        )
    return question, "frac", written("frac", one / other)


def whole_division(draw, digits):
    """A dividend, and a divisor that is not above it and not 0."""
    found = operands(draw, "int", digits)
    return max(found), min(found) or Fraction(1)


def floor_dividing(draw, form, digits):
    one, other = whole_division(draw, digits)
    question = (
        f"Divide {written(form, one)} by {written(form, other)}, and leave out the "
        f"remainder"
    )
    return question, form, written(form, one // other)


def taking_remainder(draw, form, digits):
    one, other = whole_division(draw, digits)
    most = int(0.7 * len(written(form, one))) + 1
    if len(written(form, other)) > most:
        other = integer(draw, most)
    other = other or Fraction(1)
    question = (
        f"What remains if {written(form, one)} is divided by {written(form, other)}"
    )
    return question, form, written(form, one % other)


def comparing(word, choose):
    def compare(draw, form, digits):
        found = operands(draw, form, digits)
        if form == "frac":
            found = [1 / one if one > 1 else one for one in found]
        one, other = (written(form, value) for value in found)
        question = f"Which of the numbers is the {word}: {one} or {other}"
        return question, form, written(form, choose(found))

    return compare


def digit_by_digit(words, choose):
    def operate(draw, form, digits):
        one, other = (written(form, value) for value in operands(draw, form, digits))
        pairs = zip(one.split("."), other.split("."), strict=True)
        parts = []
        for place, (first, second) in enumerate(pairs):
            step = 1 if (form, place) in LEFT_ALIGNED else -1
            aligned = zip_longest(first[::step], second[::step], fillvalue="0")
            found = "".join(str(choose(int(a), int(b))) for a, b in aligned)
            parts.append(found[::step])
        at = ", with the decimal points aligned" if form == "float" else ""
        question = f"Digit by digit{at}, and with 0 where one is missing, {words}: "
        value = Fraction(".".join(parts))  # without zeros in front and behind
        return f"{question}{one} and {other}", form, written(form, value)

    return operate


def getting_digit(draw, form, digits):
    text = written(form, number(draw, form, digits))
    found = text.replace(".", "")
    place = draw.randrange(len(found))
    without = ", not counting the point" if form == "float" else ""
    question = (
        f"Which digit of {text} is at place {place}, from the left from 0{without}"
    )
    return question, "int", found[place]


def counting_digits(draw, form, digits):
    text = written(form, number(draw, form, digits))
    return f"How many digits does {text} have", "int", str(len(text.replace(".", "")))


def counting_one(draw, form, digits):
    text, digit = written(form, number(draw, form, digits)), str(draw.randint(0, 9))
    question = f"How often does the digit {digit} occur in {text}"
    return question, "int", str(text.count(digit))


def to_float(draw, form, digits):
    if form == "frac":
        one = number(draw, form, digits)
        whole = max(one.numerator, one.denominator)
        value = Fraction(
            whole, 2 ** draw.randint(0, digits) * 5 ** draw.randint(0, digits)
        )
    else:
        value = scientific(draw, digits, draw.randint(0, digits))
    question = f"Write the number as a decimal number: {written(form, value)}"
    return question, "float", written("float", value)


def to_scientific(draw, form, digits):
    value = number(draw, form, digits) or Fraction(1)
    if form == "int":  # more zeros
        value -= value % 10 ** draw.randint(0, digits // 2)
    question = f"Write the number in scientific notation: {written(form, value)}"
    return question, "sci", written("sci", value)


def rounding(draw, form, digits):
    while True:
        value = number(draw, form, digits) or Fraction(1)
        figures = written(form, value).replace(".", "").strip("0")
        kept = draw.randint(2, max(2, len(figures)))
        if figures[kept : kept + 1] != "5":  # where rules differ
            break
    question = (
        f"Write the number in scientific notation with {kept} significant figures: "
        f"{written(form, value)}"
    )
    return question, "sci", scientific_text(value, kept)


OPERATIONS = {
    "add": (adding, "int float frac sci"),
    "sub": (subtracting, "int float frac sci"),
    "multiply": (multiplying, "int float frac sci"),
    "truediv": (dividing, "int frac"),
    "floordiv": (floor_dividing, "int"),
    "mod": (taking_remainder, "int"),
    "max": (comparing("larger", max), "int float frac sci"),
    "min": (comparing("smaller", min), "int float frac sci"),
    "digit_max": (digit_by_digit("give the larger digit", max), "int float"),
    "digit_min": (digit_by_digit("give the smaller digit", min), "int float"),
    "digit_add": (
        digit_by_digit("add modulo 10 without a carry", lambda a, b: (a + b) % 10),
        "int float",
    ),
    "get_digit": (getting_digit, "int float"),
    "length": (counting_digits, "int float"),
    "count": (counting_one, "int"),
    "to_float": (to_float, "frac sci"),
    "to_scient": (to_scientific, "int float"),
    "sig": (rounding, "int float"),
}
ARE_HARD = {"add", "sub", "multiply", "truediv", "floordiv", "mod"}
VARIANTS = [
    f"{name}_{form}" for name, (_, all) in OPERATIONS.items() for form in all.split()
]


def problem_at(seed, variant, depth, trial):
    """A question of a length in the range; no two trials of a cell are the same."""
    name, _, form = variant.rpartition("_")
    operate, _ = OPERATIONS[name]
    lengths = HARD if name in ARE_HARD or form == "frac" else EASY
    draw = random.Random(f"{seed}/nupa/{variant}/{depth}")
    drawn = {}
    for _ in range(100 * (trial + 1)):
        question, answer, expected = operate(draw, form, draw.randint(*lengths[depth]))
        drawn[question] = answer, expected
        if len(drawn) > trial:
            break
    return Problem({"question": question, "form": answer}, expected, question=question)


def prompt(problem):
    form, _ = FORMS[problem["form"]]
    return (
        f"{problem['question']}\n"
        f'Reply with just "The answer is" and {form}, without commas.'
    )


# --- replies --------------------------------------------------------------------------


def read(text, problem):
    """The first number of the form behind the last "the answer is", else the last
    number of the form.
    """
    _, pattern = FORMS[problem["form"]]
    _, said, answer = text.lower().rpartition("the answer is")
    found = re.findall(rf"(?<![\d.-]){pattern}", answer)
    if not found:
        return None
    return found[0] if said else found[-1]


def grade(answer, problem):
    """The measures of the source, which compares the parts of numbers as texts."""
    parts, expected = (re.findall(r"\d+", text) for text in (answer, problem.expected))
    same = 0
    for place, (found, right) in enumerate(zip(parts, expected, strict=True)):
        step = 1 if (problem["form"], place) in LEFT_ALIGNED else -1
        same += sum(a == b for a, b in zip(found[::step], right[::step], strict=False))
    length = len("".join(expected))
    return Grade(
        parts == expected,
        {"dlength": abs(len("".join(parts)) - length)},
        scores={"digit match": Fraction(same, length)},
    )


def replies(problem):
    """A right reply, and one with another first digit."""
    right = problem.expected
    wrong = str(int(right[0]) % 9 + 1) + right[1:]
    return [f"The answer is {right}.", f"The answer is {wrong}."]


# --- the task -------------------------------------------------------------------------

SOURCE = (
    "depths 1 to 4: S, M, L, XL of arXiv 2411.03766, which shows its results as "
    "pictures; no figure of them could be read"
)


def by_range(title, measure, meaning):
    field = Field(title, f"{meaning}, by length range", measure)
    return View(title, "variant", [field], across="depth", cited=SOURCE)


nupa = Task(
    "nupa",
    Grid(problem_at, VARIANTS, list(HARD)),
    prompt,
    read,
    grade,
    replies=replies,
    measures=[
        mean(
            "nupa_dlength",
            "dlength",
            "digits by which an answer is longer or shorter than the right one",
            lambda details: details["dlength"],
            unit="digits",
        )
    ],
    views=[
        by_range("exact match %", "{correct_percentage}", "right answers"),
        by_range("digit match %", "{score:digit match}", "digits that are right"),
        by_range("dlength", "{nupa_dlength}", "digits too many or too few, the mean"),
    ],
)


@pytest.mark.llmarith_task(nupa, trials=5)
def test_nupa(problem, ask):
    """The reply has the number as the paper writes it."""
    ask(problem)
