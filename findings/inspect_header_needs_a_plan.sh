#!/usr/bin/env bash
# inspect_ai 0.3.285: the model of a log gives `plan` a default, and a log without it is read and validated. Its
# reader of headers, which `inspect view` and the list of logs use, takes the same JSON file for broken: it walks
# the keys itself and asserts that there was a plan. So a log that another program writes by the schema loads as
# a whole, and fails where only its first lines are needed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'inspect_ai==0.3.285'
cat > read.py <<'PROGRAM'
import json

from inspect_ai.log import EvalLog, read_eval_log

when = "2026-11-29T09:00:00+00:00"
spec = {
    "created": when,
    "task": "sums",
    "dataset": {"name": "sums"},
    "model": "mockllm/model",
    "config": {},
}
log = {"version": 2, "status": "success", "eval": spec, "samples": []}
with open("2026-11-29T09-00-00_sums_a.json", "w") as file:
    json.dump(log, file)
print("the schema requires a plan:", EvalLog.model_fields["plan"].is_required())
for header_only in (False, True):
    try:
        read = read_eval_log(file.name, header_only=header_only)
        print(f"header_only={header_only}:", read.status)
    except Exception as error:
        print(f"header_only={header_only}:", type(error).__name__)
PROGRAM
cat > expected.txt <<'EXPECTED'
the schema requires a plan: False
header_only=False: success
header_only=True: AssertionError
EXPECTED
.venv/bin/python -W ignore read.py | tee seen.txt
diff expected.txt seen.txt
