"""Task OEIS: the question word for word, and nothing in it that answers it."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.tasks import oeis
from pytest_llmarith.values import IntegerSequence, OeisProblem

SQUARES = IntegerSequence(
    "A000290", "The squares.", ("n starts at 0.", "Areas of fields."), ("0", "1", "4", "9"), 0, ("nonn", "easy")
)
PROMPT = """\
Write a python code that takes a number n as input from stdin, outputs a single element of a sequence as a string to \
stdout. Just output the n-th element in the sequence, not the whole sequence or anything other than the single \
sequence element. You will be graded by my running your code and comparing the results with a look-up table. If you \
use a look-up table for your code, you will not only fail the test. Hardcoding values that can be computed without \
hardcoding is considered to be using a look-up table. Use only the standard python library. No packages will be \
installed with pip or conda. Output your final code at the end of your response inside triple backticks like:
```
#your code goes here
```

The last part of your response that is inside triple backticks will be used as your response for the purposes of the \
test. The code will be stopped after a short period of time, so make it efficient if needed.

Here is some information on the sequence:
```
Name: The squares.
Comments: n starts at 0.

Areas of fields.
```
"""

texts = st.text(st.characters(codec="utf-8"), max_size=50)
terms = st.lists(st.integers(10**20, 10**40).map(str), min_size=1, max_size=9).map(tuple)


def test_the_prompt() -> None:
    """The prompt is the paper's for code generation, word for word."""
    assert oeis.prompt(OeisProblem("starter", SQUARES)) == PROMPT


def test_no_comments() -> None:
    """An entry without comments has an empty line for them."""
    sequence = IntegerSequence("A000290", "The squares.", (), ("0",), 0, ())
    assert oeis.prompt(OeisProblem("starter", sequence)).endswith("Name: The squares.\nComments: \n```\n")


@given(texts, st.lists(texts, max_size=3).map(tuple), terms)
def test_no_term_is_in_the_prompt(name: str, comments: tuple[str, ...], terms: tuple[str, ...]) -> None:
    """Name and comments are all that is told of an entry: with other terms the prompt is the same."""
    ours = IntegerSequence("A000001", name, comments, terms, 0, ("easy",))
    other = IntegerSequence("A999999", name, comments, ("1",), 5, ("hard",))
    assert oeis.prompt(OeisProblem("starter", ours)) == oeis.prompt(OeisProblem("classic_hard", other))


def test_the_label_and_the_fields() -> None:
    """Set and number are what `-k` finds; the fields are builtins and hold no terms."""
    (problem,) = oeis.problems("classic_easy", [SQUARES])
    assert problem.label == "classic_easy-A000290"
    assert problem.coordinates() == {"set": "classic_easy", "number": "A000290"}
    assert json.loads(json.dumps(problem.fields())) == {
        "set": "classic_easy",
        "number": "A000290",
        "name": "The squares.",
        "offset": 0,
        "keywords": ["nonn", "easy"],
    }
