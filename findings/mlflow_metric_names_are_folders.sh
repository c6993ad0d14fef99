#!/usr/bin/env bash
# mlflow-skinny 3.17.2: in a store of files the name of a metric is a path. A metric `accuracy` leaves no place
# for `accuracy/easy`: log_metric raises NotADirectoryError, an error of the system and none of MLflow, and in the
# other order IsADirectoryError. Names with slashes are valid, and group charts in its interface, so a figure and
# its parts are the very names that one would choose.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'mlflow-skinny==3.17.2'
cat > log.py <<'PROGRAM'
import mlflow

for names in (("accuracy", "accuracy/easy"), ("accuracy/easy", "accuracy")):
    with mlflow.start_run():
        for name in names:
            try:
                mlflow.log_metric(name, 1.0)
                print(name, "is logged")
            except Exception as error:
                print(name, "raises", type(error).__name__)
PROGRAM
cat > expected.txt <<'EXPECTED'
accuracy is logged
accuracy/easy raises NotADirectoryError
accuracy/easy is logged
accuracy raises IsADirectoryError
EXPECTED
export MLFLOW_TRACKING_URI="file://$folder/runs" MLFLOW_ALLOW_FILE_STORE=true MLFLOW_DISABLE_TELEMETRY=true
.venv/bin/python -W ignore log.py 2> /dev/null | tee seen.txt
diff expected.txt seen.txt
