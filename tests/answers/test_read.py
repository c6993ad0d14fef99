"""The number in a reply: its final answer, the bare number that a strict task asks for,
or why there is none.

`replies/forms.jsonl` has more of them.
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


def test_long_replies() -> None:
    """A bare number is read whole, however long it is; of a long text the end is
    read.
    """
    long = "7" * 40_000
    assert read(f"= {long}", OPERANDS).reason is Reason.EMPTY  # never cut
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
@settings(max_examples=300)
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
                *("", ".5", "5.", "1e5", "1,234.5", "5_", "1_0.5_", "1 000", "1.2.3"),
                *("−5", "= 5"),
            )
        ),
    ],
)
def test_a_strict_fixed_point_number(text: str, number: str | None) -> None:
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
    *("<think>", "</think>", "[THINK]", "[/THINK]", "<|channel|>final<|message|>"),
    *("\n", " ", "5", "the ", "<"),
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
                *("", "5", "The scant result", "a canoe", "a steep decline", "willnot"),
            )
        ),
    ],
)
def test_refusals(text: str, refused: bool) -> None:
    assert refuses(text) is refused


# --- hostile replies ------------------------------------------------------------------

UNITS = (
    *("7", "7_", "7,", "7 ", "7.", "7e", "-7", "7 + ", "= 7", "-7,", "7.7, ", "| 7 "),
    *("(", "*", "_", "`", "$", "\\boxed{", "<think>", "\n", "~~", "7 million "),
    *("7 million 7 thousand ", "seven ", "seven hundred, ", "&", "7 & ", "&amp;", "|7"),
    *("7~777", "7 and ", "7.(7", "7.7...", "7\u0305", "\\begin{a}", "\\\\ ", "7(7 + "),
    *("12 and 22, ", "1千", "1 mil ", "1;", "\\fcolorbox{a}{", "12,5 "),
    *("one hundred and ", "a hundred ", "not ", "n't really ", "½", "= 3/2 "),
    "7 would ",
)
# A limit on the processor's time of each text, which no other process uses up: ten
# times what the slowest takes. Long texts are read whole, so that no cut hides growth.
READER = f"""
from signal import ITIMER_VIRTUAL, setitimer
from pytest_llmarith.exact import extract, read
from pytest_llmarith.types import Dtype
for unit in {UNITS!r}:
    setitimer(ITIMER_VIRTUAL, 6)
    read(unit * 20_000, ("12", "34"), Dtype.INT)
read("seven" + " hundred" * 40 + " six six.")
extract.MAX_CHARACTERS = 10**9
for unit in {UNITS!r}:
    for end in ("", "x"):
        setitimer(ITIMER_VIRTUAL, 6)
        read(unit * 2_500 + end, ("12", "34"), Dtype.INT)
"""


def test_no_reply_takes_long_to_read() -> None:
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
@settings(max_examples=300)
def test_any_text_is_read_or_has_a_reason(text: str, dtype: Dtype) -> None:
    readings = read(text, OPERANDS, dtype)
    assert (readings.tolerant is None) is (readings.reason is not None)
