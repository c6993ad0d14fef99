#!/usr/bin/env bash
# lm-eval 0.4.13: the lenient filter of its task gsm8k takes the last run of digits, points and commas, and points alone
# are one: a reply that ends in '...' has the answer '...' and is wrong, also where the strict filter finds 72. With '72...'
# both are wrong, with '72.' it is right. Expected: the last number.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'lm-eval==0.4.13'
cat > program.py <<'PROGRAM'
from pathlib import Path

import lm_eval
import yaml
from lm_eval.api.instance import Instance
from lm_eval.api.metrics import exact_match_hf_evaluate
from lm_eval.filters import build_filter_ensemble

task = yaml.safe_load((Path(lm_eval.__file__).parent / "tasks/gsm8k/gsm8k.yaml").read_text())
options = {
    key: value
    for key, value in task["metric_list"][0].items()
    if key.startswith(("ignore_", "regexes_"))
}
for reply in (
    "She sold 72.",
    "She sold 72 clips...",
    "She sold 72...",
    "#### 72",
    "#### 72...",
    "#### 72 ...",
):
    scores = []
    for steps in task["filter_list"]:
        functions = [
            (step["function"], {k: v for k, v in step.items() if k != "function"} or None)
            for step in steps["filter"]
        ]
        instance = Instance("generate_until", {}, ("", {}), 0, resps=[reply])
        build_filter_ensemble(steps["name"], functions).apply([instance])
        answer = instance.filtered_resps[steps["name"]]
        match = exact_match_hf_evaluate([answer], ["#### 72"], **options)["exact_match"]
        scores.append(f"{steps['name']} {answer} {int(match)}")
    print(f"{reply!r}:", ", ".join(scores))
PROGRAM
cat > expected.txt <<'EXPECTED'
'She sold 72.': strict-match [invalid] 0, flexible-extract 72. 1
'She sold 72 clips...': strict-match [invalid] 0, flexible-extract ... 0
'She sold 72...': strict-match [invalid] 0, flexible-extract 72... 0
'#### 72': strict-match 72 1, flexible-extract 72 1
'#### 72...': strict-match 72... 0, flexible-extract 72... 0
'#### 72 ...': strict-match 72 1, flexible-extract ... 0
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
