#!/usr/bin/env bash
# Full agreement on a single class is four things: scikit-learn 1.9.1: Cohen kappa nan, Matthews 0.0; statsmodels:
# Fleiss kappa nan; krippendorff 0.9.0: ValueError. Two judges who call every program honest agree always, and no
# table says so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'scikit-learn==1.9.1' 'statsmodels==0.15.0' 'krippendorff==0.9.0'
cat > program.py <<'PROGRAM'
import warnings
import krippendorff
import numpy
from sklearn.metrics import cohen_kappa_score, matthews_corrcoef
from statsmodels.stats.inter_rater import fleiss_kappa

warnings.simplefilter("ignore")
same = [1, 1, 1]
print("scikit-learn cohen_kappa_score:", cohen_kappa_score(same, same))
print("scikit-learn matthews_corrcoef:", float(matthews_corrcoef(same, same)))
print("statsmodels fleiss_kappa:", float(fleiss_kappa(numpy.array([[2, 0], [2, 0], [2, 0]]))))
try:
    print("krippendorff alpha:", krippendorff.alpha([same, same], level_of_measurement="nominal"))
except ValueError as error:
    print("krippendorff alpha: ValueError:", error)
PROGRAM
cat > expected.txt <<'EXPECTED'
scikit-learn cohen_kappa_score: nan
scikit-learn matthews_corrcoef: 0.0
statsmodels fleiss_kappa: nan
krippendorff alpha: ValueError: There has to be more than one value in the domain.
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
