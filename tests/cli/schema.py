#!/usr/bin/env python3
"""Checks `shardtop schema`, and answers of every command against it, with a validator that is not ours.

Needs python3-jsonschema; without it the test is skipped. The program is build/shardtop, or $SHARDTOP.
"""
import json
import os
import subprocess
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("needs python3-jsonschema\n[  SKIPPED ] 1 test(s)")
    sys.exit(0)

PLAN = ["--model", "llama3-8b", "--gpus", "8"]
PLANS = [PLAN, ["--model", "deepseek-v3", "--gpus", "1024"], ["--model", "llama3-70b", "--gpus", "8", "--set", "peft=lora"]]
RUNS = "tests/data/runs.csv"
LISTS = "models gpus clusters plans glossary lessons themes frameworks fabrics constants estimators schedules formats settings keys"
REQUESTS = [
    {"id": 1, "plan": {"model": "llama3-8b"}},
    {"id": 2, "plan": {"model": "llama3-8b"}, "want": ["memory.fits", "time", "memory.stages.stage"]},
    {"id": 3, "plan": {"tp": "x"}},
    {"id": 5, "plan": {"model": "llama3-8b", "gpus": 8}, "search": {"top": 1}},
    {"id": 6, "plan": {"model": "llama3-8b", "gpus": 8}, "advice": {"top": 1}},
    {"id": 7, "plan": {"model": "llama3-8b", "gpus": 8}, "sweep": {"keys": {"tp": [1, 2]}, "metric": "mfu"}},
    {"id": 4, "estimator": "deepspeed", "fn": "zero2", "inputs": {"total_params": 1e9, "other": 1}},
]
COMMANDS = {
    "show": [words for plan in PLANS for words in (plan, plan + ["--check"], plan + ["--section", "memory"])]
    + [PLAN + ["--set", "workload=inference"], PLAN + ["--framework", "megatron-core,fsdp2"]],
    "explain": [PLAN + [path] for path in ("memory.stages.0.device_bytes", "time.iteration_s", "train.recompute")],
    "search": [PLAN, PLAN + ["--objective", "size"]],
    "compare": [PLAN + ["--estimators"]],
    "advice": [PLAN],
    "goal": [["train", "--model", "llama3-8b", "--tokens", "1T", "--days", "30"],
             ["tune", "--model", "llama3-8b", "--gpu", "rtx-4090"], ["serve", "--model", "llama3-8b", "--users", "50"],
             ["size", "--gpu", "h100-sxm-80", "--gpus", "8"], ["faster"] + PLAN],
    "find": [["llama3 8b lora 4090"], ["200 users 50 ms"], ["fsdp"]],
    "sweep": [PLAN + ["tp=1,2,4"], PLAN + ["tp=1,2", "pp=1,2", "--best"]],
    "validate": [[RUNS], [RUNS, "--ranking"], [RUNS, "--ranges"]],
    "list": [[name] for name in LISTS.split()],
    "lesson": [[], ["what-fills-a-gpu", "--answers"]],
}


def unique(pairs):
    names = [name for name, _ in pairs]
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise ValueError("repeated: " + ", ".join(sorted(repeated)))
    return dict(pairs)


def run(*words, text=""):
    program = os.environ.get("SHARDTOP", "build/shardtop")
    return subprocess.run([program, *words], input=text, capture_output=True, text=True, check=False).stdout


def faults(command, answers):
    """Yields what is wrong with the schema of a command, or with its answers."""
    schema = json.loads(run("schema", command), object_pairs_hook=unique)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for words, text in answers:
        try:
            answer = json.loads(text, object_pairs_hook=unique)
        except ValueError as error:
            yield f"{words}: {error}: {text[:80]}"
            continue
        for error in list(validator.iter_errors(answer))[:3]:
            yield f"{words}: {'.'.join(map(str, error.path))}: {error.message[:200]}"


def strangers(answers):
    """Yields the answers that name another program than `shardtop --version` does."""
    version = run("--version").split()
    for words, text in answers:
        answer = json.loads(text)
        about = answer.get("program") if isinstance(answer, dict) else None
        if about and (about["version"], f"({about['commit']})") != (version[1], version[2] if version[2:] else "(None)"):
            yield f"{words}: program is {about}, --version prints {' '.join(version)}"


def main():
    cases = failed = 0
    lines = run("batch", text="".join(json.dumps(line) + "\n" for line in REQUESTS)).splitlines()
    answers = {name: [(w, run(name, *w, "--json")) for w in words] for name, words in COMMANDS.items()}
    answers["batch"] = list(zip(REQUESTS, lines))
    Draft202012Validator.check_schema(json.loads(run("schema"), object_pairs_hook=unique))
    for command, given in answers.items():
        found = list(faults(command, given)) or list(strangers(given))
        for fault in found:
            print(f"FAILED {command}: {fault}")
        cases += len(given)
        failed += len(found)
    print(f"{cases} cases, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
