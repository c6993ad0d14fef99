#!/usr/bin/env bash
# statsmodels 0.15.0: the score interval of two proportions raises ValueError in its solver for 10 of 10 beside 5 of
# 10, and for 0 of 10 beside 5 of 10, but computes 5 of 10 beside 0 of 10, the same groups in the other order.
# The other methods always give an interval; that of Agresti-Caffo can end above 1.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'statsmodels==0.15.0'
cat > program.py <<'PROGRAM'
import warnings
from statsmodels.stats.proportion import confint_proportions_2indep

warnings.simplefilter("ignore")
for first, second in ((10, 0), (10, 5), (5, 10), (0, 5), (5, 0)):
    for method in ("newcomb", "agresti-caffo", "score"):
        try:
            low, high = confint_proportions_2indep(first, 10, second, 10, method=method, compare="diff")
            print(f"{first} and {second} of 10, {method}: {low:.3f} to {high:.3f}")
        except ValueError:
            print(f"{first} and {second} of 10, {method}: ValueError")
PROGRAM
cat > expected.txt <<'EXPECTED'
10 and 0 of 10, newcomb: 0.608 to 1.000
10 and 0 of 10, agresti-caffo: 0.612 to 1.054
10 and 0 of 10, score: ValueError
10 and 5 of 10, newcomb: 0.117 to 0.763
10 and 5 of 10, agresti-caffo: 0.093 to 0.740
10 and 5 of 10, score: ValueError
5 and 10 of 10, newcomb: -0.763 to -0.117
5 and 10 of 10, agresti-caffo: -0.740 to -0.093
5 and 10 of 10, score: ValueError
0 and 5 of 10, newcomb: -0.763 to -0.117
0 and 5 of 10, agresti-caffo: -0.740 to -0.093
0 and 5 of 10, score: ValueError
5 and 0 of 10, newcomb: 0.117 to 0.763
5 and 0 of 10, agresti-caffo: 0.093 to 0.740
5 and 0 of 10, score: 0.166 to 0.768
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
