"""Runs over several hosts, through a real sshd: two workers behind it beside local ones, and one broker for all."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.llm_server import Answer, Gate
from tests.session.bench import BENCH, ITEMS, Bench, right
from tests.session.test_oeis_run import oeis, program, write_cache  # noqa: F401  # a fixture
from tests.sshd import HOST, NoSshdError, Sshd

PATIENCE_S = 300.0

# Every worker writes down what it is, before its first item does anything.
TELLING = """
    import json, os
    from pathlib import Path

    def pytest_runtest_call(item):
        if hasattr(item.config, "workerinput"):
            told = {"pid": os.getpid(), "folder": os.getcwd(), "environment": dict(os.environ)}
            Path(TOLD, item.config.workerinput["workerid"]).write_text(json.dumps(told), encoding="utf-8")
"""
MIXED = """
    import pytest

    @pytest.mark.oeis
    def test_oeis(problem, ask):
        ask(problem)

    @pytest.mark.integer_addition(trials=4)
    def test_integer_addition(problem, ask):
        ask(problem)
"""


@pytest.fixture
def sshd(tmp_path: Path) -> Iterator[Sshd]:
    """Its sessions find slots of their own: no other run is waited for."""
    runtime, folder = tmp_path / "runtime", tmp_path / "sshd"
    for made in (runtime, folder):
        made.mkdir(mode=0o700)
    try:
        with Sshd(folder, {"XDG_RUNTIME_DIR": str(runtime)}) as server:
            yield server
    except NoSshdError as error:
        pytest.skip(str(error))


@pytest.fixture
def there(bench: Bench, tmp_path: Path) -> Path:
    """The folder of the benches on the other host."""
    bench.pytester.makeconftest(TELLING.replace("TOLD", repr(str(tmp_path))))
    return tmp_path / "there"


def install(bench: Bench, there: Path) -> None:
    """What stands here stands there too."""
    shutil.copytree(bench.pytester.path, there, ignore=shutil.ignore_patterns("reports", ".*", "runtime"))


def over_ssh(sshd: Sshd, there: Path, python: str = sys.executable) -> str:
    return f"ssh={HOST}//ssh_config={sshd.client_config}//python={python}//chdir={there}"


def told(tmp_path: Path, worker: str) -> dict[str, Any]:
    """What a worker has written down, once it has."""
    give_up_at = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up_at:
        try:
            said: dict[str, Any] = json.loads((tmp_path / worker).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            time.sleep(0.05)
        else:
            return said
    raise TimeoutError(f"{worker} did not begin")


def test_two_hosts_share_one_broker(
    oeis: Bench,  # noqa: F811
    sshd: Sshd,
    there: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Programs run on both sides, each question is asked once, and keys stay where the questions are asked."""
    oeis.pytester.makepyfile(test_bench=MIXED)
    oeis.script = lambda call: program(call) if "Name: " in call.prompt else right(call)
    install(oeis, there)
    monkeypatch.setenv("LLMARITH_MODEL", "openai/gpt-4o-mini openai/gpt-4o")
    result = oeis.pytester.runpytest_subprocess(
        "-W", "error", "test_bench.py", "-d", "--tx", f"2*{over_ssh(sshd, there)}", "--tx", "2*popen",
        f"--llm-api-base={oeis.server.base_url}", "--llm-seed=random",
    )  # fmt: skip
    assert result.ret == 0
    asked = Counter((call.prompt, call.body["model"]) for call in oeis.server.requests)
    assert (len(asked), set(asked.values())) == (16, {1})
    assert {record["outcome"] for record in oeis.records()} == {"correct", "deviate", "nan", "cheat"}
    ran_on = [record["oeis"]["machine"]["worker"] for record in oeis.records() if record["task"] == "oeis"]
    assert Counter(ran_on) == {"gw0": 2, "gw1": 2, "gw2": 2, "gw3": 2}
    for worker in ("gw0", "gw1"):
        said = told(tmp_path, worker)
        assert (said["folder"], "SSH_CONNECTION" in said["environment"]) == (str(there), True)
        assert "sk-secret-of-the-tests" not in json.dumps(said)
    assert not {"pytest", "_pytest"} & {path.name for path in there.iterdir()}


def run_held(bench: Bench, *args: str, meanwhile: Callable[[], None]) -> tuple[int, str]:
    """Exit status and output of a run whose server holds every reply back until something has been done."""
    gate = Gate()
    bench.script = lambda call: Answer(right(call), gate=gate)
    command = [sys.executable, "-m", "pytest", "test_bench.py", "--llm-model=openai/gpt-4o-mini"]
    command += [f"--llm-api-base={bench.server.base_url}", *args]
    with subprocess.Popen(
        command, cwd=bench.pytester.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            meanwhile()
            gate.open()
            output, _ = process.communicate(timeout=PATIENCE_S)
        finally:
            gate.open()
            process.kill()
    return process.returncode, output


def kill_worker(sshd: Sshd, pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def cut_connection(sshd: Sshd, pid: int) -> None:
    sshd.cut()


@pytest.mark.proof
@pytest.mark.parametrize(
    ("end", "shown"), [(kill_worker, "replacing crashed worker gw0"), (cut_connection, "gw0 is lost, and cannot be")]
)
def test_a_worker_that_is_lost(
    bench: Bench, sshd: Sshd, there: Path, tmp_path: Path, end: Callable[[Sshd, int], None], shown: str
) -> None:
    """Its item is unanswered, its other items go to who is left, and no reply is lost or paid for twice."""
    bench.pytester.makepyfile(test_bench=BENCH)
    install(bench, there)

    def lose_it() -> None:
        pid = told(tmp_path, "gw0")["pid"]
        told(tmp_path, "gw1")
        end(sshd, pid)

    status, output = run_held(bench, "-d", "--tx", over_ssh(sshd, there), "--tx", "popen", meanwhile=lose_it)
    assert (status, shown in output) == (1, True), output
    crashed = [record for record in bench.records() if record["outcome"] == "unanswered"]
    assert (len(bench.records()), [record["reason"] for record in crashed]) == (ITEMS, ["worker crashed"])
    assert Counter(bench.server.asked.values()) == {1: ITEMS}
    assert bench.run("test_bench.py").ret == 0
    assert Counter(bench.server.asked.values()) == {1: ITEMS}


@pytest.mark.proof
def test_nobody_is_left(bench: Bench, sshd: Sshd, there: Path, tmp_path: Path) -> None:
    """Without any worker the run is stopped, with what was answered; the same command goes on."""
    bench.pytester.makepyfile(test_bench=BENCH)
    install(bench, there)

    def lose_it() -> None:
        told(tmp_path, "gw0")
        sshd.cut()

    status, output = run_held(bench, "-d", "--tx", over_ssh(sshd, there), meanwhile=lose_it)
    assert (status, "stopped: worker gw0 is lost, and cannot be replaced: HostNotFound" in output) == (6, True), output
    assert bench.run("test_bench.py").ret == 0
    assert Counter(bench.server.asked.values()) == {1: ITEMS}


def test_a_host_that_cannot_be_reached(bench: Bench, tmp_path: Path) -> None:
    """A host that cannot be reached is one line with ssh's words and wrong usage; nobody is asked."""
    config = tmp_path / "ssh_config"
    config.write_text(f"Host {HOST}\nProxyCommand false\n")
    if shutil.which("ssh") is None:
        pytest.skip("ssh is not installed")
    result = bench.run("-d", "--tx", f"ssh={HOST}//ssh_config={config}", model="llmarith/exact")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: a worker cannot be started: HostNotFound: {HOST}"])


def test_local_workers_run_plain_xdist(bench: Bench) -> None:
    """Without an ssh host, nothing of pytest-xdist is replaced."""
    bench.pytester.makeconftest("""
        from xdist import dsession, workermanage

        BEFORE = dsession.DSession._clone_node, workermanage.WorkerController.sendcommand, workermanage.make_reltoroot

        def pytest_sessionfinish():
            now = dsession.DSession._clone_node, workermanage.WorkerController.sendcommand, workermanage.make_reltoroot
            assert now == BEFORE
    """)
    assert bench.run("-n", "2", model="llmarith/exact").ret == 0


def test_another_version_there(bench: Bench) -> None:
    """Another version of ours may ask and grade otherwise: the run ends, and says what to do."""
    bench.pytester.makeconftest("""
        from pytest_llmarith.session import xdist

        def pytest_configure(config):
            if getattr(config, "workerinput", {}).get("workerid") == "gw1":
                xdist.version = lambda name: "0.0.1"
    """)
    result = bench.run("-n", "2", model="llmarith/exact")
    assert result.ret == 6
    said = " ".join(result.stdout.str().split())
    assert re.search(r"stopped: worker gw1 has pytest-llmarith 0\.0\.1, not .*; install the same version on", said)
