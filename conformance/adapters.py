"""Shows that each adapter works in its tool:

`python -m conformance.adapters NAME`, in an environment with the tool.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

PAGE = Path(__file__).parents[1] / "docs" / "conformance.md"
REPLIES = {"6 * 7": ("The answer is 42.", "42"), "1234567 + 1": ("1234567", "1234568")}


def inspect() -> str:
    """An evaluation with the scorer found by its name, on inspect_ai's own mock
    model.
    """
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer._scorer import scorer_create

    samples = [
        Sample(input=question, target=expected)
        for question, (_, expected) in REPLIES.items()
    ]
    outputs = [
        ModelOutput.from_content("mockllm", reply) for reply, _ in REPLIES.values()
    ]
    for output in outputs:
        output.usage = ModelUsage(
            input_tokens=1, output_tokens=1, total_tokens=2
        )  # else it downloads a tokenizer
    model = get_model("mockllm/model", custom_outputs=outputs)
    with TemporaryDirectory() as folder:
        task = Task(dataset=samples, scorer=scorer_create("exactnum/number"))
        (log,) = eval(task, model=model, log_dir=folder, display="none", max_samples=1)
    assert log.results is not None, log.error and log.error.message
    accuracy = log.results.scores[0].metrics["accuracy"].value
    assert accuracy == 0.5, accuracy
    return f"eval() with exactnum/number: accuracy {accuracy}"


_YAML = """
task: sums
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{answer}}}}"
process_results: !function utils.process_results
metric_list:
  - metric: exact_number
    aggregation: mean
    higher_is_better: true
"""


def lm_eval() -> str:
    """A task of a folder, whose `process_results` is the adapter's."""
    import json

    from lm_eval import simple_evaluate
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    class Replies(LM):  # type: ignore[misc,unused-ignore]
        def generate_until(
            self, requests: Any, disable_tqdm: bool = False
        ) -> list[str]:
            return [REPLIES[request.args[0]][0] for request in requests]

        def loglikelihood(self, requests: Any, disable_tqdm: bool = False) -> Any:
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    with TemporaryDirectory() as name:
        folder = Path(name)
        lines = [
            json.dumps({"question": asked, "answer": expected})
            for asked, (_, expected) in REPLIES.items()
        ]
        (folder / "sums.jsonl").write_text("\n".join(lines))
        (folder / "sums.yaml").write_text(_YAML.format(data=folder / "sums.jsonl"))
        (folder / "utils.py").write_text(
            "from exactnum.adapters.lm_eval import process_results\n"
        )
        tasks = TaskManager(include_path=name)
        results = simple_evaluate(
            model=Replies(), tasks=["sums"], task_manager=tasks, bootstrap_iters=0
        )
    share = results["results"]["sums"]["exact_number,none"]
    assert share == 0.5, share
    return f"simple_evaluate() with process_results: exact_number {share}"


def deepeval() -> str:
    """The metric on a right and a wrong output."""
    from deepeval.test_case import LLMTestCase
    from exactnum.adapters.deepeval import ExactNumber

    scores = []
    for question, (reply, expected) in REPLIES.items():
        metric = ExactNumber()
        scores.append(
            metric.measure(
                LLMTestCase(
                    input=question, actual_output=reply, expected_output=expected
                )
            )
        )
        assert metric.is_successful() is (scores[-1] == 1.0)
    assert scores == [1.0, 0.0], scores
    return f"ExactNumber: {scores}"


def trl() -> str:
    """Two steps of GRPOTrainer on a model of random weights, with the reward of
    exactnum.
    """
    import os

    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    from datasets import Dataset
    from tokenizers import Tokenizer
    from tokenizers.decoders import Fuse
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Split
    from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
    from trl import GRPOConfig, GRPOTrainer

    reward = import_module("exactnum").reward

    letters = ["<pad>", "<eos>", *"0123456789+= .-"]
    plain = Tokenizer(
        WordLevel({letter: at for at, letter in enumerate(letters)}, unk_token="<pad>")
    )
    plain.pre_tokenizer = Split("", "isolated")
    plain.decoder = Fuse()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=plain, pad_token="<pad>", eos_token="<eos>"
    )
    config = Qwen2Config(
        vocab_size=len(letters),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=None,
    )
    data = Dataset.from_dict(
        {
            "prompt": ["1+1=", "2+2=", "3+3=", "4+4="] * 2,
            "answer": ["2", "4", None, "8"] * 2,
        }
    )
    with TemporaryDirectory() as folder:
        arguments = GRPOConfig(
            output_dir=folder,
            max_steps=2,
            per_device_train_batch_size=4,
            num_generations=4,
            max_completion_length=4,
            use_cpu=True,
            report_to="none",
            save_strategy="no",
            logging_steps=1,
        )
        model = Qwen2ForCausalLM(config)
        trainer = GRPOTrainer(
            model,
            reward,
            args=arguments,
            train_dataset=data,
            processing_class=tokenizer,
        )
        trainer.train()
    assert trainer.state.global_step == 2
    return f"GRPOTrainer: {trainer.state.global_step} steps"


def reward_doctor() -> str:
    """The cases of reward-doctor: none that is to be refused is accepted; most that are
    refused are no numbers.
    """
    from reward_doctor import ALL_CASES

    grade = import_module("exactnum").grade
    wrong = [
        case.id
        for case in ALL_CASES
        if grade(case.completion, case.reference).correct and not case.expect
    ]
    refused = [
        case
        for case in ALL_CASES
        if case.expect and not grade(case.completion, case.reference).correct
    ]
    numbers = [
        case
        for case in refused
        if grade("", case.reference).reason != "expected is no number"
    ]
    assert wrong == [], wrong
    return (
        f"{len(ALL_CASES)} cases: 0 false accepts, {len(refused)} false refusals, "
        f"{len(numbers)} of them of a number"
    )


def _recipe(tool: str) -> str:
    """The code under a heading of docs/conformance.md."""
    _, _, section = PAGE.read_text("utf-8").partition(f"### {tool}\n")
    return section.partition("```python\n")[2].partition("```")[0]


def verl() -> str:
    """The file of the recipe, loaded and called as the reward manager "naive" does."""
    package = find_spec("verl")
    assert package is not None
    assert package.submodule_search_locations
    # The package itself needs Ray and torch; this file needs neither.
    root = Path(package.submodule_search_locations[0])
    spec = spec_from_file_location("loaders", root / "utils" / "import_utils.py")
    assert spec is not None
    assert spec.loader is not None
    loaders = module_from_spec(spec)
    spec.loader.exec_module(loaders)
    with TemporaryDirectory() as name:
        path = Path(name, "reward.py")
        path.write_text(_recipe("verl"), "utf-8")
        compute_score = loaders.load_extern_object(str(path), "compute_score")
    scores = [
        compute_score(
            data_source="sums",
            solution_str=reply,
            ground_truth=expected,
            extra_info={"num_turns": 1},
            reward_router_address=None,
        )["score"]
        for reply, expected in REPLIES.values()
    ]
    assert scores == [1.0, 0.0], scores
    return f"compute_score of reward.py: {scores}"


def openrlhf() -> str:
    """The function of the recipe, with the texts that OpenRLHF decodes: it is not
    installed, as it needs vLLM and CUDA.
    """
    names: dict[str, Any] = {}
    exec(_recipe("OpenRLHF"), names)
    prompts = [f"{question} =" for question in REPLIES]
    replies, labels = zip(*REPLIES.values(), strict=True)
    queries = [
        f"<s>{prompt}{reply}</s>"
        for prompt, reply in zip(prompts, replies, strict=True)
    ]
    found = names["reward_func"](queries, prompts, list(labels))
    scores = found["rewards"].tolist()
    assert scores == [1.0, 0.0], scores
    return f"reward_func: {scores}"


def verifiers() -> str:
    """Traces, scored by the task of the recipe."""
    import asyncio

    traces = import_module("verifiers.v1.trace")
    names: dict[str, Any] = {}
    exec(_recipe("verifiers"), names)
    scores = []
    for question, (reply, expected) in REPLIES.items():
        task = names["Sum"](names["Question"](prompt=question, expected=expected))
        trace = traces.Trace(
            task=traces.TraceTask(type="sums", data=task.data),
            agent=traces.AgentInfo.model_construct(),
            root_reply=reply,
        )
        asyncio.run(task.score(trace))
        scores.append(trace.reward)
    assert scores == [1.0, 0.0], scores
    return f"a task's rewards: {scores}"


CHECKS: dict[str, Callable[[], str]] = {
    "inspect": inspect,
    "lm_eval": lm_eval,
    "deepeval": deepeval,
    "trl": trl,
    "reward_doctor": reward_doctor,
    "verl": verl,
    "openrlhf": openrlhf,
    "verifiers": verifiers,
}

if __name__ == "__main__":
    print(f"works: {CHECKS[sys.argv[1]]()}")  # noqa: T201
