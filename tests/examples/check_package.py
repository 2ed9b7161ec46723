"""Uses the package shardtop as a reader of shardtop-python(7) would; run by tests/examples/check and .ci/check-wheel."""
import os
import signal
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import shardtop

found = shardtop.estimate(model="llama3-8b", gpus=16, tp=8, zero_stage=1)
few = shardtop.estimate({"model": "llama3-8b", "gpus": 16, "parallel.tp": 8}, zero_stage=1,
                        want=["memory.fits", "time.iteration_s", "memory.stages.0.device_bytes"])
assert few.fits is found.fits is True, few
assert few.iteration_s == found["time.iteration_s"] == found["time"]["iteration_s"] > 0
assert few["memory.stages.0.device_bytes"] == found["memory.stages.0.device_bytes"]
assert found.valid and "time" in found and found["program"]["name"] == "shardtop"
assert found._repr_svg_().startswith("<svg")
try:
    found["time.nothing"]
    sys.exit("a path that does not exist was found")
except KeyError:
    pass
assert 0 not in found and "" not in found

table = shardtop.rows([{"model": "llama3-8b", "gpus": 8, "tp": tp} for tp in (1, 8)] + [{"model": "none"}],
                      ["memory.verdict"])
assert [row.get("memory.verdict") for row in table] == ["no", "fits", None] and "none" in table[2]["error"], table.items

best = shardtop.search(model="llama3-8b", gpus=8, top=2, where=["tp<=2"])
assert len(best) >= 1 and best[0]["iteration_s"] > 0 and best.answer["complete"] is True
cells = shardtop.sweep({"tp": [1, 2, 3], "pp": "1..2"}, model="llama3-8b", gpus=8, metric="mfu")
assert len(cells) == 6 and cells[0]["tp"] == 1 and cells[0]["mfu"] > 0 and cells[5]["mfu"] is None, cells.items
assert shardtop.advice(model="llama3-70b", gpus=8)["changes"]

for keys, words in (({"tensors": 2}, "tensors"), ({"model": "llama3-8b", "gpus": 12}, "does not fill nodes"),
                    ({"model": "llama3-8b", "gpus": ""}, "gpus: empty value"),
                    ({"model": "llama3-8b", "gpus": 8, "nodes": 3}, "set only one")):
    try:
        shardtop.estimate(keys)
        sys.exit(f"{keys} was taken")
    except shardtop.ShardtopError as error:
        assert error.rule == "bad_plan" and words in str(error), error

with ThreadPoolExecutor(4) as pool:
    layers = list(range(1, 201))
    counts = list(pool.map(lambda n: shardtop.estimate(
        model="llama3-8b", gpus=8, num_layers=n, want=["parameters.total"])["parameters.total"], layers))
assert counts == sorted(counts) and len(set(counts)) == len(layers), "threads got each other's answers"

if hasattr(os, "fork"):
    child = os.fork()
    if child == 0:
        os._exit(0 if shardtop.estimate(model="llama3-8b", gpus=8, tp=8).fits else 1)
    assert os.waitpid(child, 0)[1] == 0, "a forked process gets no answer"
    assert shardtop.estimate(model="llama3-8b", gpus=8, tp=8).fits

# A process that dies, a call that is interrupted and a program that is not there cost one answer.
shardtop._batch.process.kill()
try:
    shardtop.estimate(model="llama3-8b")
except shardtop.ShardtopError as error:
    assert error.rule == "ended", error
assert shardtop.estimate(model="llama3-8b", gpus=8, tp=8).fits

if os.name == "posix":  # a pipe that closes before its process has ended costs one answer too
    with tempfile.NamedTemporaryFile("w", suffix=".sh", delete=False) as mute:
        mute.write("#!/bin/sh\nexec >&-\nexec sleep 60\n")
    os.chmod(mute.name, 0o755)
    shardtop._batch.drop()
    os.environ["SHARDTOP"], kept = mute.name, os.environ.get("SHARDTOP")
    try:
        shardtop.estimate(model="llama3-8b")
        sys.exit("a closed pipe answered")
    except shardtop.ShardtopError as error:
        assert error.rule == "ended", error
    for other in ("/bin/cat", "/bin/echo"):
        shardtop._batch.drop()
        os.environ["SHARDTOP"] = other
        try:
            shardtop.estimate(model="llama3-8b")
            sys.exit(f"{other} was taken for shardtop")
        except shardtop.ShardtopError as error:
            assert error.rule in ("no_program", "ended"), error
    shardtop._batch.drop()
    del os.environ["SHARDTOP"]
    os.environ.update({"SHARDTOP": kept} if kept else {})
    os.unlink(mute.name)
    assert shardtop.estimate(model="llama3-8b", gpus=8, tp=8).fits

if hasattr(signal, "setitimer"):
    def interrupt(*_):
        raise KeyboardInterrupt
    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        shardtop.search(model="llama3.1-405b", gpus=16384, schedules="all")
        signal.pause()
    except KeyboardInterrupt:
        pass
    found = shardtop.estimate(model="gpt2-124m", gpus=1, want=["memory.capacity_bytes"])
    assert found["memory.capacity_bytes"] == 80 << 30, "the answer is that of another call"

for path in ("/nonexistent/shardtop", "/"):
    shardtop._batch.drop()
    os.environ["SHARDTOP"], kept = path, os.environ.get("SHARDTOP")
    try:
        shardtop.estimate(model="llama3-8b")
        sys.exit(f"{path} answered")
    except shardtop.ShardtopError as error:
        assert error.rule == "no_program", error
    del os.environ["SHARDTOP"]
    os.environ.update({"SHARDTOP": kept} if kept else {})

try:
    import pandas
except ImportError:
    pandas = None
if pandas:
    assert list(cells.frame().columns) == ["tp", "pp", "mfu", "valid", "fits"]
print("package: ok")
