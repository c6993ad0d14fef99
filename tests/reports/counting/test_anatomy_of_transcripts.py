"""What docs/errors.md says of thirteen published runs is what their replies say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pytest_llmarith.grading import Case
from pytest_llmarith.records import ArithmeticProblem, Record, as_dict
from pytest_llmarith.reports.counting.anatomy import AnatomyCounts
from pytest_llmarith.reports.counting.cases import answer_of, calculation_of
from pytest_llmarith.reports.counting.positions import Positions
from pytest_llmarith.reports.logs.stored import changes
from pytest_llmarith.values import ErrorClass

TRANSCRIPTS = Path(__file__).parents[4] / "shared" / "transcripts"
DOCUMENTATION = Path(__file__).parents[3] / "docs" / "errors.md"
VARIANTS = [f"{dtype}_{op}" for op in ("add", "sub", "mul", "div") for dtype in ("int", "float")]

pytestmark = pytest.mark.skipif(not TRANSCRIPTS.is_dir(), reason="the transcripts are not beside the project")

Records = list[Record]


@pytest.fixture(scope="module")
def records() -> Records:
    """Every trial that has a reply, without its text: they are megabytes."""
    read = (change.record for file in sorted(TRANSCRIPTS.glob("*.jsonl")) for change in changes(file, None, []))
    return [replace(record, reply=replace(record.reply, text="")) for record in read if record.reply]


@pytest.fixture(scope="module")
def anatomy(records: Records) -> dict[str, Any]:
    return anatomy_of(records)


def anatomy_of(records: Iterable[Record]) -> dict[str, Any]:
    counts = AnatomyCounts()
    for record in records:
        counts.add(record)
    found = counts.part()
    assert found is not None
    return as_dict(found)


def table_below(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading, its head and its line aside."""
    (section,) = re.findall(rf"^### {heading}\n(.*?)(?=^##|\Z)", DOCUMENTATION.read_text("utf-8"), re.M | re.S)
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines[2:]]


def share(part: float, whole: float, decimals: int = 0) -> str:
    return f"{100 * part / whole:.{decimals}f}"


def test_the_classes(anatomy: dict[str, Any]) -> None:
    """So many deviates of each variant of real replies are in each class."""
    by_variant = {variant: anatomy["by_variant"][variant]["classes"] for variant in VARIANTS}
    totals = {one["class"]: one["count"] for one in anatomy["classes"]}
    expected = [
        [str(name), *(str(by_variant[variant].get(name, 0)) for variant in VARIANTS), f"{totals[name]:,}"]
        for name in ErrorClass
    ]
    sums = [sum(by_variant[variant].values()) for variant in VARIANTS]
    assert [*expected, ["all", *map(str, sums), f"{sum(sums):,}"]] == table_below("Classes of thirteen runs")


def test_carries(anatomy: dict[str, Any]) -> None:
    """How often sums and differences are correct, by the most carries in a row."""
    expected = [
        [str(one["chain"]), f"{one['correct']:,}", f"{one['measured']:,}", share(one["correct"], one["measured"], 1)]
        for one in anatomy["longest_chain"]
    ]
    assert expected == table_below("Carries of thirteen runs")


def test_the_figures(records: Records) -> None:
    """What was measured on ninety runs, measured on thirteen of them."""
    found = [[name, figure(records)] for name, figure in FIGURES.items()]
    assert found == [[row[0], row[2]] for row in table_below("Beside what was published")]


def case_of(record: Record) -> Case | None:
    calculation, answer = calculation_of(record.problem), answer_of(record)
    return None if calculation is None or answer is None else calculation.case(answer)


def of(records: Records, *variants: str, depths: Iterable[int] = range(100)) -> Records:
    kinds = ((record, record.problem) for record in records)
    return [
        record
        for record, problem in kinds
        if isinstance(problem, ArithmeticProblem) and problem.variant in variants and problem.depth in depths
    ]


def deviates(records: Records) -> Records:
    return [record for record in records if record.outcome == "deviate"]


def correct(*variants: str) -> Callable[[Records], str]:
    def figure(records: Records) -> str:
        mine = [of(records, variant) for variant in variants]
        return ", ".join(share(len(one) - len(of_another_outcome(one)), len(one), 1) for one in mine)

    return figure


def of_another_outcome(records: Records) -> Records:
    return [record for record in records if record.outcome != "correct"]


def classes_of(records: Records) -> Counter[str]:
    return Counter(str(record.grade.error_class) for record in deviates(records) if record.grade)


def multiples_of_three(records: Records) -> str:
    """Of deviates that are too long or too short."""
    shares = []
    for variant in ("float_div", "int_div", "float_mul", "int_mul", "int_add"):
        classes = classes_of(of(records, variant))
        shares.append(share(classes["group of three"], classes["group of three"] + classes["other length"]))
    return ", ".join(shares)


def powers_of_ten(tolerance: str) -> Callable[[Records], str]:
    def figure(records: Records) -> str:
        wrong = deviates(of(records, "float_div"))
        return share(sum(is_off_by_a_power(record, Decimal(tolerance)) for record in wrong), len(wrong), 1)

    return figure


def is_off_by_a_power(record: Record, tolerance: Decimal) -> bool:
    """Whether some power of ten, but not the answer itself, is that close to the truth."""
    case = case_of(record)
    assert case is not None
    return any(
        power and abs(case.answer.scaleb(power) / case.truth - 1) <= tolerance
        for power in range(-30, 30)
        if case.answer
    )


def wrong_from_left(records: Records) -> str:
    (end, _) = ends_of(deviates(of(records, "int_add", depths=range(7, 11))))
    return ", ".join(share(one["wrong"], one["digits"]) for one in end[:8])


def right_digits(from_left: bool, count: int) -> Callable[[Records], str]:
    def figure(records: Records) -> str:
        answered = [record for record in of(records, "int_mul", depths=[8]) if record.grade]
        end = ends_of(answered)[0 if from_left else 1][:count]
        shares = [share(one["digits"] - one["wrong"], one["digits"]) for one in end]
        return ", ".join(shares if from_left else reversed(shares))

    return figure


def ends_of(records: Records) -> tuple[Any, Any]:
    positions = Positions()
    for record in records:
        case = case_of(record)
        assert case is not None
        positions.add(case)
    found = positions.part()
    return found["from_left"], found["from_right"]


def ends_of_quotients(records: Records) -> str:
    """Of all deviates, whatever their length."""
    wrong = deviates(of(records, "int_div"))
    rows = [case.rows.asked for record in wrong if (case := case_of(record))]
    return ", ".join(share(sum(row.answer[at] == row.truth[at] for row in rows), len(rows)) for at in (0, -1))


def classes_of_sums(records: Records) -> str:
    classes = classes_of(of(records, "int_add"))
    lengths = classes["group of three"] + classes["other length"]
    named = [classes[name] for name in ("carry", "one digit")]
    named += [sum(classes[name] for name in ("tail", "middle", "scattered")), classes["transposition"]]
    return ", ".join(share(count, classes.total()) for count in (*named, lengths, classes["misaligned"]))


def roundings(records: Records) -> str:
    wrong = deviates(of(records, *(variant for variant in VARIANTS if variant.startswith("float"))))
    rounded = classes_of(wrong)["rounded"]
    return f"{rounded} of {len(wrong):,}, {share(rounded, len(wrong), 1)} %"


def relative_errors(records: Records) -> str:
    errors = [Decimal(record.grade.relative_error or "nan") for record in deviates(records) if record.grade]
    below = [share(sum(error < Decimal(limit) for error in errors), len(errors)) for limit in ("1e-4", "0.01")]
    return ", ".join((*below, share(sum(error >= 10 for error in errors), len(errors), 1)))


FIGURES: dict[str, Callable[[Records], str]] = {
    "deviates": lambda records: f"{len(deviates(records)):,}",
    "correct %: int_add, int_sub, float_add, float_sub": correct("int_add", "int_sub", "float_add", "float_sub"),
    "correct %: int_mul, int_div, float_mul, float_div": correct("int_mul", "int_div", "float_mul", "float_div"),
    "too long or too short by a multiple of three, % of all that are too long or too short: "
    "float_div, int_div, float_mul, int_mul, int_add": multiples_of_three,
    "float_div: the truth times a power of ten, %, within 1 %": powers_of_ten("0.01"),
    "float_div: the same, all digits right": powers_of_ten("0"),
    "int_add, depth 7 and more: wrong digits of deviates from the left, %": wrong_from_left,
    "int_mul, depth 8: right digits of all answers from the left, %": right_digits(True, 6),
    "int_mul, depth 8: the last four digits, %": right_digits(False, 4),
    "int_div: first digit right, last digit right, % of deviates": ends_of_quotients,
    "int_add: carry, one digit, several digits (tail, middle, scattered), transposition, length, misaligned, %": (
        classes_of_sums
    ),
    "float: rounded": roundings,
    "relative error under 1e-4, under 1 %, ten and more, %": relative_errors,
}
