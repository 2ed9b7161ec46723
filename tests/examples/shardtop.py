"""shardtop.py - plans of shardtop in Python, over one `shardtop batch` process.

    from shardtop import Plan, frame
    Plan("llama3-8b", gpus=16, tp=2).estimate("memory.fits", "time.iteration_s")
    frame([Plan("llama3-8b", gpus=16, tp=tp) for tp in (1, 2, 4, 8)], "memory.probability", "time.tokens_per_s")

Needs the program in $PATH, or its path in $SHARDTOP; pandas only for a data frame. `shardtop schema show` says what an
estimate holds, `shardtop list keys` what a plan may say. In a notebook a plan is a figure of its memory.
"""
import json
import os
import subprocess
import threading

PROGRAM = os.environ.get("SHARDTOP", "shardtop")


class PlanError(ValueError):
    """There is no answer; `rule` is the reason's name for programs."""

    def __init__(self, rule, message):
        super().__init__(message)
        self.rule = rule


class Batch:
    """One `shardtop batch` process, for any number of threads. It ends with this one."""

    def __init__(self, program=PROGRAM):
        self.process = subprocess.Popen([program, "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, encoding="utf-8")
        self.lock = threading.Lock()  # answers come back in the order of the requests

    def ask(self, request):
        """The answer to one request; PlanError where there is none."""
        with self.lock:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        answer = json.loads(line or '{"error": {"rule": "ended", "message": "batch ended"}}')
        if "error" in answer:
            raise PlanError(answer["error"]["rule"], answer["error"]["message"])
        return answer["result"]


batch = None  # started with the first question


def at(result, path):
    """The value of a path such as "memory.stages.0.device_bytes"; None where something on the way is null."""
    for part in path.split("."):
        if result is not None:
            result = result[int(part)] if isinstance(result, list) else result[part]
    return result


class Plan:
    """A model and keys of a plan by any of their names: tp=2, seq_length=8192, hardware__nodes=4."""

    def __init__(self, model=None, gpu=None, gpus=None, **keys):
        given = {"model": model, "hardware.gpu": gpu, "gpus": gpus}
        given.update({name.replace("__", "."): value for name, value in keys.items()})
        self.keys = {name: value for name, value in given.items() if value is not None}

    def __repr__(self):
        return f"<Plan {self.keys}>"

    def estimate(self, *want):
        """The whole estimate; with paths a dict of these values alone."""
        global batch
        batch = batch or Batch()
        if not want:
            return batch.ask({"plan": self.keys})
        result = batch.ask({"plan": self.keys, "want": want})
        return {path: at(result, path) for path in want}

    def svg(self, section="memory"):
        """A figure of the memory or the time."""
        words = [f"--set={name}={value}" for name, value in self.keys.items()]
        done = subprocess.run([PROGRAM, "show", "--svg", "--section", section, *words], capture_output=True,
                              text=True, encoding="utf-8", check=False)
        if done.returncode:
            raise PlanError("bad_plan", done.stderr.strip())
        return done.stdout

    def _repr_svg_(self):
        return self.svg()


def rows(plans, *want):
    """A dict for each plan: its keys and the wanted values, or why there are none."""
    for plan in plans:
        try:
            yield {**plan.keys, **plan.estimate(*want)}
        except PlanError as error:
            yield {**plan.keys, "error": str(error)}


def frame(plans, *want):
    """The rows as a data frame of pandas."""
    import pandas

    return pandas.DataFrame(list(rows(plans, *want)))
