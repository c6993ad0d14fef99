#!/usr/bin/env bash
# statsmodels 0.15.0: an unknown p (nan) counts as one more test in Holm correction: 0.01, 0.03 and 0.04 become 0.04,
# 0.09 and 0.09 beside a nan, 0.03, 0.06 and 0.06 without it. One comparison without data makes all others
# weaker. scipy refuses a nan in false_discovery_control.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'statsmodels==0.15.0' 'scipy==1.17.1'
cat > program.py <<'PROGRAM'
from scipy.stats import false_discovery_control
from statsmodels.stats.multitest import multipletests

nan = float("nan")
for method in ("holm", "bonferroni"):
    for values in ([0.01, 0.03, 0.04], [0.01, 0.03, 0.04, nan]):
        print(method, [round(float(p), 4) for p in multipletests(values, method=method)[1]])
try:
    print("scipy", false_discovery_control([0.01, 0.03, 0.04, nan]))
except ValueError as error:
    print("scipy: ValueError:", error)
PROGRAM
cat > expected.txt <<'EXPECTED'
holm [0.03, 0.06, 0.06]
holm [0.04, 0.09, 0.09, nan]
bonferroni [0.03, 0.09, 0.12]
bonferroni [0.04, 0.12, 0.16, nan]
scipy: ValueError: `ps` must include only numbers between 0 and 1.
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
