#!/usr/bin/env bash
# statsmodels 0.15.0: McNemar's test of two models that agree on every question has the
# p-value 1 if exact, and 0 (the most significant that there is) with exact=False, as its
# correction takes 1 from a difference of 0 and divides by 0. Without the correction it is
# nan.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'statsmodels==0.15.0'
cat > program.py <<'PROGRAM'
import warnings

from statsmodels.stats.contingency_tables import mcnemar

warnings.simplefilter("ignore")
table = [[40, 0], [0, 60]]
print("exact", float(mcnemar(table, exact=True).pvalue))
print("chi2, corrected", float(mcnemar(table, exact=False).pvalue))
print("chi2, uncorrected", float(mcnemar(table, exact=False, correction=False).pvalue))
PROGRAM
cat > expected.txt <<'EXPECTED'
exact 1.0
chi2, corrected 0.0
chi2, uncorrected nan
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
