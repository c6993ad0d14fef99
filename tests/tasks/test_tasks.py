"""The table of tasks."""

from pytest_llmarith.tasks import TASKS, addition, arithmetic, breaking_point, oeis


def test_tasks_by_name() -> None:
    """A record's task leads to the module that made its problem."""
    assert dict(TASKS) == {
        "arithmetic": arithmetic,
        "integer_addition": addition,
        "oeis": oeis,
        "breaking_point": breaking_point,
    }
