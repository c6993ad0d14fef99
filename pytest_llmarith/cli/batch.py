"""`llmarith batch status` and `cancel`."""

from __future__ import annotations

import argparse
import asyncio
import os
import warnings
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import NOT_DONE, NotDoneError, add_command, print_error, sanitize_line, say
from pytest_llmarith.cli.store import add_store_dir, existing_store
from pytest_llmarith.results.files import UsageError
from pytest_llmarith.results.formatting import UNKNOWN, sanitize_name
from pytest_llmarith.results.tables import draw

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands
    from pytest_llmarith.models.batch_providers import BatchProvider
    from pytest_llmarith.models.reservations import Batch, Reservations

_LONGEST_NAME = 60
_LONGEST_REASON = 120
_TIMEOUT_S = 120.0


def add_batch(commands: Commands) -> None:
    """Declare the command and its subcommands."""
    purpose = "Show the batches of --llm-batch that have not ended, or cancel them"
    command = commands.add_parser("batch", help=purpose, description=f"{purpose}.")
    subcommands = command.add_subparsers(dest="subcommand", metavar="status|cancel", required=True)

    purpose = "Show the batches that have questions without a reply, and ask their providers how far they are"
    add_store_dir(add_command(subcommands, "status", purpose, "", _status))

    purpose = "Cancel batches; the next run with --llm-batch takes the replies that exist"
    cancel = add_command(subcommands, "cancel", purpose, "", _cancel)
    cancel.add_argument("batches", nargs="*", metavar="BATCH", help="Id of a batch, as `status` shows it")
    cancel.add_argument("--all", action="store_true", help="All batches of the store")
    cancel.add_argument(
        "--forget",
        action="store_true",
        help="Cancel nothing, and take no replies: only free the questions, so that the next run pays for them again",
    )
    add_store_dir(cancel)


def _status(request: argparse.Namespace) -> int:
    with _opened(request) as store:
        batches = store.batches()

    async def state(provider: BatchProvider, batch: Batch) -> str:
        if batch.id is None:
            return "not created" if batch.creating_at is None else "perhaps created"
        found = await provider.state(batch.model, batch.id)
        return "ended" if found.ended else f"{found.done:,} done"

    rows = []
    for batch, said in zip(batches, _ask_each(batches, state), strict=True):
        rows.append(
            [
                _id(batch),
                sanitize_name(batch.model.target, _LONGEST_NAME),
                sanitize_name(batch.model.api_base or UNKNOWN, _LONGEST_NAME),
                batch.made_at[:16].replace("T", " "),
                f"{batch.questions:,}",
                sanitize_name(said, _LONGEST_REASON),
            ]
        )
    headers = ["batch", "model", "base URL", "since (UTC)", "questions", "state"]
    say(f"store: {sanitize_line(str(store.path))}", *(["", *draw(headers, rows, names=4)] if rows else ["no batches"]))
    return 0


def _cancel(request: argparse.Namespace) -> int:
    if bool(request.batches) == request.all:
        raise UsageError("choose the batches: name them as llmarith batch status does, or write --all")
    with _opened(request) as store:
        batches = store.batches()
        for name in {*request.batches} - {_id(batch) for batch in batches}:
            raise UsageError(f"there is no batch {name!r}; see llmarith batch status")
        chosen = [batch for batch in batches if request.all or _id(batch) in request.batches]
        if request.forget:
            with store.submitting():
                for batch in chosen:
                    store.release(batch)
                    say(f"{_id(batch)}: forgotten, {batch.questions:,} questions are free")
            return 0
    for batch in chosen:
        if batch.id is None:
            raise UsageError(f"{_id(batch)} has no id yet; rerun the run, which looks for it, or add --forget")

    async def cancel(provider: BatchProvider, batch: Batch) -> str:
        await provider.cancel(batch.model, str(batch.id))
        return ""

    outcomes = _ask_each(chosen, cancel)
    for batch, why in zip(chosen, outcomes, strict=True):
        if why:
            print_error("batch cancel", f"{_id(batch)}: {why}")
        else:
            say(f"{_id(batch)}: cancelled; the next run with --llm-batch takes the replies that exist")
    return NOT_DONE if any(outcomes) else 0


@contextmanager
def _opened(request: argparse.Namespace) -> Iterator[Reservations]:
    """The existing store, with the keys of its project's `.env` in the environment."""
    from pytest_llmarith.models.providers import dotenv_variables
    from pytest_llmarith.models.reservations import Locked, Reservations
    from pytest_llmarith.models.store import StoreError

    path = existing_store(request)
    try:
        for name, value in dotenv_variables(path.parent.parent / ".env").items():
            os.environ.setdefault(name, value)
        with closing(Reservations(path)) as store:
            yield store
    except Locked:
        raise NotDoneError("a run submits batches; rerun the command when it has done so") from None
    except (StoreError, ValueError) as error:
        raise NotDoneError(str(error)) from error


def _id(batch: Batch) -> str:
    """The provider's id, as text that is safe to print, or the beginning of the intent."""
    return sanitize_line(batch.id or batch.intent[:8])


def _ask_each(batches: Sequence[Batch], ask: Callable[[BatchProvider, Batch], Awaitable[str]]) -> list[str]:
    """What the provider of each batch says, or why it says nothing."""
    from pytest_llmarith.models.batch_providers import batch_provider
    from pytest_llmarith.models.client import Client
    from pytest_llmarith.models.provider_errors import diagnose

    async def all_() -> list[str]:
        client, said = Client(), []
        for batch in batches:
            try:
                said.append(await ask(batch_provider(client, batch.model), batch))
            except Exception as error:
                said.append(diagnose(error, batch.model, _TIMEOUT_S).message)
        await client.close()
        return said

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of litellm and pydantic
        return asyncio.run(all_())
