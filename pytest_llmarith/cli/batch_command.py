"""`llmarith replies` and `llmarith batch`: files of questions are sent to providers'
batches, and replies come into the store.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import warnings
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import (
    NOT_DONE,
    NotDoneError,
    add_command,
    argument,
    print_error,
    say,
)
from pytest_llmarith.cli.store_command import (
    add_store_dir,
    existing_store,
    opened,
    store_path,
)
from pytest_llmarith.parsers import dollars, whole
from pytest_llmarith.report.render.terminal import draw
from pytest_llmarith.results.run_files import UsageError, name_of
from pytest_llmarith.safe_text import sanitize_name
from pytest_llmarith.types import Price
from pytest_llmarith.views.formatting import UNKNOWN, counted

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands
    from pytest_llmarith.models.batches import Batches
    from pytest_llmarith.models.question_files import QuestionFile
    from pytest_llmarith.models.reservations import Batch

_LONGEST_NAME = 60
_LONGEST_REASON = 120


def add_replies(commands: Commands) -> None:
    """Declare `llmarith replies`."""
    purpose = "Take replies to a file of questions into the store"
    command = commands.add_parser("replies", help=purpose, description=f"{purpose}.")
    subcommands = command.add_subparsers(
        dest="subcommand", metavar="import", required=True
    )
    details = (
        "The results are JSONL in the form of OpenAI's or Anthropic's batches, in any "
        "order, also compressed by gzip. Stored replies are kept. Import only from "
        "people you trust: a forged reply looks like a real one."
    )
    importing = add_command(subcommands, "import", purpose, details, _import)
    importing.add_argument(
        "results", nargs="+", type=Path, metavar="FILE", help="A file of results"
    )
    importing.add_argument(
        "--questions",
        type=Path,
        required=True,
        metavar="FILE",
        help="The file that --llm-questions-out has written, with its manifest beside it",
    )
    add_store_dir(importing)


def add_batch(commands: Commands) -> None:
    """Declare `llmarith batch`."""
    purpose = "Send a file of questions to a provider's batches, and take their replies"
    command = commands.add_parser("batch", help=purpose, description=f"{purpose}.")
    subcommands = command.add_subparsers(
        dest="subcommand", metavar="submit|status|collect|cancel", required=True
    )

    purpose = "Submit the questions that are neither stored nor in a batch"
    submit = add_command(subcommands, "submit", purpose, "", _submit)
    submit.add_argument(
        "questions",
        type=Path,
        metavar="FILE",
        help="A file that --llm-questions-out has written, with its manifest beside it",
    )
    submit.add_argument(
        "--max-cost",
        type=argument(dollars),
        metavar="USD",
        help="Submit nothing if the longest replies could cost more",
    )
    submit.add_argument(
        "--price",
        type=argument(Price.parse),
        metavar="IN,OUT",
        help="Dollars per million tokens, for a model without a listed batch price",
    )
    submit.add_argument(
        "--most",
        type=argument(whole(1, 999_999_999)),
        metavar="N",
        help="Submit at most this many questions, for an account that allows no more",
    )

    purpose = (
        "Show the batches that have questions without a reply, and ask their "
        "providers how far they are"
    )
    status = add_command(subcommands, "status", purpose, "", _status)

    purpose = "Take the replies of batches that have ended into the store"
    collect = add_command(subcommands, "collect", purpose, "", _collect)
    collect.add_argument(
        "--wait", action="store_true", help="Until no batch is running any more"
    )

    purpose = "Cancel batches; collect then takes the replies that exist"
    cancel = add_command(subcommands, "cancel", purpose, "", _cancel)
    cancel.add_argument(
        "batches",
        nargs="*",
        metavar="BATCH",
        help="Id of a batch, as `status` shows it",
    )
    cancel.add_argument("--all", action="store_true", help="All batches of the store")
    cancel.add_argument(
        "--forget",
        action="store_true",
        help="Cancel nothing, and take no replies: only free the questions, so that "
        "they can be asked and paid for again",
    )
    for subcommand in (submit, status, collect, cancel):
        add_store_dir(subcommand)


# --- replies --------------------------------------------------------------------------


def _import(request: argparse.Namespace) -> int:
    from pytest_llmarith.models.client import Client
    from pytest_llmarith.models.replies_in import Intake, lines_of

    with (
        _questions(request.questions) as file,
        opened(store_path(request)) as store,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # those of litellm and pydantic
        intake = Intake(Client(), store, file.sent, file.header.made_at)
        for path in request.results:
            try:
                intake.take(lines_of(path))
            except OSError as error:
                raise UsageError(
                    f"{name_of(path)}: {error.strerror or error}"
                ) from error
        keys = file.keys
        missing = len(keys) - len(store.stored(keys))
    said = [f"{intake.new:,} {'reply' if intake.new == 1 else 'replies'} taken"]
    for count, what in (
        (intake.stored, "in the store already"),
        (missing, f"questions without one{intake.why}"),
        (intake.foreign, "rows of other questions"),
        (intake.damaged, "lines that cannot be read"),
    ):
        if count:
            said.append(f"{count:,} {what}")
    say(f"{name_of(request.questions)}: {', '.join(said)}")
    return NOT_DONE if missing else 0


@contextmanager
def _questions(path: Path) -> Iterator[QuestionFile]:
    """A file of questions."""
    from pytest_llmarith.models.question_files import QuestionFile, QuestionsError

    try:
        with closing(QuestionFile(path)) as file:
            yield file
    except QuestionsError as error:
        raise UsageError(str(error)) from error


# --- batches --------------------------------------------------------------------------


def _submit(request: argparse.Namespace) -> int:
    with _questions(request.questions) as file:
        _with_batches(
            store_path(request),
            lambda batches: batches.submit(
                file, request.max_cost, request.price, request.most
            ),
        )
    return 0


def _collect(request: argparse.Namespace) -> int:
    from pytest_llmarith.models.batches import POLL_S

    async def collect(batches: Batches) -> None:
        while await batches.collect() and request.wait:
            await asyncio.sleep(POLL_S)

    path = existing_store(request)
    _with_batches(path, collect)
    with opened(path) as store:
        left = store.batches()
    if not left:
        return 0
    waiting = sum(batch.questions for batch in left)
    say(f"{counted(waiting, 'question')} in batches without a reply")
    return NOT_DONE


def _status(request: argparse.Namespace) -> int:
    path = existing_store(request)
    with opened(path) as store:
        found = store.batches()

    async def state(batches: Batches, batch: Batch) -> str:
        if batch.id is None:
            return "not created" if batch.creating_at is None else "perhaps created"
        found = await batches.provider(batch).state(batch.model, batch.id)
        return "ended" if found.ended else f"{found.done:,} done"

    from pytest_llmarith.models.batches import name_of as id_of
    from pytest_llmarith.models.store import minute

    rows = []
    for batch, said in zip(found, _ask_each(path, found, state), strict=True):
        rows.append(
            [
                id_of(batch),
                sanitize_name(batch.model.target, _LONGEST_NAME),
                sanitize_name(batch.model.api_base or UNKNOWN, _LONGEST_NAME),
                sanitize_name(batch.parameters, _LONGEST_NAME),
                minute(batch.made_at),
                f"{batch.questions:,}",
                sanitize_name(said, _LONGEST_REASON),
            ]
        )
    headers = [
        "batch",
        "model",
        "base URL",
        "parameters",
        "since (UTC)",
        "questions",
        "state",
    ]
    say(*(draw(headers, rows, names=5) if rows else ["no batches"]))
    return 0


def _cancel(request: argparse.Namespace) -> int:
    from pytest_llmarith.models.batches import name_of as id_of

    if bool(request.batches) == request.all:
        raise UsageError(
            "choose the batches: name them as llmarith batch status does, or write "
            "--all"
        )
    path = existing_store(request)
    with opened(path) as store:
        chosen = store.batches()
        if not request.all:
            names = {id_of(batch) for batch in chosen}
            for name in request.batches:
                if name not in names:
                    raise UsageError(
                        f"there is no batch {name!r}; see llmarith batch status"
                    )
            chosen = [batch for batch in chosen if id_of(batch) in request.batches]
        if not chosen:
            say("no batches")
        if request.forget:
            with store.submitting():
                for batch in chosen:
                    store.release(batch)
                    free = f"{batch.questions:,} questions are free"
                    say(f"{id_of(batch)}: forgotten, {free}")
            return 0
    for batch in chosen:
        if batch.id is None:
            raise UsageError(
                f"{id_of(batch)} has no id yet; llmarith batch collect looks for it, "
                f"or add --forget"
            )

    async def cancel(batches: Batches, batch: Batch) -> str:
        provider, id_ = batches.provider(batch), str(batch.id)
        done = "has ended; llmarith batch collect takes its replies"
        if not (await provider.state(batch.model, id_)).ended:
            await provider.cancel(batch.model, id_)
            done = "cancelled; llmarith batch collect takes the replies that exist"
        say(f"{id_of(batch)}: {done}")
        return ""

    outcomes = _ask_each(path, chosen, cancel)
    for batch, why in zip(chosen, outcomes, strict=True):
        if why:
            print_error("batch cancel", f"{id_of(batch)}: {why}")
    return NOT_DONE if any(outcomes) else 0


def _ask_each(
    path: Path,
    chosen: Sequence[Batch],
    ask: Callable[[Batches, Batch], Awaitable[str]],
) -> list[str]:
    """What the provider of each batch says, or why it says nothing."""
    from pytest_llmarith.models.provider_errors import diagnose

    said = []

    async def all_(batches: Batches) -> None:
        for batch in chosen:
            try:
                said.append(await ask(batches, batch))
            except Exception as error:
                said.append(diagnose(error, batch.model).message)

    _with_batches(path, all_)
    return said


def _with_batches(path: Path, work: Callable[[Batches], Awaitable[None]]) -> None:
    """Do something with the batches of a store. Keys may be in the project's `.env`."""
    from pytest_llmarith.models.batches import BatchError, Batches
    from pytest_llmarith.models.providers import dotenv_variables

    try:
        for name, value in dotenv_variables(path.parent.parent / ".env").items():
            os.environ.setdefault(name, value)
    except ValueError as error:
        raise NotDoneError(str(error)) from error

    async def run() -> None:
        batches = Batches(store, say)
        try:
            await work(batches)
        finally:
            await batches.close()

    with opened(path) as store, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of litellm and pydantic
        try:
            asyncio.run(run())
        except BatchError as error:
            raise NotDoneError(str(error)) from error
