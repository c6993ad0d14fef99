#!/usr/bin/env bash
# pingouin 0.7.0: chi2_independence gives Cramer's V, which is at most 1, as more than 1 for two graders that always agree:
# its six rows for 20 answers go from 0.90 to 2.06, for 2,000 up to 22. It is computed from each of six statistics after
# Yates' correction, of which only the first has this limit. scipy 1.17.1 gives 1 for the same table. And chi2_mcnemar
# of the two raises ValueError. Expected: 1, and p = 1.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'pingouin==0.7.0' 'scipy==1.17.1'
cat > program.py <<'PROGRAM'
import warnings

import numpy
import pandas
import pingouin
from scipy.stats.contingency import association

warnings.simplefilter("ignore")
for pairs in (10, 100, 1000):
    answers = pandas.DataFrame({"first": [1, 0] * pairs, "second": [1, 0] * pairs})
    _, _, table = pingouin.chi2_independence(answers, "first", "second")
    values = " ".join(f"{value:.2f}" for value in table["cramer"])
    scipy_value = association(numpy.array([[pairs, 0], [0, pairs]]))
    print(f"{2 * pairs} answers, both agree: V = {values}, scipy {scipy_value:g}")
print(*table["test"])
try:
    pingouin.chi2_mcnemar(answers, "first", "second")
except ValueError as error:
    print("McNemar:", type(error).__name__)
PROGRAM
cat > expected.txt <<'EXPECTED'
20 answers, both agree: V = 0.90 0.92 0.99 1.11 1.29 2.06, scipy 1
200 answers, both agree: V = 0.99 1.02 1.15 1.40 1.98 7.02, scipy 1
2000 answers, both agree: V = 1.00 1.03 1.17 1.49 2.49 22.34, scipy 1
pearson cressie-read log-likelihood freeman-tukey mod-log-likelihood neyman
McNemar: ValueError
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
