#!/usr/bin/env bash
# scipy 1.17.1: the Mann-Whitney test of three right answers against three wrong ones has p = 0.047, though only 2 of the 20
# ways to deal them out are as extreme, so that no exact p is below 0.1. Its method "auto" leaves the exact distribution as
# soon as two values are equal, which 0 and 1 always are; three different scores against three lower ones have 0.1. Expected:
# no p below the smallest one that is possible, above all for samples that small.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'scipy==1.17.1'
cat > program.py <<'PROGRAM'
from math import comb

from scipy.stats import fisher_exact, mannwhitneyu

for size in (3, 4, 5, 6):
    right, wrong = [1] * size, [0] * size
    different = mannwhitneyu(range(size, 2 * size), range(size)).pvalue
    fisher = fisher_exact([[size, 0], [0, size]]).pvalue
    print(
        f"{size} against {size}: {mannwhitneyu(right, wrong).pvalue:.4f},",
        f"all different {different:.4f}, Fisher {fisher:.4f},",
        f"smallest {2 / comb(2 * size, size):.4f}",
    )
PROGRAM
cat > expected.txt <<'EXPECTED'
3 against 3: 0.0469, all different 0.1000, Fisher 0.1000, smallest 0.1000
4 against 4: 0.0131, all different 0.0286, Fisher 0.0286, smallest 0.0286
5 against 5: 0.0040, all different 0.0079, Fisher 0.0079, smallest 0.0079
6 against 6: 0.0013, all different 0.0022, Fisher 0.0022, smallest 0.0022
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
