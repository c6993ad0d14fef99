#!/usr/bin/env bash
# avro 1.12.2: a Decimal with fewer decimal places than its schema is written as if it had all of them, so 1.1 at
# scale 2 comes back as 0.11; and digits above the precision are cut off: 12345 at precision 4 is 12340. There is no
# error, though more places than the scale are refused. fastavro 1.13.1 keeps 1.1 and refuses 12345 with the same schema.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'avro==1.12.2' 'fastavro==1.13.1'
cat > program.py <<'PROGRAM'
import io
import json
from decimal import Decimal

import avro.io
import avro.schema
import fastavro


def through_avro(schema, record):
    parsed, file = avro.schema.parse(json.dumps(schema)), io.BytesIO()
    avro.io.DatumWriter(parsed).write(record, avro.io.BinaryEncoder(file))
    file.seek(0)
    return avro.io.DatumReader(parsed).read(avro.io.BinaryDecoder(file))


def through_fastavro(schema, record):
    file = io.BytesIO()
    fastavro.schemaless_writer(file, schema, record)
    file.seek(0)
    return fastavro.schemaless_reader(file, schema)


for value, precision, scale in (
    ("1.10", 9, 2),
    ("1.1", 9, 2),
    ("5", 9, 2),
    ("1E+3", 9, 2),
    ("12345", 4, 0),
):
    kind = {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale}
    schema = {"type": "record", "name": "answer", "fields": [{"name": "n", "type": kind}]}
    for function in (through_avro, through_fastavro):
        try:
            result = function(schema, {"n": Decimal(value)})["n"]
        except ValueError as error:
            result = f"ValueError: {error}"
        print(f"{value} at ({precision}, {scale}) {function.__name__}: {result}")
PROGRAM
cat > expected.txt <<'EXPECTED'
1.10 at (9, 2) through_avro: 1.10
1.10 at (9, 2) through_fastavro: 1.10
1.1 at (9, 2) through_avro: 0.11
1.1 at (9, 2) through_fastavro: 1.10
5 at (9, 2) through_avro: 0.05
5 at (9, 2) through_fastavro: 5.00
1E+3 at (9, 2) through_avro: 0.01
1E+3 at (9, 2) through_fastavro: 1000.00
12345 at (4, 0) through_avro: 1.234E+4
12345 at (4, 0) through_fastavro: ValueError: The decimal precision is bigger than allowed by schema
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
