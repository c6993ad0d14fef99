"""Room: one pytest run, as its controller, a worker or the only process. It puts the rooms below together."""

from pytest_llmarith.session.ask import Ask
from pytest_llmarith.session.begin import asked_model, begin, settings_of

__all__ = ["Ask", "asked_model", "begin", "settings_of"]
