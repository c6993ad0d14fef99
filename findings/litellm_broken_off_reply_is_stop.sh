#!/usr/bin/env bash
# litellm 1.110.2: reasons to finish that it does not know, and some that it does ('error'),
# become 'stop', the word for a reply that is complete: a reply that the server broke off
# looks finished. vLLM sends 'abort', Gemini MALFORMED_FUNCTION_CALL.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'litellm==1.110.2'
cat > program.py <<'PROGRAM'
import logging
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
from litellm.litellm_core_utils.core_helpers import map_finish_reason

logging.disable()
for reason in ("length", "error", "network_error", "abort", "MALFORMED_FUNCTION_CALL"):
    print(f"{reason}: {map_finish_reason(reason)}")
PROGRAM
cat > expected.txt <<'EXPECTED'
length: length
error: stop
network_error: stop
abort: stop
MALFORMED_FUNCTION_CALL: stop
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
