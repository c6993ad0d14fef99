"""The text that a jail's interpreter starts with: it receives the zygote, becomes it, and in a term the program."""

from __future__ import annotations

import marshal
import os
import sys
from types import CodeType, ModuleType

_CONTROL = 3


def _receive(length: int) -> bytes:
    parts = b""
    while len(parts) < length:
        part = os.read(_CONTROL, length - len(parts))
        if not part:
            os._exit(1)
        parts += part
    return parts


def _load(name: str, code: CodeType) -> ModuleType:
    module = ModuleType(name)
    module.__path__ = []
    sys.modules[name] = module
    exec(code, vars(module))
    return module


def _boot() -> tuple[ModuleType, bytes]:
    parcel = marshal.loads(_receive(int.from_bytes(_receive(8), "little")))
    modules = {name: _load(name, code) for name, code in parcel["modules"]}
    modules[parcel["zygote"]].main(_CONTROL, **parcel["setup"])
    return modules[parcel["runs"]], parcel["program"]


if __name__ == "__main__":
    if (came_as := int(sys.argv[1])) != _CONTROL:
        os.dup2(came_as, _CONTROL)
        os.close(came_as)
    program, source = _boot()
    program.run(source)
