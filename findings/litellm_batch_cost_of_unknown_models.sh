#!/usr/bin/env bash
# litellm 1.110.2: the cost of a batch of a model that is not in its price list is 0.0, while
# completion_cost raises for the same model; and a batch of a listed model without prices of
# batches costs half of its usual price, whether or not the provider has such a discount.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'litellm==1.110.2'
cat > program.py <<'PROGRAM'
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import litellm
from litellm.cost_calculator import batch_cost_calculator, completion_cost

litellm.suppress_debug_info = True
usage = litellm.Usage(prompt_tokens=1000, completion_tokens=1000, total_tokens=2000)
for model, provider in (
    ("gpt-4o", "openai"),
    ("deepseek-chat", "deepseek"),
    ("my-own-model", "openai"),
):
    response = litellm.ModelResponse(model=model, usage=usage)
    try:
        single = f"{completion_cost(response, model=f'{provider}/{model}'):.3g}"
    except Exception as error:
        single = type(error).__name__
    batch = sum(batch_cost_calculator(usage=usage, model=model, custom_llm_provider=provider))
    print(f"{model}: {single} single, {batch:.3g} in a batch")
PROGRAM
cat > expected.txt <<'EXPECTED'
gpt-4o: 0.0125 single, 0.00625 in a batch
deepseek-chat: 0.0007 single, 0.00035 in a batch
my-own-model: ModelNotMappedError single, 0 in a batch
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
