"""The one broker of a run, made from its settings, and the keys that it may need."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pytest_llmarith.models.broker import Broker
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.fake import starter_sequences
from pytest_llmarith.settings import Settings
from pytest_llmarith.values import StoreMode


def make_broker(
    settings: Settings, *, bring_keys: Callable[[], object] = lambda: None, only_looks: bool = False
) -> Broker:
    """A broker; one that only looks makes no store where there is none, and has no use for keys."""
    models = [*settings.models, *filter(None, [settings.oeis.judge])]
    return Broker(
        Client(lambda: starter_sequences(settings.oeis.cache), bring_keys),
        {model.name: model for model in models},
        _store_path(settings, only_looks),
        limits=settings.asking,
        store_mode=settings.store_mode,
    )


def load_keys(path: Path) -> str | None:
    """Providers' keys may stand in `.env`; what the environment says already wins.

    A file that others wrote need not be one: why nothing more was taken from it, for people; None where all was.
    """
    if path.is_file():
        import dotenv

        try:
            dotenv.load_dotenv(path, override=False)
        except OSError as error:
            return f"no key is taken from .env, which cannot be read ({error.strerror})"
        except UnicodeDecodeError:
            return "no key is taken from .env, which is no UTF-8 text"
        except ValueError:  # what no variable can hold, such as a null byte; the message would quote it
            return "not all keys are taken from .env, which holds what no variable can"
    return None


def _store_path(settings: Settings, only_looks: bool) -> Path | None:
    if settings.store_mode is StoreMode.OFF or (only_looks and not settings.store_path.exists()):
        return None
    return settings.store_path
