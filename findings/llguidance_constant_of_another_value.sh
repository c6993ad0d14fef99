#!/usr/bin/env bash
# llguidance 1.9.1: a JSON schema with the constant 9007199254740993 lets a model write 9007199254740992 only, as
# numbers of a schema are doubles there; of 12345678901234567891 it takes neither the number nor its double, and an
# integer that is at most 9007199254740993 may not be 9007199254740993. 100000000000000000000, which is a double, is
# taken. Expected: the constant itself, or an error, as for integers out of range.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'llguidance==1.9.1'
cat > program.py <<'PROGRAM'
import json
from llguidance import LLMatcher, LLTokenizer

tokenizer = LLTokenizer("byte")


def takes(schema, text):
    matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_json_schema(json.dumps(schema)))
    tokens = tokenizer.tokenize_str(text)
    return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()


for number in (9007199254740991, 9007199254740993, 12345678901234567891, 10**20):
    for text in dict.fromkeys((str(number), str(int(float(number))))):
        print("const", number, "takes", text, takes({"const": number}, text))
print("maximum", takes({"type": "integer", "maximum": 9007199254740993}, "9007199254740993"))
PROGRAM
cat > expected.txt <<'EXPECTED'
const 9007199254740991 takes 9007199254740991 True
const 9007199254740993 takes 9007199254740993 False
const 9007199254740993 takes 9007199254740992 True
const 12345678901234567891 takes 12345678901234567891 False
const 12345678901234567891 takes 12345678901234567168 False
const 100000000000000000000 takes 100000000000000000000 True
maximum False
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
