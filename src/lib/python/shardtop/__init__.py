"""Memory, time and cost of training and serving large language models.

    >>> import shardtop
    >>> found = shardtop.estimate(model="llama3-8b", gpus=8, tp=2)
    >>> found.fits, found["time.iteration_s"]
    >>> best = shardtop.search(model="llama3-8b", gpus=8, top=3)
    >>> shardtop.sweep({"tp": [1, 2, 4, 8]}, model="llama3-8b", gpus=8, metric="mfu").frame()

A plan is a mapping of keys, such as {"model": "llama3-8b", "parallel.tp": 2}, or keyword arguments, where two
underscores stand for the dot: parallel__tp=2. `shardtop list keys` lists the keys and `shardtop schema` the members of
every answer. All calls share one `shardtop batch` process behind a lock, so threads may call at any time; a forked
process starts its own.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Optional, Union

__all__ = ["Estimate", "ShardtopError", "Table", "advice", "estimate", "frame", "program", "rows", "search", "sweep"]

Value = Union[str, int, float, bool, Sequence[Any], None]
Plan = Mapping[str, Value]


class ShardtopError(ValueError):
    """A request without an answer. The message is the program's own; `rule` names the reason for programs."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule


# ---- the program -----------------------------------------------------------------------------------------------------


def program() -> str:
    """The path of the program: $SHARDTOP, else the one installed with this package, else the one in $PATH."""
    name = "shardtop.exe" if os.name == "nt" else "shardtop"
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [
        os.path.dirname(sys.executable) if os.path.exists(os.path.join(sys.prefix, "pyvenv.cfg")) else "",
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", f"{os.name}_user"),
        os.path.join(os.path.dirname(here), "bin"),  # pip install --target
    ]
    given = os.environ.get("SHARDTOP")
    if given:
        return given
    for folder in folders:
        path = os.path.join(folder, name) if folder else ""
        if path and os.access(path, os.X_OK):
            return path
    found = shutil.which(name)
    if not found:
        raise ShardtopError("no_program", "the program shardtop is not installed; set SHARDTOP to its path")
    return found


class _Batch:
    """One `shardtop batch` process; answers come back in the order of the requests."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.process: Optional[subprocess.Popen[str]] = None
        self.owner = 0  # the process that started it

    def start(self) -> subprocess.Popen[str]:
        if self.process is None or self.owner != os.getpid() or self.process.poll() is not None:
            path = program()
            try:
                self.process = subprocess.Popen(
                    [path, "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                    text=True, encoding="utf-8")
            except OSError as error:
                raise ShardtopError("no_program", f"{path} cannot be started: {error.strerror}") from error
            self.owner = os.getpid()
        return self.process

    def pass_on(self, line: str) -> str:
        """The answer to one line, "" where the process ended. A call that is interrupted takes the process with it."""
        process = self.start()
        assert process.stdin and process.stdout
        try:
            process.stdin.write(line)
            process.stdin.flush()
            said = process.stdout.readline()
        except OSError:
            said = ""
        except BaseException:
            self.drop()
            raise
        if not said:  # its pipes close before the system calls it ended: poll() may still take it for alive
            self.drop()
        return said

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        line = json.dumps(request) + "\n"
        with self.lock:
            said = self.pass_on(line)
        if not said:
            raise ShardtopError("ended", "shardtop batch ended")
        try:
            answer: dict[str, Any] = json.loads(said)
            answer["id"]
        except (ValueError, TypeError, LookupError):
            self.drop()
            raise ShardtopError("no_program", f"{program()} answers otherwise than shardtop does") from None
        if "error" in answer:
            raise ShardtopError(answer["error"]["rule"], answer["error"]["message"])
        return answer

    def drop(self) -> None:
        """Ends the process; the next call starts another."""
        process, self.process = self.process, None
        if process is None or self.owner != os.getpid():
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            try:
                if pipe:
                    pipe.close()
            except OSError:
                pass  # what was not passed on is lost with the process
        process.wait()

    def close(self) -> None:
        if self.process is not None and self.owner == os.getpid() and self.process.stdin:
            try:
                self.process.stdin.close()
            except OSError:
                pass  # it has ended
            self.process.wait()


_batch = _Batch()
atexit.register(_batch.close)


def _renew() -> None:
    """After a fork: the parent's process and lock are not ours."""
    _batch.lock, _batch.process = threading.Lock(), None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


def _keys(plan: Optional[Plan], keys: Mapping[str, Value]) -> dict[str, Value]:
    """One mapping of plan keys; None means the default."""
    given = dict(plan or {})
    given.update({name.replace("__", "."): value for name, value in keys.items()})
    return {name: value for name, value in given.items() if value is not None}


def _at(result: Any, path: str) -> Any:
    """The value at a path such as "memory.stages.0.device_bytes"; None below a null."""
    for part in path.split("."):
        if result is None:
            return None
        result = result[int(part)] if isinstance(result, list) else result[part]
    return result


# ---- answers ---------------------------------------------------------------------------------------------------------


class Estimate(Mapping[str, Any]):
    """The answer to a plan: est["time.iteration_s"], est["memory"]["stages"]. Unknown values are None."""

    def __init__(self, plan: Plan, result: Mapping[str, Any]) -> None:
        self.plan = dict(plan)
        self.result = dict(result)

    def __getitem__(self, path: str) -> Any:
        try:
            return _at(self.result, path)
        except (LookupError, ValueError, TypeError, AttributeError):
            raise KeyError(path) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.result)

    def __len__(self) -> int:
        return len(self.result)

    def __repr__(self) -> str:
        return f"<Estimate {self.plan}>"

    @property
    def valid(self) -> bool:
        """Whether a framework would start with this plan."""
        return bool(self["valid"])

    @property
    def fits(self) -> Optional[bool]:
        """Whether it fits with a probability of at least 0.5; None where that is not known."""
        fits: Optional[bool] = self["memory.fits"]
        return fits

    @property
    def iteration_s(self) -> Optional[float]:
        """Seconds of one iteration."""
        seconds: Optional[float] = self["time.iteration_s"]
        return seconds

    def svg(self, section: str = "memory") -> str:
        """A figure of the plan as SVG: memory, time, communication, grid or layers."""
        words = [f"--set={name}={value}" for name, value in self.plan.items() if name != "gpus"]
        words += [f"--gpus={self.plan['gpus']}"] if "gpus" in self.plan else []
        done = subprocess.run([program(), "show", "--svg", "--section", section, *words], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, encoding="utf-8", check=False)
        if done.returncode:
            raise ShardtopError("bad_plan", done.stderr.strip())
        return done.stdout

    def _repr_svg_(self) -> str:
        return self.svg()


class Table(Sequence[dict[str, Any]]):
    """Rows of a search, a sweep or several plans. `answer` has all that the program answered."""

    def __init__(self, items: Iterable[dict[str, Any]], answer: Optional[Mapping[str, Any]] = None) -> None:
        self.items = list(items)
        self.answer = dict(answer or {})

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __repr__(self) -> str:
        return f"<Table of {len(self)} rows>"

    def frame(self) -> Any:
        """The rows as a pandas data frame; needs pandas."""
        return importlib.import_module("pandas").DataFrame(self.items)


# ---- questions -------------------------------------------------------------------------------------------------------


def estimate(plan: Optional[Plan] = None, /, *, want: Optional[Sequence[str]] = None, **keys: Value) -> Estimate:
    """Estimates a plan. With `want`, a list of paths, only these values are computed, in a tenth of the time."""
    given = _keys(plan, keys)
    request: dict[str, Any] = {"plan": given}
    if want is not None:
        request["want"] = list(want)
    return Estimate(given, _batch.ask(request)["result"])


def rows(plans: Iterable[Plan], want: Sequence[str]) -> Table:
    """A row for each plan: its keys and the wanted values, or "error" with the reason why there are none."""
    table = []
    for plan in plans:
        given = _keys(plan, {})
        try:
            found = estimate(given, want=want)
            table.append({**given, **{path: found[path] for path in want}})
        except ShardtopError as error:
            table.append({**given, "error": str(error)})
    return Table(table)


def frame(plans: Iterable[Plan], want: Sequence[str]) -> Any:
    """rows() as a pandas data frame."""
    return rows(plans, want).frame()


_SEARCH = ("objective", "models", "top", "free", "keep", "values", "nodes", "max_memory", "headroom", "deadline",
           "tokens_per_s", "where", "tp_in_node", "fit", "schedules")


def search(plan: Optional[Plan] = None, /, **keys: Value) -> Table:
    """The best layouts of a plan's GPUs, best first. Options of `shardtop search` are keywords too: top=3, where=["tp<=8"].

    Each row has the keys that the layout changes, and its figures.
    """
    options = {name: keys.pop(name) for name in _SEARCH if name in keys}
    answer = _batch.ask({"plan": _keys(plan, keys), "search": options})["search"]
    found = ({**it.get("changes", {}), **{name: value for name, value in it.items() if not isinstance(value, (dict, list))}}
             for it in answer.get("best", []))
    return Table(found, answer)


def sweep(axes: Mapping[str, Union[str, Sequence[Value]]], plan: Optional[Plan] = None, /, *,
          metric: str = "iteration_s", best: bool = False, follow: bool = False, **keys: Value) -> Table:
    """One or two keys over values: sweep({"tp": [1, 2, 4], "pp": "1..8"}, model="llama3-8b", metric="mfu").

    Each row has the keys' values, the metric (None where the plan is not valid), valid and fits.
    """
    options = {"keys": dict(axes), "metric": metric, "best": best, "follow": follow}
    answer = _batch.ask({"plan": _keys(plan, keys), "sweep": options})["sweep"]
    cells = ({**dict(zip(axes, cell["values"])), metric: cell["value"], "valid": cell["valid"], "fits": cell["fits"]}
             for cell in answer["cells"])
    return Table(cells, answer)


def advice(plan: Optional[Plan] = None, /, *, top: int = 5, **keys: Value) -> dict[str, Any]:
    """What to change and what limits, as `shardtop advice --json` answers."""
    found: dict[str, Any] = _batch.ask({"plan": _keys(plan, keys), "advice": {"top": top}})["advice"]
    return found
