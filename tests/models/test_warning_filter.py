"""Warnings in the course of a request are nobody's errors, whatever filters there are and whoever puts them there."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import pytest

from pytest_llmarith.models.our_requests import our_request
from pytest_llmarith.models.warning_filter import install


def _anew() -> None:
    warnings.resetwarnings()
    warnings.simplefilter("error")


def _one_by_one() -> None:
    warnings.filterwarnings("error", category=UserWarning, message="odd")
    warnings.filterwarnings("error", append=True)


def _emptied() -> None:
    del warnings.filters[:]  # type: ignore[attr-defined]  # a list, and a sequence to typeshed
    warnings.simplefilter("error")


STRICT = [lambda: warnings.simplefilter("error"), _anew, _emptied, _one_by_one]


def _warn() -> bool:
    """Whether that raised."""
    try:
        warnings.warn("odd", stacklevel=1)
    except UserWarning:
        return True
    return False


@pytest.mark.parametrize("be_strict", STRICT)
def test_a_warning_is_an_error_and_yet_none_while_asking(be_strict: Callable[[], None]) -> None:
    """Before and after a request filters do what they always do."""
    install()
    with warnings.catch_warnings():
        be_strict()
        assert _warn()
        with our_request():
            assert not _warn()
        assert _warn()


@pytest.mark.parametrize("be_strict", STRICT)
def test_filters_that_come_in_the_middle_change_nothing(be_strict: Callable[[], None]) -> None:
    """An item that begins while a reply is on its way brings filters of its own."""
    install()
    with our_request(), warnings.catch_warnings():
        be_strict()
        assert not _warn()


def test_what_a_request_begins_on_another_thread_is_part_of_it_and_nothing_else() -> None:
    """litellm hands its context on; a test that runs meanwhile has another."""
    install()
    with ThreadPoolExecutor(1) as pool, our_request(), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not pool.submit(copy_context().run, _warn).result()
        assert pool.submit(_warn).result()


def test_other_peoples_filters_stay_in_their_order() -> None:
    """Our filter stands once before all others, whose order does not change."""
    install()
    with warnings.catch_warnings():
        before = list(warnings.filters)
        install()
        warnings.simplefilter("once")
        first, second, *others = warnings.filters
        assert (first[0], second[0]) == ("ignore", "once")
        assert [first, *others] == before
