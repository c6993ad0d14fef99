"""Room: every option and ini value, parsed by pure functions into one frozen `Settings`.

It does not know tasks or models; it knows pytest only to declare options and to read them.
"""

from pytest_llmarith.options.declaration import declare
from pytest_llmarith.options.settings import Settings, parse_settings

__all__ = ["Settings", "declare", "parse_settings"]
