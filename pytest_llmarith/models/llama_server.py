"""The main program of llama.cpp's server, which `models.llama` starts for a model file.

It reads a line of JSON from standard input, writes its address to standard output, and
ends when standard input closes. On Linux it is also killed with the process that
started it, as nothing is read while the file is loaded.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1
_WARNINGS = 2  # llama.cpp then writes errors and warnings


def main() -> None:
    """Serve until standard input closes."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    said = json.loads(sys.stdin.readline())
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # for what a library prints
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = said["path"]
    # What replies say served them; it would be the whole path, which depends on the
    # machine.
    params.model_alias = {os.path.basename(said["path"])}
    params.n_ctx = said["context"] * said["slots"]
    params.n_parallel = said["slots"]
    params.n_ubatch = said["batch"]
    params.cpuparams.n_threads = said["threads"]
    params.cpuparams_batch.n_threads = said["threads"]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [said["key"]]
    params.ui = False
    params.endpoint_slots = False
    params.cache_ram_mib = 0  # else prompts of other questions stay in memory
    params.fit_params = False  # else it may load the file twice, and change the context
    params.verbosity = _WARNINGS
    server = xllamacpp.Server(params)
    print(server.listening_address, file=answers, flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
