#!/usr/bin/env bash
# scipy 1.17.1: whether two models differ that are both always right (5 of 5 each) has three answers: p = 1 by Fisher and
# Barnard, nan by Boschloo, ValueError by chi-square. The interval of the relative risk is 1 to 1 then, as if it were
# certain, and nan if both are always wrong. Expected: p = 1, and no interval without a width from five questions.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'scipy==1.17.1'
cat > program.py <<'PROGRAM'
from scipy import stats
from scipy.stats.contingency import relative_risk

full, empty = [[5, 0], [5, 0]], [[0, 5], [0, 5]]
for name in ("fisher_exact", "barnard_exact", "boschloo_exact", "chi2_contingency"):
    for table in (full, empty):
        try:
            print(name, table, f"p = {getattr(stats, name)(table).pvalue:g}")
        except ValueError as error:
            print(name, table, type(error).__name__)
for right in (5, 0):
    interval = relative_risk(right, 5, right, 5).confidence_interval()
    print(f"relative_risk {right} of 5: {interval.low:g} to {interval.high:g}")
PROGRAM
cat > expected.txt <<'EXPECTED'
fisher_exact [[5, 0], [5, 0]] p = 1
fisher_exact [[0, 5], [0, 5]] p = 1
barnard_exact [[5, 0], [5, 0]] p = 1
barnard_exact [[0, 5], [0, 5]] p = 1
boschloo_exact [[5, 0], [5, 0]] p = nan
boschloo_exact [[0, 5], [0, 5]] p = nan
chi2_contingency [[5, 0], [5, 0]] ValueError
chi2_contingency [[0, 5], [0, 5]] ValueError
relative_risk 5 of 5: 1 to 1
relative_risk 0 of 5: nan to nan
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
